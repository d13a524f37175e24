"""`sidelight monitor new|decide|answer|pending|report`: a monitor in a file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.catalogue import check_figure_option
from sidelight.cli.monitor.options import add_monitor_options_to_command, monitor_arguments_of_options
from sidelight.cli.monitor.shared_file import changing_monitor_file, create_shared_monitor_file, shared_file_text
from sidelight.cli.numbers import WHOLE
from sidelight.errors import SidelightError
from sidelight.monitor.inputs import monitor_input_score_from_text, monitor_input_seconds
from sidelight.monitor.io.rows import (
    TEXT_FORMATS,
    check_rows_file,
    read_rows_file,
    read_yes_or_no_csv_cell,
    required_csv_column,
)
from sidelight.monitor.monitor import ClassifierMonitor
from sidelight.monitor.policies import POLICIES
from sidelight.monitor.report.records import Report, rank_class_reports
from sidelight.monitor.report.wording import class_table_of_report, report_notes, short_class_name
from sidelight.monitor.stats.confidence import Verdict
from sidelight.monitor.types import Answer, Decision
from sidelight.table import Column, Table
from sidelight.text import and_list, count

_VERDICTS: tuple[Verdict, ...] = ("above", "near", "below", "unknown")
_LONGEST_NAME = 24
_COLUMNS = {
    "class": "name",
    "verdict": "verdict_tolerance",
    **{name: name for name in ("estimate", "interval", "verified", "pending")},
    "still needed": "needed",
}
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
_FILE = click.argument("file", metavar="FILE")


def _limit_option_of_monitor_command(default: int | None, what: str) -> Callable[..., Any]:
    """Return the option that says how many rows to show."""
    text = f"Show at most N, {what}; 0 for all."
    return click.option(
        "--limit", type=WHOLE, default=default, show_default=default is not None, metavar="N", help=text
    )


def _options_of_command_for_many(what: str, columns: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the options of a command that reads many rows."""
    source = click.option(
        "--from",
        "source",
        metavar="PATH",
        help=f"Read many {what} from a CSV or JSON file with {columns}; - is standard input.",
    )
    kind = click.option(
        "--format",
        "kind",
        type=click.Choice(TEXT_FORMATS),
        help="Format of --from; by default taken from the file name, and jsonl for standard input.",
    )
    return lambda command: source(kind(command))


