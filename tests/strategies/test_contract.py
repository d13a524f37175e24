"""What every strategy inherits: seeds, feedback, saving and loading."""

import json

import numpy as np
import pytest
from common.broken import Contextual, Honest, SharesLists

import sidelight as sl
from sidelight.checks import Report
from sidelight.checks.contract import saved_data_is_a_copy
from sidelight.checks.stage import Stage
from sidelight.strategies import CBP, OrderError, RandCBP, Strategy

APPLES = sl.games.load("apple-tasting")
BARTOK = sl.games.load("bartok")


def rounds(strategy, count=60, seed=1):
    """Play some rounds; return the actions."""
    rng = np.random.default_rng(seed)
    actions = []
    for _ in range(count):
        actions.append(strategy.act())
        strategy.observe(strategy.game.feedback[actions[-1]][int(rng.random() * strategy.game.n_outcomes)])
    return actions


@pytest.mark.parametrize("seed", [0, [1, 2], np.random.SeedSequence(5, spawn_key=(3,)), np.int64(4)], ids=str)
def test_any_seed_survives_saving(seed, tmp_path):
    strategy = RandCBP(BARTOK, seed=seed)
    first = rounds(strategy)
    path = tmp_path / "strategy.npz"
    data = strategy.save(path)
    for source in (data, path, str(path)):
        loaded = RandCBP.load(source)
        assert rounds(loaded, seed=2) == rounds(strategy.clone(), seed=2)
        assert rounds(loaded.reset()) == first


def test_without_a_seed_play_is_random_but_can_be_saved():
    strategy = Honest(BARTOK, rate=1.0, seed=None)
    assert rounds(strategy, 200) != rounds(Honest(BARTOK, rate=1.0, seed=None), 200)
    assert rounds(Honest.load(strategy.save()), 200) == rounds(strategy, 200)


def test_the_header_of_a_file_is_json_and_needs_no_pickle(tmp_path):
    strategy = RandCBP(
        BARTOK, observers={pair: sl.analyze(BARTOK).observer_vectors(*pair) for pair in [(0, 1), (0, 2), (1, 2)]}
    )
    rounds(strategy)
    strategy.save(tmp_path / "s.npz")
    with np.load(tmp_path / "s.npz", allow_pickle=False) as file:
        header = json.loads(bytes(file["header"]))
    assert header["strategy"] == "RandCBP"
    assert header["parameters"]["observers"]["0,1"]["0"] == ["5/4", "-3/4"]
    assert rounds(RandCBP.load(tmp_path / "s.npz"), seed=3) == rounds(strategy, seed=3)


def test_the_base_class_loads_any_strategy_and_others_only_their_own():
    data = CBP(APPLES).save()
    assert isinstance(Strategy.load(data), CBP)
    assert isinstance(RandCBP.load(data), CBP)
    with pytest.raises(sl.SidelightError, match="the saved strategy is a CBP, which is not a Honest"):
        Honest.load(data)


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"format": "other"}, "not a saved strategy"), ({"state": {}}, "does not fit")],
)
def test_foreign_data_is_refused(change, problem):
    with pytest.raises(sl.SidelightError, match=problem):
        CBP.load(CBP(APPLES).save() | change)


def test_foreign_files_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        CBP.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(sl.SidelightError, match="is not a saved strategy"):
        CBP.load(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(2))
    with pytest.raises(sl.SidelightError, match="is not a saved strategy"):
        CBP.load(tmp_path / "other.npz")
    with pytest.raises(sl.SidelightError, match=r"saved to a \.npz file"):
        CBP(APPLES).save(tmp_path / "strategy.pkl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.npz", "text.npz"]


def test_order_errors_say_what_to_do():
    strategy = CBP(APPLES)
    with pytest.raises(OrderError, match="call act before observe"):
        strategy.observe("nothing")
    strategy.act()
    with pytest.raises(sl.SidelightError, match="action 0 cannot show the symbol 'rotten'; it shows 'nothing'"):
        strategy.observe("rotten")
    with pytest.raises(OrderError, match=r"action 1 does not wait for feedback; \[0\] do"):
        strategy.observe("rotten", action=1)
    with pytest.raises(sl.SidelightError, match="there is no action 2: actions are numbered 0 to 1"):
        strategy.observe("rotten", action=2)
    strategy.act()
    with pytest.raises(OrderError, match="name one with"):
        strategy.observe("rotten")
    strategy.observe("rotten", action=1)
    strategy.observe("nothing")


def test_contextual_feedback_names_its_context():
    strategy = Contextual(APPLES, rate=1.0)
    contexts = np.eye(3)
    played = [strategy.act(x) for x in contexts[:2]]
    symbol = APPLES.feedback[played[0]][0]
    with pytest.raises(OrderError, match="name the context"):
        strategy.observe(symbol, action=played[0])
    strategy.observe(symbol, action=played[0], context=contexts[0])
    strategy.observe(APPLES.feedback[played[1]][0])


def test_a_game_is_required():
    with pytest.raises(TypeError, match="CBP needs a Game, not list"):
        CBP([[1, 0], [0, 1]])


def test_labels_show_what_differs_from_the_defaults():
    described = RandCBP(APPLES, bins=10).describe()
    assert described["parameters"]["bins"] == 10
    assert described["defaults"]["bins"] == 5
    assert repr(CBP(APPLES)) == "CBP(apple-tasting, alpha=1.01, observers='minimum-norm', ties='lowest')"


def test_lists_in_a_state_are_not_shared_with_saved_data():
    Report("SharesLists").run([saved_data_is_a_copy], Stage(BARTOK, SharesLists), "bartok")
