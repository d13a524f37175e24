"""The folder that a simulation writes, and job arrays: each job plays a share of the runs, one call merges them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight._storage import make_writable_folder, replacing_file
from sidelight.errors import SidelightError
from sidelight.tasks import Share

if TYPE_CHECKING:
    from sidelight.results import Results


class SimulationFolder:
    """Where results, table and figure go, each complete or absent, and which ones were written."""

    def __init__(self, path: str, labels: Sequence[str]) -> None:
        from sidelight.report.results_table import make_table_labels_distinct

        self.path = make_writable_folder(path)
        suffix = ".parquet" if importlib.util.find_spec("pyarrow") else ".npz"
        # Two labels may differ only in characters that file names should not have.
        self._names = [
            f"{name}{suffix}"
            for name in make_table_labels_distinct([_file_name_in_simulation_folder(label) for label in labels])
        ]
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


def _file_name_in_simulation_folder(label: str) -> str:
    """Return a label without characters that trouble a file system or shell."""
    name = re.sub(r"[^\w.+-]+", "-", label.replace("=", "-")).strip("-.")
    return name[:80].strip("-.") or "strategy"


def runs_of_command_share(share: Share, runs: int) -> range:
    """Return the run numbers of a share."""
    if share.count > runs:
        raise SidelightError(f"there are {runs} runs, too few for {share.count} shares: some would have none")
    return range(runs)[share.part(runs)]


def folder_of_command_share(out: str, share: Share, labels: Sequence[str]) -> SimulationFolder:
    """Return where a share is kept."""
    return SimulationFolder(str(Path(out) / f"share-{share.number}-of-{share.count}"), labels)


def merge_shares_in_simulation_folder(
    out: str, labels: Sequence[str], runs: int, wanted: Sequence[dict[str, Any]]
) -> list[Results]:
    """Return the results of all strategies, merged from their shares; `wanted` has the facts that each must match."""
    from sidelight.results import Results, concatenate
    from sidelight.results._sameness import differing_keys_of_results

    places = [SimulationFolder(str(place), labels) for place in Path(out).glob("share-*")]
    found = []
    for index, facts in enumerate(wanted):
        parts = [Results.load(place.place(index)) for place in places]
        parts.sort(key=lambda part: int(part.fact("first_run")))
        played = [part.fact("first_run") + k for part in parts for k in range(part.n_runs)]
        if played != list(range(runs)):
            raise SidelightError(f"the shares in {out} do not make up {runs} runs: run those that are missing")
        whole = concatenate(parts, seed=parts[0].seed)
        own = {"strategy": whole.strategy, "environment": whole.environment, "seed": whole.seed}
        if other := differing_keys_of_results(
            own | {"game": whole.manifest["game"], "rounds": whole.rounds.tolist()}, facts
        ):
            raise SidelightError(
                f"the shares in {out} belong to another simulation (it differs in {', '.join(other)}): run them again "
                "with these options, or give --merge theirs"
            )
        found.append(whole)
    return found
