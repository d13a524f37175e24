"""`sidelight study`: experiments of one's own, as files."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from sidelight._storage import write_file_text
from sidelight.cli import terminal
from sidelight.cli.group import CommandsInOrder
from sidelight.cli.notes import warnings_as_command_notes
from sidelight.cli.numbers import COUNT
from sidelight.cli.research.arguments.cluster import check_cluster_option, cluster_option
from sidelight.cli.research.arguments.players import player_from_argument
from sidelight.cli.research.work_bar import WorkBar, command_work_kept
from sidelight.errors import SidelightError
from sidelight.studies import Study, StudyRun, opened, read, run
from sidelight.studies.plan import cases as plan
from sidelight.studies.plan import skips
from sidelight.studies.reporting import write as output
from sidelight.studies.reporting.page import StudyReport
from sidelight.studies.running import cost
from sidelight.studies.running.study_run import plan_study_run
from sidelight.tasks import cores
from sidelight.text import count, thousands

_ROWS = 500  # of all tables together, at most, on a terminal
_EPILOG = """\b
Examples:
  sidelight study new bins.toml
  sidelight study check bins.toml
  sidelight study run bins.toml --out bins
  sidelight study add bins --strategy Greedy
  sidelight study report bins

\b
As a job array (job i of 8, then once):
  sidelight study run bins.toml --share $i/8
  sidelight study report bins
"""


@click.group("study", cls=CommandsInOrder, invoke_without_command=True, epilog=_EPILOG)
@click.pass_context
def study_command(context: click.Context) -> None:
    """Run an experiment of your own: games, worlds and strategies in a file, tables and figures in a folder.

    'new' writes an example to start from, 'check' says what is wrong with a file and what it will cost, 'run' runs it
    (what was interrupted, in whatever way, goes on), 'add' brings in another strategy, and 'report' writes the report.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@study_command.command("new")
@click.argument("file", metavar="FILE")
def study_new_command(file: str) -> None:
    """Write a commented example to FILE, to start from."""
    path = Path(file)
    if path.exists():
        raise SidelightError(f"{file!r} is there already: give another name")
    if path.suffix != ".toml":
        raise SidelightError(f"a study is a TOML file: call it {path.with_suffix('.toml')}")
    write_file_text(path, (files("sidelight.studies") / "example.toml").read_text(encoding="utf-8"))
    click.echo(f"Wrote {file}; next: sidelight study check {shlex.quote(file)}")


