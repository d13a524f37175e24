"""`sidelight simulate`: strategies side by side."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from sidelight.cli import terminal
from sidelight.cli.catalogue import check_figure_option, load_command_line_game, set_option
from sidelight.cli.notes import warnings_as_command_notes
from sidelight.cli.numbers import COUNT, WHOLE, whole_number_option
from sidelight.cli.research import simulation_folder
from sidelight.cli.research.arguments import laws, players
from sidelight.cli.research.arguments.cluster import check_cluster_option, check_share_and_merge_options, cluster_option
from sidelight.cli.research.arguments.contexts import context_option, parse_contexts_option
from sidelight.cli.research.limit_line import caption_of_limit_line, find_limit_line, limit_at_end
from sidelight.cli.research.simulation_folder import SimulationFolder
from sidelight.errors import SidelightError
from sidelight.report.results_table import SIDE, make_table_labels_distinct, report_results_table
from sidelight.results.text import label_of_results, results_game_words
from sidelight.simulation import simulate
from sidelight.simulation.arguments import check_simulated_players
from sidelight.simulation.checkpoints import Checkpoints
from sidelight.strategies import names
from sidelight.table import Table, markdown_text
from sidelight.tasks import Share

if TYPE_CHECKING:
    from sidelight.environments import Environment
    from sidelight.game import Game
    from sidelight.report.figures.curves import FigureCurve
    from sidelight.results import Results
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
    cluster: str | None


@click.command("simulate", epilog=_EPILOG)
@click.argument("game", metavar="NAME|FILE")
@click.argument("strategies", metavar="STRATEGY...", nargs=-1, required=True)
@laws.law_option
@laws.law_from_option
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
    part = _read_simulate_share(options["share"], merge, out)
    with warnings_as_command_notes():
        plan = _plan_simulate_command(game, strategies, options)
        if part is not None and out is not None:
            kept = simulation_folder.folder_of_share(out, part, plan.labels)
            _run_simulate_players(plan, kept, simulation_folder.runs_of_share(part, plan.runs))
            again = "the same command with --merge instead of --share"
            click.echo(f"Share {part} is in {out}; when all are: {again}", err=as_json)
            return
        folder = None if out is None else SimulationFolder(out, plan.labels)
        if merge and folder is not None:
            results = simulation_folder.merge_simulated_shares(plan, folder)
        else:
            results = _run_simulate_players(plan, folder, range(plan.runs))
        law, law_from = options["law"], options["law_from"]
        limit = find_limit_line(plan, results[0].rounds, law, law_from) if limited else None
        chosen = any(options[name] is not None for name in ("law", "law_from", "contexts"))
        _report_simulation(plan, results, limit, folder, figure, as_json, chosen)


def _read_simulate_share(share: str | None, merge: bool, out: str | None) -> Share | None:
    check_share_and_merge_options(share, merge)
    if (share is not None or merge) and out is None:
        raise SidelightError(f"{'--merge' if merge else '--share'} needs --out, the folder of all shares")
    return None if share is None else Share.parse(share)


def _plan_simulate_command(game: str, strategies: Sequence[str], options: dict[str, Any]) -> Plan:
    """Read the command line and build everything that can fail, before the first round."""
    check_cluster_option(options["cluster"], options["workers"])
    known = load_command_line_game(game, options["settings"])
    horizon, contexts = options["horizon"], options["contexts"]
    if contexts is not None and (options["law"], options["law_from"]) != (None, None):
        raise SidelightError("--contexts says where outcomes come from: leave out --law and --law-from")
    environment: Environment = laws.environment_from_law_options(known, options["law"], options["law_from"])
    if contexts is not None:
        environment = parse_contexts_option(contexts, known)
    made = [players.build_strategy_from_argument(text, known, horizon, environment.dimension) for text in strategies]
    for strategy in made:
        check_simulated_players(strategy, environment)
    rounds = _read_checkpoints_option(options["checkpoints"], horizon)
    own = {name: options[name] for name in ("horizon", "runs", "seed", "workers", "cluster")}
    return Plan(known, environment, made, _label_simulated_strategies(made), checkpoints=rounds, **own)


def _run_simulate_players(plan: Plan, folder: SimulationFolder | None, runs: range) -> list[Results]:
    """Run one strategy after the other, and keep finished results."""
    results: list[Results] = []
    where: dict[str, Any] = {"workers": plan.workers, "first_run": runs.start, "cluster": plan.cluster}
    try:
        for index, strategy in enumerate(plan.strategies):
            result = simulate(strategy, plan.environment, plan.horizon, len(runs), plan.seed, plan.checkpoints, **where)
            if folder is not None:
                folder.keep(index, result)
            results.append(result)
    except KeyboardInterrupt:
        if folder is not None and folder.written:
            click.echo(f"Interrupted; what was finished is in {folder.path}: {', '.join(folder.written)}", err=True)
        raise
    return results


def _report_simulation(
    plan: Plan,
    results: Sequence[Results],
    limit: FigureCurve | None,
    folder: SimulationFolder | None,
    figure: str | None,
    as_json: bool,
    chosen: bool,
) -> None:
    """Write table and figures, and print the table; `chosen` says whether the user told where outcomes come from."""
    notes = caption_of_limit_line(limit)
    table = functools.partial(report_results_table, results, plan.labels, limit_at_end(limit))
    pictures = [] if figure is None else [figure]
    said = [f"Figure written to {path}" for path in pictures]
    if folder is not None:
        drawn = _write_simulation_tables(folder, results, table(notes=notes).useful())
        said.append(f"Results{', table and figures' if drawn else ' and table'} written to {folder.path}")
        pictures += drawn
    _draw_simulation_figures(plan, results, limit, pictures)
    if as_json:
        kept = [] if folder is None else [str(folder.path / name) for name in folder.written]
        files = list(dict.fromkeys([*kept, *pictures]))
        terminal.write_terminal_json(_simulation_as_data(plan, results, limit, table().records()) | {"files": files})
    else:
        if not chosen:
            kinds = "--law gives one law to all runs, --law-from other kinds of laws"
            notes += f" ('{laws.DEFAULT}' is the default: {kinds}.)"
        terminal.write_to_terminal(table(notes=notes).useful().to_text(terminal.terminal_width()))
    for line in said:
        click.echo(("" if as_json else "\n") + line, err=as_json)


def _write_simulation_tables(folder: SimulationFolder, results: Sequence[Results], table: Table) -> list[str]:
    """Write the table into the folder; return the paths of the figures to be drawn there."""
    title = markdown_text(results_game_words(results[0]))
    folder.write("table.md", f"# {title}\n\n{table.to_markdown()}\n")
    folder.write("table.tex", table.to_latex() + "\n")
    if importlib.util.find_spec("matplotlib") is None:
        click.echo("sidelight: note: no figure without Matplotlib; try: pip install matplotlib", err=True)
        return []
    folder.written += ["regret.svg", "regret.png"]
    return [str(folder.path / name) for name in folder.written[-2:]]


def _draw_simulation_figures(
    plan: Plan, results: Sequence[Results], limit: FigureCurve | None, paths: Sequence[str]
) -> None:
    if paths:
        from sidelight.report.figures.regret import draw_regret_figure
        from sidelight.report.figures.saving import save_figure

        drawn = draw_regret_figure(results, labels=plan.labels, limit=limit)
        for path in paths:
            save_figure(drawn, path)


def _simulation_as_data(
    plan: Plan, results: Sequence[Results], limit: FigureCurve | None, rows: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return everything that the table says as plain data."""
    return {
        "game": results[0].manifest["game"],
        "environment": results[0].environment,
        "horizon": plan.horizon,
        "runs": plan.runs,
        "seed": plan.seed,
        "round": int(results[0].rounds[-1]),
        "regret_kind": results[0].regret_kind,
        "limit": None if limit is None else {"what": limit.label, "value": limit_at_end(limit)},
        "tests": {"against": rows[0]["label"], "side": SIDE},
        "strategies": [
            {"strategy": result.strategy, "runs": result.n_runs, **row, "mean_plays": result.mean_plays}
            for row, result in zip(rows, results, strict=True)
        ],
    }


def _label_simulated_strategies(strategies: Sequence[Strategy]) -> list[str]:
    """Return the label of each strategy in tables; labels are unique."""
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
