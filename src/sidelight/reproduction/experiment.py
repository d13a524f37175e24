"""What an experiment is: settings, players and protocols. Each table and figure is one such value.

Two protocols lead to numbers. "published" is what was really run to get the printed ones (the authors' streams and the
parameters of their code); "described" is what the paper's text says. Where they are the same, a player needs no
parameters of its own for either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Protocol = Literal["published", "described"]
PROTOCOLS: tuple[Protocol, ...] = ("published", "described")

HORIZON = 20_000
SLOW_HORIZON = 7_500
"""Where the paper stops strategies whose cost grows with the square of the horizon."""


@dataclass(frozen=True)
class GameSetting:
    """A game in the catalogue and the kind of world it is played in: "imbalanced", "balanced" or "contexts"."""

    game: str
    world: str
    title: str

    @property
    def place(self) -> str:
        """A name for files."""
        return f"{self.game}-{self.world}"

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured in each run."""
        return ("regret",)


@dataclass(frozen=True)
class UseCase:
    """One case of the classifiers that are watched, and the error rate that is tolerated."""

    case: int
    tolerance: float
    title: str

    @property
    def place(self) -> str:
        """A name for files."""
        return f"case{self.case}-{self.tolerance}"

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured in each run."""
        return ("f1", "verifications")


Setting = GameSetting | UseCase


@dataclass(frozen=True)
class Player:
    """A strategy (or, in the use case, a policy) and its parameters under each protocol.

    Parameters
    ----------
    strategy
        The name of a strategy of the library, or of a policy of its monitor.
    label
        What it is called in tables, if not by that name.
    paper
        Its name in the paper's tables; None if it is not in them.
    published, described
        Parameters under each protocol.
    slow
        Its cost grows with the square of the horizon: fewer runs in the standard profile, a shorter horizon.
    limit
        It is not a contestant; the others are compared with it.
    reasons
        Why its number differs from the printed one, if it does, by protocol and key in `reasons.REASONS`.
    family, member
        What the color and the dashes of its curve stand for in a figure, if several players share them.
    """

    strategy: str
    label: str = ""
    paper: str | None = None
    published: Mapping[str, Any] = field(default_factory=dict)
    described: Mapping[str, Any] = field(default_factory=dict)
    slow: bool = False
    limit: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict)
    family: str = ""
    member: str = ""

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return self.label or self.strategy

    def parameters(self, protocol: str) -> dict[str, Any]:
        """Return its parameters under a protocol."""
        return dict(self.published if protocol == "published" else self.described)


@dataclass(frozen=True)
class Section:
    """One setting of an experiment, its key in the printed table, and its players; tests compare with the first."""

    key: str
    setting: Setting
    players: tuple[Player, ...]


@dataclass(frozen=True)
class Experiment:
    """A table or a figure of the paper.

    Parameters
    ----------
    name
        "table1" to "table5", "figure1" to "figure5".
    title, text
        What it is about, for people who have not read the paper.
    sections
        Its settings.
    drawing
        For figures, how they are drawn: "regret", "sensitivity" or "quartiles".
    """

    name: str
    title: str
    text: str
    sections: tuple[Section, ...]
    drawing: str = ""

    @property
    def is_table(self) -> bool:
        """Whether its numbers are printed in the paper."""
        return not self.drawing


@dataclass(frozen=True)
class Condition:
    """One player in one setting under one protocol: what is simulated, for all tables and figures that show it."""

    setting: Setting
    protocol: Protocol
    strategy: str
    parameters: tuple[tuple[str, Any], ...]
    horizon: int
    slow: bool

    @property
    def seconds_per_run(self) -> float:
        """Roughly how long a run takes on one core, for estimates of the time left; nothing else depends on it."""
        if self.slow:
            return 21.0 * (self.horizon / SLOW_HORIZON) ** 2
        if isinstance(self.setting, UseCase):
            return 0.003
        return 0.008 if self.setting.world == "contexts" else 0.002

    def identity(self) -> dict[str, Any]:
        """Return what it is, as plain data."""
        return {
            "setting": self.setting.place,
            "protocol": self.protocol,
            "strategy": self.strategy,
            "parameters": dict(self.parameters),
            "horizon": self.horizon,
        }
