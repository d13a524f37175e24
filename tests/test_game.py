"""Game: what it accepts, keeps, refuses and writes."""

import copy
import json
import math
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from random_games import modest

from sidelight import strategies
from sidelight.errors import GameError, ImmutableError, NoActionError, NoFileError, SidelightError
from sidelight.game import Game

THIRD = Fraction(1, 3)
APPLES = Game([[1, 0], [0, 1]], [["?", "?"], ["rotten", "good"]], "apples", ["sell", "taste"], ["bad", "fine"])


def one(loss):
    """Return the exact value of a single loss."""
    return Game([[loss]], [["x"]]).loss[0][0]


def two(loss=None, feedback=None, **names):
    """Return a game of two actions and two outcomes with one of the matrices given."""
    return Game([[1, 0], [0, 1]] if loss is None else loss, [[1, 1], [1, 2]] if feedback is None else feedback, **names)


def refusal(make, *parts):
    """Return the message with which making a game is refused; it holds all the parts."""
    with pytest.raises(GameError) as caught:
        make()
    message = str(caught.value)
    assert isinstance(caught.value, SidelightError | ValueError)
    for part in parts:
        assert part in message
    return message


# What is accepted, and exactly.


@pytest.mark.parametrize(
    ("given_loss", "exact"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        (1e-3, Fraction(1, 1000)),
        (2.5e-310, Fraction(25, 10**311)),
        (THIRD, THIRD),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1E+2"), Fraction(100)),
        ("1/3", THIRD),
        (" 2/6 ", THIRD),
        ("1e-3", Fraction(1, 1000)),
        (10**30 + 1, Fraction(10**30 + 1)),
        ("1e4000", Fraction(10**4000)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.uint64(2**63), Fraction(2**63)),
        (np.str_("1/3"), THIRD),
    ],
    ids=repr,
)
def test_a_loss_is_read_exactly(given_loss, exact):
    assert one(given_loss) == exact
    assert type(one(given_loss)) is Fraction
    assert type(one(given_loss).numerator) is int


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.float16, np.float32, np.float64, object, "U3"])
def test_arrays_of_any_kind_are_the_game_that_lists_are(dtype):
    assert two(np.array([[1, 0], [0, 1]], dtype=dtype)) == two()


def test_rows_may_be_any_iterable():
    assert two(iter(row) for row in [[1, 0], [0, 1]]) == two()
    assert two(((1, 0), range(2))) == two()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_mean_their_shortest_text(number):
    assert one(number) == Fraction(repr(number))
    assert float(one(number)) == number


@pytest.mark.parametrize(
    "symbols", [["a", "b"], [1, 2], [None, True], [(1, "a"), (1, "b")], [THIRD, 0.5], [frozenset(), b"x"], [print, len]]
)
def test_any_hashable_value_is_a_symbol(symbols):
    game = Game([[0, 1]], [symbols])
    assert game.symbols(0) == tuple(symbols)
    assert all(kept is given_symbol for kept, given_symbol in zip(game.feedback[0], symbols, strict=True))


def test_symbols_of_arrays_become_the_python_values_they_equal():
    game = Game([[0, 1]], np.array([[3, 4]], dtype=np.int16))
    assert [type(symbol) for symbol in game.feedback[0]] == [int, int]
    assert type(Game([[0]], np.array([["a"]])).feedback[0][0]) is str
    assert type(Game([[0]], np.array([[True]])).feedback[0][0]) is bool


class Color(IntEnum):
    """Numbers of another type."""

    RED = 1


class Text(str):
    """Text of another type."""


class Point(NamedTuple):
    """A tuple of another type."""

    x: int
    y: int


TWINS = [
    (True, 1),
    (1, 1.0),
    (0.0, -0.0),
    (0.5, THIRD + Fraction(1, 6)),
    (0.5, Decimal("0.5")),
    (Color.RED, 1),
    (Text("red"), "red"),
    (np.longdouble(1), 1),
    (np.True_, np.int8(1)),
    (("a", True), ("a", 1)),
    (("a", (np.int8(1), 2)), ("a", (1.0, 2))),
    (Point(1, 2), (1, 2)),
    (frozenset({1}), frozenset({True})),
    ((frozenset({("x", 0)}),), (frozenset({("x", False)}),)),
]


