"""Where long work is done: on the cores of this machine, on a cluster, or share by share."""

from __future__ import annotations

import re

import click

from sidelight.errors import SidelightError

_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://.+:\d+")
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Use the workers of a Dask scheduler, such as tcp://host:8786."
)


def check_cluster_option(cluster: str | None, workers: int | None) -> None:
    """Refuse an address that does not look like a cluster's, and a number of local threads given with it."""
    if cluster is None:
        return
    if workers is not None:
        raise SidelightError("--cluster brings its own workers: leave out --workers")
    if not _ADDRESS.fullmatch(cluster):
        raise SidelightError(f"--cluster is {cluster!r}: give an address such as tcp://host:8786")


def check_share_and_merge_options(share: str | None, merge: bool) -> None:
    """Refuse to do a part of the work and to put the parts together in one call."""
    if share is not None and merge:
        raise SidelightError(
            "--share does a part of the work and --merge puts the parts together: give only one of them"
        )
