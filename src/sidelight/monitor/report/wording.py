"""The table of predicted classes, and the report of a monitor as text."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sidelight.monitor.report.records import FRESH, ClassReport, Report
from sidelight.monitor.settings import Settings
from sidelight.monitor.stats.scores.quality import ScoreReport
from sidelight.table import Cell, Column, Table
from sidelight.text import fitting_characters, printable_line, terminal_width_of_text, thousands, wrapped_lines

_LONGEST_NAME = 60
_END = 10


def class_table_of_report(
    classes: Iterable[ClassReport],
    columns: Mapping[str, str],
    *,
    extra: Callable[[ClassReport], dict[str, Any]] = lambda one: {},
    between: str = "-",
    title: str = "",
    **written: Callable[[Any], str],
) -> Table:
    """Return one row per class.

    `columns` maps the title of each column to what it shows: a field of `ClassReport`, "verdict_tolerance" (with the
    tolerance if it is certain), "verdict_colored", or something that `extra` adds. `written` says how the values of a
    column are written if not plainly; `between` stands between the ends of an interval.
    """
    written = {
        "name": functools.partial(short_class_name, longest=_LONGEST_NAME),
        "estimate": "{:.4f}".format,
        "interval": lambda ends: f"{ends[0]:.4f}{between}{ends[1]:.4f}",
        **written,
    }
    values = [_values_of_class_report_row(one) | extra(one) for one in classes]
    return Table(
        [Column(heading, written.get(key, str)) for heading, key in columns.items()],
        [[row[key] for key in columns.values()] for row in values],
        title=title,
    )


def short_class_name(name: object, longest: int) -> str:
    """Return the name of a class on one line, cut where it takes more columns of a terminal than `longest`.

    The end of a long name is kept as well, because names that start alike often differ there.
    """
    text = printable_line(str(name)) if str(name).strip() else repr(str(name))
    if terminal_width_of_text(text) <= longest:
        return text
    end = text[len(text) - fitting_characters(text[::-1], _END) :] if longest >= 4 * _END else ""
    return f"{text[: fitting_characters(text, longest - 1 - terminal_width_of_text(end))]}…{end}"


def _values_of_class_report_row(one: ClassReport) -> dict[str, Any]:
    """Return everything that a row can show."""
    undecided = one.verdict == "unknown"
    return vars(one) | {
        "verdict_tolerance": one.verdict if undecided else f"{one.verdict} {one.tolerance:g}",
        "verdict_colored": Cell(one.verdict, look=one.verdict),
        "needed": None if not undecided else "many" if one.needed is None else f"~{one.needed}",
    }


_COLUMNS = {
    "class": "name",
    **{name: name for name in ("predictions", "verified", "errors", "pending", "estimate", "interval")},
    "verdict": "verdict_tolerance",
    "still needed": "needed",
}


def report_text(report: Report, width: int | None = None) -> str:
    """Return the whole report, wrapped to a width if one is given."""
    share = 100 * report.saved / report.predictions if report.predictions else 0.0
    lines = [
        class_table_of_report(report.classes, _COLUMNS).to_text(width),
        f"{report.verifications} verifications asked for ({report.pending} pending), {report.saved} of "
        f"{report.predictions} predictions let pass ({share:.1f} %)",
    ]
    lines += [*report_notes(report), *([] if report.overall is None else [str(report.overall)]), report.guarantee]
    return "\n".join([lines[0], *(line if width is None else wrapped_lines(line, width) for line in lines[1:])])


def report_notes(report: Report) -> list[str]:
    """Return the notes that do not fit into the table, class by class."""
    drift: list[str] = []
    if report.drift is not None and report.drift.spot_checks + report.drift.alarms:
        drift = [report.drift.text, *([] if report.drift.goal is None else [report.drift.goal])]
    late = [] if report.impatience is None else [report.impatience]
    return (
        drift
        + late
        + [
            f"{short_class_name(one.name, 60)}: {note}"
            for one in report.classes
            for note in _word_class_notes_of_report(one)
        ]
    )


def word_standing_verdict_of_report(k: int, m: int) -> str:
    """Describe under which condition a verdict stands while m answers are missing; see `ClassReport.stands`."""
    if k < 0:
        return "stands by earlier answers only"
    if k >= m:
        return "stands whatever the missing answers say"
    if k == 0:
        return f"stands unless {'the missing answer' if m == 1 else f'one of the {m} missing answers'} is against it"
    return f"stands if at most {k} of the {m} missing answers {'is' if k == 1 else 'are'} against it"


def word_stalled_class_of_report(one: ClassReport) -> str:
    """Explain why a class makes no progress, and which answer it has waited for longest."""
    return f"stalled: {one.stalled}" + (f"; the oldest pending one is {one.oldest}" if one.oldest else "")


def word_skipped_share_of_report(one: ClassReport) -> str:
    """Describe the skipped share of a class and its possible meaning."""
    share = 100 * (one.skipped_share or 0.0)
    return f"{share:.2g} % were skipped ({one.skipped}); if these are the hard ones, the error rate is underestimated"


def word_score_quality_of_report(score: ScoreReport) -> str:
    """Describe the verifications that scores have saved, how well they rank errors, and doubts about them."""
    kind = "saved" if score.saved >= 0 else "cost"
    text = f"scores have {kind} about {thousands(abs(score.saved))} answers"
    if score.auc is not None and score.auc_interval is not None:
        low, high = score.auc_interval
        text += f"; an error has a larger score than a right prediction in {100 * score.auc:.0f} % of cases"
        text += f" ({100 * low:.0f} to {100 * high:.0f} %)"
    return text if score.warning is None else f"{text}. Warning: {score.warning}"


def word_freshness_of_report(one: ClassReport) -> str | None:
    """Describe how fresh the evidence about a closed class is, and how soon a change would be noticed."""
    if one.fresh is None or one.verdict == "unknown":
        return None
    change = "a fall to half" if one.verdict == "above" else "a rise to twice"
    soon = "not be noticed" if one.doubling is None else f"be noticed within {thousands(one.doubling)} predictions"
    return (
        f"{100 * one.fresh:.0f} % of the answers are about the last {thousands(FRESH)} predictions, of which "
        f"{100 * one.spot_share:.2g} % are verified now; {change} the tolerance would {soon}"
    )


def _word_class_notes_of_report(one: ClassReport) -> list[str]:
    """Describe changes of the verdict, missing answers, and the reason for waiting."""
    others = one.reopened - sum("reopened" in event for event in one.events)
    times = "once" if others == 1 else f"{others} times"
    notes = [*one.events, *([f"reopened {times} by answers that came later"] if others > 0 else [])]
    if one.overdue:
        late = "1 answer is" if one.overdue == 1 else f"{one.overdue} answers are"
        notes.append(f"{late} overdue; the monitor no longer waits, but late answers still count")
    if one.skipped:
        notes.append(word_skipped_share_of_report(one))
    if one.stands is not None:
        notes.append(f"{one.verdict!r} {word_standing_verdict_of_report(*one.stands)}")
    if one.score is not None:
        notes.append(word_score_quality_of_report(one.score))
    low, high = one.interval
    if one.estimate is not None and not low <= one.estimate <= high:
        notes.append(
            f"{one.verdict!r} was reached by earlier answers; all answers together are less clear, and the estimate "
            "lies outside the interval, which agrees with the verdict"
        )
    return [*notes, *([word_stalled_class_of_report(one)] if one.stalled else [])]


def word_guarantee_of_report(settings: Settings, late: bool) -> str:
    """Describe the guarantee of the intervals; `late` says that overdue answers changed earlier counts.

    An overdue answer changes the path of the counts from its place on, so Ville's inequality holds for the path as it
    is at any one moment, not for all paths that were ever shown together.
    """
    when = "at any one moment" if late else "at all times at once"
    percent = f"{100 * settings.confidence:g} %"
    if settings.window is not None:
        return (
            f"Each interval rests on the last {settings.window} answers of its class. With at least {percent} "
            "confidence it contains, at any one moment, the error rate of that stretch, if the rate did not change "
            "within it; not at all moments at once, because old answers drop out."
        )
    each = f"With {percent} confidence, each interval contains the error rate of its class {when}"
    if settings.together:
        each = f"With {percent} confidence, the intervals of all classes contain their error rates {when}"
    if settings.reviewer_error:
        each += f", if reviewers err in at most {100 * settings.reviewer_error:g} % of cases each way"
    fair = "as long as the rate does not change and whether an answer comes in time does not depend on what it says"
    if not settings.drift:
        return f"{each}. This holds {fair}."
    text = f"{each}. This holds from each restart on, {fair}."
    if late:
        return text
    alpha = f"(k + 1) x {100 * (1 - settings.confidence):.4g} %"
    if settings.together:
        return (
            f"{text} With at most k restarts of each class, the chance that any verdict was wrong is at most {alpha}."
        )
    return f"{text} After k restarts, the chance that any verdict on the class was wrong is at most {alpha}."
