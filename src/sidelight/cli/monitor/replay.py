"""`sidelight monitor replay`: what watching a classifier would have cost on your own data."""

from __future__ import annotations

import functools
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.catalogue import check_figure_option
from sidelight.cli.monitor.options import add_monitor_options_to_command, monitor_arguments_of_options
from sidelight.cli.numbers import WHOLE
from sidelight.errors import SidelightError
from sidelight.monitor.io.labeled_data import LabeledColumns, LabeledData, read_labeled_data
from sidelight.monitor.io.rows import FORMATS, TEXT_FORMATS
from sidelight.monitor.policies import POLICIES
from sidelight.monitor.replays.records import ReplayReport, write_replay_percent
from sidelight.monitor.report.wording import short_class_name
from sidelight.text import count, printable_line

_REPLAY_EPILOG = """\b
Examples:
  sidelight monitor replay last-month.csv \\
      --prediction predicted --truth label \\
      --tolerance 0.05
  sidelight monitor replay log.jsonl.gz \\
      --prediction y_hat --truth y --tolerance 0.02
  grep prod log.csv | sidelight monitor replay - \\
      --format csv --prediction predicted --truth label \\
      --tolerance 0.05
"""
_COLUMNS = {
    "class": "name",
    "verified": "verified",
    "of": "predictions",
    **{name: name for name in ("estimate", "interval", "verdict", "truth")},
}
_DEPLOYED = tuple(sorted((name for name in POLICIES if name != "explore"), key=lambda name: name != "sequential"))
_MOST_CLASSES = 50
_LONGEST_NAME = 14  # so that a row fits into 80 columns


@click.command("replay", epilog=_REPLAY_EPILOG, short_help="Show what monitoring would have cost on labeled data.")
@click.argument("file", metavar="FILE")
@click.option("--prediction", required=True, metavar="COLUMN", help="The column of predicted classes.")
@click.option("--truth", required=True, metavar="COLUMN", help="The column of true classes.")
@add_monitor_options_to_command
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(list(POLICIES)),
    help=f"A policy to replay; repeatable. The first one is shown class by class. By default: {', '.join(_DEPLOYED)}.",
)
@click.option(
    "--time",
    metavar="COLUMN",
    help="The column that says when a prediction was made, in UTC unless a time names its zone.",
)
@click.option(
    "--answered",
    metavar="COLUMN",
    help="The column that says when the truth became known, empty where it never did; needs --time.",
)
@click.option(
    "--score",
    metavar="COLUMN",
    help="The column of scores (see --score-is); shows what they would have saved.",
)
@click.option(
    "--delay",
    type=WHOLE,
    default=0,
    metavar="N",
    help="Answers come N predictions late.",
    show_default=True,
)
@click.option("--format", "kind", type=click.Choice(FORMATS), help="File format; by default taken from the file name.")
@click.option("--strict", is_flag=True, help="Stop at the first line that cannot be used.")
@click.option("--figure", metavar="PATH", help="Draw estimates and intervals over time (.svg, .pdf or .png).")
@click.option("--html", "page", metavar="PATH", help="Write a report to open in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def replay_monitor_command(
    file: str,
    prediction: str,
    truth: str,
    time: str | None,
    answered: str | None,
    score: str | None,
    figure: str | None,
    page: str | None,
    **options: Any,
) -> None:
    """Show what monitoring would have cost on past predictions whose true classes are known.

    FILE is a CSV, JSON or Parquet file with one prediction per line, in the order they were made, or - for standard
    input. Values in CSV are separated by commas, semicolons, tabs or bars; JSON is one object per line or one array;
    both may be compressed with gzip. All policies watch the same predictions, and their verdicts are compared with the
    error rates in the whole file. They know all classes from the start, so --together treats all classes alike, as in a
    monitor whose classes are listed.
    """
    policy = options["policies"][0] if options["policies"] else _DEPLOYED[0]
    for path in (figure, page and f"{page}.svg"):
        if path:
            check_figure_option(path)
    timed = {
        "--daily-cap": options["daily_cap"] is not None,
        "--answered": answered is not None,
        "--patience in time": isinstance(options["patience"], timedelta),
    }
    for option, given in timed.items():
        if given and time is None:
            raise SidelightError(f"{option} needs --time, the column that says when a prediction was made")
    stream = _read_data_of_replay_command(file, LabeledColumns(prediction, truth, time, answered, score), options)
    done = _run_replay_for_command(stream, options, answered is not None, score is not None)
    name = "standard input" if file == "-" else Path(file).name
    _write_files_of_replay_command(done, policy, name, stream, figure, page)
    if options["as_json"]:
        terminal.write_terminal_json({"source": name, **done.to_dict(), **stream.account()})
    else:
        _print_replay_for_command(done, policy, name)
    _print_closing_of_replay_command(stream, [path for path in (figure, page) if path])


