"""The games of the catalogue: what they are, how they are found, and what is said when they are asked for wrongly."""

import re
import subprocess
import sys
from fractions import Fraction

import pytest

from sidelight import Game, GameError, games
from sidelight.games import _catalogue
from sidelight.games._parameters import NumberParameter

F = Fraction
HALF = F(1, 2)
NO = "nothing"

S, U = "sold", "unsold"

# The matrices with default parameters, worked out by hand.
MATRICES = {
    "apple-tasting": ([[1, 0], [0, 1]], [[NO, NO], ["rotten", "good"]]),
    "label-efficient": ([[1, 1], [1, 0], [0, 1]], [["A", "B"], [NO, NO], [NO, NO]]),
    "spam-filtering": ([[1, 1], [0, 1], [2, 0]], [["ham", "spam"], [NO, NO], [NO, NO]]),
    "matching-pennies": ([[0, 1], [1, 0], [1, 1]], [[NO, NO], [NO, NO], ["heads", "tails"]]),
    "tau-detection": ([[1, 1], [5, 0]], [["wrong", "right"], [NO, NO]]),
    "full-information": ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], [[0, 1, 2], [0, 1, 2], [0, 1, 2]]),
    "bernoulli-bandit": ([[1, 1, 0, 0], [1, 0, 1, 0]], [[0, 0, 1, 1], [0, 1, 0, 1]]),
    "finite-bandit": (
        [[1, 1, 1, HALF, HALF, HALF, 0, 0, 0], [1, HALF, 0, 1, HALF, 0, 1, HALF, 0]],
        [[0, 0, 0, "1/2", "1/2", "1/2", 1, 1, 1], [0, "1/2", 1, 0, "1/2", 1, 0, "1/2", 1]],
    ),
    "dynamic-pricing": (
        [[0, 1, 2, 3, 4], [2, 0, 1, 2, 3], [2, 2, 0, 1, 2], [2, 2, 2, 0, 1], [2, 2, 2, 2, 0]],
        [[S, S, S, S, S], [U, S, S, S, S], [U, U, S, S, S], [U, U, U, S, S], [U, U, U, U, S]],
    ),
    "revenue-pricing": (
        [[3, 3, 3, 3, 3], [4, 2, 2, 2, 2], [4, 4, 1, 1, 1], [4, 4, 4, 0, 0], [4, 4, 4, 4, -1]],
        [[S, S, S, S, S], [U, S, S, S, S], [U, U, S, S, S], [U, U, U, S, S], [U, U, U, U, S]],
    ),
    "bartok": ([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [["a", "b", "b"], ["b", "a", "b"], ["b", "b", "a"]]),
    "dueling-bandit": (
        [
            [1, 1, 1, 1, 0, 0, 0, 0],
            [1, 1, HALF, HALF, HALF, HALF, 0, 0],
            [1, HALF, 1, HALF, HALF, 0, HALF, 0],
            [1, 1, 0, 0, 1, 1, 0, 0],
            [1, HALF, HALF, 0, 1, HALF, HALF, 0],
            [1, 0, 1, 0, 1, 0, 1, 0],
        ],
        [
            [0, 0, 0, 0, 0, 0, 0, 0],
            [0, 0, -1, -1, 1, 1, 0, 0],
            [0, -1, 0, -1, 1, 0, 1, 0],
            [0, 0, 0, 0, 0, 0, 0, 0],
            [0, -1, 1, 0, 0, -1, 1, 0],
            [0, 0, 0, 0, 0, 0, 0, 0],
        ],
    ),
    "hopeless": ([[1, 0], [0, 1]], [["maybe", "maybe"], ["who knows", "who knows"]]),
    "trivial": ([[0, 0], [1, 1]], [[NO, NO], ["heads", "tails"]]),
    "trivial-degenerate": ([[0, 0], [0, 1]], [[NO, NO], ["heads", "tails"]]),
    "cops-and-robbers": (
        [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1]],
        [
            [(0, 0), (0, 1), (1, 0), (1, 1), (0, 0), (0, 1), (1, 0), (1, 1)],
            [(0, 0), (0, 1), (0, 0), (0, 1), (1, 0), (1, 1), (1, 0), (1, 1)],
            [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1), (1, 1)],
        ],
    ),
    "difference": ([[0, 1, 1, 2], [1, 0, 2, 1]], [[1, 2, 1, 2], [2, 1, 2, 1]]),
    "symbol-ladder": ([[1, 0, 1, 0], [0, 1, 0, 1]], [[1, 2, 2, 3], [1, 1, 2, 2]]),
    "degenerate-informative": ([[1, 0], [0, 1], [HALF, HALF]], [[NO, NO], [NO, NO], ["heads", "tails"]]),
    "unobservable-dominated": (
        [[1, 0, 1, 0], [0, 1, 0, 1], [3, 3, 5, 5]],
        [[NO, NO, NO, NO], ["heads", "tails", "heads", "tails"], [NO, NO, NO, NO]],
    ),
    "three-class-label-efficient": (
        [[0, 1, 1], [1, 0, 1], [1, 1, 0], [2, 2, 2]],
        [[NO, NO, NO], [NO, NO, NO], [NO, NO, NO], ["A", "B", "C"]],
    ),
    "blind-degenerate": (
        [[1, 0], [0, 1], [HALF, HALF], [1, 1]],
        [[NO, NO], [NO, NO], [NO, NO], ["heads", "tails"]],
    ),
}

