"""`sidelight simulate`: strategies side by side."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from sidelight.cli import terminal
from sidelight.cli.catalogue import check_figure_option, load_command_line_game, set_option
from sidelight.cli.notes import warnings_as_command_notes
from sidelight.cli.numbers import COUNT, WHOLE, whole_number_option
from sidelight.cli.research import limit_line, simulation_folder
from sidelight.cli.research.arguments import laws, players
from sidelight.cli.research.arguments.cluster import check_cluster_option, cluster_option
from sidelight.cli.research.arguments.contexts import context_option, parse_contexts_option
from sidelight.cli.research.simulation_folder import SimulationFolder
from sidelight.errors import SidelightError
from sidelight.strategies import names
from sidelight.tasks import Share

if TYPE_CHECKING:
    from sidelight.environments import Environment
    from sidelight.game import Game
    from sidelight.report.figures.curves import FigureCurve
    from sidelight.results import Results
    from sidelight.simulation.checkpoints import Checkpoints
    from sidelight.strategies import Strategy

_EPILOG = f"""The strategies: {", ".join(names())}.

\b
Examples:
  sidelight simulate apple-tasting CBP RandCBP \\
      --law 0.3,0.7
  sidelight simulate dynamic-pricing --set prices=3 \\
      RandCBP RandCBP:bins=10,sigma=2 --out results
  sidelight simulate my.toml CBP mine:Strategy:rate=2 \\
      --figure regret.svg
  sidelight simulate apple-tasting CBP \\
      --cluster tcp://127.0.0.1:8786

\b
As a job array, without Dask (job i of 8, then once):
  sidelight simulate apple-tasting CBP --runs 4000 \\
      --share $i/8 --out shared-folder
  sidelight simulate apple-tasting CBP --runs 4000 \\
      --merge --out shared-folder
"""


class Plan(NamedTuple):
    """What is to be simulated."""

    game: Game
    environment: Environment
    strategies: list[Strategy]
    labels: list[str]
    horizon: int
    runs: int
    seed: int
    checkpoints: Checkpoints
    workers: int | None
    cluster: str | None = None
    share: Share | None = None


@click.command("simulate", epilog=_EPILOG)
@click.argument("game", metavar="NAME|FILE")
@click.argument("strategies", metavar="STRATEGY...", nargs=-1, required=True)
@laws.add_law_options_to_command
@context_option
@click.option("--horizon", type=COUNT, metavar="N", default=20_000, show_default=True, help="Number of rounds per run.")
@click.option("--runs", type=COUNT, metavar="N", default=96, show_default=True, help="Number of runs.")
@click.option("--seed", type=WHOLE, metavar="N", default=0, show_default=True, help="The seed of all random numbers.")
@click.option(
    "--workers",
    type=COUNT,
    metavar="N",
    help="Number of threads; by default one per core. Results do not depend on it.",
)
@cluster_option
@click.option("--share", metavar="I/N", help="Play only share I of N of the runs, and keep it in the --out folder.")
@click.option("--merge", is_flag=True, help="Merge the shares in the --out folder; give the same options.")
@click.option(
    "--checkpoints",
    default="200",
    show_default=True,
    metavar="N|log|ROUNDS",
    help="When to record regret: at N evenly spaced rounds, at rounds evenly spaced on a logarithmic scale (log), or "
    "at listed rounds such as 10,100,1000.",
)
@set_option
@click.option(
    "--limit",
    "limited",
    is_flag=True,
    help="Show how good a strategy can be, and each mean regret as a multiple of that.",
)
@click.option("--out", metavar="DIR", help="Write results, table and figure into this folder.")
@click.option("--figure", metavar="PATH", help="Write the figure to PATH, which ends in .svg, .pdf or .png.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def simulate_command(
    game: str,
    strategies: tuple[str, ...],
    limited: bool,
    merge: bool,
    out: str | None,
    figure: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare strategies on a game: a table and a figure of regret.

    NAME is a game in the catalogue ('sidelight games' lists them); FILE is your own game (.toml or .json). STRATEGY is
    a name such as CBP or RandCBP, with parameters after a colon: RandCBP:bins=10,sigma=2. Your own strategy is
    package.module:Class or file.py:Class, with parameters after another colon; modules in the current folder are found.

    All strategies face the same outcomes in the same runs, and statistical tests compare each with the first. A
    contextual strategy takes the size of contexts from --contexts.

    --limit shows how good a strategy can be. If a law is drawn for each run, the limit is the regret of the best
    possible play for laws drawn in this way, in the same runs. It is known for games with two outcomes and exactly one
    action that reveals the outcome. For one law (--law) the limit is C*(p) log T. This is asymptotic: it bounds how
    regret grows in the long run, and at any one round the regret may be smaller.
    """
    if figure is not None:
        check_figure_option(figure)
    _check_shares_of_simulate_command(options["share"], merge, out)
    with warnings_as_command_notes():
        plan = _plan_simulate_command(game, strategies, **options)
        if plan.share is not None and out is not None:
            _run_players_of_simulate_command(
                plan, simulation_folder.folder_of_command_share(out, plan.share, plan.labels)
            )
            again = "the same command with --merge instead of --share"
            click.echo(f"Share {plan.share} is in {out}; when all are: {again}", err=as_json)
            return
        folder = None if out is None else SimulationFolder(out, plan.labels)
        results = (
            _merge_shares_of_simulate_command(plan, folder)
            if merge and folder is not None
            else _run_players_of_simulate_command(plan, folder)
        )
        limit = (
            limit_line.find_limit_line_of_simulate_command(plan, results[0].rounds, options["law"], options["law_from"])
            if limited
            else None
        )
        files = _write_files_of_simulate_command(plan, results, folder, figure, limit)
    if as_json:
        terminal.write_terminal_json(_json_data_of_simulate_command(plan, results, files, limit))
    else:
        given = any(options[name] is not None for name in ("law", "law_from", "contexts"))
        _print_summary_of_simulate_command(plan, results, limit, by_default=not given)
    for line in _list_files_of_simulate_command(folder, figure):
        click.echo(("" if as_json else "\n") + line, err=as_json)


