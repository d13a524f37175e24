"""`sidelight monitor plan`: how many labels a verdict takes, before there is any data."""

from __future__ import annotations

import math

import click

from sidelight.cli import terminal
from sidelight.table import Column, Table

_FACTORS = (0.0, 0.25, 0.5, 0.8, 1.25, 1.5, 2.0, 4.0)
_MOST = 50_000
_EPILOG = """\b
Examples:
  sidelight monitor plan --tolerance 0.05
  sidelight monitor plan --tolerance 0.02 --rate 0.01 --rate 0.04
"""


@click.command("plan", epilog=_EPILOG, short_help="Say how many labels a verdict takes.")
@click.option("--tolerance", type=float, required=True, metavar="RATE", help="The error rate that you tolerate.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="The confidence of a verdict.")
@click.option(
    "--rate",
    "rates",
    type=float,
    multiple=True,
    metavar="RATE",
    help="An error rate that a class may have; repeatable. By default several, from 0 to 4 times the tolerance.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def plan_monitor_command(tolerance: float, confidence: float, rates: tuple[float, ...], as_json: bool) -> None:
    """Say how many labels of a class a verdict takes, by its true error rate.

    The numbers are exact for the policy "sequential" and reviewers who never err. "Labels" is the mean, "usual" what
    suffices in nine of ten cases. "Fixed sample" is what a single look would take if you knew the rate beforehand: the
    same confidence, right in nine of ten cases, by a normal approximation.
    """
    from sidelight.monitor.stats.confidence import rate_test
    from sidelight.monitor.stats.prospects import stopping_distribution_of_test

    _check_rates_of_plan_command(tolerance, confidence, rates)
    chosen = sorted(set(rates)) or [factor * tolerance for factor in _FACTORS if factor * tolerance <= 1.0]
    test = rate_test(tolerance, confidence)
    if test.few.end(0) > _MOST:
        wrong = f"even the clearest class takes more than {_MOST} labels: give a rate that is farther from 0 and 1"
        raise click.BadParameter(wrong, param_hint="--tolerance")
    rows = []
    for rate in chosen:
        found = stopping_distribution_of_test(test, rate, _MOST, forget=1e-6)
        verdict = "unknown" if found.usual is None else "above" if rate > tolerance else "below"
        labels = found.labels if found.usual is not None else None
        rows.append(
            (rate, verdict, labels, found.usual, _fixed_sample_size_for_plan_command(rate, tolerance, confidence))
        )
    table = Table(
        [
            Column("error rate", write="{:.4g}".format),
            Column("verdict", left=True),
            Column("labels", write="{:.0f}".format),
            Column("usual", write="{:.0f}".format),
            Column("fixed sample", write="{:.0f}".format),
        ],
        rows,
    )
    if as_json:
        terminal.write_terminal_json(table.records())
        return
    click.echo(f"Labels of a class until its verdict, tolerance {tolerance}, confidence {confidence}:\n")
    click.echo(table.to_text(terminal.terminal_width()))
    if any(labels is None for _, _, labels, _, _ in rows):
        click.echo(f"\n- means more than {_MOST}: so near the tolerance, a margin (--margin of 'new') decides sooner.")


def _check_rates_of_plan_command(tolerance: float, confidence: float, rates: tuple[float, ...]) -> None:
    for name, value in (("tolerance", tolerance), ("confidence", confidence)):
        if not 0.0 < value < 1.0:
            raise click.BadParameter("give a number between 0 and 1", param_hint=f"--{name}")
    if not all(0.0 <= rate <= 1.0 for rate in rates):
        raise click.BadParameter("give numbers from 0 to 1", param_hint="--rate")


def _fixed_sample_size_for_plan_command(rate: float, tolerance: float, confidence: float) -> float | None:
    """Return the sample size of a one-sided normal test with power 0.9; None at the tolerance itself."""
    from statistics import NormalDist

    if rate == tolerance:
        return None
    error, missed = NormalDist().inv_cdf(confidence), NormalDist().inv_cdf(0.9)
    spread = error * math.sqrt(tolerance * (1 - tolerance)) + missed * math.sqrt(rate * (1 - rate))
    return math.ceil((spread / (rate - tolerance)) ** 2)
