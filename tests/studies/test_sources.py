"""Which sources decide a result."""

import importlib

import pytest

import sidelight as sl
from sidelight.studies import Game, Player, World, making, sources
from sidelight.studies.plan import Cell
from sidelight.studies.work import key, tasks

from .making import forget


def reached(name):
    kind = getattr(sl.strategies, name)
    return sources.reached(making.modules(kind))


def test_a_strategy_depends_on_what_it_imports_and_on_nobody_else():
    found = reached("CBP")
    assert {
        "sidelight.strategies.confidence_bounds.cbp",
        "sidelight.strategies.confidence_bounds.plausible",
        "sidelight.strategies.base",
    } <= set(found)
    assert not {"sidelight.strategies.posterior.tspm", "sidelight.strategies", "sidelight", "sidelight.games"} & set(
        found
    )
    assert any(each.startswith("numpy==") for each in found)
    assert "sidelight.strategies.posterior.tspm" in reached("TSPM")


@pytest.mark.parametrize("name", sl.strategies.names(published=True))
def test_every_strategy_is_reached(name):
    assert getattr(sl.strategies, name).__module__ in reached(name)


def test_what_is_left_out_exists_and_decides_nothing():
    for name in sources._IRRELEVANT:
        importlib.import_module(name)
    for name in sl.strategies.names():
        assert not [each for each in reached(name) if ".results" in each or ".report" in each or ".cli" in each]


def test_versions_of_other_packages_count(monkeypatch):
    before = sources.digest(["sidelight.strategies.confidence_bounds.cbp"])
    version = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "9.9" if name == "numpy" else version(name))
    forget()
    assert sources.digest(["sidelight.strategies.confidence_bounds.cbp"]) != before
    monkeypatch.undo()
    forget()
    assert sources.digest(["sidelight.strategies.confidence_bounds.cbp"]) == before


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('"""Other words."""\nA = 1\n', True),
        ("# first\n\nA = 1\n\n", True),
        ("A = 2\n", False),
        ('def f():\n    """Words."""\n    return 1\nA = 1\n', False),
        ('A = 1\nB = """\n# no comment\n"""\n', False),
    ],
)
def test_only_what_runs_counts(tmp_path, text, same):
    path = tmp_path / "mine.py"
    path.write_text('"""Words."""\n\nA = 1\n')
    before = sources.digest([str(path)])
    path.write_text(text)
    forget()
    assert (sources.digest([str(path)]) == before) is same


def test_a_line_of_a_text_is_not_a_comment(tmp_path):
    path = tmp_path / "mine.py"
    digests = []
    for line in ("# one", "# two"):
        path.write_text(f'A = """\n{line}\n"""\n')
        forget()
        digests.append(sources.digest([str(path)]))
    assert digests[0] != digests[1]


def test_relative_imports_and_those_of_type_checkers(tmp_path, monkeypatch):
    package = tmp_path / "packaged_for_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text(
        "from typing import TYPE_CHECKING\nfrom . import two\nfrom .three import X\n"
        "if TYPE_CHECKING:\n    from .four import Y\n"
    )
    for name in ("two", "three", "four"):
        (package / f"{name}.py").write_text("X = Y = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    forget()
    found = sources.reached(["packaged_for_a_test.one"])
    assert found == ["packaged_for_a_test.one", "packaged_for_a_test.three", "packaged_for_a_test.two"]


def test_another_game_world_or_player_is_another_key():
    cell = Cell(Game("apple-tasting"), World("laws", "balanced"), Player("CBP"), horizon=10, runs=2)
    near = Cell(Game("apple-tasting"), World("laws", "near-tie"), Player("CBP"), horizon=10, runs=2)
    renamed = Cell(Game("apple-tasting", label="A"), World("laws", "balanced", label="B"), Player("CBP"), 10, 2)
    assert key(cell) != key(near)
    assert key(cell) == key(renamed)
    assert [task.facts()["first_run"] for task in tasks(cell)] == [0]
