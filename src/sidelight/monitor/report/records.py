"""What a monitor knows about the classes it watches, for people and for programs."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from sidelight._storage import replacing_file
from sidelight.errors import NoEntryError
from sidelight.monitor.report.breakdown import Comparison, SegmentReport, report_record_from_data
from sidelight.monitor.stats.confidence import Verdict
from sidelight.monitor.stats.overall import Overall
from sidelight.monitor.stats.scores.quality import ScoreReport
from sidelight.monitor.types import Label
from sidelight.results.frames import data_frame_library_for_results
from sidelight.text import thousands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MANY_LATE, _LARGE_LATE_SHARE = 5, 0.01
"""With the default patience and exponential delays the share is 0.001."""
FRESH = 2000
_CLEARLY = 3.0
"""By how many standard errors late answers must differ from others."""


@dataclass(frozen=True)
class ClassReport:
    """One predicted class."""

    name: Label
    tolerance: float
    predictions: int
    verified: int
    """Answers that have come."""
    errors: int
    pending: int
    """Verifications without an answer yet that the monitor waits for."""
    overdue: int
    """Verifications that the monitor has given up waiting for; their answers still count when they come."""
    skipped: int
    counted: int
    """Answers that the verdict rests on, n: those since the last restart that no earlier verification holds up."""
    estimate: float | None
    """e / n, None before the first answer."""
    interval: tuple[float, float]
    """Covers the true error rate with the monitor's confidence, see `Report.guarantee`."""
    verdict: Verdict
    margin: float
    """How far from its tolerance a class may be for the verdict "near"; 0 if there is no such verdict."""
    undecidable: tuple[float, float] | None
    """With reviewers who err: no verdict is possible while "wrong" answers come at a rate within these bounds."""
    needed: int | None
    """Estimate of how many more answers a certain verdict takes; None if the rate is too close to the tolerance."""
    saved: int
    """Predictions that were let pass."""
    stalled: str | None
    """Why the class makes no progress although its verdict is unknown."""
    decidable: bool
    """False if verifications are rationed and a verdict would take more than the foreseeable traffic of the class."""
    stands: tuple[int, int] | None
    """(k, m): the verdict stands if at most k of the m answers that are missing were against it."""
    reopened: int
    alarms: int
    """How often a drift alarm has started the class from scratch."""
    events: tuple[str, ...]
    """Unusual events of the verdict: it turned, late answers, corrections, drift."""
    spot_share: float = 0.0
    """The share of predictions that are verified to notice changes, while the policy lets them pass."""
    fresh: float | None = None
    """The share of the counted answers that were asked for in the last 2 000 predictions of the class; None before the
    first answer."""
    doubling: int | None = None
    """Within how many predictions of the class a rise to twice its tolerance (of a class above: a fall to half of it)
    would be noticed in nine of ten cases, if answers come at once; None if it is open, or for more than 100 000."""

    score: ScoreReport | None = None
    """What scores are worth; None if the class has none."""
    oldest: str | None = None
    """Which pending verification a stalled class has waited for longest; a blind service does not tell."""

    @property
    def skipped_share(self) -> float | None:
        """The share of skipped verifications among those that reviewers dealt with; None if there are none.

        If hard predictions are skipped, the error rate looks lower than it is.
        """
        settled = self.verified + self.skipped
        return self.skipped / settled if settled else None


def rank_class_reports(one: ClassReport) -> tuple[int, float]:
    """Return a sort key that puts the classes that matter most first.

    First come classes above tolerance, by their errors beyond it, then open classes, then those below, each by number
    of predictions.
    """
    beyond = one.predictions * ((one.estimate or 0.0) - one.tolerance) if one.verdict == "above" else one.predictions
    return {"above": 0, "unknown": 1}.get(one.verdict, 2), -beyond


@dataclass(frozen=True)
class DriftReport:
    """What looking for changes in error rates costs, over all classes."""

    alarm_every: int
    """On average, a false alarm comes after at least this many answers of a class."""
    alarms: int
    spot_checks: int
    """Verifications of closed classes, made only to notice changes."""
    false_alarms: float
    """How many alarms are expected at most, with the answers so far, if no rate had changed."""
    false_alarms_a_month: float | None
    """The same for 30 days with as many answers; None if decisions came without times."""
    notice: float | None = None
    notice_within: int | None = None
    """A rise of a closed class to `notice` times its tolerance is noticed within so many of its predictions in nine of
    ten cases, if answers come at once; None if spot checks have a given share."""

    @property
    def text(self) -> str:
        """The report in words."""
        found = "no alarm" if not self.alarms else "1 alarm" if self.alarms == 1 else f"{self.alarms} alarms"
        monthly = self.false_alarms_a_month
        rate = f"{self.false_alarms:.2g} so far" if monthly is None else f"{monthly:.2g} a month"
        one = self.spot_checks == 1
        checks = "1 verification was a spot check" if one else f"{self.spot_checks} verifications were spot checks"
        return f"drift: {found}; at most {rate} expected over all classes if no error rate changes; {checks}"

    @property
    def goal(self) -> str | None:
        """The change that spot checks are meant to notice, in words; None if their share is given."""
        if self.notice is None or self.notice_within is None:
            return None
        return (
            f"spot checks are to notice a rise to {self.notice:g} times the tolerance within "
            f"{thousands(self.notice_within)} predictions of a class in nine of ten cases"
        )


