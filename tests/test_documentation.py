"""What people read: links lead somewhere, every page can be found, and no page speaks of what readers do not have."""

import re
from pathlib import Path

import pytest
import set_install_commands

import sidelight as sl

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def written(path):
    """Say whether a page is written by hand, and not when the site is built."""
    parts = path.relative_to(DOCS).parts
    return parts[0] != "gallery" and not (parts[0] == "reference" and len(parts) > 2)


PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
PAGES += [path for path in sorted(DOCS.rglob("*.md")) if written(path)]


def links(path):
    """Return the files that a page links to, those of its tables of contents and what it includes among them."""
    text = path.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) + re.findall(r"^```\{include\} (\S+)", text, re.MULTILINE)
    for contents in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        entries = [line.rpartition("<")[2].rstrip(">") for line in contents.splitlines() if line and line[0] != ":"]
        targets += [f"{entry}.md" for entry in entries]
    found = [(path.parent / target).resolve() for target in targets if "://" not in target]
    return [target for target in found if DOCS not in target.parents or written(target)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    assert [str(target) for target in links(path) if not target.exists()] == []


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += [target for target in links(one) if target.suffix == ".md" and target.exists()]
    assert {str(each.relative_to(ROOT)) for each in PAGES} == {str(each.relative_to(ROOT)) for each in reached}


def test_the_changelog_and_the_citation_speak_of_this_version():
    assert f"\n## {sl.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {sl.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_commands_install_the_package_from_where_it_is():
    for path in set_install_commands.pages():
        text = path.read_text(encoding="utf-8")
        assert set_install_commands.written(text) == text, path.name
    switched = set_install_commands.written('`pip install .` or pip install --upgrade ".[a,b]"', "sidelight")
    assert switched == '`pip install sidelight` or pip install --upgrade "sidelight[a,b]"'


def test_the_pages_are_written_for_strangers():
    """No page speaks of machines or tools that a reader does not have."""
    for path in PAGES:
        assert not re.search(r"/(home|tmp|work|root)/", path.read_text(encoding="utf-8")), path.name


def test_the_tests_that_pages_name_exist():
    """A guarantee names the test that would fail if it were broken."""
    there = {name for path in (ROOT / "tests").rglob("test_*.py") for name in [path.stem, *defined(path)]}
    named = {name for path in PAGES for name in re.findall(r"\btest_\w+", path.read_text(encoding="utf-8"))}
    assert len(named) > 30
    assert sorted(named - there) == []


def defined(path):
    """Return the names of the tests of a file."""
    return re.findall(r"^ *def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
