"""The folder that a simulation writes, and job arrays: each job plays a share of the runs, one call merges them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight._storage import make_writable_folder, write_file_text
from sidelight.errors import SidelightError
from sidelight.report.results_table import make_table_labels_distinct
from sidelight.results import Results, concatenate
from sidelight.results._sameness import differing_keys_of_results
from sidelight.results.provenance import write_game_in_results
from sidelight.simulation.checkpoints import rounds_of_checkpoints
from sidelight.tasks import Share

if TYPE_CHECKING:
    from sidelight.cli.research.simulate import Plan


class SimulationFolder:
    """Where results, table and figure go, each complete or absent, and which ones were written."""

    def __init__(self, path: str | Path, labels: Sequence[str]) -> None:
        self.path = make_writable_folder(path)
        suffix = ".parquet" if importlib.util.find_spec("pyarrow") else ".npz"
        # Two labels may differ only in characters that file names should not have.
        self._names = [f"{name}{suffix}" for name in make_table_labels_distinct(list(map(_name_file_of_label, labels)))]
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
        write_file_text(self.path / name, text)
        self.written.append(name)


def _name_file_of_label(label: str) -> str:
    """Return a label without characters that trouble a file system or shell."""
    name = re.sub(r"[^\w.+-]+", "-", label.replace("=", "-")).strip("-.")
    return name[:80].strip("-.") or "strategy"


def runs_of_share(share: Share, runs: int) -> range:
    """Return the run numbers of a share."""
    if share.count > runs:
        raise SidelightError(f"there are {runs} runs, too few for {share.count} shares: some would have none")
    return range(runs)[share.part(runs)]


def folder_of_share(out: str, share: Share, labels: Sequence[str]) -> SimulationFolder:
    """Return where a share is kept."""
    return SimulationFolder(Path(out) / f"share-{share.number}-of-{share.count}", labels)


def merge_simulated_shares(plan: Plan, folder: SimulationFolder) -> list[Results]:
    """Merge the shares of every strategy, which must belong to this simulation, and keep the results."""
    out, found = folder.path, []
    facts = {
        "game": write_game_in_results(plan.game),
        "environment": plan.environment.describe(),
        "seed": plan.seed,
        "rounds": rounds_of_checkpoints(plan.checkpoints, plan.horizon).tolist(),
    }
    places = [SimulationFolder(place, plan.labels) for place in out.glob("share-*")]
    for index, strategy in enumerate(plan.strategies):
        parts = [Results.load(place.place(index)) for place in places]
        parts.sort(key=lambda part: int(part.fact("first_run")))
        played = [part.fact("first_run") + k for part in parts for k in range(part.n_runs)]
        if played != list(range(plan.runs)):
            raise SidelightError(f"the shares in {out} do not make up {plan.runs} runs: run those that are missing")
        whole = concatenate(parts, seed=parts[0].seed)
        wanted = facts | {"strategy": strategy.describe()}
        own = whole.manifest | {"rounds": whole.rounds.tolist()}
        if other := differing_keys_of_results({name: own[name] for name in wanted}, wanted):
            raise SidelightError(
                f"the shares in {out} belong to another simulation (it differs in {', '.join(other)}): run them again "
                "with these options, or give --merge theirs"
            )
        found.append(whole)
    for index, whole in enumerate(found):
        folder.keep(index, whole)
    return found