@dataclass(frozen=True)
class Report:
    """All classes, in the order of their first prediction."""

    classes: tuple[ClassReport, ...]
    policy: str
    mode: str
    confidence: float
    verifications: int
    """Verifications that were asked for; `saved` counts the predictions that were let pass."""
    pending: int
    late: int
    """Answers that came after they were overdue."""
    predictions: int
    overall: Overall | None
    """The error rate over all predictions; None with a `window`, where it would not be valid."""
    guarantee: str
    drift: DriftReport | None
    """None if the monitor does not look for changes in error rates."""
    segments: tuple[SegmentReport, ...] = ()
    """Error rates of parts of the traffic, the worst first."""
    comparisons: tuple[Comparison, ...] = ()
    """Versions of the model that predicted the same items."""
    late_rates: tuple[float, float] | None = None
    """The share of errors among late answers, and among answers to verifications around the same time."""

    @property
    def saved(self) -> int:
        """Predictions that were let pass."""
        return self.predictions - self.verifications

    @property
    def impatience(self) -> str | None:
        """A sentence about answers that come too late for the patience, if there are many."""
        share = self.late / max(1, sum(one.verified for one in self.classes))
        if self.late < _MANY_LATE or share < _LARGE_LATE_SHARE:
            return None
        text = f"{100 * share:.1f} % of the answers came when they were overdue; each counts since it came"
        if self.late_rates is None:
            return text
        late, usual = self.late_rates
        text += f". {100 * late:.1f} % of them said wrong, and {100 * usual:.1f} % of answers asked for around then"
        error = math.sqrt(max(usual * (1.0 - usual), 1.0 / self.late) / self.late)
        if abs(late - usual) <= _CLEARLY * error:
            return f"{text}: no clear difference, so a larger patience would only delay verdicts and drift alarms"
        longer = "Wrong answers take longer than right ones" if late > usual else "Right answers take longer than wrong"
        return (
            f"{text}. {longer}, so verdicts and drift alarms are misleading until the late ones have come: a larger "
            "patience cures that, but verdicts and drift alarms then come later"
        )

    def __getitem__(self, name: Any) -> ClassReport:
        for one in self.classes:
            if one.name == name:
                return one
        raise NoEntryError(f"no prediction of class {name!r} has been seen")

    def to_records(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per class."""
        return [asdict(one) | {"skipped_share": one.skipped_share} for one in self.classes]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self) | {"classes": self.to_records(), "saved": self.saved}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return a report from what `to_dict` returned, also after JSON; unknown fields are left out."""
        return report_record_from_data(cls, data)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per class as a data frame of pandas or else polars, or of the named library."""
        columns: dict[str, list[Any]] = {}
        for key in (
            field.name for field in fields(ClassReport) if field.name not in ("events", "undecidable", "score")
        ):
            values = [getattr(one, key) for one in self.classes]
            if key == "interval":
                columns["low"], columns["high"] = ([ends[side] for ends in values] for side in (0, 1))
            else:
                columns[key] = values
        return data_frame_library_for_results(backend).DataFrame(columns)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw estimates and intervals; with a `path` also write the figure (.svg, .pdf or .png)."""
        from sidelight.report.figures.saving import require_matplotlib, return_or_save_figure

        require_matplotlib()
        from sidelight.monitor.report.figure import draw_class_figure_of_report

        return return_or_save_figure(draw_class_figure_of_report(self), path)

    def to_html(self, path: str | os.PathLike[str] | None = None, title: str = "What the monitor knows") -> str:
        """Return one self-contained page; with a `path` also write it."""
        from sidelight.monitor.report.page import write_monitor_report_page

        page = write_monitor_report_page(self, title)
        if path is not None:
            with replacing_file(path) as draft:
                draft.write_text(page, encoding="utf-8")
        return page

    def __str__(self) -> str:
        from sidelight.monitor.report.wording import report_text

        return report_text(self)
