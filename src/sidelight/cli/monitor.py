"""`sidelight monitor`: what watching a classifier costs, on data of one's own and on the published use case."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sidelight.cli import _text
from sidelight.cli._catalogue import check_figure
from sidelight.cli._notes import warnings_as_notes
from sidelight.cli._numbers import COUNT, WHOLE
from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.monitor.labeled_data import LabeledData
    from sidelight.monitor.replaying import ReplayReport

_POLICIES = ("randcbp", "cbp", "explore", "sequential")
_FORMATS = ("csv", "jsonl", "parquet")
_REPLAY_EPILOG = """\b
Examples:
  sidelight monitor replay last-month.csv --prediction predicted \\
      --truth label --tolerance 0.05
  sidelight monitor replay log.jsonl --prediction y_hat --truth y \\
      --tolerance 0.02 --policy sequential --html report.html
  zcat log.csv.gz | sidelight monitor replay - --format csv \\
      --prediction predicted --truth label --tolerance 0.05
"""
_SIMULATE_EPILOG = """\b
Examples:
  sidelight monitor simulate
  sidelight monitor simulate --case 2 --tolerance 0.05 --runs 1000
  sidelight monitor simulate --protocol described --json
"""


@click.group("monitor", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Watch a classifier: what it would cost, and what one would learn."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("replay", epilog=_REPLAY_EPILOG, short_help="What it would have cost on labelled data.")
@click.argument("file", metavar="FILE")
@click.option("--prediction", required=True, metavar="COLUMN", help="The column of predicted classes.")
@click.option("--truth", required=True, metavar="COLUMN", help="The column of true classes.")
@click.option(
    "--tolerance", required=True, type=float, metavar="RATE", help="The error rate that is tolerated in each class."
)
@click.option(
    "--policy",
    type=click.Choice(_POLICIES),
    default="randcbp",
    show_default=True,
    help="The policy to show class by class; the table always has all.",
)
@click.option("--confidence", type=float, default=0.99, show_default=True, metavar="P", help="Of the verdicts.")
@click.option(
    "--mode", type=click.Choice(["identify", "guard"]), default="identify", show_default=True, help="See the manual."
)
@click.option("--cap", type=WHOLE, metavar="N", help="Most verifications altogether.")
@click.option("--daily-cap", type=WHOLE, metavar="N", help="Most verifications per day; needs --time.")
@click.option("--time", metavar="COLUMN", help="The column that says when a prediction was made.")
@click.option(
    "--delay",
    type=WHOLE,
    default=0,
    metavar="N",
    help="Answers come N predictions late.",
    show_default=True,
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Where the policies' draws start.")
@click.option("--format", "kind", type=click.Choice(_FORMATS), help="Of the file; else its name says.")
@click.option("--strict", is_flag=True, help="Stop at the first line that cannot be used.")
@click.option("--figure", metavar="PATH", help="Draw estimates and intervals over time (.svg, .pdf or .png).")
@click.option("--html", "page", metavar="PATH", help="Write a report to open in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print plain data instead of text.")
def replay_command(file: str, prediction: str, truth: str, time: str | None, **options: Any) -> None:
    """Say what monitoring would have cost on labelled predictions of the past.

    FILE is a CSV, JSON Lines or Parquet file, one prediction per line in the order in which they were made, or - for
    standard input. Every policy watches the same predictions, and its verdicts are compared with the whole file.
    """
    figure, page, policy = options["figure"], options["page"], options["policy"]
    for path in (figure, page and f"{page}.svg"):
        if path:
            check_figure(path)
    if options["daily_cap"] is not None and time is None:
        raise SidelightError("--daily-cap needs --time, the column that says when a prediction was made")
    from sidelight.monitor.labeled_data import Columns

    stream = _read(file, Columns(prediction, truth, time), options["kind"], options["strict"])
    done = _replayed(stream, options)
    name = "standard input" if file == "-" else Path(file).name
    if figure:
        from sidelight.monitor.figures import draw_replay
        from sidelight.report.saving import save_figure

        save_figure(draw_replay(done, policy), figure)
    if page:
        from sidelight._storage import replacing
        from sidelight.monitor.replay_page import replay_page

        text = replay_page(done, policy, source=name, malformed=stream.malformed, complaints=stream.complaints)
        with replacing(page) as draft:
            draft.write_text(text, encoding="utf-8")
    if options["as_json"]:
        unused = {"malformed": stream.malformed, "complaints": stream.complaints}
        click.echo(json.dumps({"source": name, **done.to_dict(), **unused}, indent=2))
    else:
        _write_replay(done, policy, name)
    _closing(stream, [path for path in (figure, page) if path])


def _read(file: str, columns: Any, kind: str | None, strict: bool) -> LabeledData:
    from sidelight.monitor.labeled_data import read_labeled

    if file == "-":
        if kind is None:
            raise SidelightError("say with --format what standard input is: csv or jsonl")
        return read_labeled(sys.stdin, columns, kind, strict, "standard input")
    return read_labeled(file, columns, kind, strict)


def _replayed(stream: LabeledData, options: dict[str, Any]) -> ReplayReport:
    from sidelight.monitor.replaying import replay
    from sidelight.simulation.progress import Progress

    passed = {key: options[key] for key in ("confidence", "mode", "cap", "daily_cap", "seed", "delay")}
    with Progress("replay", len(_POLICIES) * len(stream)) as bar:
        return replay(
            stream.predictions,
            stream.truths,
            options["tolerance"],
            _POLICIES,
            times=stream.times,
            advance=bar.advance,
            **passed,
        )


def _write_replay(done: ReplayReport, policy: str, name: str) -> None:
    late = f", answers {done.delay} predictions late" if done.delay else ""
    tolerance = done.truths[0].tolerance
    lead = (
        f"{name}: {done.predictions} predictions of {len(done.truths)} classes, tolerance {tolerance:g}, "
        f"confidence {done.confidence:g}, mode {done.mode}{late}"
    )
    rows: list[tuple[str, ...]] = [("policy", "verified", "saved", "of Wald", "right", "wrong", "unknown", "leaning")]
    for one in done.policies:
        saved, wald = (f"{100 * share:.1f} %" for share in (done.saved_of_all(one), done.saved_of_wald(one)))
        counts = (one.right, one.wrong, one.unknown, one.leaning_right)
        rows.append((one.title, str(one.verifications), saved, wald, *map(str, counts)))
    legend = (
        f"saved: labels saved against verifying everything; of Wald: against Explore-fully, which stops at "
        f"{done.wald} labels. right, wrong: verdicts that are "
        "certain, against the whole file; leaning: unknown ones whose estimate is on the right side."
    )
    _text.write(f"{_text.wrapped(lead)}\n\n{table(rows)}\n\n{_text.wrapped(legend)}\n")
    _text.write(f"{done[policy].title}, class by class\n{_class_table(done, policy)}")


def _class_table(done: ReplayReport, policy: str) -> str:
    rows = [("class", "verified", "of", "estimate", "interval", "verdict", "truth")]
    for truth in sorted(done.truths, key=lambda one: -one.rate):
        one = done[policy].report[truth.name]
        estimate = "-" if one.estimate is None else f"{one.estimate:.4f}"
        interval = f"{one.interval[0]:.4f}-{one.interval[1]:.4f}"
        fact = f"{truth.rate:.4f} {truth.verdict}"
        name = str(truth.name)
        short = name if len(name) <= 14 else name[:13] + "…"
        rows.append((short, str(one.verified), str(truth.predictions), estimate, interval, one.verdict, fact))
    return table(rows)


def _closing(stream: LabeledData, written: list[str]) -> None:
    """Say what could not be used, and where files are, on stderr."""
    if stream.malformed:
        click.echo(f"sidelight: note: {stream.malformed} lines could not be used:", err=True)
        for one in stream.complaints:
            click.echo(f"  {one}", err=True)
        if stream.malformed > len(stream.complaints):
            click.echo(f"  and {stream.malformed - len(stream.complaints)} more", err=True)
    for path in written:
        click.echo(f"Written to {path}", err=True)


@command.command("simulate", epilog=_SIMULATE_EPILOG, short_help="The two cases of the published use case.")
@click.option("--case", "cases", type=click.IntRange(1, 2), multiple=True, help="1 or 2; both unless given.")
@click.option("--tolerance", "tolerances", type=float, multiple=True, metavar="RATE", help="Repeatable.")
@click.option("--policy", "names", type=click.Choice(_POLICIES), multiple=True, help="Repeatable; all unless given.")
@click.option("--runs", type=COUNT, default=96, show_default=True, metavar="N", help="How many runs.")
@click.option("--seed", type=WHOLE, default=0, show_default=True, metavar="N", help="Of the streams.")
@click.option(
    "--protocol",
    type=click.Choice(["published", "described"]),
    default="published",
    show_default=True,
    help="RandCBP as in the published runs, or as the paper's text has it.",
)
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, metavar="P", help="Of 'sequential' and of 'certain'."
)
@click.option("--workers", type=COUNT, metavar="N", help="Threads; changes no result.")
@click.option("--json", "as_json", is_flag=True, help="Print plain data instead of text.")
def simulate_command(
    cases: tuple[int, ...], tolerances: tuple[float, ...], names: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Watch simulated classifiers: the two cases of the published use case.

    Case 1 has balanced classes and one error rate for all, case 2 imbalanced classes and a rate for each. The first 96
    runs watch the very classifiers behind the published tables, whose numbers are shown beside.
    """
    from sidelight.experiments.classifiers import CASES, TOLERANCES
    from sidelight.experiments.use_case import simulate_use_case
    from sidelight.experiments.use_case_table import rows_of
    from sidelight.monitor.settings import error_rate

    for rate in tolerances:
        error_rate(rate)
    if not 0.0 < options["confidence"] < 1.0:
        raise SidelightError(f"--confidence is {options['confidence']}: give a number between 0 and 1, such as 0.95")
    with warnings_as_notes():
        outcomes = simulate_use_case(
            names or ("explore", "cbp", "randcbp", "sequential"),
            cases=cases or CASES,
            tolerances=tolerances or TOLERANCES,
            **options,
        )
    found = rows_of(outcomes)
    if as_json:
        click.echo(json.dumps({**options, "rows": [row._asdict() for row in found]}, indent=2))
    else:
        _write_simulated(found, options)


