"""The catalogue itself: how a game is entered, found, described and built.

A game is entered where it is written, by the decorator `game` above the function that makes its matrices. The
function's docstring holds what people read: its first line is the game's line in a table, its second paragraph the
story, and whatever follows (the formulas) is for readers of the source.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

from sidelight.errors import GameError
from sidelight.game import Game, Symbol
from sidelight.games._parameters import GameParameter, write_game_parameter
from sidelight.text import did_you_mean

Kind = Literal["trivial", "easy", "hard", "hopeless"]
LISTING = "sidelight.games.names(), or `sidelight games` on a command line, lists them all"


class Matrices(NamedTuple):
    """Everything about a game except its name, as `Game` takes it."""

    loss: Sequence[Sequence[Any]]
    feedback: Sequence[Sequence[Symbol]]
    actions: Sequence[str]
    outcomes: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """One game, or family of games, in the catalogue.

    Attributes
    ----------
    name
        What `load` calls it.
    title
        What people call it.
    line
        What you do in it, in one line for a table.
    story
        Who acts, what is seen and what it costs, in one paragraph.
    source
        Where the game comes from.
    number
        Its place in the catalogue.
    """

    name: str
    title: str
    line: str
    story: str
    source: str
    number: int
    _build: Callable[..., Matrices] = field(repr=False)
    _known: Kind | Callable[..., Kind | None] = field(repr=False)
    _allowed: tuple[tuple[str, GameParameter], ...] = field(repr=False)
    _defaults: tuple[tuple[str, Any], ...] = field(repr=False)

    @property
    def parameters(self) -> dict[str, Any]:
        """The default value of each parameter."""
        return dict(self._defaults)

    @property
    def allowed(self) -> dict[str, str]:
        """What may be given for each parameter, in words."""
        return {name: parameter.allowed for name, parameter in self._allowed}

    @property
    def kind(self) -> Kind | None:
        """How difficult the game is known to be with its default parameters."""
        return self.known_kind()

    def known_kind(self, **parameters: Any) -> Kind | None:
        """Return how difficult the game is known to be with these parameters; None if only analysis can tell."""
        values = self._values(parameters)
        return self._known(**values) if callable(self._known) else self._known

    def build(self, **parameters: Any) -> Game:
        """Make the game with these parameters; the others take their default values."""
        values = self._values(parameters)
        matrices = self._build(**values)
        chosen = [
            f"{name}={write_game_parameter(values[name])}"
            for name, default in self._defaults
            if values[name] != default
        ]
        name = f"{self.name}({', '.join(chosen)})" if chosen else self.name
        return Game(matrices.loss, matrices.feedback, name, matrices.actions, matrices.outcomes)

    def read(self, parameter: str, value: Any) -> Any:
        """Return the exact value of one parameter, which may be given as text."""
        kinds = dict(self._allowed)
        if parameter not in kinds:
            defaults = ", ".join(f"{name} (default {write_game_parameter(value)})" for name, value in self._defaults)
            takes = f"it takes {defaults}" if defaults else "it takes none"
            raise GameError(f"{self.name} has no parameter {parameter!r}: {takes}")
        return kinds[parameter].read(parameter, value)

    def _values(self, parameters: dict[str, Any]) -> dict[str, Any]:
        return self.parameters | {name: self.read(name, value) for name, value in parameters.items()}


_entries: dict[str, Entry] = {}

Builder = TypeVar("Builder", bound=Callable[..., Matrices])


def game(
    name: str,
    number: int,
    title: str,
    source: str,
    known: Kind | Callable[..., Kind | None],
    **allowed: GameParameter,
) -> Callable[[Builder], Builder]:
    """Enter the decorated function, which makes the matrices of a game, into the catalogue.

    `known` is the class of the game, or a function of all its parameters that returns it. `allowed` says what
    each parameter may be; the defaults are those in the function's signature.
    """

    def enter_game_into_catalogue(build: Builder) -> Builder:
        defaults = {key: parameter.default for key, parameter in inspect.signature(build).parameters.items()}
        if list(defaults) != list(allowed):
            raise GameError(f"{name}: say what is allowed for exactly the parameters {', '.join(defaults)}, in order")
        if name in _entries or number in {entry.number for entry in _entries.values()}:
            raise GameError(f"{name}: its name or its number {number} is taken")
        # Under `python -OO` there are no docstrings; the games work all the same.
        line, story, *_ = [*inspect.cleandoc(build.__doc__ or title).split("\n\n"), ""]
        _entries[name] = Entry(
            name=name,
            title=title,
            line=" ".join(line.split()),
            story=" ".join(story.split()),
            source=source,
            number=number,
            _build=build,
            _known=known,
            _allowed=tuple(allowed.items()),
            _defaults=tuple((key, allowed[key].read(key, value)) for key, value in defaults.items()),
        )
        return build

    return enter_game_into_catalogue


def names() -> tuple[str, ...]:
    """Return the names of all games, in the order of the catalogue."""
    return tuple(entry.name for entry in sorted(_entries.values(), key=lambda entry: entry.number))


def describe(name: str) -> Entry:
    """Return what is known about the game called `name`: its story, source, parameters and class.

    Examples
    --------
    >>> describe("dynamic-pricing").known_kind(prices=2)
    'easy'
    """
    if isinstance(name, str) and name in _entries:
        return _entries[name]
    hint = did_you_mean(name, names()) if isinstance(name, str) else ""
    raise GameError(f"there is no game {name!r} in the catalogue: {hint}{LISTING}")


def load(name: str, **parameters: Any) -> Game:
    """Return the game called `name`, with the given parameters in place of its defaults.

    Numbers are read exactly: `tau=0.2`, `tau="1/5"` and `tau=Fraction(1, 5)` are the same.

    Examples
    --------
    >>> print(load("dynamic-pricing", prices=2))
    dynamic-pricing(prices=2): 2 actions and 2 outcomes
    loss       value 0  value 1
      price 0  0        1
      price 1  2        0
    feedback   value 0  value 1
      price 0  sold     sold
      price 1  unsold   sold
    """
    return describe(name).build(**parameters)


def parse_parameters(name: str, texts: Iterable[str]) -> dict[str, Any]:
    """Read parameters of the game called `name` from texts such as "prices=5", as written on a command line.

    Examples
    --------
    >>> parse_parameters("dynamic-pricing", ["prices=3", "cost=1/2"])
    {'prices': 3, 'cost': Fraction(1, 2)}
    """
    entry = describe(name)
    values: dict[str, Any] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        parameter, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not parameter or not value:
            example = next(
                (f"{key}={write_game_parameter(default)}" for key, default in entry.parameters.items()), "prices=5"
            )
            raise GameError(f"cannot read the parameter {text!r}: write it as name=value, for instance {example}")
        if parameter in values:
            raise GameError(f"the parameter {parameter!r} is given twice: keep one")
        values[parameter] = entry.read(parameter, value)
    return values
