"""The results that reports are written from: our numbers and the printed ones, with verdicts and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sidelight.reproduction.experiment import PROTOCOLS, Experiment, Protocol
from sidelight.reproduction.published import Pair
from sidelight.reproduction.reasons import Reason
from sidelight.results.statistics import Side, Summary, p_value_of

Kind = Literal["digit", "chance", "differs", "open", "ours"]

BETTER: dict[str, Side] = {"regret": "less", "verifications": "less", "f1": "greater"}
"""For each measure, which values are better."""


class Number(NamedTuple):
    """One measure of one player in one setting: our result, the printed one, and whether they agree."""

    setting: str
    """Its title."""
    measure: str
    """"regret", "f1" or "verifications"."""
    ours: Summary
    """Wins are among the paper's players, the test is against the first player of the setting."""
    printed: Pair | None = None
    z: float | None = None
    """(mean - printed mean) / sqrt(se^2 + printed se^2); infinite where neither varies and they differ."""
    again: Summary | None = None
    """A second look: more runs where it seemed different, or the paper's 96 where there are more."""
    z_again: float | None = None
    verdict: Kind = "ours"
    reason: str | None = None
    """The key of the reason why it differs; None if it does not, or if no reason is known."""
    limit_ratio: float | None = None
    """The mean over that of the limit, if the setting has one."""
    is_limit: bool = False

    @property
    def label(self) -> str:
        """The name of its player."""
        return self.ours.label

    @property
    def p_one_sided(self) -> float | None:
        """The one-sided p-value that the first player's mean is better."""
        test = self.ours.test
        if test is None:
            return None
        sign = 1.0 if BETTER[self.measure] == "less" else -1.0
        return p_value_of(sign * test.statistic, test.degrees, "greater")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; missing values are None or NaN."""
        s, look = self.ours, ("runs", "mean", "std", "standard_error")
        return {
            "setting": self.setting,
            "measure": self.measure,
            "label": self.label,
            "round": s.round,
            **{name: getattr(s, name) for name in (*look, "min", "median", "q99", "max", "strict_wins", "tied_wins")},
            "p_two_sided": s.p_value,
            "p_one_sided": self.p_one_sided,
            "limit_ratio": self.limit_ratio,
            "is_limit": self.is_limit,
            "printed": self.printed and self.printed._asdict(),
            "z": self.z,
            "again": self.again and {name: getattr(self.again, name) for name in look} | {"z": self.z_again},
            "verdict": self.verdict,
            "reason": self.reason,
        }


class Part(NamedTuple):
    """A table or a figure under one protocol."""

    experiment: Experiment
    protocol: Protocol
    numbers: Sequence[Number] = ()
    """Of a table."""
    caption: str = ""
    """Of a figure: how many runs, what the marks mean."""

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return self.experiment.name

    @property
    def stem(self) -> str:
        """The name of a figure's files, `figures/<stem>.svg` and `.png`."""
        return f"{self.name}-{self.protocol}"

    @property
    def place(self) -> str:
        """Where it stands in a page."""
        return f"{self.protocol}-{self.name}"

    def counts(self) -> Counter[Kind]:
        """Count the verdicts."""
        return Counter(number.verdict for number in self.numbers)


class Account(NamedTuple):
    """Everything that a report says."""

    tables: Sequence[Part]
    figures: Sequence[Part]
    reasons: Mapping[str, Reason]
    """Those that some verdict refers to."""
    facts: Mapping[str, Any]
    """How it was made: "experiments", "protocols", "runs", "slow", "slow_runs", "slow_horizon", "seed", "seconds",
    "code", "tolerances", "policies" and "confidence" of the use case where they are not those of the paper, and the
    versions and platform of `results.provenance`."""

    def counts(self, protocol: Protocol) -> Counter[Kind]:
        """Count the verdicts of all tables under one protocol."""
        return sum((table.counts() for table in self.tables if table.protocol == protocol), Counter())

    def to_dict(self) -> dict[str, Any]:
        """Return every number, the reasons why some differ, and how they were made, as plain data."""
        return {
            "numbers": [
                {"table": table.name, "protocol": table.protocol, **number.to_dict()}
                for table in self.tables
                for number in table.numbers
            ],
            "reasons": {key: reason._asdict() for key, reason in self.reasons.items()},
            "facts": dict(self.facts),
        }

    def differences(self) -> list[tuple[Part, Number]]:
        """Return all numbers that differ and the tables they stand in, protocol by protocol."""
        tables = sorted(self.tables, key=lambda table: PROTOCOLS.index(table.protocol))
        return [(table, number) for table in tables for number in table.numbers if number.verdict == "differs"]
