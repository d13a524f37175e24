"""The documentation site: it builds without a warning, its links lead somewhere, and nothing public is missing.

Examples of the gallery are not executed here (`make docs` does that), so that the build takes seconds.
"""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import sidelight as sl

pytest.importorskip("sphinx")
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """Where a page leads, and which anchors it has."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for name in ("src", "href"):
            if tag in ("script", "img", "link") and given.get(name):
                self.loaded.append(given[name])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built from a copy of its sources."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("docs", "examples"):
        generated = shutil.ignore_patterns("gallery", "_drawings", "python", "strategies", "games", "commands", "files")
        shutil.copytree(ROOT / name, folder / name, ignore=generated)
    shutil.copytree(ROOT / "tests" / "transcripts", folder / "tests" / "transcripts")
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder / name)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-D", "plot_gallery=0", "docs", "html"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"MPLBACKEND": "agg"})
    assert done.returncode == 0, done.stderr[-4000:]
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    """Every page by its path below the site."""
    return {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }


def broken(path, page, pages):
    """Return the links of a page that lead nowhere."""
    found = []
    for link in page.links + page.loaded:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        known = target.exists()
        if known and parts.fragment and target in pages:
            known = unquote(parts.fragment) in pages[target].anchors
        if not known:
            found.append(link)
    return found


def test_links_and_anchors_resolve(pages):
    assert {str(path): broken(path, page, pages) for path, page in pages.items() if broken(path, page, pages)} == {}


def test_a_link_that_leads_nowhere_is_noticed(pages):
    path = next(iter(pages))
    assert broken(path, Page('<a href="nowhere.html">x</a><a href="#nothing">y</a>'), pages) == [
        "nowhere.html",
        "#nothing",
    ]


def test_nothing_is_loaded_from_elsewhere(pages):
    for path, page in pages.items():
        assert [each for each in page.loaded if re.match(r"(https?:)?//", each)] == [], path


def test_every_public_name_is_documented(site):
    for name in sl.__all__:
        assert f">{name}" in (site / "reference/python/sidelight.html").read_text(encoding="utf-8"), name


@pytest.mark.parametrize("kind", ["strategies", "games"])
def test_every_strategy_and_game_has_a_page(site, kind):
    for name in getattr(sl, kind).names():
        assert (site / "reference" / kind / f"{name}.html").exists(), name


def test_search_finds_what_people_look_for(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8").lower()
    for word in ("appl", "tast", "randcbp", "toler", "symbol"):
        assert f'"{word}"' in index or f"{word}:" in index, word


def test_search_asks_for_no_other_page_where_that_is_forbidden(pages):
    """A page that was opened from a disk may not read others."""
    (page,) = [page for path, page in pages.items() if path.name == "search.html"]
    loaded = [urlsplit(each).path.rpartition("/")[2] for each in page.loaded]
    assert loaded.index("documentation_options.js") < loaded.index("site.js")
