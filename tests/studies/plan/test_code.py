"""Which code and files decide the runs of a case."""

import pytest

from sidelight import SidelightError
from sidelight.studies import GameEntry, PlayerEntry, WorldEntry
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.code import _own_code_files_of_modules, code_digests_of_case, refresh_code_digests
from sidelight.tasks.versions import versions_on_worker

from ..making import text_of_mine


def case(player, world=None, folder=""):
    return Case(
        GameEntry("apple-tasting"),
        world or WorldEntry("laws", "balanced"),
        PlayerEntry(player),
        10,
        2,
        folder=str(folder),
    )


def own(*arguments):
    refresh_code_digests()
    return code_digests_of_case(case(*arguments))["own"]


def test_the_library_counts_with_its_sources_and_those_of_numpy(monkeypatch):
    before = code_digests_of_case(case("CBP"))
    assert before["own"] == ""
    assert code_digests_of_case(case("RandCBP")) == before
    same = versions_on_worker()
    for name, changes in (("sources", True), ("numpy", True), ("numba", False)):
        monkeypatch.setattr("sidelight.studies.plan.code.versions_on_worker", lambda name=name: same | {name: "9"})
        assert (code_digests_of_case(case("CBP")) != before) is changes


def test_a_file_counts_with_what_it_imports(tmp_path, monkeypatch):
    package = tmp_path / "packaged_for_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("from . import two\nfrom .three import X\n" + text_of_mine())
    for name in ("two", "three", "four"):
        (package / f"{name}.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    digests = [own("packaged_for_a_test.one:Mine")]
    for name, changes in (("four", False), ("two", True), ("three", True), ("one", True)):
        path = package / f"{name}.py"
        path.write_text(path.read_text() + "# edited\n")
        digests.append(own("packaged_for_a_test.one:Mine"))
        assert (digests[-1] != digests[-2]) is changes


def test_all_of_several_files_count(tmp_path):
    files = {tmp_path / "player.py", tmp_path / "world.py"}
    for file in files:
        file.write_text("X = 1\n")
    assert _own_code_files_of_modules({str(file) for file in files}) == files


def test_a_file_may_be_moved_but_not_be_lost(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text_of_mine())
    assert own("mine.py:Mine", None, tmp_path / "one") == own("mine.py:Mine", None, tmp_path / "two") != ""
    one, two = (case("mine.py:Mine", None, tmp_path / name) for name in ("one", "two"))
    assert one.definition == two.definition
    (tmp_path / "two" / "mine.py").unlink()
    with pytest.raises(SidelightError, match="there is no file"):
        own("mine.py:Mine", None, tmp_path / "two")


def test_another_game_world_or_player_is_another_definition():
    ours = case("CBP")
    assert ours.definition != case("CBP", WorldEntry("laws", "near-tie")).definition
    renamed = Case(
        GameEntry("apple-tasting", label="A"), WorldEntry("laws", "balanced", label="B"), PlayerEntry("CBP"), 10, 2
    )
    assert ours.definition == renamed.definition
