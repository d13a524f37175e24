"""The folder that a simulation writes: results, table and figure, each of them complete or absent."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight._storage import make_writable, replacing

if TYPE_CHECKING:
    from sidelight.results import Results


class Folder:
    """Where files go, and which ones were written."""

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
        with replacing(self.path / name) as draft:
            draft.write_text(text, encoding="utf-8")
        self.written.append(name)


def _file_name(label: str) -> str:
    """Return a label without characters that trouble a file system or shell."""
    name = re.sub(r"[^\w.+-]+", "-", label.replace("=", "-")).strip("-.")
    return name[:80].strip("-.") or "strategy"
