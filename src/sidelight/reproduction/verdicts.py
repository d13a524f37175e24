"""Compare our numbers with the printed ones.

A printed mean comes with a standard deviation s' over 96 runs, ours with s over n. Then
z = (mean - mean') / sqrt(s^2 / n + s'^2 / 96), and |z| < 3 is called the same within chance: even if all 74 pairs were
right, about one in 370 would lie outside. A number with |z| >= 2 is run again with ten times the runs, and then these
decide. With fewer than ten runs the larger of s and s' stands for s. Under the published protocol both sides met the
same outcomes, so the true spread of the difference is smaller than this, and z errs toward "the same".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sidelight.reproduction.exhibit import HORIZON, PROTOCOLS, RUNS, SLOW, SLOW_HORIZON, Exhibit, Protocol
from sidelight.reproduction.published import Pair, Reason, printed_numbers_of_player
from sidelight.results import Comparison, Labels, Results, ResultSet, Side, Summary, compare
from sidelight.results.comparison import LARGER_IS_BETTER
from sidelight.studies import Study

Kind = Literal["digit", "chance", "differs", "open", "ours"]

CHANCE = 3.0
"""Below this |z| is called chance."""
DOUBT = 2.0
"""From here on a number gets a second look: earlier than needed, because a difference can hide just below three."""
BEYOND_DOUBT = 10.0
"""What a number must reach that cannot have a second look because its strategy is too slow."""
_FEW = 10  # runs, whose own spread says too little about the true one


class ReproducedNumber(NamedTuple):
    """One measure of one player in one setting: our result, the printed one, and whether they agree."""

    setting: str
    """Its title."""
    measure: str
    """"regret", "f1" or "verifications"."""
    ours: Summary
    """Wins are among the paper's players; the two tests, two-sided and that the first player is better, are against
    the first player of the setting."""
    labels: Labels | None = None
    """What the results behind it are called."""
    printed: Pair | None = None
    z: float | None = None
    """(mean - printed mean) / sqrt(se^2 + printed se^2); infinite where neither varies and they differ."""
    again: Summary | None = None
    """A second look: more runs where it seemed different, or the paper's 96 where there are more."""
    z_again: float | None = None
    verdict: Kind = "ours"
    reason: str | None = None
    """The key of the reason why it differs; None if it does not, or if no reason is known."""

    @property
    def label(self) -> str:
        """The name of its player."""
        return self.ours.label

    @property
    def is_limit(self) -> bool:
        """Whether it is no contestant, but what the others are compared with."""
        return self.labels is not None and self.labels.limit

    @property
    def p_one_sided(self) -> float | None:
        """The one-sided p-value that the first player's mean is better."""
        test = self.ours.tests[-1] if self.ours.tests else None
        return None if test is None else test.p_value

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
            "limit_ratio": s.limit_ratio,
            "is_limit": self.is_limit,
            "printed": self.printed and self.printed._asdict(),
            "z": self.z,
            "again": self.again and {name: getattr(self.again, name) for name in look} | {"z": self.z_again},
            "verdict": self.verdict,
            "reason": self.reason,
        }


class ReproducedPart(NamedTuple):
    """A table or a figure under one protocol."""

    exhibit: Exhibit
    protocol: Protocol
    numbers: Sequence[ReproducedNumber] = ()
    """Of a table."""
    caption: str = ""
    """Of a figure: how many runs, what the marks mean."""

    @property
    def name(self) -> str:
        """The name of the table or figure."""
        return self.exhibit.name

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


def judge_reproduced_numbers(
    exhibit: Exhibit, study: Study, protocol: Protocol, results: ResultSet
) -> list[ReproducedNumber]:
    """Return the numbers of one setting of a table, each with a verdict."""
    planned = {player.label: player.runs or study.runs for player in study.players}
    every = dict(zip(results.labels, results, strict=True))
    ours = {labels: one.first(planned[labels.label]) for labels, one in every.items()}
    found = []
    for measure in study.measures:
        for labels, one in every.items():
            at = round_of_printed_number(labels, protocol)
            number = ReproducedNumber(
                setting=study.title,
                measure=measure,
                ours=_compare_reproduced(study, ours, labels, measure, at, protocol),
                labels=labels,
                printed=printed_numbers_of_player(study.name, labels.label, measure),
            )
            reason = exhibit.reasons.get((labels.label, protocol))
            found.append(_judge_reproduced(number, one, at, protocol, reason))
            if at is not None and at < labels.horizon - 1:  # a slow player that ran on
                end = _compare_reproduced(study, ours, labels, measure, labels.horizon, protocol)
                label = f"{labels.label}, {labels.horizon} rounds"
                found.append(ReproducedNumber(study.title, measure, end._replace(label=label), labels))
    return found


