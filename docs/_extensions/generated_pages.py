"""Writes the pages of the reference before the site is built, from what the package says of itself.

Nothing below `reference/` but its first page is written by hand. A page is rewritten only where its text changed, so
that Sphinx reads again only what is new.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import reference_commands
import reference_files
import reference_games
import reference_python
import reference_strategies
from sphinx.application import Sphinx

SOURCES = (reference_python, reference_strategies, reference_games, reference_commands, reference_files)


def pages() -> dict[str, str]:
    """Return every generated page by its path below `reference/`."""
    return {path: text for source in SOURCES for path, text in source.pages().items()}


def write(folder: Path) -> None:
    """Write all pages below a folder, and remove those that nothing stands behind any more."""
    found = pages()
    for path, text in found.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8", newline="\n")
    for group in {Path(path).parts[0] for path in found}:
        for target in (folder / group).rglob("*.md"):
            if target.relative_to(folder).as_posix() not in found:
                target.unlink()


def clear(folder: Path) -> None:
    """Remove every generated page."""
    for group in {Path(path).parts[0] for path in pages()}:
        shutil.rmtree(folder / group, ignore_errors=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages when a build begins."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / "reference"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