def _plan_simulate_command(
    game: str,
    strategies: tuple[str, ...],
    law: str | None,
    law_from: str | None,
    contexts: str | None,
    horizon: int,
    runs: int,
    seed: int,
    workers: int | None,
    cluster: str | None,
    share: str | None,
    checkpoints: str,
    settings: tuple[str, ...],
) -> Plan:
    """Read the command line and build everything that can fail, before the first round."""
    from sidelight.simulation.arguments import check_simulated_players

    check_cluster_option(cluster, workers)
    part = None if share is None else Share.parse(share)
    known = load_command_line_game(game, settings)
    if contexts is not None and (law is not None or law_from is not None):
        raise SidelightError("--contexts says where outcomes come from: leave out --law and --law-from")
    environment: Environment = laws.environment_from_law_options(known, law, law_from)
    if contexts is not None:
        environment = parse_contexts_option(contexts, known)
    made = [players.build_strategy_from_argument(text, known, horizon, environment.dimension) for text in strategies]
    for strategy in made:
        check_simulated_players(strategy, environment)
    rounds = _read_checkpoints_option(checkpoints, horizon)
    return Plan(
        known, environment, made, _labels_in_simulate_command(made), horizon, runs, seed, rounds, workers, cluster, part
    )


def _run_players_of_simulate_command(plan: Plan, folder: SimulationFolder | None) -> list[Results]:
    """Run one strategy after the other, and keep finished results."""
    from sidelight.simulation import simulate

    results: list[Results] = []
    numbers = range(plan.runs) if plan.share is None else simulation_folder.runs_of_command_share(plan.share, plan.runs)
    try:
        for index, strategy in enumerate(plan.strategies):
            result = simulate(
                strategy,
                plan.environment,
                plan.horizon,
                len(numbers),
                plan.seed,
                plan.checkpoints,
                plan.workers,
                first_run=numbers.start,
                cluster=plan.cluster,
            )
            if folder is not None:
                folder.keep(index, result)
            results.append(result)
    except KeyboardInterrupt:
        if folder is not None and folder.written:
            click.echo(f"Interrupted; what was finished is in {folder.path}: {', '.join(folder.written)}", err=True)
        raise
    return results


def _check_shares_of_simulate_command(share: str | None, merge: bool, out: str | None) -> None:
    if share is not None and merge:
        raise SidelightError(
            "--share plays a part of the runs and --merge puts the parts together: give only one of them"
        )
    if (share is not None or merge) and out is None:
        raise SidelightError(f"{'--merge' if merge else '--share'} needs --out, the folder of all shares")


def _merge_shares_of_simulate_command(plan: Plan, folder: SimulationFolder) -> list[Results]:
    """Merge the shares of every strategy, and keep the result."""
    from sidelight.results.provenance import write_game_in_results
    from sidelight.simulation.checkpoints import rounds_of_checkpoints

    facts = {
        "game": write_game_in_results(plan.game),
        "environment": plan.environment.describe(),
        "seed": plan.seed,
        "rounds": rounds_of_checkpoints(plan.checkpoints, plan.horizon).tolist(),
    }
    wanted = [facts | {"strategy": strategy.describe()} for strategy in plan.strategies]
    results = simulation_folder.merge_shares_in_simulation_folder(str(folder.path), plan.labels, plan.runs, wanted)
    for index, result in enumerate(results):
        folder.keep(index, result)
    return results


