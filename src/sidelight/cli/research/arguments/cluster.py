"""Where long work is done: on the cores of this machine, on a cluster, or share by share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from sidelight.errors import SidelightError

F = TypeVar("F", bound=Callable[..., Any])
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://.+:\d+")


def cluster_option(command: F) -> F:
    """Add the option that names a cluster."""
    return click.option(
        "--cluster", metavar="ADDRESS", help="Use the workers of a Dask scheduler, such as tcp://host:8786."
    )(command)


def check_cluster_option(cluster: str | None, workers: int | None) -> None:
    """Refuse an address that does not look like a cluster's, and a number of local threads given with it."""
    if cluster is None:
        return
    if workers is not None:
        raise SidelightError("--cluster brings its own workers: leave out --workers")
    if not _ADDRESS.fullmatch(cluster):
        raise SidelightError(f"--cluster is {cluster!r}: give an address such as tcp://host:8786")
