"""The folder that a simulation leaves behind: results, table and figure, each of them whole or not there."""

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
    """Where files go, and which ones went there."""

    def __init__(self, path: str, labels: Sequence[str]) -> None:
        from sidelight.report.results_table import distinct

        self.path = make_writable(path)
        suffix = ".parquet" if importlib.util.find_spec("pyarrow") else ".npz"
        # Two labels may differ in signs that no file name should have.
        self._names = [f"{name}{suffix}" for name in distinct([_file_name(label) for label in labels])]
        self.written: list[str] = []

    def place(self, index: int) -> Path:
        """Return where the results of one strategy are."""
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
    """Return a label with nothing in it that some file system or shell would mind."""
    name = re.sub(r"[^\w.+-]+", "-", label.replace("=", "-")).strip("-.")
    return name[:80].strip("-.") or "strategy"