@pytest.mark.parametrize("twins", [*TWINS, *(pair[::-1] for pair in TWINS)], ids=repr)
@pytest.mark.parametrize("place", [(0, 1), (1, 0), (1, 1)])
def test_symbols_that_are_equal_and_yet_differ_are_refused(twins, place):
    """True equals 1: taken for one symbol, an easy game would be hopeless, or the other way round."""
    feedback = [[twins[0], "x"], ["y", "z"]]
    feedback[place[0]][place[1]] = twins[1]
    message = refusal(
        lambda: Game([[0, 1], [1, 0]], feedback),
        f"feedback row {place[0]}, column {place[1]} is ",
        "row 0, column 0 is ",
        "as text",
    )
    assert message.count("of type") == 2


@pytest.mark.parametrize("pair", [*TWINS, ("a", "a")], ids=repr)
def test_symbols_of_one_kind_are_one_symbol_however_often_they_are_made(pair):
    for symbol in pair:
        other = copy.deepcopy(symbol)
        assert len(Game([[0, 0]], [[symbol, other]]).symbols(0)) == 1


@pytest.mark.parametrize("pair", TWINS, ids=repr)
def test_games_whose_symbols_are_equal_and_yet_differ_are_different_games(pair):
    one_game, other = (Game([[0, 1]], [[symbol, "x"]]) for symbol in pair)
    assert one_game != other
    assert len({one_game, other}) == 2


def test_dates_of_arrays_stay_dates():
    day = np.datetime64("2024-01-01", "ns")
    assert len(Game([[0, 0]], [[day, int(day.astype(int))]]).symbols(0)) == 2


def test_a_strategy_is_told_any_value_that_equals_the_symbol():
    """In a game no two symbols are equal, so which one is meant is never in doubt."""
    for shown in (1, True, 1.0, np.int8(1), np.float32(1), Fraction(1)):
        strategy = strategies.CBP(Game([[0, 1], [1, 0]], [[1, 0], ["x", "x"]]))
        assert strategy.act() == 0
        strategy.observe(shown)


# What a game says about itself.


def test_size_names_and_symbols():
    assert (APPLES.n_actions, APPLES.n_outcomes, APPLES.name) == (2, 2, "apples")
    assert (APPLES.actions, APPLES.outcomes) == (("sell", "taste"), ("bad", "fine"))
    assert APPLES.loss == ((1, 0), (0, 1))
    assert APPLES.feedback == (("?", "?"), ("rotten", "good"))
    assert two().actions == two().outcomes == ("0", "1")
    assert two().name is None


def test_signals_follow_first_appearance():
    game = Game([[0] * 4], [["b", "a", "b", "c"]])
    assert game.symbols(0) == ("b", "a", "c")
    assert game.signal(0) == ((1, 0, 1, 0), (0, 1, 0, 0), (0, 0, 0, 1))
    assert game.informative(0)
    assert not APPLES.informative(0)


@pytest.mark.parametrize("action", [-1, 2, 10**30, 0.0, "0", None])
@pytest.mark.parametrize("question", ["symbols", "signal", "informative"])
def test_actions_that_do_not_exist(question, action):
    with pytest.raises(NoActionError, match="actions are numbered 0 to 1"):
        getattr(APPLES, question)(action)


def test_games_cannot_be_changed():
    with pytest.raises(ImmutableError, match="cannot be changed"):
        APPLES.name = "pears"
    with pytest.raises(ImmutableError, match="cannot be changed"):
        APPLES.novelty = 1
    with pytest.raises(ImmutableError, match="cannot be changed"):
        del APPLES._loss
    with pytest.raises(TypeError):
        APPLES.loss[0][0] = 5
    assert APPLES.name == "apples"


def test_games_do_not_share_what_they_were_made_of():
    loss, feedback, actions = np.array([[1, 0], [0, 1]]), [["a", "a"], ["b", "c"]], ["one", "two"]
    game = Game(loss, feedback, actions=actions)
    before = str(game), hash(game)
    loss[:], feedback[0][0], actions[0] = 7, "z", "none"
    assert (str(game), hash(game)) == before


def test_equality_is_about_losses_and_symbols():
    other_names = Game([[1.0, "0"], [Fraction(0), Decimal(1)]], [["?", "?"], ["rotten", "good"]])
    assert other_names == APPLES
    assert hash(other_names) == hash(APPLES)
    assert two(feedback=[["1", "1"], ["1", "2"]]) != two()
    assert two([[1, 0], [0, "1.000000000001"]]) != two()
    assert APPLES != "apples"
    assert len({APPLES, other_names, two()}) == 2


