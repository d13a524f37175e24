"""The arena on real data: its study files can be read, its streams cost what they should, and its players play."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import sidelight as sl
from sidelight.studies import parse, read
from sidelight.studies.plan.cases import plan_case_settings

pytest.importorskip("sklearn")
pytest.importorskip("river")
STUDIES = Path(__file__).parents[2] / "studies"


def loaded(name):
    specification = importlib.util.spec_from_file_location(name, STUDIES / "real_streams" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


streams, players, neural_cbp = loaded("streams"), loaded("players"), loaded("neural_cbp")
RULES = [kind for kind in vars(players).values() if isinstance(kind, type) and players.Rule in kind.__mro__[1:]]
APPLES = sl.games.load("apple-tasting")


@pytest.mark.parametrize("name", ["real-streams", "real-streams-short", "real-streams-constants"])
def test_the_studies_can_be_read(name):
    study = read(STUDIES / f"{name}.toml")
    half = streams.CHOOSE if name.endswith("constants") else streams.REPORT
    known = {make.__name__.replace("_", "-") for make in half}
    assert {world.label for world in study.worlds} <= known
    for setting in plan_case_settings(study):
        assert setting.world.horizons == (setting.horizon,)


@pytest.mark.parametrize("name", list(streams.STREAMS))
def test_streams_are_tables_of_numbers(name):
    data = streams.load(name)
    assert data.contexts.shape[0] == len(data.target) > 400
    assert np.isfinite(data.contexts).all()
    if data.target.dtype.kind == "f":
        outcomes = streams.outcomes_of(data, sl.games.load("dynamic-pricing", prices=4))
        assert np.bincount(outcomes).min() > 0.2 * len(outcomes)
    else:
        assert set(data.target) == {0, 1}


def test_regret_is_what_was_lost_beyond_the_offline_model(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(streams, "offline_models", lambda: {"logistic": players.Logistic()})
    world = streams.Stream("cancer")
    played = sl.simulate(sl.strategies.FixedAction(APPLES, action=1), world, horizon=569, runs=2, checkpoints=1)
    data = streams.load("cancer")
    offline = streams.offline_losses(data, APPLES)
    benign = (data.target == 0).sum()  # each of them is tasted for nothing
    np.testing.assert_allclose(played.final, benign - offline.sum())
    assert 0 < offline.sum() < 30  # of 569
    assert len(list(tmp_path.rglob("*.npy"))) == 1


def test_orders_differ_between_runs_and_a_change_stays_in_the_middle(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(streams, "offline_models", lambda: {"logistic": players.Logistic()})
    world = streams.Stream("drift")
    first, second = (world.start(APPLES, 0, np.random.default_rng(seed)) for seed in (1, 2))
    assert (first.outcomes != second.outcomes).any()
    before = streams.load("drift").contexts[:1000].sum()
    assert first.contexts[:1000].sum() == pytest.approx(before)


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("model", players.MODELS)
def test_rules_learn_from_what_they_are_shown(kind, model):
    game = sl.games.load("label-efficient")
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(250, 1))
    world = sl.environments.Replay((contexts[:, 0] > 0).astype(int), contexts, law="outcome")
    played = sl.simulate(kind(game, dimension=1, model=model), world, horizon=250, runs=1, checkpoints=2)
    late = played.regret[0, 1] - played.regret[0, 0]
    assert late < 0.3 * 125  # guessing costs a half


def test_neural_cbp_learns_where_looks_are_cheap_and_refuses_other_games():
    game = sl.games.load("label-efficient", cost="1/4")
    contexts = np.random.default_rng(3).normal(size=(400, 1))
    world = sl.environments.Replay((contexts[:, 0] > 0).astype(int), contexts, law="outcome")
    played = sl.simulate(neural_cbp.NeuralCBP(game, 1), world, horizon=400, runs=1, checkpoints=2)
    assert played.regret[0, 1] - played.regret[0, 0] < 0.2 * 200  # asking always costs 1/4
    with pytest.raises(sl.SidelightError, match="two outcomes"):
        neural_cbp.NeuralCBP(sl.games.load("dynamic-pricing"), 1)


def test_a_network_fits_its_data():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(200, 2))
    y = np.column_stack([x[:, 0] > 0, x[:, 0] <= 0]).astype(float)
    network = neural_cbp.Network(2, 2, rng)
    before = ((network(x)[0] - y) ** 2).mean()
    for _ in range(3):
        network.fit(x, y, rng)
    assert ((network(x)[0] - y) ** 2).mean() < 0.3 * before
    outputs, hidden = network(x[:1])
    gradient = network.gradient(x[:1], hidden, np.ones((1, 2)))
    network.weights[0][5, 1] += 1e-6
    assert (network(x[:1])[0].sum() - outputs.sum()) / 1e-6 == pytest.approx(gradient[0][5, 1], abs=1e-5)


def test_a_rule_tells_levels_apart_by_sales():
    game = sl.games.load("dynamic-pricing", prices=4)
    player = players.Greedy(game, dimension=1, model="logistic")
    rng = np.random.default_rng(1)
    for value in np.repeat(np.arange(4), 100)[rng.permutation(400)]:
        action = player.act([value + 0.1 * rng.normal()])
        player.observe(game.feedback[action][value])
    assert player._laws(np.array([3.0])).argmax() == 3
    assert player._laws(np.array([0.0])).argmax() == 0


@pytest.mark.parametrize(("delay", "batch", "arrived"), [(0, 1, 11), (5, 1, 6), (0, 4, 8), (3, 4, 5)])
def test_late_symbols_arrive_when_they_are_due(delay, batch, arrived):
    late = players.Late(APPLES, 1, "Greedy", model="logistic", delay=delay, batch=batch)
    for t in range(11):
        late.act([float(t)])  # rules begin with looks
        late.observe("good" if t % 2 else "rotten")
    late.act([0.0])
    assert [row[0] for row in late.state["player"].state["rows"]] == list(range(arrived))


def test_prospect_around_a_forest_plays():
    contexts = np.random.default_rng(2).normal(size=(60, 2))
    world = sl.environments.Replay((contexts[:, 0] > 0).astype(int), contexts, law="outcome")
    assert sl.simulate(players.Prospect(APPLES), world, horizon=60, runs=1, checkpoints=1).final < 20


def test_a_world_may_have_its_own_horizons(tmp_path):
    code = "from sidelight.environments import IID\nclass Mine(IID):\n    def __init__(self): super().__init__([1, 0])"
    (tmp_path / "mine.py").write_text(code)
    study = parse(
        """
        name = "mine"
        horizon = 300
        [[games]]
        name = "apple-tasting"
        [[worlds]]
        environment = "mine.py:Mine"
        horizons = [20]
        [[worlds]]
        law = [0.3, 0.7]
        [[strategies]]
        name = "CBP"
        """,
        folder=str(tmp_path),
    )
    assert [(each.world.label, each.horizon) for each in plan_case_settings(study)] == [
        ("Mine", 20),
        ("law (0.3, 0.7)", 300),
    ]
