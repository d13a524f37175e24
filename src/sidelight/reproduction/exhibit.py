"""An exhibit is a table or figure of the paper: the studies behind its numbers, and why some of them differ.

Two protocols lead to numbers. "published" is what was really run to get the printed ones (the authors' streams and the
parameters of their code); "described" is what the paper's text says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sidelight.reproduction.streams import DIMENSION as DIMENSION
from sidelight.reproduction.streams import HORIZON as HORIZON
from sidelight.simulation.checkpoints import logarithmic_checkpoints
from sidelight.studies import GameEntry, PlayerEntry, Study, WorldEntry
from sidelight.studies.classifiers.published import TOLERANCES as TOLERANCES

Protocol = Literal["published", "described"]
PROTOCOLS: tuple[Protocol, ...] = ("published", "described")

RUNS = 96
"""How many runs are behind each printed number."""
SLOW = ("PGIDS", "PGTS")
"""The strategies whose cost grows with the square of the horizon."""
SLOW_HORIZON = 7_500
"""Where the paper stops them."""

_SLOW_RUNS = {"published": 4, "described": 2}  # unless more are asked for: they cost some 20 seconds each
_PATIENCE = 3600.0  # seconds; nothing here hangs, and some strategies are slow
_EVEN, _LOGARITHMIC = 100, 40
_TITLES = {"apple-tasting": "Apple tasting", "label-efficient": "Label-efficient"}


class Profile(NamedTuple):
    """The settings of a reproduction: protocol, number of runs, and variations of the use case."""

    protocol: Protocol = "published"
    runs: int = RUNS
    slow: str = "few"
    """Slow strategies: "few" runs, "full" as many as the others up to round 7 500, "beyond" up to round 20 000."""
    seed: int = 0
    tolerances: tuple[float, ...] = TOLERANCES
    policies: tuple[str, ...] = ()
    """Those of the use case; none means all."""
    confidence: float | None = None
    """Of the verdicts in the use case, if not the default."""


@dataclass(frozen=True)
class Exhibit:
    """A table or a figure of the paper.

    Parameters
    ----------
    name
        "table1" to "table5", "figure1" to "figure5".
    title, text
        What it is about, for people who have not read the paper.
    studies
        Return its studies, one per setting, given a profile; tests compare with the first player of each.
    reasons
        Why numbers differ from the printed ones, if they do: for the label of a player and a protocol, the key of a
        reason in `published.REASONS`.
    drawing
        For figures, how they are drawn: "regret", "sensitivity" or "quartiles".
    """

    name: str
    title: str
    text: str
    studies: Callable[[Profile], tuple[Study, ...]]
    reasons: Mapping[tuple[str, Protocol], str] = field(default_factory=dict)
    drawing: str = ""

    @property
    def is_table(self) -> bool:
        """Whether its numbers are printed in the paper."""
        return not self.drawing


def exhibit_study_of_game(game: str, world: str, players: tuple[PlayerEntry, ...], profile: Profile) -> Study:
    """Return the study of a game in one kind of world: "imbalanced", "balanced" or "contexts"."""
    return Study(
        f"{game}-{world}",
        title=f"{_TITLES[game]}, {world}",
        games=(GameEntry(game),),
        worlds=(_world_of_exhibit(world, profile.protocol),),
        players=players,
        horizons=(HORIZON,),
        runs=profile.runs,
        seeds=(profile.seed,),
        checkpoints=checkpoints_of_exhibit(HORIZON),
        patience=_PATIENCE,
    )


def slow_player_of_exhibit(name: str, parameters: Mapping[str, Any], profile: Profile) -> PlayerEntry:
    """Return one of the slow strategies: it has fewer runs and a shorter horizon."""
    horizon = HORIZON if profile.slow == "beyond" else SLOW_HORIZON
    runs = min(profile.runs, _SLOW_RUNS[profile.protocol]) if profile.slow == "few" else profile.runs
    checkpoints = checkpoints_of_exhibit(horizon)
    return PlayerEntry(name, parameters, label=name, horizons=(horizon,), runs=runs, block=1, checkpoints=checkpoints)


def checkpoints_of_exhibit(horizon: int) -> tuple[int, ...]:
    """Return the rounds at which regret is kept.

    They are evenly spaced for linear axes and dense at the beginning for logarithmic ones. The published contextual
    numbers are those one round before the horizon (20 000 or 7 500), so these are among them.
    """
    rounds = {horizon * k // _EVEN for k in range(1, _EVEN + 1)} | set(logarithmic_checkpoints(horizon, _LOGARITHMIC))
    rounds |= {end - before for end in (SLOW_HORIZON, HORIZON) for before in (0, 1)}
    return tuple(sorted(r for r in rounds if 1 <= r <= horizon))


def _world_of_exhibit(kind: str, protocol: Protocol) -> WorldEntry:
    """Return a kind of world under a protocol.

    In the paper's text the first outcome has the probability p(x) = 0.1 (x1 + ... + x10), given a context x.
    """
    label = f"{kind}, {protocol}"
    if protocol == "published":
        streams = "PublishedContexts" if kind == "contexts" else "PublishedStreams"
        given = {} if kind == "contexts" else {"kind": kind}
        return WorldEntry("environment", f"sidelight.reproduction.streams:{streams}", given, label)
    if kind == "contexts":
        return WorldEntry("contexts", "linear", {"d": DIMENSION}, label)
    return WorldEntry("laws", kind, {}, label)