def test_printing():
    assert str(APPLES).splitlines() == [
        "apples: 2 actions and 2 outcomes",
        "loss      bad  fine",
        "  sell    1    0",
        "  taste   0    1",
        "feedback  bad     fine",
        "  sell    ?       ?",
        "  taste   rotten  good",
    ]


def test_a_name_stays_on_its_line():
    game = Game([[0, 1]], [["a", "b"]], name="two\nlines", actions=["an\naction"])
    assert str(game).split("\n")[:3] == [
        "two\\nlines: 1 action and 2 outcomes",
        "loss          0  1",
        "  an\\naction  0  1",
    ]


@pytest.mark.parametrize("symbols", [[1, "1"], ["", "a"], ["a\n", "b"], [None, "None"], [(1,), "(1,)"]])
def test_symbols_that_would_look_alike_or_like_nothing_are_printed_as_python_writes_them(symbols):
    last = str(Game([[0, 1]], [symbols])).splitlines()[-1]
    assert all(repr(symbol) in last for symbol in symbols)


def test_the_representation_makes_the_game_again():
    game = Game([["1/3", -2], [0, 10]], [[None, ("a", 1)], [True, "x"]], name="odd")
    twin = eval(repr(game))
    assert twin == game
    assert twin.name == "odd"


# What is refused: where, what, and what to do instead.


@pytest.mark.parametrize(
    ("loss", "parts"),
    [
        ([[1, 0], [0]], ["loss row 1 has 1 column but row 0 has 2", "column 1 is missing", "one entry per outcome"]),
        ([[1, 0], [0, 1, 2]], ["loss row 1 has 3 columns but row 0 has 2", "column 2 is one too many"]),
        ([], ["loss has no rows", "at least one action"]),
        ([[], []], ["loss row 0 is empty", "at least one outcome"]),
        (np.zeros(3), ["loss has 1 dimension", "one row per action"]),
        (np.zeros((2, 2, 2)), ["loss has 3 dimensions", "one row per action"]),
        ([1, 0], ["loss row 0 is 1", "list of losses, one per outcome"]),
        (["10", "01"], ["loss row 0 is '10'", "list of losses"]),
        ([{1: 0}, {0: 1}], ["loss row 0 is {1: 0}", "list of losses"]),
        ("10", ["loss must be a list of rows"]),
        (5, ["loss must be a list of rows", "one per action"]),
    ],
)
def test_shapes_of_losses_that_are_refused(loss, parts):
    refusal(lambda: Game(loss, [[1, 1], [1, 2]]), *parts)


@pytest.mark.parametrize(
    ("feedback", "parts"),
    [
        ([["a", "b"], ["a"]], ["feedback row 1 has 1 column but row 0 has 2", "column 1 is missing"]),
        ([["a", "b"]], ["loss has 2 rows but feedback has 1", "one row per action"]),
        ([["a"], ["b"]], ["loss has 2 columns but feedback has 1", "one column per outcome"]),
        (["ab", "cd"], ["feedback row 0 is 'ab'", "list of symbols, one per outcome"]),
        ([], ["feedback has no rows"]),
        ([["a", ["b"]], ["a", "b"]], ["feedback row 0, column 1 is ['b']", "cannot be hashed", "a tuple"]),
        ([["a", float("nan")], ["a", "b"]], ["feedback row 0, column 1 is nan", "does not equal itself"]),
        ([["a", ("b", math.nan)], ["a", "b"]], ["feedback row 0, column 1 is ('b', nan)", "does not equal itself"]),
        ([["a", frozenset({Decimal("nan")})], ["a", "b"]], ["feedback row 0, column 1", "does not equal itself"]),
        ([["a", np.datetime64("NaT", "s")], ["a", "b"]], ["feedback row 0, column 1", "does not equal itself"]),
    ],
)
def test_feedback_that_is_refused(feedback, parts):
    refusal(lambda: Game([[1, 0], [0, 1]], feedback), *parts)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (float("nan"), ["is nan, which is not finite", "'1/3'"]),
        (float("inf"), ["is inf, which is not finite"]),
        (Decimal("-Infinity"), ["not finite"]),
        (True, ["truth value", "write 1 or 0"]),
        (np.True_, ["truth value", "write 1 or 0"]),
        (1 + 0j, ["complex", "not an exact number"]),
        (None, ["None", "not an exact number"]),
        ([1], ["[1]", "not an exact number"]),
        (np.array([1]), ["not a number"]),
        ("one", ["'one', which is not a number", "'1/3'"]),
        ("1,5", ["not a number"]),
        ("1/0", ["'1/0', which divides by zero"]),
        (b"1", ["not an exact number"]),
        ("1e4001", ["1e4001", "exponents beyond 4000"]),
        (Decimal("1E+999999"), ["exponents beyond 4000"]),
        (np.datetime64("2024-01-01"), ["not an exact number"]),
    ],
    ids=repr,
)
def test_losses_that_are_refused(value, parts):
    refusal(lambda: two([[1, 0], [value, 1]]), "loss row 1, column 0 is ", *parts)


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        ({"actions": ["a"]}, ["actions has 1 name but the game has 2 actions"]),
        ({"outcomes": ["a", "b", "c"]}, ["outcomes has 3 names but the game has 2"]),
        ({"actions": ["a", "a"]}, ["actions names 'a' twice"]),
        ({"actions": ["a", 1]}, ["actions[1] is 1", "as text"]),
        ({"actions": ["a", " "]}, ["actions[1] is ' '"]),
        ({"outcomes": "ab"}, ["outcomes must be a list of names"]),
        ({"name": 5}, ["name must be text, not 5"]),
    ],
)
def test_names_that_are_refused(names, parts):
    refusal(lambda: two(**names), *parts)


