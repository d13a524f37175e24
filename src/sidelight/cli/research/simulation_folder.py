"""The folder that a simulation writes, and job arrays: each job plays a share of the runs, one call merges them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight._storage import make_writable, replacing_file
from sidelight.errors import SidelightError
from sidelight.tasks import Share

if TYPE_CHECKING:
    from sidelight.results import Results

_FOLDER = re.compile(r"share-(\d+)-of-(\d+)")


class Folder:
    """Where results, table and figure go, each complete or absent, and which ones were written."""

    def __init__(self, path: str, labels: Sequence[str]) -> None:
        from sidelight.report.results_table import distinct

        self.path = make_writable(path)
        suffix = ".parquet" if importlib.util.find_spec("pyarrow") else ".npz"
        # Two labels may differ only in characters that file names should not have.
        self._names = [f"{name}{suffix}" for name in distinct([_file_name(label) for label in labels])]
        self.written: list[str] = []

    def place(self, index: int) -> Path:
        """Return the path of one strategy's results."""
        return self.path / self._names[index]

    def keep(self, index: int, result: Results) -> None:
        """Write the results of one strategy."""
        result.save(self.place(index))
        self.written.append(self._names[index])

    def write(self, name: str, text: str) -> None:
        """Write a text."""
        with replacing_file(self.path / name) as draft:
            draft.write_text(text, encoding="utf-8")
        self.written.append(name)


def _file_name(label: str) -> str:
    """Return a label without characters that trouble a file system or shell."""
    name = re.sub(r"[^\w.+-]+", "-", label.replace("=", "-")).strip("-.")
    return name[:80].strip("-.") or "strategy"


def runs_of(share: Share, runs: int) -> range:
    """Return the run numbers of a share."""
    if share.count > runs:
        raise SidelightError(f"there are {runs} runs, too few for {share.count} shares: some would have none")
    return range(runs)[share.part(runs)]


def folder_of(out: str, share: Share, labels: Sequence[str]) -> Folder:
    """Return where a share is kept."""
    return Folder(str(_path(out, share)), labels)


def merged(out: str, labels: Sequence[str], runs: int, wanted: Sequence[dict[str, Any]]) -> list[Results]:
    """Return the results of all strategies, merged from their shares; `wanted` says what each must belong to."""
    from sidelight.results import concatenate

    count = _count(out)
    every = [Share(number, count) for number in range(1, count + 1)]
    missing = [share for share in every if not _path(out, share).is_dir()]
    if missing:
        raise SidelightError(f"{out} lacks the shares {', '.join(map(str, missing[:12]))}: run them first")
    found = []
    for index, facts in enumerate(wanted):
        parts = [_read(out, share, labels, index, runs, facts) for share in every]
        found.append(concatenate(parts, seed=facts["seed"]))
    return found


def _read(out: str, share: Share, labels: Sequence[str], index: int, runs: int, facts: dict[str, Any]) -> Results:
    """Read one strategy's results from a share, and check that they belong to this simulation."""
    from sidelight.results import Results
    from sidelight.results._sameness import differing_keys

    numbers = runs_of(share, runs)
    results = Results.load(Folder(str(_path(out, share)), labels).place(index))
    own = {
        "game": results.manifest["game"],
        "strategy": results.strategy,
        "environment": results.environment,
        "seed": results.seed,
        "rounds": results.rounds.tolist(),
        "first run": results.manifest.get("first_run"),
        "runs": results.n_runs,
    }
    if other := differing_keys(own, facts | {"first run": numbers.start, "runs": len(numbers)}):
        raise SidelightError(
            f"share {share} in {out} belongs to another simulation (it differs in {', '.join(other)}): run it again "
            "with these options, or give --merge the options of the shares"
        )
    return results


def _count(out: str) -> int:
    folder = Path(out)
    counts = {int(match[2]) for each in folder.glob("share-*-of-*") if (match := _FOLDER.fullmatch(each.name))}
    if not counts:
        raise SidelightError(f"there are no shares in {out!r}: run some with --share 1/8 and so on")
    if len(counts) > 1:
        listed = " and ".join(map(str, sorted(counts)))
        raise SidelightError(f"{out} holds shares of {listed}: remove those of one of them")
    return counts.pop()


def _path(out: str, share: Share) -> Path:
    return Path(out) / f"share-{share.number}-of-{share.count}"
