"""Results in files that others can read: a Parquet table, or NumPy's .npz; never pickle.

Parquet: the long table (game, strategy, run, round, regret), one row per run and checkpoint. The schema metadata holds
`sidelight.manifest` (JSON), `sidelight.plays` (JSON, one row per run) and `sidelight.sha256`.
NumPy: the arrays `rounds`, `regret`, `plays`, and the texts `manifest` (JSON) and `sha256`.
The digest covers everything, so that a file that was damaged or edited is refused rather than believed.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sidelight._storage import replacing
from sidelight.errors import SidelightError
from sidelight.results import frames, provenance
from sidelight.results._checks import FloatArray, IntArray

if TYPE_CHECKING:
    from sidelight.results.results import Results

_PREFIX = "sidelight."


class Stored(NamedTuple):
    """What a file holds."""

    manifest: str
    rounds: IntArray
    regret: FloatArray
    plays: IntArray
    sha256: str


def write(path: str | os.PathLike[str], results: Results) -> None:
    """Write results to `path`, all of them or nothing; the suffix chooses the format."""
    file = Path(path)
    suffix = _suffix(file)
    if file.is_dir():
        raise SidelightError(f"{str(file)!r} is a folder: give the path of a .parquet or .npz file")
    if suffix == ".parquet":
        _arrow()  # where it is missing, nothing is touched
    # ASCII, so that any text of Python survives any file.
    text = json.dumps(results.manifest)
    digest = _digest(text, results.rounds, results.regret, results.plays)
    stored = Stored(text, results.rounds, results.regret, results.plays, digest)
    with replacing(file) as draft:
        if suffix == ".parquet":
            _write_parquet(draft, results, stored)
        else:
            with draft.open("wb") as stream:
                np.savez_compressed(stream, allow_pickle=False, **_named(stored))


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Stored]:
    """Return the manifest and the arrays in the file at `path`, or say what is wrong with it."""
    file = Path(path)
    name, suffix = repr(os.fspath(path)), _suffix(file)
    if not file.exists():
        raise FileNotFoundError(f"there is no file {name}: give the path of a .parquet or .npz file of results")
    if file.is_dir():
        raise SidelightError(f"{name} is a folder: give the path of a .parquet or .npz file of results")
    if suffix == ".parquet":
        _arrow()
    content = file.read_bytes()
    try:
        stored = _read_parquet(content) if suffix == ".parquet" else _read_npz(content)
        manifest = json.loads(stored.manifest)
    except Exception as error:  # whatever the readers of zip, NumPy, Arrow and JSON make of a damaged file
        raise SidelightError(
            f"{name} is damaged, or no {suffix} file that Results.save wrote ({type(error).__name__}: {error})"
        ) from None
    _check_format(manifest, name)
    if stored.sha256 != _digest(stored.manifest, stored.rounds, stored.regret, stored.plays):
        raise SidelightError(f"{name} is damaged or was edited: its contents do not match the digest it was saved with")
    return manifest, stored


def _suffix(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in (".parquet", ".npz"):
        raise SidelightError(f"cannot tell the format of {str(file)!r}: name the file .parquet or .npz")
    return suffix


def _check_format(manifest: Any, name: str) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != provenance.FORMAT:
        raise SidelightError(f"{name} holds no results of sidelight: its manifest says nothing of them")
    version = manifest.get("format_version")
    if version != provenance.FORMAT_VERSION:
        raise SidelightError(
            f"{name} has format version {version!r} and this sidelight reads version {provenance.FORMAT_VERSION}: "
            "read it with the version that wrote it, or run `pip install --upgrade sidelight`"
        )


def _digest(text: str, rounds: IntArray, regret: FloatArray, plays: IntArray) -> str:
    """Return the SHA-256 of everything in a file, the same on every machine."""
    digest = hashlib.sha256(text.encode("ascii", "backslashreplace"))
    for array, kind in ((rounds, "<i8"), (regret, "<f8"), (plays, "<i8")):
        digest.update(str(array.shape).encode() + np.ascontiguousarray(array, dtype=kind).tobytes())
    return digest.hexdigest()


def _named(stored: Stored) -> dict[str, Any]:
    return {key: np.array(value) for key, value in stored._asdict().items()}


def _read_npz(content: bytes) -> Stored:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        parts = {key: archive[key] for key in Stored._fields}
    return Stored(**parts | {key: str(parts[key][()]) for key in ("manifest", "sha256")})


def _arrow() -> tuple[Any, Any]:
    """Return pyarrow and its reader and writer of Parquet files."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise SidelightError(
            "Parquet files need pyarrow: run `pip install sidelight[parquet]`, or name the file .npz"
        ) from None


def _write_parquet(draft: Path, results: Results, stored: Stored) -> None:
    arrow, parquet = _arrow()
    game, strategy = (arrow.repeat(text, results.regret.size) for text in frames.texts(results))
    table = arrow.table({"game": game, "strategy": strategy, **frames.numbers(results)})
    plays = json.dumps(stored.plays.tolist())
    texts = {"manifest": stored.manifest, "plays": plays, "sha256": stored.sha256}
    table = table.replace_schema_metadata({_PREFIX + key: value for key, value in texts.items()})
    # Only columns that repeat themselves gain from a dictionary.
    repeating = [column for column in frames.COLUMNS if column != "regret"]
    parquet.write_table(table, draft, use_dictionary=repeating, write_page_checksum=True)


def _read_parquet(content: bytes) -> Stored:
    arrow, parquet = _arrow()
    table = parquet.ParquetFile(arrow.BufferReader(content), page_checksum_verification=True).read()
    metadata = table.schema.metadata or {}
    manifest, plays, sha256 = (metadata[(_PREFIX + key).encode()].decode() for key in ("manifest", "plays", "sha256"))
    counts = np.array(json.loads(plays), dtype=np.int64)
    run, round_, regret = (table.column(name).to_numpy() for name in ("run", "round", "regret"))
    runs = len(counts)
    rounds = round_[: len(round_) // runs]
    if not (
        np.array_equal(run, np.repeat(np.arange(runs), len(rounds))) and np.array_equal(round_, np.tile(rounds, runs))
    ):
        raise ValueError("rows are missing or out of order")
    return Stored(manifest, rounds, regret.reshape(runs, len(rounds)), counts, sha256)