# Files.

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
SYMBOLS = st.recursive(
    st.one_of(TEXT, st.integers(), st.booleans(), st.none()),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)
LABELS = TEXT.filter(str.strip)
LOSSES = st.one_of(st.fractions(), st.integers(-(10**12), 10**12), st.decimals(allow_nan=False, allow_infinity=False))


@st.composite
def storable_games(draw):
    """Games that a file can hold, with names, tiny and huge losses and every kind of symbol."""
    n, m = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    matrix = lambda entries: draw(st.lists(st.lists(entries, min_size=m, max_size=m), min_size=n, max_size=n))  # noqa: E731
    small = st.one_of(LOSSES.filter(lambda value: not isinstance(value, Decimal) or abs(value.adjusted()) < 1000))
    names = {
        "name": draw(st.none() | TEXT),
        "actions": draw(st.none() | st.lists(LABELS, min_size=n, max_size=n, unique=True)),
        "outcomes": draw(st.none() | st.lists(LABELS, min_size=m, max_size=m, unique=True)),
    }
    losses, symbols = matrix(small), matrix(SYMBOLS)
    try:
        return Game(losses, symbols, **names)
    except GameError:  # True beside 1, say
        assume(False)


def types(value):
    """Return a value with the type of every part of it."""
    return (tuple, [types(part) for part in value]) if isinstance(value, tuple) else (type(value), value)