def _write_files_of_replay_command(
    done: ReplayReport, policy: str, name: str, stream: LabeledData, figure: str | None, page: str | None
) -> None:
    if figure:
        from sidelight.monitor.replays.page import draw_replay_figure
        from sidelight.report.figures.saving import save_figure

        save_figure(draw_replay_figure(done, policy), figure)
    if page:
        from sidelight._storage import replacing_file
        from sidelight.monitor.replays.page import replay_page

        text = replay_page(done, policy, source=name, data=stream)
        with replacing_file(page) as draft:
            draft.write_text(text, encoding="utf-8")


def _read_data_of_replay_command(file: str, columns: LabeledColumns, options: dict[str, Any]) -> LabeledData:
    kind = options["kind"]
    if file == "-":
        if kind is None:
            raise SidelightError(f"say with --format what standard input is: {', '.join(TEXT_FORMATS)}")
        return read_labeled_data(sys.stdin, columns, kind, options["strict"], "standard input")
    return read_labeled_data(file, columns, kind, options["strict"])


def _run_replay_for_command(stream: LabeledData, options: dict[str, Any], late: bool, scored: bool) -> ReplayReport:
    from sidelight.monitor.replays.replay import replay
    from sidelight.simulation.progress import Progress

    passed = monitor_arguments_of_options(options, stream.predictions)
    policies = options["policies"] or _DEPLOYED
    with Progress("replay", (len(policies) + scored) * len(stream)) as bar:
        return replay(
            stream.predictions,
            stream.truths,
            passed.pop("tolerance"),
            list(dict.fromkeys(policies)),
            delay=options["delay"],
            answered=stream.answered if late else None,
            times=stream.times,
            scores=stream.scores if scored else None,
            advance=bar.advance,
            **passed,
        )


def _print_replay_for_command(done: ReplayReport, policy: str, name: str) -> None:
    lead = f"{name}: {done.predictions} predictions of {count(len(done.truths), 'class')}, {done.settings()}"
    terminal.write_to_terminal(
        f"{terminal.wrap_to_terminal(lead)}\n\n{done.to_table().to_text(terminal.terminal_width())}\n\n{terminal.wrap_to_terminal(done.legend())}\n"
    )
    if done.saved_by_scores is not None:
        change = "fewer" if done.saved_by_scores >= 0 else "more"
        share = write_replay_percent(abs(done.saved_by_scores))
        terminal.write_to_terminal(
            terminal.wrap_to_terminal(f"With scores, sequential asks for {share} {change} verifications.\n")
        )
    title = f"{done[policy].title}, class by class"
    short = functools.partial(short_class_name, longest=_LONGEST_NAME)
    table = done.class_table(policy, _COLUMNS, _MOST_CLASSES, title=title, name=short)
    terminal.write_to_terminal(table.to_text(terminal.terminal_width()))
    if len(done.truths) > _MOST_CLASSES:
        more = f"and {len(done.truths) - _MOST_CLASSES} more classes (--html and --json have all)"
        terminal.write_to_terminal(terminal.wrap_to_terminal(more))


def _print_closing_of_replay_command(stream: LabeledData, written: list[str]) -> None:
    """Report on stderr which lines could not be used and which files were written."""
    for note in stream.notes:
        click.echo(terminal.wrap_to_terminal(f"sidelight: note: {note}"), err=True)
    if stream.malformed:
        click.echo(terminal.wrap_to_terminal(f"sidelight: note: {stream.left_out()}:"), err=True)
        for one in [*stream.complaints, *stream.further()]:
            click.echo(terminal.wrap_to_terminal(f"  {printable_line(one)}"), err=True)
    for path in written:
        click.echo(f"Written to {path}", err=True)
