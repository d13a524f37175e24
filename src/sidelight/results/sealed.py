"""Sealed files: facts as JSON, arrays of numbers, and a SHA-256 of everything, so that damage and edits are noticed.

NumPy (.npz): each array under its name, and the texts `manifest` (the facts as JSON) and `sha256`; never pickle.
Parquet: a long table, whose schema metadata holds texts under `sidelight.<name>`.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight._storage import read_file_contents, replacing_file
from sidelight.errors import SidelightError

Arrays = dict[str, npt.NDArray[Any]]
MANIFEST, SEAL = "manifest", "sha256"
_PREFIX = "sidelight."
_END, _END_BYTES = b"PK\x05\x06", 22  # what the last record of a zip file begins with, and how long it is


Check = Callable[[Any], None]


class Sealed(NamedTuple):
    """What a sealed file holds."""

    facts: dict[str, Any]
    arrays: Arrays


def write_sealed_file(path: str | os.PathLike[str], facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write facts and arrays to an .npz file, completely or not at all."""
    text = json.dumps(facts)
    known = {name: np.asarray(array) for name, array in arrays.items()}
    texts = {MANIFEST: np.array(text), SEAL: np.array(seal_text_and_arrays(text, known))}
    with replacing_file(path) as draft, draft.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **texts, **known)


def read_sealed_file(path: str | os.PathLike[str], check: Check | None = None) -> Sealed:
    """Return what `write_sealed_file` wrote; `check` may refuse the facts before anything else is read.

    Raises
    ------
    FileError
        The file cannot be opened.
    SidelightError
        It does not hold what was written.
    """
    content = read_file_contents(path)
    with name_sealed_file_in_errors(path), np.load(io.BytesIO(content), allow_pickle=False) as archive:
        if content[-_END_BYTES:][: len(_END)] != _END:  # zip files may go on after their end
            raise SidelightError("is damaged: something was appended to it")
        arrays = {name: archive[name] for name in archive.files}
        manifest = arrays.pop(MANIFEST)
        found = str(arrays.pop(SEAL)[()])
        return check_seal_of_arrays(str(manifest[()]), arrays, found, check)


def check_seal_of_arrays(text: str, arrays: Arrays, found: str, check: Check | None = None) -> Sealed:
    """Return facts and arrays if they match the seal stored with them."""
    facts = json.loads(text)
    if check is not None:
        check(facts)
    if found != seal_text_and_arrays(text, arrays):
        raise SidelightError("is damaged or was edited: its contents do not match the digest it was saved with")
    return Sealed(facts, arrays)


@contextlib.contextmanager
def name_sealed_file_in_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in any error while it is read."""
    name = repr(os.fspath(path))
    try:
        yield
    except SidelightError as error:
        raise SidelightError(f"{name} {error}") from None
    except Exception as error:  # whatever the readers of zip, NumPy, Arrow and JSON make of a damaged file
        raise SidelightError(
            f"{name} is damaged, or not a file that sidelight wrote ({type(error).__name__}: {error})"
        ) from None


def seal_text_and_arrays(text: str, arrays: Arrays) -> str:
    """Return the SHA-256 of a text and arrays, the same on every machine."""
    found = hashlib.sha256(text.encode("ascii", "backslashreplace"))
    for name, array in sorted(arrays.items()):
        kind = array.dtype.newbyteorder("<")
        found.update(f"\0{name}{kind.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return found.hexdigest()


def arrow_for_sealed_files() -> tuple[Any, Any]:
    """Return pyarrow and its reader and writer of Parquet files."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise SidelightError("Parquet files need pyarrow: run `pip install pyarrow`, or name the file .npz") from None


def write_sealed_table(
    path: str | os.PathLike[str],
    blocks: Iterable[Mapping[str, Any]],
    texts: Mapping[str, str] | None = None,
    categories: bool = False,
) -> None:
    """Write a long table to a Parquet file, completely or not at all, with one block at a time in memory.

    A column of a block is an array, or one text for all of its rows; with `categories` readers get texts as categories.
    """
    library, parquet = arrow_for_sealed_files()
    converted = (_arrow_columns(library, block, categories) for block in blocks)
    first = next(converted)
    metadata = {_PREFIX + name: text for name, text in (texts or {}).items()}
    schema = library.schema([(name, column.type) for name, column in first.items()], metadata=metadata or None)
    with replacing_file(path) as draft, parquet.ParquetWriter(draft, schema, write_page_checksum=True) as writer:
        for columns in itertools.chain([first], converted):
            writer.write_table(library.Table.from_arrays(list(columns.values()), schema=schema))


def read_sealed_table(content: bytes) -> tuple[dict[str, str], Any]:
    """Return the texts beside a long table, and the table."""
    library, parquet = arrow_for_sealed_files()
    table = parquet.ParquetFile(library.BufferReader(content), page_checksum_verification=True).read()
    metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    return {key.removeprefix(_PREFIX): text for key, text in metadata.items() if key.startswith(_PREFIX)}, table


def _arrow_columns(library: Any, block: Mapping[str, Any], categories: bool) -> dict[str, Any]:
    """Return the columns of a block for Arrow; a category is stored as a dictionary with one entry."""
    rows = next(len(column) for column in block.values() if not isinstance(column, str))
    found = {}
    for name, column in block.items():
        if not isinstance(column, str):
            found[name] = library.array(column)
        elif categories:
            places = library.array(np.zeros(rows, np.int32))
            found[name] = library.DictionaryArray.from_arrays(places, library.array([column]))
        else:
            found[name] = library.repeat(column, rows)
    return found
