"""The folder that a simulation leaves behind: results, table and figure, each of them whole or not there."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.results import Results


class Folder:
    """Where files go, and which ones went there."""

    def __init__(self, path: str, labels: Sequence[str]) -> None:
        from sidelight.report.results_table import distinct

        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise SidelightError(f"--out is {path!r}, which is a file: name a folder")
        self.path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=self.path).close()  # fails now if the folder cannot be written
        suffix = ".parquet" if importlib.util.find_spec("pyarrow") else ".npz"
        # Two labels may differ in signs that no file name should have.
        self._names = [f"{name}{suffix}" for name in distinct([_file_name(label) for label in labels])]
        self.written: list[str] = []

    def keep(self, index: int, result: Results) -> None:
        """Write the results of one strategy."""
        result.save(self.path / self._names[index])
        self.written.append(self._names[index])

    def write(self, name: str, text: str) -> None:
        """Write a text."""
        from sidelight._storage import replacing

        with replacing(self.path / name) as draft:
            draft.write_text(text, encoding="utf-8")
        self.written.append(name)


def _file_name(label: str) -> str:
    """Return a label with nothing in it that some file system or shell would mind."""
    name = re.sub(r"[^\w.+-]+", "-", label.replace("=", "-")).strip("-.")
    return name[:80].strip("-.") or "strategy"