NAMES = tuple(MATRICES)

# The matrices with some other parameters, by hand as well.
VARIANTS = [
    ("label-efficient", {"cost": "1/3"}, [[F(1, 3), F(1, 3)], [1, 0], [0, 1]], [["A", "B"], [NO, NO], [NO, NO]]),
    ("tau-detection", {"tau": 0.025}, [[1, 1], [40, 0]], [["wrong", "right"], [NO, NO]]),
    ("full-information", {"outcomes": 1}, [[0]], [[0]]),
    ("bernoulli-bandit", {"arms": 1}, [[1, 0]], [[0, 1]]),
    ("finite-bandit", {"arms": 1, "rewards": "2,-1"}, [[0, 3]], [[2, -1]]),
    ("dynamic-pricing", {"prices": 2, "cost": 3}, [[0, 1], [3, 0]], [[S, S], [U, S]]),
    (
        "revenue-pricing",
        {"prices": 4},
        [[2, 2, 2, 2], [3, 1, 1, 1], [3, 3, 0, 0], [3, 3, 3, -1]],
        [[S, S, S, S], [U, S, S, S], [U, U, S, S], [U, U, U, S]],
    ),
    ("revenue-pricing", {"prices": 2, "cost": HALF}, [[-HALF, -HALF], [HALF, -3 * HALF]], [[S, S], [U, S]]),
    ("dueling-bandit", {"arms": 1}, [[1, 0]], [[0, 0]]),
    (
        "trivial-degenerate",
        {"kind": "duplicate"},
        [[0, 1], [0, 1], [1, 1]],
        [[NO, NO], ["heads", "tails"], [NO, NO]],
    ),
    (
        "cops-and-robbers",
        {"arms": 2},
        [[0, 0, 1, 1], [0, 1, 0, 1]],
        [[(0,), (1,), (0,), (1,)], [(0,), (0,), (1,), (1,)]],
    ),
    ("cops-and-robbers", {"arms": 1}, [[0, 1]], [[(), ()]]),
    ("symbol-ladder", {"symbols": 2}, [[1, 0], [0, 1]], [[1, 2], [1, 1]]),
    (
        "symbol-ladder",
        {"symbols": 4},
        [[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]],
        [[1, 2, 2, 3, 3, 4], [1, 1, 2, 2, 3, 3]],
    ),
    (
        "degenerate-informative",
        {"kind": "duplicate"},
        [[1, 0], [1, 0], [0, 1]],
        [[NO, NO], ["heads", "tails"], [NO, NO]],
    ),
    (
        "three-class-label-efficient",
        {"query": "coarse"},
        [[0, 1, 1], [1, 0, 1], [1, 1, 0], [2, 2, 2]],
        [[NO, NO, NO], [NO, NO, NO], [NO, NO, NO], ["A", "not A", "not A"]],
    ),
]


def rows(matrix):
    return tuple(map(tuple, matrix))


def test_names_are_in_the_order_of_the_catalogue():
    assert games.names() == NAMES
    assert [games.describe(name).number for name in NAMES] == list(range(1, 23))


