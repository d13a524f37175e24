"""Arguments of constructors: numbers of NumPy are numbers, and what is wrong is named and never a raw error."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from common.players import make

import sidelight as sl
from sidelight.errors import ParameterError

APPLES, LABELS = sl.games.load("apple-tasting"), sl.games.load("label-efficient")
POSITIVE = [0, -1, np.inf, -np.inf, np.nan, True, np.True_, None, "1", [1.0], np.ones(2), 1j]
WHOLE = [0, -1, 1.0, np.float64(2.0), np.nan, True, np.True_, None, "1", [1], np.ones(2, int)]
REFUSED = r"hopeless: .* action 0 \(.+\) from action 1 \(.+\)|this one is hopeless|plays (bandits|games of two)"
WORDS = ["", "other", 1, None, True, ["ridge"], np.array(["ridge", "ridge"])]
CONTEXTUAL = {"dimension": 2}
CASES = [
    ("Prospect", APPLES, {}, {"horizon": [*(value for value in WHOLE if value is not None), 1e4], "caution": POSITIVE}),
    (
        "ProspectSide",
        APPLES,
        CONTEXTUAL,
        {"dimension": WHOLE, "horizon": [value for value in WHOLE if value is not None], "caution": POSITIVE},
    ),
    (
        "RandCBP",
        APPLES,
        {},
        {
            "alpha": POSITIVE,
            "bins": WHOLE,
            "sigma": POSITIVE,
            "tail": [*POSITIVE[1:], 1.5],
            "lower": [np.inf, None, "1"],
        },
    ),
    ("PublishedRandCBPSide", APPLES, {"dimension": 5}, {"bins": WHOLE, "tail": [*POSITIVE[1:], 1.5], "bounds": WORDS}),
    (
        "RandCBPSide",
        APPLES,
        CONTEXTUAL,
        {"dimension": WHOLE, "regularization": POSITIVE, "bounds": WORDS, "model": WORDS, "alpha": POSITIVE},
    ),
    (
        "PMDMEDHinge",
        APPLES,
        {},
        {"c": POSITIVE[1:], "tolerance": [*POSITIVE, 0.6], "a": POSITIVE[1:], "b": POSITIVE[1:]},
    ),
    ("BPMLeast", APPLES, {}, {"radius": POSITIVE, "regularization": POSITIVE}),
    ("TSPM", APPLES, {}, {"regularization": POSITIVE, "tries": WHOLE[1:]}),
    ("TSPMGaussian", APPLES, {}, {"regularization": POSITIVE, "tries": WHOLE[1:]}),
    ("IDS", APPLES, {}, {"width": POSITIVE}),
    (
        "IDSContexts",
        APPLES,
        {},
        {"width": POSITIVE, "contexts": [0, -1, True, None, "x", [1.0], [[np.nan]], [[]], 1.5]},
    ),
    *(
        (
            kind,
            APPLES,
            CONTEXTUAL,
            {
                "dimension": WHOLE,
                "prior_mean": [np.inf, np.nan, True, None, "1", [1.0]],
                "regularization": POSITIVE,
                "transitions": WHOLE,
                "intercept": [2, -1, 0.5, None, "yes", [True], np.ones(2)],
                "refresh": [*POSITIVE, 1.5],
            },
        )
        for kind in ("PGTS", "PGIDS")
    ),
    ("Greedy", APPLES, {}, {"regularization": POSITIVE}),
    ("EpsilonGreedy", APPLES, {}, {"regularization": POSITIVE, "scale": POSITIVE, "exponent": [*POSITIVE[1:], 1.5]}),
    ("GreedySide", APPLES, CONTEXTUAL, {"dimension": WHOLE, "regularization": POSITIVE}),
    ("EpsilonGreedySide", APPLES, CONTEXTUAL, {"scale": POSITIVE, "exponent": [*POSITIVE[1:], 1.5]}),
    ("KLUCB", APPLES, {}, {"c": POSITIVE[1:]}),
    ("LinUCB", APPLES, CONTEXTUAL, {"dimension": WHOLE, "regularization": POSITIVE, "alpha": POSITIVE[1:]}),
    ("LinTS", APPLES, CONTEXTUAL, {"dimension": WHOLE, "regularization": POSITIVE, "sigma": POSITIVE}),
    ("STAP", APPLES, CONTEXTUAL, {"dimension": WHOLE, "learner": WORDS, "regularization": POSITIVE, "count": WORDS}),
    ("CESA", LABELS, CONTEXTUAL, {"dimension": WHOLE, "learner": WORDS, "regularization": POSITIVE, "beta": POSITIVE}),
]


@pytest.mark.parametrize(
    ("kind", "game", "needed", "name", "values"),
    [(kind, game, needed, name, values) for kind, game, needed, wrong in CASES for name, values in wrong.items()],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_what_is_wrong_is_named(kind, game, needed, name, values):
    for value in values:
        with pytest.raises(
            sl.SidelightError, match=rf"(?s){name} (is|are|have) .*: (give|there is)|{name}: not numeric"
        ):
            getattr(sl.strategies, kind)(game, **needed | {name: value})


@pytest.mark.parametrize(("kind", "game", "needed", "wrong"), CASES)
def test_numbers_of_numpy_and_fractions_are_numbers(kind, game, needed, wrong):
    for name in wrong:
        values = {
            "dimension": [np.int64(3), np.uint8(3)],
            "transitions": [np.int64(3)],
            "tries": [np.int32(3)],
            "horizon": [np.int64(50), 1, None],
            "contexts": [np.int64(3), np.eye(2), [[1, Fraction(1, 2)]]],
            "intercept": [True, np.True_, np.False_, 1, 0],
            "learner": ["ridge", "perceptron"],
            "bins": [np.int64(3)],
            "bounds": ["published" if kind.startswith("Published") else "corrected"],
            "model": ["logistic"],
            "tolerance": [np.float32(0.25), Fraction(1, 100)],
            "count": ["all", "false-rejections"],
        }.get(name, [np.float32(0.5), np.int64(1), Fraction(1, 3)])
        for value in values:
            strategy = getattr(sl.strategies, kind)(game, **needed | {name: value})
            assert getattr(strategy, name) is value
            context = np.zeros(strategy.dimension)
            for _ in range(3):
                strategy.observe(game.feedback[strategy.act(context)][0])


@pytest.mark.parametrize("make", [sl.strategies.RandCBP, sl.strategies.TSPM, sl.strategies.Uniform])
@pytest.mark.parametrize("seed", [True, False, np.True_])
def test_booleans_are_not_seeds(make, seed):
    with pytest.raises(sl.SidelightError, match="seed"):
        make(APPLES, seed=seed)


def test_bins_that_a_round_cannot_work_through():
    with pytest.raises(sl.SidelightError, match=r"bins is 100000000: .* at most 100000"):
        sl.strategies.RandCBP(APPLES, bins=10**8)


def test_an_error_names_its_parameter_even_after_pickling():
    with pytest.raises(ParameterError) as caught:
        sl.strategies.RandCBP(sl.games.load("apple-tasting"), bins=0)
    assert caught.value.name == "bins"
    assert pickle.loads(pickle.dumps(caught.value)).name == "bins"


@pytest.mark.parametrize("name", [each for each in sl.strategies.names() if each not in ("Uniform", "FixedAction")])
def test_hopeless_games_are_refused(name):
    """As hopeless, naming the pair that nothing tells apart, or as none of the games that the strategy plays."""
    with pytest.raises(sl.SidelightError, match=REFUSED):
        make(name, sl.games.load("hopeless"))
