"""What a monitor knows about the classes it watches, for people and for programs."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sidelight.errors import SidelightError
from sidelight.monitor.classes import ClassState
from sidelight.monitor.confidence import Verdict
from sidelight.monitor.decisions import Label
from sidelight.monitor.ledger import Ledger
from sidelight.monitor.settings import Settings

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
        raise KeyError(f"no prediction of class {name!r} has been seen")

    def to_records(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per class."""
        return [asdict(one) | {"interval": list(one.interval), "events": list(one.events)} for one in self.classes]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self) | {"classes": self.to_records(), "saved": self.saved}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per class as a data frame of pandas, else of polars, or of the one that is named."""
        columns: dict[str, list[Any]] = {"low": [], "high": []}
        for one in self.classes:
            for key, value in asdict(one).items():
                if key not in ("interval", "events"):
                    columns.setdefault(key, []).append(value)
            columns["low"].append(one.interval[0])
            columns["high"].append(one.interval[1])
        order = [key for key in columns if key not in ("low", "high")]
        place = order.index("estimate") + 1
        order[place:place] = ["low", "high"]
        return _library(backend).DataFrame({key: columns[key] for key in order})

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw estimates and intervals; with a `path` also write the figure (.svg, .pdf or .png)."""
        from sidelight.monitor.figures import draw_classes

        figure = draw_classes(self)
        if path is not None:
            from sidelight.report.saving import save_figure

            save_figure(figure, path)
        return figure

    def __str__(self) -> str:
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


def guarantee(settings: Settings) -> str:
    """Say what the intervals promise, with the settings as they are."""
    percent = f"{100 * settings.confidence:g} %"
    each = f"Each interval holds the error rate of its class at all times at once with {percent} confidence"
    if settings.window is not None:
        return (
            f"Each interval rests on the last {settings.window} answers of its class: at any one moment it holds the "
            f"error rate of that stretch with at least {percent} confidence, if the rate did not change within it; "
            "not at all moments at once, for old answers drop out."
        )
    if settings.restart_on_drift:
        return (
            f"{each}, counted anew from each restart and as long as the rate does not change: after k restarts the "
            f"chance that any verdict on the class was wrong is at most {k_times(settings.confidence)}."
        )
    return f"{each}, as long as the rate does not change and whether an answer comes does not depend on what it says."


def k_times(confidence: float) -> str:
    """Return the error probability of k + 1 stretches in words."""
    return f"(k + 1) x {100 * (1 - confidence):.4g} %"


def text(report: Report) -> str:
    """Return the report as a table."""
    heads = ("class", "predictions", "verified", "errors", "pending", "estimate", "interval", "verdict", "still needed")
    rows: list[tuple[str, ...]] = [heads]
    for one in report.classes:
        low, high = one.interval
        estimate = "-" if one.estimate is None else f"{one.estimate:.4f}"
        needed = "-" if one.verdict != "unknown" else "many" if one.needed is None else f"~{one.needed}"
        shown = f"{one.verdict} {one.tolerance:g}" if one.verdict != "unknown" else "unknown"
        counts = (one.predictions, one.verified, one.errors, one.pending)
        cells = (estimate, f"{low:.4f}-{high:.4f}", shown, needed)
        rows.append((_one_line(str(one.name)), *map(str, counts), *cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths) for row in rows]
    share = 100 * report.saved / report.predictions if report.predictions else 0.0
    lines.append(
        f"{report.verifications} verifications asked for ({report.pending} pending), {report.saved} of "
        f"{report.predictions} predictions let pass ({share:.1f} %)"
    )
    lines += [f"{_one_line(str(one.name))}: {event}" for one in report.classes for event in _events(one)]
    return "\n".join([*lines, report.guarantee])


def _events(one: ClassReport) -> list[str]:
    """Return what has reopened a class: each correction and drift, and how often later answers did."""
    others = one.reopened - len(one.events)
    times = "once" if others == 1 else f"{others} times"
    return [*one.events, *([f"reopened {times} by answers that came later"] if others else [])]


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


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    first = row[0].ljust(widths[0])
    return "  ".join([first, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])


def _one_line(name: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


def _library(backend: str | None) -> Any:
    if backend not in (None, "pandas", "polars"):
        raise SidelightError(f"there is no backend {backend!r}: give 'pandas' or 'polars'")
    for name in [backend] if backend else ["pandas", "polars"]:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise SidelightError("neither pandas nor polars is installed: use to_records(), which needs nothing")