@pytest.mark.parametrize("name", NAMES)
def test_matrices_with_default_parameters(name):
    loss, feedback = MATRICES[name]
    game = games.load(name)
    assert game.loss == rows(loss)
    assert game.feedback == rows(feedback)
    assert game.name == name


@pytest.mark.parametrize(("name", "parameters", "loss", "feedback"), VARIANTS)
def test_matrices_with_other_parameters(name, parameters, loss, feedback):
    game = games.load(name, **parameters)
    assert game.loss == rows(loss)
    assert game.feedback == rows(feedback)


@pytest.mark.parametrize("name", NAMES)
def test_actions_and_outcomes_have_names(name):
    game = games.load(name)
    assert not set(game.actions) <= {str(index) for index in range(game.n_actions)}
    assert len(game.outcomes) == game.n_outcomes


@pytest.mark.parametrize(
    ("name", "defaults"),
    [
        ("apple-tasting", {}),
        ("label-efficient", {"cost": 1}),
        ("matching-pennies", {"cost": 1}),
        ("tau-detection", {"tau": F(1, 5)}),
        ("full-information", {"outcomes": 3}),
        ("bernoulli-bandit", {"arms": 2}),
        ("finite-bandit", {"arms": 2, "rewards": (0, HALF, 1)}),
        ("dynamic-pricing", {"prices": 5, "cost": 2}),
        ("revenue-pricing", {"prices": 5, "cost": "prices - 1"}),
        ("dueling-bandit", {"arms": 3}),
        ("trivial-degenerate", {"kind": "degenerate"}),
        ("cops-and-robbers", {"arms": 3}),
        ("symbol-ladder", {"symbols": 3}),
        ("degenerate-informative", {"kind": "degenerate"}),
        ("three-class-label-efficient", {"query": "full"}),
    ],
)
def test_defaults(name, defaults):
    entry = games.describe(name)
    assert entry.parameters == defaults
    assert list(entry.allowed) == list(defaults)
    assert games.load(name, **entry.parameters) == games.load(name)
    assert entry.known_kind(**entry.parameters) == entry.kind


def test_the_defaults_of_an_entry_cannot_be_spoilt():
    games.describe("dynamic-pricing").parameters["prices"] = 2
    assert games.describe("dynamic-pricing").parameters["prices"] == 5


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_documented(name):
    entry = games.describe(name)
    assert entry.name == name
    assert entry.kind in ("trivial", "easy", "hard", "hopeless")
    assert entry.title
    assert entry.title[0].isupper() or entry.title.startswith("τ")
    assert len(entry.source) > 20
    assert 20 < len(entry.line) <= 90
    assert "`" not in entry.line
    assert entry.line.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_every_story_says_who_acts_what_is_seen_and_what_it_costs(name):
    entry = games.describe(name)
    assert len(entry.story) >= 200
    assert "\n" not in entry.story
    assert re.match(r"An? \w+", entry.story), "a story begins with the one who acts"
    assert re.search(r"\b(sees?|seen|shows?|shown|tells?|told)\b", entry.story)
    assert re.search(r"\b(costs?|pays?)\b", entry.story)
    for parameter in entry.parameters:
        assert f"`{parameter}`" in entry.story, f"the story does not mention {parameter}"


@pytest.mark.parametrize(
    ("name", "parameters", "kind"),
    [
        ("label-efficient", {"cost": -1}, "trivial"),
        ("label-efficient", {"cost": 0}, "trivial"),
        ("label-efficient", {"cost": "1/1000"}, "easy"),
        ("label-efficient", {"cost": "0.5001"}, "hard"),
        ("tau-detection", {"tau": "0.999"}, "easy"),
        ("bernoulli-bandit", {"arms": 1}, "trivial"),
        ("finite-bandit", {"arms": 3, "rewards": [7]}, "trivial"),
        ("finite-bandit", {"arms": 1}, "trivial"),
        ("finite-bandit", {"arms": 2, "rewards": (1, 0)}, "easy"),
        ("dynamic-pricing", {"prices": 3, "cost": "1/100"}, "hard"),
        ("dynamic-pricing", {"prices": 3, "cost": 0}, "trivial"),
        ("dynamic-pricing", {"prices": 2, "cost": -1}, "trivial"),
        ("revenue-pricing", {"prices": 2, "cost": -7}, "easy"),
        ("dueling-bandit", {"arms": 1}, "trivial"),
        ("cops-and-robbers", {"arms": 1}, "trivial"),
    ],
)
def test_known_kinds(name, parameters, kind):
    assert games.describe(name).known_kind(**parameters) == kind
    # By definition, a game is trivial exactly when one action is at least as good as all others at every outcome.
    loss = games.load(name, **parameters).loss
    best = tuple(map(min, zip(*loss, strict=True)))
    assert (kind == "trivial") == (best in loss)


