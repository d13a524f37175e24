"""The tables of docs/how-to/monitor-measurements.md are written by a command."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("make_monitor_tables", DOCS / "make_monitor_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(text):
    """Return the first cells of the rows of each table."""
    parts = re.findall(r"<!-- table ([\w-]+) -->(.*?)<!-- end of table -->", text, re.DOTALL)
    return {
        name: [re.sub(r"\d", "", line.split("|")[1]) for line in part.splitlines() if "|" in line]
        for name, part in parts
    }


def test_tables_are_written_between_their_marks(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "LENGTH", 300)
    page = tmp_path / "page.md"
    page.write_text(script.PAGE.read_text("utf-8"), "utf-8")
    before = page.read_text("utf-8")
    script.main(["--runs", "2", "--table", "use-case", "--table", "reviewers", "--page", str(page)])
    after = page.read_text("utf-8")
    assert rows(after) == rows(before)
    assert set(rows(after)) == set(script.TABLES)
    assert "2 runs, mean ± standard error" in after.replace("\n", " ")
    marks = re.compile(r"(<!-- table [\w-]+ -->).*?(<!-- end of table -->)", re.DOTALL)
    assert marks.sub(r"\1\2", after) == marks.sub(r"\1\2", before)
    with pytest.raises(SystemExit, match="no place"):
        script.written("", "digits", "", None)