def _write_files_of_simulate_command(
    plan: Plan,
    results: Sequence[Results],
    folder: SimulationFolder | None,
    figure: str | None,
    limit: FigureCurve | None,
) -> list[str]:
    """Write table and figures; return the paths of all files."""
    from sidelight.report.results_table import report_results_table
    from sidelight.results.text import results_game_words
    from sidelight.table import table_text_as_markdown

    if folder is not None:
        table = report_results_table(
            results,
            plan.labels,
            limit_line.final_simulate_limit(limit),
            limit_line.caption_of_simulate_limit_line(limit),
        ).useful()
        folder.write(
            "table.md", f"# {table_text_as_markdown(results_game_words(results[0]))}\n\n{table.to_markdown()}\n"
        )
        folder.write("table.tex", table.to_latex() + "\n")
    paths = [] if figure is None else [figure]
    if folder is not None and importlib.util.find_spec("matplotlib") is not None:
        for name in ("regret.svg", "regret.png"):
            paths.append(str(folder.path / name))
            folder.written.append(name)
    elif folder is not None:
        click.echo("sidelight: note: no figure without Matplotlib; try: pip install matplotlib", err=True)
    if paths:
        from sidelight.report.figures.regret import draw_regret_figure
        from sidelight.report.figures.saving import save_figure

        drawn = draw_regret_figure(results, labels=plan.labels, limit=limit)
        for path in paths:
            save_figure(drawn, path)
    kept = [] if folder is None else [str(folder.path / name) for name in folder.written]
    return list(dict.fromkeys([*kept, *paths]))


def _list_files_of_simulate_command(folder: SimulationFolder | None, figure: str | None) -> list[str]:
    lines = [] if figure is None else [f"Figure written to {figure}"]
    if folder is None:
        return lines
    what = "Results, table and figures" if "regret.svg" in folder.written else "Results and table"
    return [*lines, f"{what} written to {folder.path}"]


def _print_summary_of_simulate_command(
    plan: Plan, results: Sequence[Results], limit: FigureCurve | None, by_default: bool
) -> None:
    """Print the table and a summary."""
    from sidelight.report.results_table import report_results_table

    notes = limit_line.caption_of_simulate_limit_line(limit)
    if by_default:
        notes += f" ('{laws.DEFAULT}' is the default: --law gives one law to all runs, --law-from other kinds of laws.)"
    table = report_results_table(results, plan.labels, limit_line.final_simulate_limit(limit), notes)
    terminal.write_to_terminal(table.useful().to_text(terminal.terminal_width()))


def _json_data_of_simulate_command(
    plan: Plan, results: Sequence[Results], files: Sequence[str], limit: FigureCurve | None
) -> dict[str, Any]:
    """Return everything that the table says as plain data."""
    from sidelight.report.results_table import SIDE, report_results_table

    rows = report_results_table(results, plan.labels, limit_line.final_simulate_limit(limit)).records()
    return {
        "game": results[0].manifest["game"],
        "environment": results[0].environment,
        "horizon": plan.horizon,
        "runs": plan.runs,
        "seed": plan.seed,
        "round": int(results[0].rounds[-1]),
        "regret_kind": results[0].regret_kind,
        "limit": None if limit is None else {"what": limit.label, "value": limit_line.final_simulate_limit(limit)},
        "tests": {"against": rows[0]["label"], "side": SIDE},
        "strategies": [
            {"strategy": result.strategy, "runs": result.n_runs, **row, "mean_plays": result.mean_plays}
            for row, result in zip(rows, results, strict=True)
        ],
        "files": list(files),
    }


def _labels_in_simulate_command(strategies: Sequence[Strategy]) -> list[str]:
    """Return the label of each strategy in tables; labels are unique."""
    from sidelight.report.results_table import make_table_labels_distinct
    from sidelight.results.text import label_of_results

    found = []
    for strategy in strategies:
        try:
            found.append(label_of_results(strategy.describe()))
        except (TypeError, ValueError) as error:
            raise SidelightError(f"{strategy.name} has a parameter that is not plain data: {error}") from None
    return make_table_labels_distinct(found)


def _read_checkpoints_option(text: str, horizon: int) -> Checkpoints:
    """Read the number of checkpoints, or their rounds."""
    if text.strip() == "log":
        return "log"
    numbers = [whole_number_option(part.strip()) or 0 for part in text.split(",")]
    if min(numbers) < 1:
        raise SidelightError(f"--checkpoints is {text!r}: give a number, 'log', or rounds such as 10,100,1000")
    if len(numbers) == 1 and "," not in text:
        return numbers[0]
    rounds = sorted(set(numbers))
    if rounds[-1] > horizon:
        raise SidelightError(f"--checkpoints has round {rounds[-1]}, which is after the horizon {horizon}")
    return rounds
