"""The settings of a monitor as options of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from sidelight.cli._numbers import COUNT, WHOLE
from sidelight.errors import SidelightError
from sidelight.monitor.row_files import read_tolerances

_OPTIONS = (
    click.option("--tolerance", type=float, metavar="RATE", help="The error rate that is tolerated in each class."),
    click.option(
        "--tolerance-from",
        metavar="FILE",
        help="Tolerances of single classes: CSV with the columns class and tolerance, or a JSON object. --tolerance is "
        "then that of all others.",
    ),
    click.option(
        "--confidence", type=float, default=0.99, show_default=True, metavar="P", help="Confidence of the verdicts."
    ),
    click.option(
        "--mode",
        type=click.Choice(["identify", "guard"]),
        default="identify",
        show_default=True,
        help="identify: stop once a verdict is certain; guard: keep verifying classes above tolerance.",
    ),
    click.option("--cap", type=WHOLE, metavar="N", help="Maximum number of verifications."),
    click.option("--daily-cap", type=WHOLE, metavar="N", help="Maximum number of verifications per day."),
    click.option("--class-cap", type=COUNT, metavar="N", help="Maximum number of labels of one class."),
    click.option("--max-pending", type=WHOLE, metavar="N", help="Maximum number of answers waited for at any moment."),
    click.option("--window", type=COUNT, metavar="N", help="Let verdicts rest on the last N answers of a class."),
    click.option("--spot-checks", type=float, metavar="SHARE", help="How often a closed class is verified."),
    click.option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the policies' random numbers."
    ),
)
_PASSED = ("confidence", "mode", "cap", "daily_cap", "class_cap", "max_pending", "window", "spot_checks", "seed")


def monitor_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a monitor."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_of(options: dict[str, Any], classes: Iterable[Any] = ()) -> dict[str, Any]:
    """Return the arguments of a monitor; tolerances are those of known `classes` that are written alike."""
    return {"tolerance": _tolerance(options, classes)} | {name: options[name] for name in _PASSED}


def _tolerance(options: dict[str, Any], classes: Iterable[Any]) -> Any:
    overall, path = options["tolerance"], options["tolerance_from"]
    if overall is None and path is None:
        raise SidelightError("say with --tolerance which error rate is tolerated, as in --tolerance 0.05")
    if path is None:
        return overall
    written = {str(one): one for one in classes}
    found: dict[Any, float] = {written.get(name, name): rate for name, rate in read_tolerances(path).items()}
    return found if overall is None else found | {None: overall}
