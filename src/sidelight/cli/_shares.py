"""Job arrays without a cluster: what the shares of a reproduction are shares of, and which are missing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sidelight._storage import replacing
from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.experiments.reproduction import Reproduction

_PLAN = "plan.json"
_REMEMBERED = ("names", "runs", "protocol", "full", "beyond", "seed")


def keep_plan(folder: Path, options: Mapping[str, Any], shares: int) -> None:
    """Write down what the shares are shares of, for --merge."""
    plan = {name: options[name] for name in _REMEMBERED} | {"names": list(options["names"]), "shares": shares}
    with replacing(folder / _PLAN) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def planned(context: click.Context, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the shares, unless others are given."""
    given = any(context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE for name in _REMEMBERED)
    if given or not (folder / _PLAN).exists():
        return options
    return options | _plan(folder)


def _plan(folder: Path) -> dict[str, Any]:
    try:
        plan = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
        return {name: plan[name] for name in (*_REMEMBERED, "shares")}
    except (OSError, ValueError, KeyError, TypeError):
        raise SidelightError(
            f"{str(folder / _PLAN)!r} is damaged: remove it, and give --merge the shares' options"
        ) from None


def check_complete(reproduction: Reproduction, folder: Path) -> None:
    """Raise an error that says which shares to run, unless all work is done."""
    missing = reproduction.missing()
    if not missing:
        return
    every = reproduction.choice.tasks()
    where = "run all shares first"
    if (folder / _PLAN).exists():
        count = _plan(folder)["shares"]
        gone = set(missing)
        shares = [f"{k + 1}/{count}" for k in range(count) if gone.intersection(every[k::count])]
        where = f"run --shard {', '.join(shares[:12])}{' and more' if len(shares) > 12 else ''} (again) first"
    raise SidelightError(
        f"{len(missing)} of {len(every)} pieces of work are missing, damaged or from other code in {folder}: {where}"
    )
