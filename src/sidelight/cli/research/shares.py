"""Job arrays without a cluster: which plan the shares of a reproduction belong to, and which shares are missing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sidelight._storage import replacing
from sidelight.errors import SidelightError
from sidelight.tasks import Share

if TYPE_CHECKING:
    from sidelight.reproduction.runs import Reproduction

_PLAN = "plan.json"
_REMEMBERED = ("names", "runs", "protocol", "full", "beyond", "seed", "tolerances", "policies", "confidence")


def keep_plan(folder: Path, options: Mapping[str, Any], shares: int) -> None:
    """Store the plan that the shares belong to, for --merge; refuse a plan that differs from the one stored."""
    lists = {name: list(options[name]) for name in ("names", "tolerances", "policies")}
    plan = {name: options[name] for name in _REMEMBERED} | lists | {"shares": shares}
    path = folder / _PLAN
    if path.exists() and (there := _plan(folder)) != plan:
        names = ", ".join(f"{name} {there[name]!r}" for name in plan if there[name] != plan[name])
        raise SidelightError(
            f"{folder} holds shares of another plan ({names}): name another folder with --out, or remove {str(path)!r}"
        )
    with replacing(path) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def planned(context: click.Context, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options the shares were run with, unless others are given."""
    if not (folder / _PLAN).exists():
        return options
    given = {
        name: options[name]
        for name in _REMEMBERED
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE and options[name]
    }
    return options | _plan(folder) | given


def _plan(folder: Path) -> dict[str, Any]:
    path = folder / _PLAN
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
        return {name: plan[name] for name in (*_REMEMBERED, "shares")}
    except (OSError, ValueError, KeyError, TypeError):
        raise SidelightError(
            f"{str(path)!r} is damaged: remove it, and give --merge the options of the shares"
        ) from None


def check_complete(reproduction: Reproduction, folder: Path) -> None:
    """If work is missing, raise an error that says which shares to run."""
    missing = set(reproduction.missing())
    if not missing:
        return
    every = reproduction.tasks()
    where = "run all shares first"
    if (folder / _PLAN).exists():
        count = _plan(folder)["shares"]
        shares = [share for share in map(Share, range(1, count + 1), [count] * count) if missing & set(share.of(every))]
        listed = ", ".join(map(str, shares[:12]))
        where = f"run --share {listed}{' and more' if len(shares) > 12 else ''} (again) first, with the same options"
    raise SidelightError(
        f"{len(missing)} of {len(every)} pieces of work are missing, damaged or from other code in {folder}: {where}"
    )