def test_numbers_are_read_exactly():
    fifth = games.load("tau-detection")
    assert fifth == games.load("tau-detection", tau=0.2) == games.load("tau-detection", tau="1/5")
    assert fifth == games.load("tau-detection", tau=F(1, 5)) == games.load("tau-detection", tau="0.2")
    assert games.load("bernoulli-bandit", arms="3") == games.load("bernoulli-bandit", arms=3.0)


def test_a_game_is_named_after_the_parameters_that_differ_from_the_defaults():
    assert games.load("dynamic-pricing", prices=5).name == "dynamic-pricing"
    assert games.load("dynamic-pricing", prices=3, cost=0.5).name == "dynamic-pricing(prices=3, cost=1/2)"
    assert games.load("finite-bandit", rewards=(0, "1/3")).name == "finite-bandit(rewards=0,1/3)"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("aple-tasting", "apple-tasting"),
        ("label_efficient", "label-efficient"),
        ("cops", "cops-and-robbers"),
        ("TRIVIAL", "trivial"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest(wrong, right):
    with pytest.raises(GameError, match=f"did you mean '{right}'") as caught:
        games.load(wrong)
    assert repr(wrong) in str(caught.value)
    assert "sidelight.games.names()" in str(caught.value)


@pytest.mark.parametrize("wrong", ["xyzzy", "", "-", None, 3, ["apple-tasting"]])
def test_a_name_like_no_other_is_answered_with_where_to_look(wrong):
    with pytest.raises(GameError, match=r"there is no game .* sidelight\.games\.names\(\)") as caught:
        games.describe(wrong)
    assert "did you mean" not in str(caught.value)


def test_an_unknown_parameter_is_answered_with_the_known_ones():
    with pytest.raises(GameError, match=r"no parameter 'price': it takes prices \(default 5\), cost \(default 2\)"):
        games.load("dynamic-pricing", price=3)
    with pytest.raises(GameError, match="apple-tasting has no parameter 'cost': it takes none"):
        games.load("apple-tasting", cost=3)
    with pytest.raises(GameError, match="no parameter 'arms'"):
        games.describe("trivial").known_kind(arms=3)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("bernoulli-bandit", {"arms": 0}, "arms cannot be 0: give a whole number from 1 to 10"),
        ("bernoulli-bandit", {"arms": True}, "arms cannot be True: give a whole number"),
        ("bernoulli-bandit", {"arms": "two"}, "arms cannot be 'two': give a whole number"),
        ("bernoulli-bandit", {"arms": 30}, "from 1 to 10 (each arm doubles the number of outcomes)"),
        ("bernoulli-bandit", {"arms": 10**5000}, "arms cannot be so large a number"),
        ("finite-bandit", {"arms": 7}, "7 arms with 3 rewards make 2187 outcomes: give fewer of either"),
        ("finite-bandit", {"rewards": ""}, "rewards cannot be '': give 1 to 1024 different numbers, such as 0,1/2,1"),
        ("finite-bandit", {"rewards": 3}, "give 1 to 1024 different numbers"),
        ("finite-bandit", {"rewards": {0, 1}}, "give 1 to 1024 different numbers"),
        ("finite-bandit", {"rewards": "0,1,1.0"}, "give 1 to 1024 different numbers"),
        ("finite-bandit", {"rewards": range(10**9)}, "give 1 to 1024 different numbers"),
        ("dynamic-pricing", {"prices": 1}, "prices cannot be 1: give a whole number from 2 to 200"),
        ("dynamic-pricing", {"cost": "cheap"}, "cost cannot be 'cheap': give a number, such as 1/5 or 0.2"),
        ("dynamic-pricing", {"cost": float("nan")}, "cost cannot be nan: give a number"),
        ("dynamic-pricing", {"cost": 10**5000}, "cost cannot be so large a number"),
        ("revenue-pricing", {"cost": "prices"}, "or the text 'prices - 1'"),
        ("tau-detection", {"tau": 0}, "tau cannot be 0: give a number above 0 and below 1, such as 1/5 or 0.2"),
        ("tau-detection", {"tau": "-1/2"}, "give a number above 0 and below 1"),
        ("three-class-label-efficient", {"query": "x"}, "query cannot be 'x': give 'full' or 'coarse'"),
        ("three-class-label-efficient", {"query": ["full"]}, "give 'full' or 'coarse'"),
        ("three-class-label-efficient", {"query": "x" * 999}, "xxx..."),
    ],
)
def test_a_bad_value_is_answered_with_what_is_allowed(name, parameters, message):
    with pytest.raises(GameError) as caught:
        games.load(name, **parameters)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("full-information", {"outcomes": 200}),
        ("bernoulli-bandit", {"arms": 10}),
        ("finite-bandit", {"arms": 6}),
        ("finite-bandit", {"arms": 1, "rewards": range(1024)}),
        ("dynamic-pricing", {"prices": 200}),
        ("dueling-bandit", {"arms": 10}),
        ("cops-and-robbers", {"arms": 10}),
        ("symbol-ladder", {"symbols": 500}),
    ],
)
def test_the_largest_games_can_be_made(name, parameters):
    assert games.load(name, **parameters).n_outcomes >= 200


