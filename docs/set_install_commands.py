"""Write what pip installs, `sidelight._version.PACKAGE`, into all commands of the README and the documentation."""

from __future__ import annotations

import re
from pathlib import Path

from sidelight._version import PACKAGE

ROOT = Path(__file__).parent.parent
_COMMAND = re.compile(r"(pip install (?:--upgrade )?)(\"?)(?:\.|sidelight)(\[[a-z,]+\])?\2(?=[\s`]|$)", re.MULTILINE)


def pages() -> list[Path]:
    """Return the pages that may tell people what to install."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def written(text: str, package: str = PACKAGE) -> str:
    """Return a page with the package in its commands."""
    return _COMMAND.sub(lambda found: f"{found[1]}{found[2]}{package}{found[3] or ''}{found[2]}", text)


if __name__ == "__main__":
    for path in pages():
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