def _write_simulated(found: list[Any], options: dict[str, Any]) -> None:
    lead = (
        f"{options['runs']} runs, protocol {options['protocol']!r}; rate: the tolerance; "
        "certain: verdicts whose interval of confidence "
        f"{options['confidence']:g} excludes the tolerance, and how many of those are wrong"
    )
    _text.write(_text.wrapped(lead))
    for case in dict.fromkeys(row.case for row in found):
        head = ("rate", "policy", "labels", "+-", "paper", "F1", "+-", "paper", "certain", "wrong")
        rows: list[tuple[str, ...]] = [head]
        for row in (one for one in found if one.case == case):
            paper = ("-", "-") if row.paper is None else (f"{row.paper[0]:.0f}", f"{row.paper[1]:.3f}")
            means = (f"{row.verifications:.0f}", f"{row.verifications_error:.0f}", paper[0])
            scores = (f"{row.f1:.3f}", f"{row.f1_error:.3f}", paper[1])
            shares = (f"{100 * row.certain:.1f} %", f"{100 * row.wrong:.2f} %")
            rows.append((f"{row.tolerance:g}", row.title, *means, *scores, *shares))
        _text.write(f"\ncase {case}\n{table(rows)}")


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows as aligned text, the first column and policies to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = {0} | ({1} if rows[0][1] == "policy" else set())
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