def assert_same(one_game, other):
    assert other == one_game
    assert types(other.feedback) == types(one_game.feedback)
    assert (other.name, other.actions, other.outcomes) == (one_game.name, one_game.actions, one_game.outcomes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("games")


@modest(150)
@given(game=storable_games(), suffix=st.sampled_from([".toml", ".json", ".TOML"]))
def test_files_hold_a_game_exactly(folder, game, suffix):
    path = folder / f"game{suffix}"
    game.save(path)
    assert_same(game, Game.load(str(path)))


@modest(50)
@given(storable_games())
def test_plain_data_holds_a_game_exactly(game):
    assert_same(game, Game.from_dict(json.loads(json.dumps(game.to_dict()))))


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_files_are_made_to_be_read(tmp_path, suffix):
    path = tmp_path / "new folder" / f"apples{suffix}"
    Game([["1/3", 0], [0, 1]], [[None, None], ["rotten", ("good", 1)]], "apples").save(path)
    text = path.read_text(encoding="utf-8")
    assert "1/3" in text
    assert max(map(len, text.splitlines())) < 60
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("number", ["0.1", "1e-1", '"1/10"', "0.10"])
@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_numbers_in_files_are_read_as_they_are_written(tmp_path, suffix, number):
    text = (
        f'loss = [[{number}]]\nfeedback = [["x"]]'
        if suffix == ".toml"
        else f'{{"loss": [[{number}]], "feedback": [["x"]]}}'
    )
    assert Game.load(written(tmp_path, f"a{suffix}", text)).loss[0][0] == Fraction(1, 10)


GOOD = '"feedback": [["x"]]'
BAD_FILES = [
    ("a.json", '{"loss": [[1, 2], [1]], "feedback": [["x", "y"], ["x", "y"]]}', ["loss row 1", "column 1 is missing"]),
    ("a.json", f'{{"loss": [[1]], {GOOD}, "losses": 1}}', ["unknown key 'losses'", "name, actions, outcomes, loss"]),
    ("a.json", f"{{{GOOD}}}", ["the key 'loss' is missing", "one row per action"]),
    ("a.json", '{"loss": [[1]]}', ["the key 'feedback' is missing"]),
    ("a.json", f'{{"loss": [[1]], {GOOD}, {GOOD}}}', ["the key 'feedback' is given twice"]),
    ("a.json", f'{{"loss": [[NaN]], {GOOD}}}', ["loss row 0, column 0", "not finite"]),
    ("a.json", f'{{"loss": [[true]], {GOOD}}}', ["loss row 0, column 0", "truth value"]),
    ("a.json", f'{{"loss": 1, {GOOD}}}', ["loss must be a list of rows"]),
    ("a.json", '{"loss": [[1]], "feedback": "x"}', ["feedback must be a list of rows"]),
    ("a.json", '{"loss": [[1]], "feedback": [[0.5]]}', ["feedback row 0, column 0 is 0.5", "text, integers, booleans"]),
    ("a.json", '{"loss": [[1]], "feedback": [[{"a": 1}]]}', ["feedback row 0, column 0", "dict"]),
    ("a.json", "{", ["is not valid JSON"]),
    ("a.json", "[1]", ["loss and feedback"]),
    ("a.json", b'{"name": "\xff"}', ["is not valid JSON"]),
    ("a.json", "[" * 100_000, ["is not valid JSON"]),
    ("a.toml", 'loss = [[1]\nfeedback = [["x"]]', ["is not valid TOML"]),
    ("a.toml", 'loss = [[1]]\nfeedback = [["x"]]\ncolour = 1', ["unknown key 'colour'"]),
    ("a.toml", 'loss = [[nan]]\nfeedback = [["x"]]', ["loss row 0, column 0", "not finite"]),
    ("a.toml", 'loss = [[1]]\nfeedback = [[1.0]]', ["feedback row 0, column 0 is 1.0", "text, integers, booleans"]),
    ("a.toml", 'loss = [[1]]\nfeedback = [[{none = 1}]]', ["feedback row 0, column 0", "dict"]),
    ("a.toml", 'loss = [[1, 2]]\nfeedback = [[true, 1]]', ["column 1 is 1 (of type int)", "True (of type bool)"]),
    ("a.toml", 'loss = [[1]]\nfeedback = [[2024-01-01]]', ["feedback row 0, column 0", "date"]),
    ("a.yaml", "loss: []", ["cannot tell the format", ".toml or .json"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "parts"), BAD_FILES)
def test_files_that_are_refused(tmp_path, name, text, parts):
    path = written(tmp_path, name, text)
    message = refusal(lambda: Game.load(path), *parts)
    assert str(path) in message


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(NoFileError, match=r"there is no file .*none\.toml.*give the path of a \.toml or \.json"):
        Game.load(tmp_path / "none.toml")


def test_a_folder_is_no_file(tmp_path):
    folder = tmp_path / "game.json"
    folder.mkdir()
    refusal(lambda: Game.load(folder), "is a folder", "give the path")


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize(
    ("symbol", "shown"),
    [
        (0.5, "0.5 of type float"),
        (frozenset({1}), "frozenset({1})"),
        (("a", 0.5), "0.5 of type float"),
        (Decimal("0.5"), "0.5"),
    ],
)
def test_symbols_that_no_file_holds_are_named(tmp_path, suffix, symbol, shown):
    path = tmp_path / f"old{suffix}"
    APPLES.save(path)
    game = Game([[0, 1], [1, 0]], [["a", "b"], ["a", symbol]])
    parts = ["feedback row 1, column 1", shown, "text, integers, booleans, None or tuples"]
    refusal(lambda: game.save(path), *parts)
    refusal(game.to_dict, *parts)
    assert_same(APPLES, Game.load(path))


def test_text_that_no_file_holds(tmp_path):
    refusal(lambda: two(name="\ud800").save(tmp_path / "a.json"), "text that no file can")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_a_file_of_an_editor_that_marks_utf_8(tmp_path, suffix):
    game = Game([[0, 1], [1, 0]], [["a", "b"], ["c", "c"]])
    path = tmp_path / f"marked{suffix}"
    game.save(path)
    path.write_text(path.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert Game.load(path) == game