@study_command.command("check")
@click.argument("file", metavar="FILE")
@click.option("--workers", type=COUNT, metavar="N", help="Cores that will run it; by default all.")
@click.option("--all", "everything", is_flag=True, help="List every combination that is skipped.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def study_check_command(file: str, workers: int | None, everything: bool, as_json: bool) -> None:
    """Say what is wrong with a study, or else what it will cost on this machine.

    Every strategy is tried briefly on every game. Loops that were never compiled on this machine are compiled for that,
    which may take minutes; 'run' then finds them.
    """
    with warnings_as_command_notes():
        study = plan.settle_study_before_planning(read(file))
        progress = plan_study_run(study, Path())
        found = cost.estimate_running_cost(progress.playable)
    settings = len({case.setting for case in progress.playable})
    data = {
        "study": study.name,
        "cases": len(progress.playable),
        "settings": settings,
        "rounds": found.rounds,
        "core_seconds": found.seconds,
        "minutes": found.minutes(workers),
        "skipped": [{"case": case.title, "why": why} for case, why in progress.skipped.items()],
        "failures": [{"case": case.title, "reason": each.reason} for case, each in found.failures.items()],
    }
    if as_json:
        terminal.write_terminal_json(data)
        return
    cases = f"{count(len(progress.playable), 'case')} in {count(settings, 'setting')}"
    how_long = _word_study_minutes(found.minutes(workers), workers or cores())
    terminal.write_wrapped(f"{study.name}: {cases}, {thousands(found.rounds)} rounds, {how_long}.")
    if progress.skipped:
        are = "is" if len(progress.skipped) == 1 else "are"
        terminal.write_wrapped(f"{count(len(progress.skipped), 'case')} cannot be played and {are} skipped:")
    each = [f"{case.title}: {why}" for case, why in progress.skipped.items()]
    for line in each if everything else map(str, skips.group_skipped_cases(progress.skipped)):
        terminal.write_wrapped(f"  {line}")
    for failure in skips.group_skipped_cases({case: each.reason for case, each in found.failures.items()}):
        terminal.write_wrapped(f"fails: {failure.player} in {failure.where}: {failure.why}")


@study_command.command("run")
@click.argument("file", metavar="FILE")
@click.option("--out", metavar="DIR", help="Folder for runs and report; by default named like the study.")
@click.option("--workers", type=COUNT, metavar="N", help="Cores of this machine to use; by default all.")
@cluster_option
@click.option("--share", metavar="I/N", help="Do only share I of N, and write no report.")
@click.option("--json", "as_json", is_flag=True, help="Print the tables as JSON.")
def study_run_command(file: str, out: str | None, as_json: bool, **work: Any) -> None:
    """Run a study and write its report.

    What is finished is kept in DIR/runs, so that an interrupted call goes on where it was. If FILE, or the source of a
    strategy, has changed since, only what depends on that is run again. Several processes may work in one folder. A
    strategy that fails in one case is told of and does not stop the others; the exit code is then 1.
    """
    if out is not None and not out.strip():
        raise SidelightError("--out is empty: name a folder, or leave out --out")
    study = read(file)
    _run_study(study, Path(study.name if out is None else out), as_json, **work)


@study_command.command("add")
@click.argument("folder", metavar="DIR")
@click.option("--strategy", "strategies", multiple=True, required=True, metavar="NAME", help="Repeatable.")
@click.option("--workers", type=COUNT, metavar="N", help="Cores of this machine to use; by default all.")
@cluster_option
@click.option("--share", metavar="I/N", help="Do only share I of N, and write no report.")
@click.option("--json", "as_json", is_flag=True, help="Print the tables as JSON.")
def study_add_command(folder: str, strategies: tuple[str, ...], as_json: bool, **work: Any) -> None:
    """Bring another strategy into a study that was run: it meets the same outcomes, and nothing else is run again.

    NAME is written as in 'sidelight simulate': RandCBP:bins=10, package.module:Class, or file.py:Class, where the path
    begins at the current folder. If a strategy fails in a case, the exit code is 1.
    """
    study = opened(folder)
    study = study.with_players([player_from_argument(text, study.folder) for text in strategies])
    _run_study(study, Path(folder), as_json, **work)


@study_command.command("report")
@click.argument("folder", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print the tables as JSON.")
def study_report_command(folder: str, as_json: bool) -> None:
    """Write the report of what is finished in a folder."""
    with warnings_as_command_notes():
        progress = plan_study_run(opened(folder), Path(folder), stored=True)
        report = output.write_study_report(progress, WorkBar().note)
    _print_study_summary(progress, report, as_json)
    _exit_if_cases_failed(progress, "the report says why")


def _run_study(
    study: Study, folder: Path, as_json: bool, workers: int | None, cluster: str | None, share: str | None
) -> None:
    check_cluster_option(cluster, workers)
    bar = WorkBar()
    with warnings_as_command_notes(), command_work_kept(folder):
        progress = run(study, folder, workers=workers, cluster=cluster, share=share, display=bar)
        if share is not None:
            click.echo(f"Share {share} is in {folder}; when all are: sidelight study report {folder}", err=as_json)
            _exit_if_cases_failed(progress, "'sidelight study report' says why")
            return
        if not progress.done.ran and output.is_study_report_current(progress) and not as_json:
            click.echo(f"Nothing to do: {progress.summary()}; the report is in {folder / 'report.html'}")
            return
        report = output.write_study_report(progress, bar.note)
    _print_study_summary(progress, report, as_json)
    _exit_if_cases_failed(progress, "the report says why")


def _exit_if_cases_failed(progress: StudyRun, where: str) -> None:
    """End with exit code 1 if cases failed in this call."""
    if progress.done.failures:
        click.echo(f"sidelight: {count(len(progress.done.failures), 'case')} failed: {where}", err=True)
        click.get_current_context().exit(1)


def _print_study_summary(progress: StudyRun, report: StudyReport, as_json: bool) -> None:
    if as_json:
        terminal.write_terminal_json(output.study_tables_as_records(report))
    else:
        every = [*report.tables, *report.plays]
        if (rows := sum(len(table.rows) for _, table in every)) > _ROWS:
            terminal.write_wrapped(f"The tables have {thousands(rows)} rows: see the report.\n")
            every = []
        for title, table in every:
            terminal.write_to_terminal(f"{title}\n{table.useful().to_text(terminal.terminal_width())}\n")
        for failure in report.failures:
            terminal.write_to_terminal(f"Failed: {failure['case']}: {failure['reason']}\n")
    click.echo(f"{progress.summary()}; report written to {progress.folder / 'report.html'}", err=as_json)


def _word_study_minutes(minutes: float | None, workers: int) -> str:
    if minutes is None:
        return "of unknown cost"
    shown = f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
    shown = f"{60 * minutes:.0f} s" if minutes < 1 else shown
    return f"about {shown} on {count(workers, 'core')} of this machine"
