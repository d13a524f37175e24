"""The result of a replay: each policy's verdicts next to the truth, and what they cost; as data and as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sidelight.errors import NoEntryError
from sidelight.monitor.report.records import ClassReport, Report, rank_class_reports
from sidelight.monitor.report.wording import class_table_of_report
from sidelight.monitor.types import Label
from sidelight.table import Cell, Column, Row, Table

SCORED = "sequential with scores"
"""The policy that uses scores, where there are any."""


def write_replay_percent(share: float) -> str:
    """Write a share in percent."""
    return f"{100 * share:.1f} %"


@dataclass(frozen=True)
class ReplayPoint:
    """What was known about a class after some number of predictions of the whole stream."""

    position: int
    verified: int
    estimate: float | None
    low: float
    high: float


@dataclass(frozen=True)
class ReplayTruth:
    """What the whole file says about a class."""

    name: Label
    tolerance: float
    predictions: int
    errors: int

    @property
    def rate(self) -> float:
        """The share of predictions of this class that are wrong."""
        return self.errors / self.predictions

    @property
    def verdict(self) -> str:
        """On which side of the tolerance the class is."""
        return "above" if self.errors > self.tolerance * self.predictions else "below"

    def contradicts(self, one: ClassReport) -> bool:
        """Return whether the verdict of a report is wrong."""
        if one.verdict == "near":
            return abs(self.rate - self.tolerance) > one.margin
        return one.verdict not in ("unknown", self.verdict)


@dataclass(frozen=True)
class PolicyReplay:
    """One policy on the stream."""

    policy: str
    title: str
    report: Report
    paths: dict[Label, list[ReplayPoint]]
    right: int
    wrong: int
    unknown: int
    first_certain: dict[Label, int]
    """After how many predictions of the whole stream each verdict, as it is at the end, was reached."""

    @property
    def verifications(self) -> int:
        """The number of verifications that were asked for."""
        return self.report.verifications


@dataclass(frozen=True)
class ReplayReport:
    """All policies on one stream of labeled predictions."""

    truths: tuple[ReplayTruth, ...]
    policies: tuple[PolicyReplay, ...]
    predictions: int
    wald: int
    """Verifications that Explore-fully would have used: up to the Wald cap of each class."""
    confidence: float
    mode: str
    delay: int
    lost: int = 0
    """Answers that never came."""

    @property
    def against_wald(self) -> bool:
        """Whether the other policies are compared with Explore-fully: only if it was replayed, too."""
        return any(one.policy == "explore" for one in self.policies)

    @property
    def saved_by_scores(self) -> float | None:
        """The share of verifications that scores save; None if they were not tried, or not beside the same without."""
        found = {one.policy: one.verifications for one in self.policies}
        if SCORED not in found or not found.get("sequential"):
            return None
        return 1.0 - found[SCORED] / found["sequential"]

    def __getitem__(self, policy: str) -> PolicyReplay:
        for one in self.policies:
            if one.policy == policy:
                return one
        raise NoEntryError(f"{policy!r} was not replayed")

    def saved_of_all(self, policy: PolicyReplay) -> float:
        """Return the share of verifications saved against verifying everything."""
        return 1.0 - policy.verifications / self.predictions

    def saved_of_wald(self, policy: PolicyReplay) -> float:
        """Return the share of verifications saved against Explore-fully; negative where more were used."""
        return 1.0 - policy.verifications / self.wald

    def class_table(self, policy: str, columns: Mapping[str, str], most: int | None = None, **written: Any) -> Table:
        """Return a policy's findings beside the truth of the whole file, for the most important classes, worst first.

        Beside what `report.class_table` offers there are "truth" and "verdict_judged" (with "(wrong)" if it is).
        """
        report = self[policy].report
        truths = {one.name: one for one in self.by_importance(policy)[:most]}

        def judged_replay_cells(one: ClassReport) -> dict[str, Any]:
            truth = truths[one.name]
            wrong = truth.contradicts(one)
            return {
                "truth": Cell(f"{truth.rate:.4f} {truth.verdict}", look=truth.verdict),
                "verdict_judged": Cell(f"{one.verdict}{' (wrong)' * wrong}", look="wrong" if wrong else one.verdict),
            }

        rows = [report[one.name] for one in sorted(truths.values(), key=lambda one: -one.rate)]
        return class_table_of_report(rows, columns, extra=judged_replay_cells, **written)

    def by_importance(self, policy: str) -> list[ReplayTruth]:
        """Return the classes that matter most first: those with a wrong verdict, then as in a report."""
        report = self[policy].report

        def place_in_replay_table(truth: ReplayTruth) -> tuple[bool, tuple[int, float]]:
            one = report[truth.name]
            return not truth.contradicts(one), rank_class_reports(one)

        return sorted(self.truths, key=place_in_replay_table)

    def settings(self, write: Callable[[int], str] = str) -> str:
        """Describe how the predictions were watched; `write` formats large numbers."""
        tolerances = sorted({one.tolerance for one in self.truths})
        most = f" to {tolerances[-1]:g}" if len(tolerances) > 1 else ""
        late = f", answers {write(self.delay)} predictions late" if self.delay else ""
        lost = f", {write(self.lost)} {'answer' if self.lost == 1 else 'answers'} never came" if self.lost else ""
        return f"tolerance {tolerances[0]:g}{most}, confidence {self.confidence:g}, mode {self.mode}{late}{lost}"

    def legend(self, count: Callable[[int], str] = str) -> str:
        """Describe what the columns of `to_table` mean; `count` formats large numbers."""
        wald = (
            f", and against the policy explore, which needs {count(self.wald)} here, up to a number per class that "
            "Wald's interval fixes beforehand"
        )
        return (
            f"Saved verifications are counted against verifying everything{wald * self.against_wald}. A verdict is "
            "right if it is certain and agrees with the error rate in the whole file."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the paths as plain data."""
        names = ("predictions", "confidence", "mode", "delay", "lost")
        return {
            **{name: getattr(self, name) for name in names},
            "wald_cap": self.wald,
            **({} if self.saved_by_scores is None else {"saved_by_scores": self.saved_by_scores}),
            "classes": [asdict(one) | {"rate": one.rate, "truth": one.verdict} for one in self.truths],
            "policies": [self._row(one) for one in self.policies],
        }

    def _row(self, one: PolicyReplay) -> dict[str, Any]:
        names = ("policy", "verifications", "right", "wrong", "unknown")
        saved = {"saved_of_all": self.saved_of_all(one), "saved_of_wald": self.saved_of_wald(one)}
        return {name: getattr(one, name) for name in names} | saved | {"classes": one.report.to_records()}

    def to_table(self, chosen: str = "", count: Callable[[int], str] = str) -> Table:
        """Return one row per policy: what it cost, and how its verdicts compare with the whole file.

        The row of the chosen policy is highlighted in a page; `count` formats large numbers.
        """
        columns = [
            Column("policy"),
            Column("verifications", count, alone="verified"),
            Column("saved of all", write_replay_percent, alone="saved"),
            *([Column("saved of explore", write_replay_percent, alone="of Wald")] if self.against_wald else []),
            Column("right"),
            Column("wrong"),
            Column("unknown"),
        ]
        return Table(columns, [self._line(one, one.policy == chosen) for one in self.policies])

    def _line(self, one: PolicyReplay, chosen: bool) -> Row:
        wrong = Cell(one.wrong, look="wrong" if one.wrong else "")
        saved = (self.saved_of_all(one), *([self.saved_of_wald(one)] if self.against_wald else []))
        cells = (one.title, one.verifications, *saved, one.right, wrong, one.unknown)
        return Row(cells, look="chosen" if chosen else "")