def test_parameters_are_read_from_text():
    assert games.parse_parameters("dynamic-pricing", ["prices=5", " cost = 1/2 "]) == {"prices": 5, "cost": HALF}
    assert games.parse_parameters("finite-bandit", ["rewards=0,1/2, 1"]) == {"rewards": (0, HALF, 1)}
    assert games.parse_parameters("tau-detection", ["tau=0.2"]) == {"tau": F(1, 5)}
    assert games.parse_parameters("revenue-pricing", ["cost=prices-1"]) == {"cost": "prices - 1"}
    assert games.parse_parameters("three-class-label-efficient", ["query=coarse"]) == {"query": "coarse"}
    assert games.parse_parameters("tau-detection", "tau=0.2") == {"tau": F(1, 5)}
    assert games.parse_parameters("apple-tasting", []) == {}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["prices"], "cannot read the parameter 'prices': write it as name=value, for instance prices=5"),
        (["prices="], "write it as name=value"),
        (["prices=5", "prices=6"], "the parameter 'prices' is given twice: keep one"),
        (["price=5"], "dynamic-pricing has no parameter 'price'"),
        (["prices=many"], "prices cannot be 'many': give a whole number from 2 to 200"),
        (["cost=1=2"], "cost cannot be '1=2': give a number"),
    ],
)
def test_unreadable_parameters_are_explained(texts, message):
    with pytest.raises(GameError) as caught:
        games.parse_parameters("dynamic-pricing", texts)
    assert message in str(caught.value)


def test_a_game_is_entered_by_its_decorator_alone(monkeypatch):
    monkeypatch.setattr(_catalogue, "_entries", dict(_catalogue._entries))

    @_catalogue.game("my-game", number=99, title="Mine", source="Me", known=lambda cost: None, cost=NumberParameter())
    def mine(cost=3):
        """Do this.

        A story
        in lines.

        L = c.
        """
        return _catalogue.Matrices([[cost]], [["x"]], ["do"], ["it"])

    entry = games.describe("my-game")
    assert games.names()[-1] == "my-game"
    assert (entry.line, entry.story) == ("Do this.", "A story in lines.")
    assert entry.known_kind(cost=4) is None
    assert games.load("my-game", cost=4) == Game([[4]], [["x"]])
    with pytest.raises(GameError, match="taken"):
        _catalogue.game("other", number=99, title="Mine", source="Me", known="easy", cost=NumberParameter())(mine)
    with pytest.raises(GameError, match="exactly the parameters cost"):
        _catalogue.game("other", number=100, title="Mine", source="Me", known="easy")(mine)


def test_the_catalogue_works_without_docstrings_and_imports_nothing_heavy():
    code = (
        "import sys, sidelight.games as g; [g.load(n) for n in g.names()]; "
        "sys.exit(any(m in sys.modules for m in ('numpy', 'scipy', 'numba', 'sidelight.analysis')))"
    )
    assert subprocess.run([sys.executable, "-OO", "-c", code], check=False).returncode == 0
