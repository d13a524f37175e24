"""The content of a report: our numbers and the printed ones, with verdicts and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sidelight.reproduction.exhibit import PROTOCOLS, Protocol
from sidelight.reproduction.reasons import Reason
from sidelight.reproduction.verdicts import Kind, ReproducedNumber, ReproducedPart


class ReproductionAccount(NamedTuple):
    """Everything that a report says."""

    tables: Sequence[ReproducedPart]
    figures: Sequence[ReproducedPart]
    reasons: Mapping[str, Reason]
    """Those that some verdict refers to."""
    facts: Mapping[str, Any]
    """How it was made: "exhibits", "protocols", "runs", "slow", "slow_runs", "slow_horizon", "seed", "seconds",
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

    def differences(self) -> list[tuple[ReproducedPart, ReproducedNumber]]:
        """Return all numbers that differ and the tables they stand in, protocol by protocol."""
        tables = sorted(self.tables, key=lambda table: PROTOCOLS.index(table.protocol))
        return [(table, number) for table in tables for number in table.numbers if number.verdict == "differs"]