def round_of_printed_number(labels: Labels, protocol: Protocol) -> int | None:
    """Return the round that the paper's number belongs to; None if no game is played.

    The published contextual tables show the regret one round before the horizon, because their last entry is empty.
    """
    if not labels.horizon:
        return None
    end = SLOW_HORIZON if labels.strategy in SLOW else HORIZON
    return end - 1 if protocol == "published" and labels.world.startswith("contexts") else end


def _compare_reproduced(
    study: Study, ours: Mapping[Labels, Results], labels: Labels, measure: str, at: int | None, protocol: Protocol
) -> Summary:
    """Compare a player with the first one at the same round, and with the limit.

    Wins are counted among the paper's players that were read at the same round as the first.
    """
    first = next(iter(ours))
    contestants = [
        one
        for each, one in ours.items()
        if printed_numbers_of_player(study.name, each.label, measure)
        and at == round_of_printed_number(each, protocol) == round_of_printed_number(first, protocol)
    ]
    together = list(dict.fromkeys([first, labels, *(each for each in ours if each.limit)]))
    limit = next((one for each, one in ours.items() if each.limit), None)
    worse: Side = "less" if measure in LARGER_IS_BETTER else "greater"
    tests = (Comparison(), Comparison(side=worse))
    rows = compare([ours[each] for each in together], measure, tests, at=at, limit=limit, contestants=contestants)
    return rows[together.index(labels)]


def _judge_reproduced(
    number: ReproducedNumber, every: Results, at: int | None, protocol: Protocol, reason: str | None
) -> ReproducedNumber:
    """Return a number with its verdict, and with its second look if it has one; `every` has the runs of both."""
    ours, printed = number.ours, number.printed
    if printed is None:
        return number
    z = _reproduced_z(ours, printed)
    number = number._replace(z=z)
    if protocol == "published" and ours.runs > RUNS:
        # Where there are more runs, those of the paper may still give the printed digits.
        first = every.first(RUNS).summary(at, number.measure)
        if _has_printed_digits(first, printed):
            return number._replace(again=first, z_again=0.0, verdict="digit")
    if _has_printed_digits(ours, printed):
        return number._replace(verdict="digit")
    if z is not None and abs(z) >= DOUBT and every.n_runs > ours.runs:
        again = every.summary(at, number.measure)
        z = _reproduced_z(again, printed)
        number = number._replace(again=again, z_again=z)
    few = number.labels is not None and number.labels.strategy in SLOW and ours.runs < RUNS
    verdict = _reproduced_verdict(z, few)
    return number._replace(verdict=verdict, reason=reason if verdict == "differs" else None)


def _reproduced_verdict(z: float | None, few: bool) -> Kind:
    """Return the verdict on a z-score; with few runs and no second look, only a very large one is a difference."""
    if z is None:
        return "open"
    if abs(z) < CHANCE:
        return "chance"
    return "open" if few and abs(z) < BEYOND_DOUBT else "differs"


def needs_second_look(number: ReproducedNumber) -> bool:
    """Return whether a number may be different and has had no second look."""
    doubtful = number.verdict != "digit" and number.z is not None and abs(number.z) >= DOUBT
    return doubtful and number.again is None


def _reproduced_z(s: Summary, printed: Pair) -> float | None:
    if s.runs < 2:
        return None
    std = max(s.std, printed.std) if s.runs < _FEW else s.std
    error = math.hypot(std / math.sqrt(s.runs), printed.std / math.sqrt(RUNS))
    difference = s.mean - printed.mean
    # Half a unit of the last printed digit is rounding, not a difference.
    if abs(difference) <= 0.5000001 * 10.0**-printed.decimals:
        return 0.0 if error == 0 else difference / error
    return math.copysign(math.inf, difference) if error == 0 else difference / error


def _has_printed_digits(s: Summary, printed: Pair) -> bool:
    unit = 0.5000001 * 10.0**-printed.decimals
    return s.runs > 1 and abs(s.mean - printed.mean) <= unit and abs(s.std - printed.std) <= unit
