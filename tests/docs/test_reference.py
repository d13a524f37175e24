"""Undocumented means failing: every game, strategy, command, error and public name has its place in the reference."""

import importlib
import inspect
import re
from pathlib import Path

import click
import pytest

import sidelight as sl
from sidelight.cli import main

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"
SOURCES = ("reference_python", "reference_strategies", "reference_games", "reference_commands", "reference_files")


@pytest.fixture(scope="module")
def modules():
    """The modules that write the reference."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXTENSIONS))
        yield {name: importlib.import_module(name) for name in SOURCES}


@pytest.fixture(scope="module")
def pages(modules):
    """Every generated page by its path."""
    return {path: text for module in modules.values() for path, text in module.pages().items()}


@pytest.mark.parametrize("name", sl.games.names())
def test_every_game_has_a_page(pages, name):
    text = pages[f"games/{name}.md"]
    assert sl.games.describe(name).story in text
    assert "## What kind of problem it is" in text


@pytest.mark.parametrize("name", sl.strategies.names())
def test_every_strategy_has_a_page(pages, name):
    text = pages[f"strategies/{name}.md"]
    for part in ("| games |", "| contexts |", "| guarantee |", "## How it works", "## Example", "## How it did"):
        assert part in text, part
    assert len(text.partition("## How it works")[2]) > 200
    assert ("| cost |" in text) == ("| ns a round |" in text)


def commands(group=main, context=None):
    """Return the full name of every command, those of groups within groups included, and the command."""
    context = context or click.Context(main, info_name="sidelight", **main.context_settings)
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


@pytest.mark.parametrize(("name", "command"), commands(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_option_of_every_command_is_explained(pages, name, command):
    text = pages[f"commands/{name.removeprefix('sidelight ').replace(' ', '-')}.md"]
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{option.opts[0]} of {name} has no help"
            assert bool(re.search(rf"^- `{option.opts[0]}[` ,]", text, re.MULTILINE)) is not option.hidden


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


def test_every_public_name_is_documented(modules, pages):
    python = modules["reference_python"]
    own_pages = set(sl.strategies.names(published=True))
    for name in python.MODULES:
        text = pages[f"python/{name.removeprefix('sidelight.')}.md"]
        module = importlib.import_module(name)
        for public in set(python.public_names(module)) - (own_pages if name == "sidelight.strategies" else set()):
            assert f"## {public}\n" in text, f"{name}.{public}"
            value = getattr(module, public)
            assert not (inspect.isclass(value) or inspect.isroutine(value)) or value.__doc__, (
                f"{name}.{public} has no docstring"
            )


def test_every_public_package_is_documented(modules):
    """A package that declares public names and is meant for users is listed."""
    internal = {"sidelight.cli", "sidelight.reproduction", "sidelight.service"}
    root = Path(sl.__file__).parent
    declared = {
        f"sidelight.{path.parent.name}" for path in root.glob("*/__init__.py") if "__all__" in path.read_text("utf-8")
    }
    assert declared - internal <= set(modules["reference_python"].MODULES)


def test_every_error_is_listed(pages):
    text = pages["files/errors.md"]
    for name in ("GameError", "OrderError", "UnknownIdError", "TaskError"):
        assert f".{name}`" in text


def test_messages_of_errors_can_be_found(pages):
    text = pages["files/errors.md"]
    assert "SidelightError: action 0 cannot show the symbol 'rotten'; it shows 'nothing'" in text
    assert "GameError: loss row 1 has 1 column but row 0 has 2" in text
