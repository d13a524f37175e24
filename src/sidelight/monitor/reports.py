"""What a monitor knows about the classes it watches, for people and for programs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from sidelight._storage import replacing
from sidelight.errors import NoEntryError
from sidelight.monitor.classes import ClassState
from sidelight.monitor.confidence import Verdict
from sidelight.monitor.decisions import Label
from sidelight.monitor.guarantee import guarantee
from sidelight.monitor.ledger import Ledger
from sidelight.monitor.settings import Settings
from sidelight.results.frames import library

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    skipped: int
    estimate: float | None
    """e / n, None before the first answer."""
    interval: tuple[float, float]
    """Covers the true error rate at all times at once, with the monitor's confidence."""
    verdict: Verdict
    needed: int | None
    """Estimate of how many more answers a certain verdict takes; None if the rate is too close to the tolerance."""
    saved: int
    """Predictions that were not sent to a verifier."""
    reopened: int
    events: tuple[str, ...]


def by_importance(one: ClassReport) -> tuple[int, float]:
    """Return what puts the classes that matter most first.

    These are classes above tolerance by their errors beyond it, then open ones, then those below, each by the number of
    their predictions.
    """
    beyond = one.predictions * ((one.estimate or 0.0) - one.tolerance) if one.verdict == "above" else one.predictions
    return ("above", "unknown", "below").index(one.verdict), -beyond


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
    predictions: int
    guarantee: str

    @property
    def saved(self) -> int:
        """Predictions that were not sent to a verifier."""
        return self.predictions - self.verifications

    def __getitem__(self, name: Any) -> ClassReport:
        for one in self.classes:
            if one.name == name:
                return one
        raise NoEntryError(f"no prediction of class {name!r} has been seen")

    def to_records(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per class."""
        return [asdict(one) | {"interval": list(one.interval), "events": list(one.events)} for one in self.classes]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self) | {"classes": self.to_records(), "saved": self.saved}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per class as a data frame of pandas, else of polars, or of the one that is named."""
        columns: dict[str, list[Any]] = {}
        for key in (field.name for field in fields(ClassReport) if field.name != "events"):
            values = [getattr(one, key) for one in self.classes]
            if key == "interval":
                columns["low"], columns["high"] = ([ends[side] for ends in values] for side in (0, 1))
            else:
                columns[key] = values
        return library(backend).DataFrame(columns)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw estimates and intervals; with a `path` also write the figure (.svg, .pdf or .png)."""
        from sidelight.report.saving import require_matplotlib, written

        require_matplotlib()
        from sidelight.monitor.figures import draw_classes

        return written(draw_classes(self), path)

    def to_html(self, path: str | os.PathLike[str] | None = None, title: str = "What the monitor knows") -> str:
        """Return one self-contained page; with a `path` also write it."""
        from sidelight.monitor.report_page import report_page

        page = report_page(self, title)
        if path is not None:
            with replacing(path) as draft:
                draft.write_text(page, encoding="utf-8")
        return page

    def __str__(self) -> str:
        from sidelight.monitor.report_text import text

        return text(self)


def make_report(settings: Settings, states: Iterable[ClassState], ledger: Ledger) -> Report:
    """Gather what is known."""
    classes = tuple(_class_report(state) for state in states)
    return Report(
        classes=classes,
        policy=settings.policy.name,
        mode=settings.mode,
        confidence=settings.confidence,
        verifications=ledger.asked,
        pending=ledger.pending,
        predictions=sum(one.predictions for one in classes),
        guarantee=guarantee(settings),
    )


def _class_report(state: ClassState) -> ClassReport:
    return ClassReport(
        name=state.name,
        tolerance=state.tolerance,
        predictions=state.predictions,
        verified=state.verified,
        errors=state.errors,
        pending=state.pending,
        skipped=state.skipped,
        estimate=state.e / state.n if state.n else None,
        interval=state.interval(),
        verdict=state.verdict,
        needed=0 if state.verdict != "unknown" else state.needed(),
        saved=state.predictions - state.asked,
        reopened=state.reopened,
        events=tuple(state.events),
    )
