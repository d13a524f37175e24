"""The settings of a monitor as options of commands."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from sidelight.cli.numbers import COUNT, WHOLE, whole_number
from sidelight.errors import SidelightError
from sidelight.monitor.io.row_files import read_by_class
from sidelight.monitor.policies import Explore, Policy
from sidelight.monitor.settings import NOTICE

if TYPE_CHECKING:
    Values = click.ParamType[Any]
else:
    Values = click.ParamType  # generic in new versions of Click only
_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")


class _Patience(Values):
    """A number of decisions, a time, or "never"."""

    name = "patience"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a value, or fail and say what is expected."""
        number, found = whole_number(str(value)), _TIME.fullmatch(str(value).lower())
        if number is not None and number > 0:
            return number
        if str(value).lower() == "never":
            return math.inf
        if found and found[2] in _UNITS and 0 < float(found[1]) * _UNITS[found[2]] < 1e10:
            return timedelta(seconds=float(found[1]) * _UNITS[found[2]])
        self.fail(f"{value!r}: give a number of decisions, a time such as 90min, 12h or 3d, or never")


PATIENCE = _Patience()
_OPTIONS = (
    click.option("--tolerance", type=float, metavar="RATE", help="The error rate to tolerate in each class."),
    click.option(
        "--tolerance-from",
        metavar="FILE",
        help="Tolerances of individual classes: a CSV file with the columns class and tolerance, or a JSON object. "
        "--tolerance then applies to all other classes.",
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
    click.option(
        "--margin",
        type=float,
        metavar="RATE",
        help="Give the verdict near to classes whose error rate is within RATE of their tolerance.",
    ),
    click.option(
        "--reviewer-error",
        type=float,
        default=0.0,
        show_default=True,
        metavar="SHARE",
        help="Upper bound on how often reviewers miss an error, and on how often they report one that is not there.",
    ),
    click.option(
        "--together",
        is_flag=True,
        help="Make the confidence hold for all classes together, not for each one separately. This works best if the "
        "classes are known in advance.",
    ),
    click.option("--cap", type=WHOLE, metavar="N", help="Maximum number of verifications."),
    click.option(
        "--daily-cap",
        type=WHOLE,
        metavar="N",
        help="Maximum number of verifications per day, from midnight to midnight in UTC.",
    ),
    click.option("--class-cap", type=COUNT, metavar="N", help="Maximum number of verifications per class."),
    click.option(
        "--max-pending",
        type=WHOLE,
        metavar="N",
        help="Maximum number of verifications that may be pending at any one time.",
    ),
    click.option(
        "--aim",
        type=click.Choice(["verdicts", "first-come"]),
        default="verdicts",
        show_default=True,
        help="How to spend a cap: on the classes that need the fewest verifications for a verdict, or first come, "
        "first served.",
    ),
    click.option(
        "--weights-from",
        metavar="FILE",
        help="How much verdicts on individual classes are worth: a CSV file with the columns class and weight, or a "
        "JSON object.",
    ),
    click.option("--window", type=COUNT, metavar="N", help="Base verdicts on the last N answers of a class."),
    click.option(
        "--drift/--no-drift",
        default=None,
        help="Look for changes in error rates; a class whose rate has changed starts from scratch. On by default, "
        "unless --window is given.",
    ),
    click.option(
        "--drift-alarm-every",
        type=COUNT,
        default=10_000,
        show_default=True,
        metavar="N",
        help="On average, at most one false drift alarm in N answers of a class.",
    ),
    click.option(
        "--patience",
        type=PATIENCE,
        metavar="N|TIME|never",
        help="How long to wait for an answer: N decisions, or a time such as 12h or 3d. By default ten times the "
        "median of past delays, but 500 to 5000 decisions.",
    ),
    click.option(
        "--notice-within",
        type=COUNT,
        metavar="N",
        help="Notice within N predictions of a class that its error rate has risen to --notice times its tolerance, in "
        "nine of ten cases. 2000 by default with --drift or --window.",
    ),
    click.option(
        "--notice",
        type=float,
        default=NOTICE,
        show_default=True,
        metavar="TIMES",
        help="How many times the tolerance is to be noticed.",
    ),
    click.option(
        "--spot-checks",
        type=float,
        metavar="SHARE",
        help="Instead of --notice-within: share of predictions to verify in a class whose verdict is settled.",
    ),
    click.option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the policy's random numbers."
    ),
)
_PASSED = (
    *(
        "confidence",
        "mode",
        "margin",
        "reviewer_error",
        "together",
        "aim",
        "cap",
        "daily_cap",
        "class_cap",
        "max_pending",
    ),
    *("window", "drift", "drift_alarm_every", "patience", "notice", "notice_within", "spot_checks", "seed"),
)


def monitor_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a monitor."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_of(options: dict[str, Any], classes: Iterable[Any] = ()) -> dict[str, Any]:
    """Return the arguments of a monitor; a number given for a class name goes to the known class written like it."""
    known = {str(one): one for one in set(classes)}
    by_class: list[dict[Any, float]] = [
        {known.get(name, name): value for name, value in read_by_class(path, what).items()} if path else {}
        for path, what in ((options["tolerance_from"], "tolerance"), (options["weights_from"], "weight"))
    ]
    tolerances, weights = by_class
    overall = options["tolerance"]
    if overall is None and not tolerances:
        raise SidelightError("say with --tolerance which error rate is tolerated, as in --tolerance 0.05")
    if tolerances and overall is not None:
        tolerances[None] = overall
    return {"tolerance": tolerances or overall, "weights": weights or None} | {name: options[name] for name in _PASSED}


def chosen(policy: str, options: dict[str, Any]) -> str | Policy:
    """Return a policy; `explore` has its own margin, which is not the monitor's."""
    return Explore() if policy == "explore" and options["margin"] is not None else policy
