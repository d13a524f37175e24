"""docs/regret.md says what was measured; the samplers and worlds behind it are what they claim to be."""

import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import sidelight as sl

ROOT = Path(__file__).parent.parent
CELLS, PAGE = ROOT / "docs" / "regret.json", ROOT / "docs" / "regret.md"


@pytest.fixture(scope="module")
def regret():
    """The script that measures."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import regret

        yield regret
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def test_the_page_is_made_of_what_was_measured(regret):
    known = json.loads(CELLS.read_text(encoding="utf-8"))
    assert PAGE.read_text(encoding="utf-8") == regret.regret_page.text(known, 1000, regret.PATIENCE)


def test_every_strategy_is_measured(regret):
    played = {regret.VARIANTS.get(label, (label,))[0] for flag in (False, True) for label in regret.labels(flag)}
    assert played >= set(sl.strategies.names()) - set(regret.LEFT_OUT)
    shown = {record["strategy"] for group in json.loads(CELLS.read_text(encoding="utf-8")).values() for record in group}
    assert shown >= {label for flag in (False, True) for label in regret.labels(flag)}


def test_a_cell(regret):
    cell = regret.Cell("paper", "apple-tasting, balanced", "FeedExp3", (50, 200), 6, 100.0)
    case = regret.case_of(cell, 7)
    assert case.worst == pytest.approx(np.abs(1 - 2 * case.environment.law[:, 0]))
    short, long = regret.measure(cell, case, 7)
    assert [one["horizon"] for one in (short, long)] == [50, 200]
    how = {"horizon": 200, "runs": 6, "seed": 7, "checkpoints": [50, 200]}
    found = sl.simulate(sl.strategies.FeedExp3(case.game), case.environment, **how).regret[:, 1]
    assert long["mean"] == pytest.approx(found.mean(), abs=1e-4)
    assert long["error"] == pytest.approx(found.std(ddof=1) / np.sqrt(6), abs=1e-4)
    assert long["wrong"] == pytest.approx(np.mean(found > 20 * case.worst), abs=1e-5)


def test_who_is_best(regret):
    page = regret.regret_page

    def record(name, mean, error, runs=100):
        return {"strategy": name, "mean": mean, "error": error, "runs": runs}

    best, near, vague, few = (
        record("a", 10.0, 1.0),
        record("b", 12.0, 1.0),
        record("c", 16.0, 9.0),
        record("d", 1.0, 0.1, runs=7),
    )
    known, far = record("Prospect, T known", 5.0, 0.1), record("e", 14.0, 1.0)
    among = [best, near, vague, few, known, far]
    assert [one["strategy"] for one in among if page._shown(one, among).startswith("**")] == ["a", "b"]


def test_a_run_that_takes_too_long_is_broken_off(regret):
    cell = regret.Cell("paper", "apple-tasting, balanced", "CBP", (10**7,), 2, 1e-9)
    with pytest.raises(regret.TooSlowError):
        regret.measure(cell, regret.case_of(cell, 7), 7)


@pytest.mark.parametrize("name", ["bartok", "tau detection", "dueling bandit", "full information"])
def test_laws_near_a_border_are_near_a_border(regret, name):
    title, given = regret.law_samplers.GAMES[name]
    game = sl.games.load(title, **given)
    loss = np.array([[float(x) for x in row] for row in game.loss])
    near, far = (
        np.mean([np.diff(np.sort(loss @ sampler(game, np.random.default_rng(run))))[0] for run in range(300)])
        for sampler in (regret.law_samplers.near_border, regret.law_samplers.anywhere)
    )
    if name != "dueling bandit":  # which has duplicates: the two best are always alike
        assert near < 0.6 * far
    for run in range(50):
        law = regret.law_samplers.near_vertex(game, np.random.default_rng(run))
        assert law.sum() == pytest.approx(1.0)
        assert law.max() >= 0.7


def test_contexts_and_laws_of_the_worlds(regret):
    for name, case in regret.context_worlds.other_cases(400).items():
        game = case.load()
        world = case.environment.start(game, 0, np.random.default_rng(3))
        if not isinstance(case.environment, regret.context_worlds.Sampled):
            continue
        assert world.contexts.shape == (400, case.environment.dimension), name
        assert np.isfinite(world.contexts).all()
        assert world.laws.sum(axis=1) == pytest.approx(np.ones(400))
        assert (world.laws >= 0).all()
        with pytest.raises(sl.SidelightError, match="400 rounds"):
            case.environment.check(game, 1, 401)


def test_a_sampled_world_charges_the_gap(regret):
    worlds = regret.context_worlds
    environment = worlds.Sampled(partial(worlds.step, noise=0.25), 3, 200)
    results = sl.simulate(sl.strategies.FixedAction(sl.games.load("apple-tasting"), 0), environment, 200, 4)
    world = environment.start(
        sl.games.load("apple-tasting"), 0, np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0, 0)))
    )
    assert results.final[0] == pytest.approx(0.5 * np.sum(world.laws[:, 0] > 0.5))
