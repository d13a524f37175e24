"""`sidelight reproduce`: the paper's tables and figures, compared with what it prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sidelight._storage import make_writable_folder
from sidelight.cli import terminal
from sidelight.cli.notes import warnings_as_command_notes
from sidelight.cli.numbers import COUNT, WHOLE
from sidelight.cli.research.arguments.cluster import (
    check_cluster_option,
    check_share_and_merge_options,
    cluster_option,
)
from sidelight.cli.research.work_bar import WorkBar, command_work_kept
from sidelight.errors import SidelightError
from sidelight.reproduction import others, output, select
from sidelight.reproduction.exhibit import PROTOCOLS, RUNS, TOLERANCES, Profile
from sidelight.reproduction.report.wording import NOT_PRINTED, reproduction_verdict_shares
from sidelight.reproduction.runs import Reproduction
from sidelight.reproduction.use_case import LABELS, check_use_case_options
from sidelight.reproduction.verdicts import ReproductionAccount
from sidelight.studies.running.study_run import crew_of
from sidelight.studies.store.store import Store
from sidelight.tasks import Share

_EPILOG = """\b
Examples:
  sidelight reproduce
  sidelight reproduce table1 figure1 --runs 960
  sidelight reproduce table1 table2 --runs 4000 --out tails
  sidelight reproduce table4 table5 --tolerance 0.03 --policy randcbp
  sidelight reproduce --cluster tcp://127.0.0.1:8786
  sidelight reproduce others --out others

\b
As a job array, without Dask (job i of 8, then once):
  sidelight reproduce --share $i/8 --out shared-folder
  sidelight reproduce --merge --out shared-folder
