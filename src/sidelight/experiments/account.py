"""What came out: numbers, verdicts and reasons, as plain values that reports are written from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sidelight._published import Pair
from sidelight.experiments.experiment import Protocol
from sidelight.experiments.reasons import Reason

Kind = Literal["digit", "chance", "differs", "open", "ours"]


class Verdict(NamedTuple):
    """Whether a number agrees with the printed one."""

    kind: Kind
    reason: str | None = None
    """The key of the reason why it differs; None if it does not, or if no reason is known."""


class Rerun(NamedTuple):
    """A second look at a number: more runs where it seemed different, or the paper's 96 where there are more."""

    runs: int
    mean: float
    std: float
    standard_error: float
    z: float


class Cell(NamedTuple):
    """One player in one block: ours beside the printed. None where there is nothing to say."""

    label: str
    runs: int
    round: int | None
    """When the regret was read; None in the use case."""
    mean: float
    std: float | None
    """With divisor runs - 1."""
    standard_error: float | None
    median: float
    q99: float
    """The 99 % quantile."""
    max: float
    strict_wins: int | None
    tied_wins: int | None
    p_two_sided: float | None
    """Welch test against the first player of the block."""
    p_one_sided: float | None
    """That the first player's mean is the better one."""
    limit_ratio: float | None
    """The mean over that of the limit, if the block has one."""
    published: Pair | None
    z: float | None
    """(mean - published mean) / sqrt(se^2 + published se^2); infinite where neither varies and they differ."""
    rerun: Rerun | None
    verdict: Verdict
    is_limit: bool = False


class Block(NamedTuple):
    """One measure in one setting."""

    setting: str
    """Its title."""
    measure: str
    """"regret", "f1" or "verifications"."""
    better: Literal["less", "greater"]
    cells: Sequence[Cell]


class TableAccount(NamedTuple):
    """A table under one protocol."""

    name: str
    title: str
    text: str
    protocol: Protocol
    blocks: Sequence[Block]

    def counts(self) -> Counter[Kind]:
        """Count the verdicts."""
        return Counter(cell.verdict.kind for block in self.blocks for cell in block.cells)


class FigureAccount(NamedTuple):
    """A figure under one protocol."""

    name: str
    title: str
    text: str
    protocol: Protocol
    caption: str
    """How many runs, what the marks mean."""
    stem: str
    """Its files are `figures/<stem>.svg` and `.png`."""


class Account(NamedTuple):
    """Everything that a report says."""

    tables: Sequence[TableAccount]
    figures: Sequence[FigureAccount]
    reasons: Mapping[str, Reason]
    """Those that some verdict refers to."""
    facts: Mapping[str, Any]
    """How it was made: "experiments", "protocols", "runs", "slow", "slow_runs", "slow_horizon", "seed", "seconds",
    "code", and the versions and platform of `results.provenance`."""

    def counts(self, protocol: Protocol) -> Counter[Kind]:
        """Count the verdicts of all tables under one protocol."""
        return sum((table.counts() for table in self.tables if table.protocol == protocol), Counter())
