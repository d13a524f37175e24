"""Results in files that others can read: a Parquet table, or NumPy's .npz, both sealed (see `sealed`).

Parquet: the long table (game, strategy, run, round, regret), one row per run and checkpoint, with the manifest (JSON),
plays and further measures (JSON, one row per run) and the SHA-256 beside it. NumPy: the arrays `rounds`, `regret`,
`plays`, and each further measure under its name.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight._storage import read_file_contents
from sidelight.errors import SidelightError
from sidelight.results import frames, provenance, sealed

if TYPE_CHECKING:
    from sidelight.results.results import Results


def write_results_file(path: str | os.PathLike[str], results: Results) -> None:
    """Write results to `path`, completely or not at all; the suffix chooses the format."""
    file = Path(path)
    suffix = _format_of_results_file(file)
    arrays = {"rounds": results.rounds, "regret": results.regret, "plays": results.plays, **results.measures}
    if suffix == ".npz":
        sealed.write_sealed_file(file, results.manifest, arrays)
        return
    text = json.dumps(results.manifest)
    further = {name: [str(values.dtype), values.tolist()] for name, values in results.measures.items()}
    texts = {
        sealed.MANIFEST: text,
        "plays": json.dumps(results.plays.tolist()),
        "measures": json.dumps(further),
        sealed.SEAL: sealed.seal_text_and_arrays(text, arrays),
    }
    sealed.write_sealed_table(file, [frames.columns_of_results_frame(results)], texts)


def read_results_file(path: str | os.PathLike[str]) -> sealed.Sealed:
    """Return the manifest and the arrays in the file at `path`, or say what is wrong with it."""
    file = Path(path)
    suffix = _format_of_results_file(file)
    if suffix == ".npz":
        return sealed.read_sealed_file(path, _check_manifest_of_results)
    sealed.arrow_for_sealed_files()
    content = read_file_contents(file)
    with sealed.name_sealed_file_in_errors(path):
        return _results_from_table(*sealed.read_sealed_table(content))


def _results_from_table(texts: dict[str, str], table: Any) -> sealed.Sealed:
    plays = np.array(json.loads(texts["plays"]), dtype=np.int64)
    run, round_, regret = (table.column(name).to_numpy() for name in ("run", "round", "regret"))
    further = {name: np.array(values, kind) for name, (kind, values) in json.loads(texts["measures"]).items()}
    runs = len(plays)
    rounds = round_[: len(round_) // runs]
    wanted = np.repeat(np.arange(runs), len(rounds)), np.tile(rounds, runs)
    if not (np.array_equal(run, wanted[0]) and np.array_equal(round_, wanted[1])):
        raise ValueError("rows are missing or out of order")
    arrays = {"rounds": rounds, "regret": regret.reshape(runs, len(rounds)), "plays": plays, **further}
    return sealed.check_seal_of_arrays(texts[sealed.MANIFEST], arrays, texts[sealed.SEAL], _check_manifest_of_results)


def _format_of_results_file(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in (".parquet", ".npz"):
        raise SidelightError(f"cannot tell the format of {str(file)!r}: name the file .parquet or .npz")
    if os.path.isdir(file):
        raise SidelightError(f"{str(file)!r} is a folder: give the path of a .parquet or .npz file of results")
    return suffix


def _check_manifest_of_results(manifest: Any) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != provenance.FORMAT:
        raise SidelightError("does not hold results of sidelight: its manifest does not mention them")
    version = manifest.get("format_version")
    if version != provenance.FORMAT_VERSION:
        raise SidelightError(
            f"has format version {version!r} and this sidelight reads version {provenance.FORMAT_VERSION}: "
            "read it with the version that wrote it, or install a newer one"
        )
