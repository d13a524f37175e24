"""`sidelight limits`: how good any strategy can be."""

from __future__ import annotations

import decimal
import math
import re
from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.catalogue import load_command_line_game, set_option, terminal_action_labels, terminal_game_title
from sidelight.cli.notes import warnings_as_command_notes
from sidelight.cli.numbers import COUNT
from sidelight.cli.research.arguments import laws
from sidelight.cli.research.arguments.players import parse_argument_value
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.limits import lower_bound
from sidelight.strategies import BayesOptimal
from sidelight.strategies.baselines.priors import read_bayes_optimal_prior, word_bayes_optimal_prior
from sidelight.text import capitalized

_EXAMPLES = """\b
Examples:
  sidelight limits label-efficient --law 0.3,0.7
  sidelight limits dynamic-pricing --set prices=3 --law 1/2,3/10,1/5
  sidelight limits apple-tasting --horizon 1000 --prior 2,8
  sidelight limits label-efficient --prior balanced
"""


@click.command("limits", epilog=_EXAMPLES)
@click.argument("game", metavar="NAME|FILE")
@click.option("--law", metavar="P,P,...", help="The probability of each outcome, for C*(p): 0.3,0.7 or 1/3,2/3.")
@click.option(
    "--horizon", type=COUNT, metavar="N", default=20_000, show_default=True, help="T, the number of rounds per run."
)
@click.option(
    "--prior",
    default="1,1",
    show_default=True,
    metavar="A,B|KIND",
    help="How the law is drawn, for Bayes-optimal play: the Beta prior A,B of the first outcome's probability (1,1 is "
    "uniform), or a kind of law such as balanced, as for --law-from of 'sidelight simulate'.",
)
@set_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def limits_command(
    game: str, law: str | None, horizon: int, prior: str, settings: tuple[str, ...], as_json: bool
) -> None:
    """Say how good any strategy can be.

    There are two limits. The first, with --law, is the constant C*(p): under the law p, the regret of a strategy that
    does well under every law grows at least like C*(p) log T. This is asymptotic and does not bound the regret at any
    one T. The second is the Bayes-optimal regret, the least possible mean regret over T rounds when the law is drawn
    from a prior. It is computed for games with two outcomes and exactly one action that reveals the outcome.

    NAME is a game in the catalogue ('sidelight games' lists them); FILE is your own game (.toml or .json).
    """
    known = load_command_line_game(game, settings)
    probabilities = None if law is None else laws.read_law_option(law, known)
    belief = _read_prior_option(prior)
    with warnings_as_command_notes():
        bound = None if probabilities is None else _lower_bound_as_data(known, probabilities, horizon)
        bayes = _bayes_optimum_as_data(known, horizon, belief)
    if as_json:
        data = {"game": known.name, "horizon": horizon, "lower_bound": bound, "bayes_optimal": bayes}
        terminal.write_terminal_json(data)
        return
    parts = [terminal_game_title(known), _word_lower_bound(known, bound, horizon), _word_bayes_optimum(bayes, horizon)]
    terminal.write_wrapped("\n\n".join(parts), terminal_action_labels(known))


def _read_prior_option(text: str) -> Any:
    """Read a prior: the parameters of a Beta law, the name of a kind of law, or laws with weights in brackets."""
    prior = parse_argument_value(f"({text})" if re.fullmatch(r"[^([,]+,[^,]+", text) else text)
    try:
        read_bayes_optimal_prior(prior)
    except SidelightError as error:
        raise SidelightError(f"--prior is {text!r}: {str(error).partition(': ')[2]}") from None
    return prior


def _lower_bound_as_data(game: Game, law: list[float], horizon: int) -> dict[str, Any]:
    """Return C*(p) as plain data; numbers that are not finite are left out, and `status` and `reason` say why."""
    found = lower_bound(game, law)
    low, high = (float(value) if math.isfinite(value) else None for value in (found.low, found.high))
    return {
        "law": law,
        "status": found.status,
        "reason": found.reason,
        "optimal": found.optimal,
        "low": low,
        "high": high,
        "times_log_horizon": [None if value is None else value * math.log(horizon) for value in (low, high)],
        "allocation": {a: float(r) for a, r in enumerate(found.allocation) if 0 < r < math.inf},
    }


def _bayes_optimum_as_data(game: Game, horizon: int, prior: Any) -> dict[str, Any]:
    """Return the Bayes-optimal regret as plain data, or why there is none."""
    data: dict[str, Any] = {"prior": prior, "assumes": word_bayes_optimal_prior(prior), "value": None, "reason": None}
    try:
        data["value"] = BayesOptimal(game, horizon, prior).value
    except SidelightError as error:
        data["reason"] = str(error)
    return data


def _word_lower_bound(game: Game, bound: dict[str, Any] | None, horizon: int) -> str:
    """Return the sentences that report the lower bound C*(p)."""
    if bound is None:
        return "Lower bound C*(p): it depends on the law; give the probability of each outcome with --law."
    law = ", ".join(f"{value:.6g}" for value in bound["law"])
    lines = [f"For p = ({law}): {bound['reason']}."]
    low, high = bound["low"], bound["high"]
    if bound["status"] != "finite":
        return "\n".join([*lines, f"Lower bound C*(p): {bound['status']}."])
    plays = ", ".join(f"{game.actions[a]} {r:.4g}" for a, r in bound["allocation"].items()) or "not found"
    if high is None:
        value = f"is at least {low:.6g}; the law is too close to a tie for an upper end"
    elif high - low > 1e-5 * high:
        ends = _bracket_rounded_outwards(low, high)
        value = f"is proven to lie between {ends}; the law is too close to a tie for more digits"
    else:
        value = f"= {(low + high) / 2:.6g}, proven to lie between {_bracket_rounded_outwards(low, high)}"
    lines += [
        f"Lower bound C*(p) {value}.",
        "  Under this law, the regret of any strategy that does well under every law grows at least like C*(p) log T: "
        f"{bound['times_log_horizon'][0]:.4g} for T = {horizon}. This is asymptotic: at any one T, regret may be less.",
        f"  The cheapest way to be sure needs these plays, in multiples of log T: {plays}.",
    ]
    return "\n".join(lines)


def _bracket_rounded_outwards(low: float, high: float) -> str:
    """Write both ends of a bracket, each rounded outwards."""
    down, up = (decimal.Context(prec=8, rounding=way) for way in (decimal.ROUND_FLOOR, decimal.ROUND_CEILING))
    return f"{down.create_decimal_from_float(low):f} and {up.create_decimal_from_float(high):f}"


def _word_bayes_optimum(bayes: dict[str, Any], horizon: int) -> str:
    """Write about Bayes-optimal play."""
    if bayes["value"] is None:
        return f"Bayes-optimal regret: not known for this game. {capitalized(bayes['reason'])}."
    return (
        f"Bayes-optimal regret = {bayes['value']:.6f} over T = {horizon} rounds, {bayes['assumes']}.\n"
        "  No strategy has a smaller mean regret when the law is drawn from this prior."
    )