"""


@click.command("reproduce", epilog=_EPILOG)
@click.argument("names", metavar="[all | table1 .. table5 | figure1 .. figure5 | others]...", nargs=-1)
@click.option("--runs", type=COUNT, metavar="N", help="Runs per strategy; by default 96, and 8 for others.")
@click.option(
    "--protocol",
    type=click.Choice([*PROTOCOLS, "both"]),
    default="both",
    show_default=True,
    help="What was really run to get the printed numbers, what the paper's text says, or both.",
)
@click.option(
    "--tolerance",
    "tolerances",
    type=float,
    multiple=True,
    metavar="RATE",
    help="Tables 4 and 5: use this tolerated error rate instead of the paper's four; repeatable.",
)
@click.option(
    "--policy",
    "policies",
    type=click.Choice(list(LABELS)),
    multiple=True,
    help="Tables 4 and 5: run this policy instead of all; repeatable.",
)
@click.option(
    "--confidence", type=float, metavar="P", help="Tables 4 and 5: confidence of the verdicts (default 0.95)."
)
@click.option("--full", is_flag=True, help="Give PG-TS and PG-IDS all runs, too, at 7500 rounds (takes an hour).")
@click.option("--beyond", is_flag=True, help="The same at 20000 rounds, which the paper does not have (takes hours).")
@click.option("--workers", type=COUNT, metavar="N", help="Cores of this machine to use; by default all.")
@cluster_option
@click.option("--share", metavar="I/N", help="Do only share I of N, and write no report.")
@click.option(
    "--merge",
    is_flag=True,
    help="Merge the finished shares, run again what differs, and write the report; give the same options.",
)
@click.option("--seed", type=WHOLE, metavar="N", default=0, show_default=True, help="Seed of all random numbers.")
@click.option(
    "--out", metavar="DIR", default="reproduction", show_default=True, help="Folder for the report and all files."
)
@click.option("--json", "as_json", is_flag=True, help="Print every number and its verdict as JSON.")
def reproduce_command(out: str, share: str | None, merge: bool, as_json: bool, **options: Any) -> None:
    """Reproduce the tables and figures of the ICML 2024 paper, and say which numbers hold.

    Every number in 'Randomized Confidence Bounds for Stochastic Partial Monitoring' is computed again and compared with
    the printed one. The verdict is: the same to the digit, the same within chance, or different, and why. All of it
    takes a few minutes on two cores. A number more than two standard errors off is first run again with 960 runs.

    Every finished piece of work is kept in the folder DIR/runs, so an interrupted call continues where it stopped. No
    number depends on how many workers there are, or where they run.

    'others' runs experiments of three other papers instead, compares what they print, and says where that is nothing.
    """
    folder = Path(out)
    _check_reproduce_options(share, merge, options)
    if "others" in options["names"]:
        _reproduce_other_papers(folder, share or merge, as_json, options)
        return
    part = None if share is None else Share.parse(share)
    reproduction = _reproduction_from_options(options, Store(folder / "runs"))
    bars, crew = WorkBar(), crew_of(options["cluster"], options["workers"])
    with warnings_as_command_notes():
        if merge and (missing := reproduction.missing()):
            pieces = f"{len(missing)} of {len(reproduction.tasks())} pieces of work"
            remedy = "run all shares first, with the same options"
            raise SidelightError(f"{pieces} are missing, damaged or from other code in {folder}: {remedy}")
        make_writable_folder(folder)
        with command_work_kept(folder):
            seconds = 0.0 if merge else reproduction.run(crew, bars, part)
        if part is not None:
            again = "the same command with --merge instead of --share"
            click.echo(f"Share {part} is in {folder}; when all are: {again}", err=as_json)
            return
        with command_work_kept(folder):
            seconds += reproduction.look_again(crew, bars)
            account = output.write_reproduction_output(reproduction, folder, seconds or None, bars.note)
    if as_json:
        terminal.write_terminal_json(account.to_dict())
    else:
        _print_account(account)
    click.echo(("" if as_json else "\n") + f"Report written to {folder / 'report.html'}", err=as_json)


def _reproduce_other_papers(folder: Path, shared: object, as_json: bool, options: dict[str, Any]) -> None:
    """Run the experiments of other papers and write their report."""
    given = [name for name in ("tolerances", "policies", "confidence", "full", "beyond") if options[name]]
    if options["names"] != ("others",) or shared or given:
        raise SidelightError("others goes alone, with --runs, --seed, --workers, --cluster, --out and --json only")
    profile = Profile(runs=options["runs"] or others.RUNS, seed=options["seed"])
    reproduction = Reproduction(others.EXHIBITS, [profile], Store(folder / "runs"))
    make_writable_folder(folder)
    with warnings_as_command_notes(), command_work_kept(folder):
        seconds = reproduction.run(crew_of(options["cluster"], options["workers"]), WorkBar())
        found = others.write_report_on_other_papers(reproduction, folder, seconds or None)
    if as_json:
        terminal.write_terminal_json(found)
    else:
        for verdict in found["verdicts"]:
            terminal.write_to_terminal(verdict["text"])
    click.echo(("" if as_json else "\n") + f"Report written to {folder / 'report.html'}", err=as_json)


def _check_reproduce_options(share: str | None, merge: bool, options: dict[str, Any]) -> None:
    if options["full"] and options["beyond"]:
        raise SidelightError("--full and --beyond both say how far the slow strategies go: give only one of them")
    check_share_and_merge_options(share, merge)
    check_cluster_option(options["cluster"], options["workers"])


def _reproduction_from_options(options: dict[str, Any], store: Store) -> Reproduction:
    profiles = [
        Profile(
            protocol,
            options["runs"] or RUNS,
            "beyond" if options["beyond"] else "full" if options["full"] else "few",
            options["seed"],
            tuple(dict.fromkeys(options["tolerances"])) or TOLERANCES,
            tuple(options["policies"]),
            options["confidence"],
        )
        for protocol in PROTOCOLS
        if options["protocol"] in (protocol, "both")
    ]
    exhibits = select(options["names"])
    check_use_case_options(profiles[0], exhibits)
    return Reproduction(exhibits, profiles, store)


def _print_account(account: ReproductionAccount) -> None:
    for table in account.tables:
        said = reproduction_verdict_shares(table.counts()) or NOT_PRINTED
        terminal.write_to_terminal(terminal.terminal_entry(f"{table.name} {table.protocol}", said, 20))
    for reason in account.reasons.values():
        terminal.write_wrapped(f"\nWhy numbers differ: {reason.title}. {reason.sentence}")