@click.command(
    "new",
    short_help="Create a monitor.",
    epilog="""\b
Examples:
  sidelight monitor new pets.json --tolerance 0.05
  sidelight monitor new pets.json --tolerance 0.05 \\
      --tolerance-from strict.csv --daily-cap 50
""",
)
@_FILE
@add_monitor_options_to_command
@click.option(
    "--policy",
    type=click.Choice(list(POLICIES)),
    default="sequential",
    show_default=True,
    help="How predictions are chosen for verification.",
)
@click.option("--class", "classes", multiple=True, metavar="CLASS", help="List this class from the start; repeatable.")
@_JSON
def new_monitor_command(file: str, policy: str, classes: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Create a monitor in FILE, which must not exist yet."""
    monitor = ClassifierMonitor(classes=classes, policy=policy, **monitor_arguments_of_options(options))
    create_shared_monitor_file(file, monitor)
    if as_json:
        terminal.write_terminal_json({"file": file, "settings": monitor.to_dict()["settings"]})
    else:
        terminal.write_to_terminal(
            terminal.wrap_to_terminal(
                f"{file}: a new monitor. Ask about a prediction: sidelight monitor decide {file} CLASS"
            )
        )


@click.command(
    "decide",
    short_help="Verify a prediction, or let it pass?",
    epilog="""\b
Examples:
  sidelight monitor decide pets.json cat --id req-812
  sidelight monitor decide pets.json --from log.csv
  tail -n 100 log.jsonl | \\
      sidelight monitor decide pets.json --from -
""",
)
@_FILE
@click.argument("prediction", metavar="[CLASS]", required=False)
@click.option("--id", "identity", metavar="ID", help="The prediction's id; by default one is made up.")
@click.option(
    "--time",
    metavar="TIME",
    help="When the prediction was made, as ISO text (UTC unless it names a time zone) or in seconds since 1970; by "
    "default, now.",
)
@click.option("--score", type=float, metavar="NUMBER", help="A score of the prediction; see --score-is of new.")
@click.option("--segment", "segments", multiple=True, metavar="NAME=VALUE", help="A segment it belongs to; repeatable.")
@_options_of_command_for_many("predictions", "prediction, and id, time and score if known")
@_JSON
def decide_monitor_command(
    file: str,
    prediction: str | None,
    identity: str | None,
    time: str | None,
    score: float | None,
    segments: tuple[str, ...],
    source: str | None,
    kind: str | None,
    as_json: bool,
) -> None:
    """Decide whether to verify a prediction of CLASS, or each of many (--from), and record that in FILE.

    With ids you can safely repeat a command: an earlier decision is printed again and counts once. With --from, all
    predictions are decided or, if there is a mistake, none. Classes and ids are text, also where JSON has numbers.
    """
    one = {"prediction": prediction, "id": identity, "time": time, "score": score}
    rows = _predictions_of_decide_command(one, source, kind)
    with changing_monitor_file(file) as monitor:
        found = monitor.decide_many(
            [shared_file_text(row["prediction"]) for row in rows],
            [shared_file_text(row["id"]) for row in rows],
            [row["time"] for row in rows],
            scores=[row["score"] for row in rows],
            segments=[_read_segment_option_of_monitor_command(segments) or None] * len(rows),
        )
    if as_json:
        said = [one._asdict() for one in found]
        terminal.write_terminal_json(said if source is not None else said[0])
    elif source is None:
        terminal.write_to_terminal(terminal.wrap_to_terminal(_decide_command_line(found[0])))
    else:
        table = [
            [one.id, "verify" if one.verify else "pass", short_class_name(one.prediction, _LONGEST_NAME), one.reason]
            for one in found
        ]
        _print_table_of_monitor_command(["id", "decision", "class", "why"], table)
        terminal.write_to_terminal(
            f"\n{sum(one.verify for one in found)} of {count(len(found), 'prediction')} to verify"
        )


def _predictions_of_decide_command(one: dict[str, Any], source: str | None, kind: str | None) -> list[dict[str, Any]]:
    """Return the predictions to decide about, checked: one, or those of a file."""
    if (one["prediction"] is None) == (source is None):
        raise SidelightError("give either a CLASS or --from with many predictions")
    if "" in (one["prediction"], one["id"]):
        raise SidelightError("the CLASS or the --id is empty: did you use a shell variable that is not set?")
    rows = [one]
    if source is not None:
        rows = _read_rows_for_monitor_command(source, tuple(one), kind)
        required_csv_column(rows, "prediction")
    for row in rows:
        if row["time"] is not None:
            monitor_input_seconds(row["time"])
        row["score"] = monitor_input_score_from_text(row["score"])
    return rows


def _decide_command_line(one: Decision) -> str:
    name = short_class_name(one.prediction, _LONGEST_NAME)
    return f"{'verify' if one.verify else 'pass'} {one.id} ({name})\n{one.reason}"


@click.command(
    "answer",
    short_help="Record what a verification showed.",
    epilog="""\b
Examples:
  sidelight monitor answer pets.json req-812 --wrong
  sidelight monitor answer pets.json req-812 --label dog
  sidelight monitor answer pets.json --from reviews.csv
""",
)
@_FILE
@click.argument("identity", metavar="[ID]", required=False)
@click.option("--correct/--wrong", "correct", default=None, help="Whether the prediction was right.")
@click.option("--label", metavar="CLASS", help="The true class.")
@click.option("--skip", is_flag=True, help="Nobody will verify it: stop waiting for an answer.")
@_options_of_command_for_many("answers", "id, and correct, label or skipped")
@_JSON
def answer_monitor_command(
    file: str,
    identity: str | None,
    correct: bool | None,
    label: str | None,
    skip: bool,
    source: str | None,
    kind: str | None,
    as_json: bool,
) -> None:
    """Tell the monitor in FILE what the verification of a prediction showed, or of many (--from).

    Giving the same answer twice changes nothing; a different answer replaces the first. With --from, all answers are
    recorded or, if there is a mistake, none.
    """
    if (identity is None) == (source is None):
        raise SidelightError("give either an ID or --from with many answers")
    if "" in (identity, label):
        raise SidelightError("the ID or the --label is empty: did you use a shell variable that is not set?")
    if source is None:
        rows: list[dict[str, Any]] = [{"id": identity, "correct": correct, "label": label, "skipped": skip or None}]
        if correct is None and label is None and not skip:
            raise SidelightError("say what the verification showed: --correct, --wrong, --label CLASS or --skip")
    else:
        rows = _read_rows_for_monitor_command(source, ("id", "correct", "label", "skipped"), kind)
        required_csv_column(rows, "id")
    with changing_monitor_file(file) as monitor:
        found = monitor.answer_many(
            [shared_file_text(row["id"]) for row in rows],
            [read_yes_or_no_csv_cell(row["correct"]) for row in rows],
            labels=[shared_file_text(row["label"]) for row in rows],
            skipped=[read_yes_or_no_csv_cell(row["skipped"]) for row in rows],
        )
    if as_json:
        said = [one._asdict() for one in found]
        terminal.write_terminal_json(said[0] if source is None and said else said)
    else:
        terminal.write_to_terminal(
            terminal.wrap_to_terminal(
                found[0].text if source is None and found else _print_lines_of_answer_command(found)
            )
        )


def _print_lines_of_answer_command(found: Sequence[Answer]) -> str:
    kinds = Counter(one.status for one in found)
    said = f": {and_list([f'{size} {kind}' for kind, size in kinds.items()])}" if found else ""
    lines = [f"{count(len(found), 'answer')}{said}"]
    last = {one.prediction: one.verdict for one in found if one.changed}
    return "\n".join(
        [*lines, *(f"{short_class_name(name, _LONGEST_NAME)} is now {verdict!r}" for name, verdict in last.items())]
    )


@click.command("pending", short_help="List the verifications that wait for an answer.")
@_FILE
@_limit_option_of_monitor_command(None, "the oldest")
@_JSON
def pending_monitor_command(file: str, limit: int | None, as_json: bool) -> None:
    """List the verifications that the monitor in FILE is waiting for, oldest first."""
    found = _load_monitor_for_command(file).pending()
    oldest = found[: limit or None]
    if as_json:
        terminal.write_terminal_json([one._asdict() for one in oldest])
        return
    if oldest:
        rows = [
            [
                one.id,
                short_class_name(one.prediction, _LONGEST_NAME),
                one.number,
                one.age,
                "yes" if one.overdue else "no",
            ]
            for one in oldest
        ]
        _print_table_of_monitor_command(["id", "class", "number", "age", "overdue"], rows)
    more = f", {len(found) - len(oldest)} more than are shown" if len(oldest) < len(found) else ""
    terminal.write_to_terminal(f"{'' if not oldest else chr(10)}{count(len(found), 'verification')} pending{more}")


@click.command("report", short_help="Show what is known, also as a page or a figure.")
@_FILE
@_limit_option_of_monitor_command(20, "the classes that matter most")
@click.option("--html", "page", metavar="PATH", help="Write a page to open in a browser.")
@click.option("--figure", metavar="PATH", help="Draw estimates and intervals (.svg, .pdf or .png).")
@click.option("--fail-above", is_flag=True, help="Exit with code 1 if a class is above its tolerance.")
@_JSON
@click.pass_context
def report_monitor_command(
    context: click.Context,
    file: str,
    limit: int,
    page: str | None,
    figure: str | None,
    fail_above: bool,
    as_json: bool,
) -> None:
    """Show what the monitor in FILE knows about the classes that matter most, and what its intervals guarantee."""
    if figure:
        check_figure_option(figure)
    report, name = _load_monitor_for_command(file).report(), Path(file).name
    verdicts = Counter(one.verdict for one in report.classes)
    if figure:
        report.plot(figure)
    if page:
        report.to_html(page, f"{name}: what the monitor knows")
    if as_json:
        found = {one: verdicts[one] for one in _VERDICTS}
        terminal.write_terminal_json({"file": file, "verdicts": found} | report.to_dict())
    elif not (page or figure):
        _print_report_of_monitor_command(name, report, verdicts, limit or None)
    for path in filter(None, (figure, page)):
        click.echo(f"Written to {path}", err=True)
    if fail_above and verdicts["above"]:
        context.exit(1)


def _print_report_of_monitor_command(name: str, report: Report, verdicts: Counter[Verdict], limit: int | None) -> None:
    said = [f"{verdicts[one]} {one}" for one in _VERDICTS if one != "near" or verdicts[one]]
    lead = (
        f"{name}: {count(report.predictions, 'prediction')} of {count(len(report.classes), 'class')}, "
        f"{count(report.verifications, 'verification')} asked for, {report.pending} pending; {and_list(said)}"
    )
    terminal.write_to_terminal(terminal.wrap_to_terminal(lead))
    shown = sorted(report.classes, key=rank_class_reports)[:limit]
    if shown:
        table = class_table_of_report(shown, _COLUMNS, name=lambda one: short_class_name(one, _LONGEST_NAME))
        terminal.write_to_terminal(f"\n{table.to_text(terminal.terminal_width())}")
    if len(shown) < len(report.classes):
        terminal.write_to_terminal(f"and {len(report.classes) - len(shown)} more (--limit 0 shows them)")
    overall = [] if report.overall is None or not report.predictions else [f"\n{report.overall}"]
    for line in (*overall, *report_notes(report)[:limit], f"\n{report.guarantee}"):
        terminal.write_to_terminal(terminal.wrap_to_terminal(line))


COMMANDS = (
    new_monitor_command,
    decide_monitor_command,
    answer_monitor_command,
    pending_monitor_command,
    report_monitor_command,
)


def _load_monitor_for_command(file: str) -> ClassifierMonitor:
    check_rows_file(file)
    return ClassifierMonitor.load(file)


def _read_rows_for_monitor_command(source: str, wanted: Sequence[str], kind: str | None) -> list[dict[str, Any]]:
    if source == "-":
        return read_rows_file(sys.stdin, wanted, kind or "jsonl", "standard input")
    return read_rows_file(source, wanted, kind)


def _read_segment_option_of_monitor_command(segments: tuple[str, ...]) -> dict[str, str]:
    pairs = [one.partition("=") for one in segments]
    for name, equals, value in pairs:
        if not (name and equals and value):
            raise SidelightError(f"--segment {name}{equals}{value}: write two words and = between, as in language=de")
    return {name: value for name, _, value in pairs}


def _print_table_of_monitor_command(titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    terminal.write_to_terminal(
        Table([Column(title, str, left=True) for title in titles], rows).to_text(terminal.terminal_width())
    )
