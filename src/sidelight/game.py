"""A finite game of partial monitoring: what each action costs, and what it shows.

A game has `N` actions and `M` outcomes. In each round the learner picks an action `i`, the world an outcome `j`; the
learner pays `loss[i][j]`, which it never sees, and is shown the symbol `feedback[i][j]`. Losses are kept as exact
fractions, because the class of a game can depend on the last digit of one of them.
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, NoReturn

from sidelight import _game_file
from sidelight.errors import GameError, ImmutableError, NoActionError
from sidelight.table import Column, Table
from sidelight.text import count, printable_line

Symbol = Hashable
"""What the learner is shown: any hashable value. No game holds two that are equal and yet differ, as 1 and True do."""

# A number such as "1e999999999" is a few characters long and gigabytes large once it is exact.
_LARGEST_EXPONENT = 4000
_FLOAT_RANGE = Fraction(10**100)
_MOST_BITS = 14_000  # Python prints integers of up to 4300 digits


class Game:
    """A loss matrix and a feedback matrix over the same actions (rows) and outcomes (columns).

    Parameters
    ----------
    loss
        One row per action, one number per outcome: integers, `Fraction`, `Decimal`, floats (read by their shortest
        decimal text, so 0.1 is one tenth) or strings such as "1/3".
    feedback
        The same shape, holding any hashable symbols. A game in which two symbols are equal for Python and yet differ in
        type or writing (1, 1.0 and True; 0.0 and -0.0; the member of an `IntEnum` and its number; also inside tuples
        and frozensets) is refused, because it would be unclear whether one symbol is meant or two. NumPy scalars become
        the Python values they hold.
    name
        A name for people.
    actions, outcomes
        Names of the rows and columns, for people; everywhere else actions and outcomes are 0-based indices.

    Notes
    -----
    Games are immutable. Two games are equal when their losses are equal and their symbols are the same, types included;
    names do not matter.

    Examples
    --------
    >>> apples = Game([[1, 0], [0, 1]], [["?", "?"], ["rotten", "good"]], actions=["sell", "taste"])
    >>> print(apples)
    game of 2 actions and 2 outcomes
    loss      0     1
      sell    1     0
      taste   0     1
    feedback  0       1
      sell    ?       ?
      taste   rotten  good
    """

    __slots__ = ("_actions", "_feedback", "_floats", "_loss", "_name", "_outcomes", "_symbols")

    _loss: tuple[tuple[Fraction, ...], ...]
    _feedback: tuple[tuple[Symbol, ...], ...]
    _symbols: tuple[tuple[Symbol, ...], ...]
    _name: str | None
    _actions: tuple[str, ...]
    _outcomes: tuple[str, ...]
    _floats: Any  # the losses as an array, once `loss_matrix` has made it

    def __init__(
        self,
        loss: Iterable[Iterable[Any]],
        feedback: Iterable[Iterable[Symbol]],
        name: str | None = None,
        actions: Sequence[str] | None = None,
        outcomes: Sequence[str] | None = None,
    ) -> None:
        exact = _read_game_matrix(loss, "loss", read_exact_loss)
        symbols = _read_game_matrix(feedback, "feedback", _check_feedback_symbol)
        if len(symbols) != len(exact):
            raise GameError(
                f"loss has {count(len(exact), 'row')} but feedback has {len(symbols)}: "
                "give both matrices one row per action"
            )
        if len(symbols[0]) != len(exact[0]):
            raise GameError(
                f"loss has {count(len(exact[0]), 'column')} but feedback has {len(symbols[0])}: "
                "give both matrices one column per outcome"
            )
        _check_feedback_symbols(symbols)
        if name is not None and not isinstance(name, str):
            raise GameError(f"name must be text, not {name!r}")
        values = {
            "_loss": exact,
            "_feedback": symbols,
            "_symbols": tuple(tuple(dict.fromkeys(row)) for row in symbols),
            "_name": name,
            "_actions": _check_game_labels(actions, "actions", len(exact)),
            "_outcomes": _check_game_labels(outcomes, "outcomes", len(exact[0])),
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    @property
    def loss(self) -> tuple[tuple[Fraction, ...], ...]:
        """The exact losses, row by row."""
        return self._loss

    @property
    def feedback(self) -> tuple[tuple[Symbol, ...], ...]:
        """The symbols, row by row, as they were given."""
        return self._feedback

    @property
    def name(self) -> str | None:
        """The game's name, if it has one."""
        return self._name

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions; their indices as text where none were given."""
        return self._actions

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Names of the outcomes; their indices as text where none were given."""
        return self._outcomes

    @property
    def n_actions(self) -> int:
        """How many actions there are."""
        return len(self._loss)

    @property
    def n_outcomes(self) -> int:
        """How many outcomes there are."""
        return len(self._loss[0])

    def symbols(self, action: int) -> tuple[Symbol, ...]:
        """Return the distinct symbols that `action` can show, by first appearance along its row."""
        return self._symbols[self._checked(action)]

    def signal(self, action: int) -> tuple[tuple[int, ...], ...]:
        """Return the signal matrix of `action`: entry (u, j) is 1 where outcome j shows its u-th symbol, else 0."""
        row = self._feedback[self._checked(action)]
        return tuple(tuple(int(shown == symbol) for shown in row) for symbol in self.symbols(action))

    def informative(self, action: int) -> bool:
        """Say whether `action` can show more than one symbol."""
        return len(self.symbols(action)) > 1

    def _checked(self, action: int) -> int:
        index = operator.index(action) if hasattr(action, "__index__") else -1
        if not 0 <= index < self.n_actions:
            raise NoActionError(f"there is no action {action!r}: actions are numbered 0 to {self.n_actions - 1}")
        return index

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Game:
        """Read a game from a TOML or JSON file (chosen by its suffix); numbers are read exactly as they are written.

        The keys are `loss` and `feedback` (lists of rows) and, if wanted, `name`, `actions` and `outcomes`. A symbol is
        text, an integer, a boolean, None (JSON `null`, TOML `{none = true}`) or a list of them, which is a tuple.
        """
        fields = _game_file.read_game_file(path)
        try:
            return cls(**fields)
        except GameError as error:
            raise GameError(f"{os.fspath(path)!r}: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the game to a TOML or JSON file (chosen by the suffix) from which `load` returns an equal one."""
        _game_file.write_game_file(path, self._fields())

    def to_dict(self) -> dict[str, Any]:
        """Return the game as plain data that JSON can hold; `from_dict` makes an equal game of it."""
        return _game_file.game_arguments_to_data(self._fields())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Game:
        """Make a game of what `to_dict` returned."""
        return cls(**_game_file.game_arguments_from_data(data))

    def _fields(self) -> dict[str, Any]:
        named = {} if self._name is None else {"name": self._name}
        labels = {"actions": self._actions, "outcomes": self._outcomes}
        return named | labels | {"loss": self._loss, "feedback": self._feedback}

    def __setattr__(self, attribute: str, value: object) -> NoReturn:
        raise ImmutableError(f"a Game cannot be changed (tried to set {attribute!r}); make a new one")

    def __delattr__(self, attribute: str) -> NoReturn:
        raise ImmutableError(f"a Game cannot be changed (tried to delete {attribute!r}); make a new one")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        same = self._loss == other._loss and self._feedback == other._feedback
        return same and (
            self is other or _typed_form_of_symbol(self._feedback) == _typed_form_of_symbol(other._feedback)
        )

    def __hash__(self) -> int:
        return hash((self._loss, self._feedback))

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Analyze the game and draw it, see `Analysis.plot`."""
        from sidelight.report.plotting import plot_analyzed_game

        return plot_analyzed_game(self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        return Game, (self._loss, self._feedback, self._name, self._actions, self._outcomes)

    def __repr__(self) -> str:
        loss = [[_game_file.plain_fraction_in_game_file(value) for value in row] for row in self._loss]
        named = f", name={self._name!r}" if self._name else ""
        return f"Game({loss!r}, {[list(row) for row in self._feedback]!r}{named})"

    def __str__(self) -> str:
        size = f"{count(self.n_actions, 'action')} and {count(self.n_outcomes, 'outcome')}"
        title = f"{printable_line(self._name)}: {size}" if self._name else f"game of {size}"
        return "\n".join([title, *(table.to_text(None) for table in format_game_matrices(self))])


def format_game_matrices(game: Game) -> list[Table]:
    """Return the loss and feedback matrices as tables: one row per action, one column per outcome."""
    loss = [[str(value) for value in row] for row in game.loss]
    return [
        Table(
            [Column(f"{title:8}"), *(Column(outcome, left=True) for outcome in game.outcomes)],
            [(f"  {label}", *row) for label, row in zip(game.actions, rows, strict=True)],
        )
        for title, rows in (("loss", loss), ("feedback", printable_symbols(game.feedback)))
    ]


def check_float_range_of_losses(game: Game) -> None:
    """Raise an error unless floats, in which play is computed, can represent the losses; the analysis is exact."""
    largest = max(abs(value) for row in game.loss for value in row)
    if largest > _FLOAT_RANGE or 0 < largest < 1 / _FLOAT_RANGE:
        raise GameError(
            "the losses are too large or too small to play with: scale them to a size between 1e-100 and 1e100"
        )


def printable_symbols(rows: tuple[tuple[Symbol, ...], ...]) -> list[list[str]]:
    """Return the symbols as plain text, or as Python writes them where that would be invisible or ambiguous."""
    distinct = {symbol: str(symbol) for row in rows for symbol in row}
    clear = len(set(distinct.values())) == len(distinct) and all(s.isprintable() and s for s in distinct.values())
    return [[str(symbol) if clear else repr(symbol) for symbol in row] for row in rows]


def _read_game_matrix(rows: Any, what: str, read: Any) -> tuple[tuple[Any, ...], ...]:
    """Read nested rows into tuples; errors name the row and column."""
    one, many = ("outcome", "losses") if what == "loss" else ("outcome", "symbols")
    if isinstance(rows, str | bytes | Mapping | set | frozenset) or not isinstance(rows, Iterable):
        raise GameError(f"{what} must be a list of rows, one per action, not {rows!r}")
    if getattr(rows, "ndim", 2) != 2:
        raise GameError(f"{what} has {count(rows.ndim, 'dimension')}: give a matrix, one row per action")  # type: ignore[attr-defined]
    matrix: list[tuple[Any, ...]] = []
    for r, row in enumerate(rows):
        if isinstance(row, str | bytes | Mapping | set | frozenset) or not isinstance(row, Iterable):
            raise GameError(f"{what} row {r} is {row!r}: give a list of {many}, one per {one}")
        matrix.append(tuple(read(value, f"{what} row {r}, column {c}") for c, value in enumerate(row)))
        if not matrix[-1]:
            raise GameError(f"{what} row {r} is empty: a game needs at least one outcome")
        if len(matrix[-1]) != len(matrix[0]):
            here, there = len(matrix[-1]), len(matrix[0])
            column = f"column {min(here, there)} is {'missing' if here < there else 'one too many'}"
            raise GameError(
                f"{what} row {r} has {count(here, 'column')} but row 0 has {there} ({column}): "
                "give every row one entry per outcome"
            )
    if not matrix:
        raise GameError(f"{what} has no rows: a game needs at least one action")
    return tuple(matrix)


def read_exact_loss(value: Any, where: str) -> Fraction:
    """Read one loss as an exact fraction; floats by their shortest decimal text."""
    remedy = "give an integer, a fraction, a decimal or text such as '1/3'"
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        raise GameError(f"{where} is {value!r}, a truth value: write 1 or 0 if a number is meant")
    if isinstance(value, Rational):
        return _check_size_of_loss(Fraction(int(value.numerator), int(value.denominator)), where)
    kind = getattr(getattr(value, "dtype", None), "kind", "")  # of a NumPy scalar, without importing NumPy
    if isinstance(value, float | Decimal | str) or kind in ("i", "u", "f"):
        # NumPy's shortest text of a float32 is shorter than that of the same number as a Python float.
        text = str(value).strip()
        exponent = re.search(r"[eE]([+-]?\d+)$", text)
        if exponent and abs(int(exponent[1])) > _LARGEST_EXPONENT:
            raise GameError(f"{where} is {text}: exponents beyond {_LARGEST_EXPONENT} are not supported")
        if "_" in text:
            raise GameError(f"{where} is {text!r}: write the number without underscores")
        try:
            return _check_size_of_loss(Fraction(text), where)
        except ZeroDivisionError:
            raise GameError(f"{where} is {text!r}, which divides by zero: {remedy}") from None
        except ValueError:
            finite = not re.fullmatch(r"[+-]?(s?nan\d*|inf(inity)?)", text, re.IGNORECASE)
            problem = f"{value!r}, which is not a number" if finite else f"{text}, which is not finite"
            raise GameError(f"{where} is {problem}: {remedy}") from None
    raise GameError(f"{where} is {value!r} of type {type(value).__name__}, which is not an exact number: {remedy}")


def _check_size_of_loss(value: Fraction, where: str) -> Fraction:
    """Refuse numbers that Python itself would refuse to print."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise GameError(f"{where} has more than {_MOST_BITS} bits: give a number of sensible length")
    return value


def _check_feedback_symbol(value: Any, where: str) -> Symbol:
    """Check one symbol; NumPy scalars become the Python values they hold."""
    symbol: Symbol = _symbol_without_numpy(value)
    try:
        hash(symbol)
    except TypeError:
        raise GameError(
            f"{where} is {symbol!r}, which cannot be hashed: use text, a number or a tuple as the symbol"
        ) from None
    if not _symbol_equals_itself(symbol):
        raise GameError(f"{where} is {symbol!r}, which does not equal itself: use another symbol")
    return symbol


def _symbol_without_numpy(value: Any) -> Any:
    """Return a value with Python's own numbers and text in place of NumPy's, inside tuples and frozensets too."""
    if type(value) in (tuple, frozenset):
        parts = [_symbol_without_numpy(part) for part in value]
        return value if all(map(operator.is_, parts, value)) else type(value)(parts)
    dtype = getattr(value, "dtype", None)
    # Dates stay what they are: as Python values, some of them would be mere integers.
    scalar = hasattr(value, "item") and getattr(value, "ndim", 1) == 0 and getattr(dtype, "kind", "M") not in "mM"
    return value.item() if scalar else value


def _symbol_equals_itself(value: Any) -> bool:
    """Say whether a value is equal to itself; in a tuple, identity hides that NaN is not."""
    return all(map(_symbol_equals_itself, value)) if isinstance(value, tuple | frozenset) else bool(value == value)


def _check_feedback_symbols(feedback: tuple[tuple[Symbol, ...], ...]) -> None:
    """Refuse two symbols that are equal and yet differ, since one would silently replace the other."""
    first: dict[Symbol, tuple[Symbol, int, int]] = {}
    for r, row in enumerate(feedback):
        for c, symbol in enumerate(row):
            before, *place = first.setdefault(symbol, (symbol, r, c))
            if before is not symbol and _typed_form_of_symbol(before) != _typed_form_of_symbol(symbol):
                raise GameError(
                    f"feedback row {r}, column {c} is {_symbol_with_type(symbol)}, and row {place[0]}, column "
                    f"{place[1]} is {_symbol_with_type(before)}, which Python takes to be equal: if they are one "
                    f"symbol, write both in the same way; if they are two, write one of them as text"
                )


def _typed_form_of_symbol(value: Any) -> Hashable:
    """Return a value that is equal for two values only if they have the same type and writing, inside tuples too."""
    if isinstance(value, tuple | frozenset):
        parts = map(_typed_form_of_symbol, value)
        return type(value), frozenset(parts) if isinstance(value, frozenset) else tuple(parts)
    if isinstance(value, float | complex | Decimal):  # 0.0 and -0.0, 1.0 and 1.00
        return type(value), repr(value)
    return type(value), value


def _symbol_with_type(symbol: Symbol) -> str:
    return f"{symbol!r} (of type {type(symbol).__name__})"


def _check_game_labels(labels: Any, what: str, size: int) -> tuple[str, ...]:
    """Check the names of the rows or columns, or number them if there are none."""
    if labels is None:
        return tuple(str(index) for index in range(size))
    if isinstance(labels, str | bytes | Mapping | set | frozenset) or not isinstance(labels, Iterable):
        raise GameError(f"{what} must be a list of names, not {labels!r}")
    names = tuple(labels)
    for index, label in enumerate(names):
        if not isinstance(label, str) or not label.strip():
            raise GameError(f"{what}[{index}] is {label!r}: give each one a name, as text")
    if len(names) != size:
        raise GameError(f"{what} has {count(len(names), 'name')} but the game has {size} {what}")
    if len(set(names)) < size:
        twice = next(label for label in names if names.count(label) > 1)
        raise GameError(f"{what} names {twice!r} twice: give each its own name")
    return tuple(str(label) for label in names)
