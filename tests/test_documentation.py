"""Undocumented means failing: every game, strategy, command and public name has its place in docs/reference.md."""

import importlib.util
import re
from pathlib import Path

import click
import pytest

import sidelight as sl
from sidelight.cli import main

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(DOCS.rglob("*.md"))
AGAIN = "write docs/reference.md anew: .venv/bin/python docs/make_reference.py"


@pytest.fixture(scope="module")
def make_reference():
    """The script that writes the reference."""
    spec = importlib.util.spec_from_file_location("make_reference", DOCS / "make_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page():
    return (DOCS / "reference.md").read_text(encoding="utf-8")


def sections(text):
    """Return the headings of a page with what stands below each."""
    parts = re.split(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {heading.strip(): body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


def commands(group=main, context=None):
    """Return the full name of every command, those of groups within groups included, and the command."""
    context = context or click.Context(main, info_name="sidelight")
    found = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        found.append((inner.command_path, command))
        if isinstance(command, click.Group):
            found += commands(command, inner)
    return found


def undocumented(text):
    """Return what exists and has no section of its own, or an empty one."""
    wanted = [*sl.games.names(), *sl.strategies.names(), *(name for name, _ in commands())]
    found = sections(text)
    missing = [name for name in wanted if len(found.get(name, "")) < 30]
    return missing + [name for name in sl.__all__ if not re.search(rf"^\| `sl\.{name}` \| \S", text, re.MULTILINE)]


def test_everything_is_documented():
    assert undocumented(page()) == [], AGAIN


@pytest.mark.parametrize("name", ["apple-tasting", "RandCBP", "sidelight analyze", "sidelight monitor replay"])
def test_a_section_that_is_missing_is_noticed(name):
    assert undocumented(page().replace(f"### {name}\n", "### something else\n")) == [name]


def test_a_public_name_that_is_missing_is_noticed():
    assert undocumented(page().replace("| `sl.Game` |", "| `sl.Gone` |")) == ["Game"]


def test_the_reference_says_what_the_package_says(make_reference):
    assert page() == make_reference.reference(), AGAIN


def test_every_option_of_every_command_is_explained():
    for name, command in commands():
        body = sections(page())[name]
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, f"{option.opts[0]} of {name} has no help"
                assert bool(re.search(rf"^- `{option.opts[0]}[` ,]", body, re.MULTILINE)) is not option.hidden


def test_groups_are_walked():
    """A command within a group counts as one, so that it cannot stay undocumented."""

    @click.group()
    def outer():
        pass

    @outer.group()
    def middle():
        pass

    @middle.command()
    def inner():
        pass

    context = click.Context(outer, info_name="top")
    assert [name for name, _ in commands(outer, context)] == ["top middle", "top middle inner"]


def links(path):
    """Return the files that a page links to."""
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    return [(path.parent / target).resolve() for target in targets if "://" not in target]


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


def test_the_changelog_speaks_of_this_version():
    assert f"\n## {sl.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_pages_are_written_for_strangers():
    """No page speaks of machines or tools that a reader does not have."""
    for path in PAGES:
        assert not re.search(r"/(home|tmp|work|root)/", path.read_text(encoding="utf-8")), path.name
