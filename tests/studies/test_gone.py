"""What is finished can be shown, and added to, when a file that it was made with is gone."""

import json
from pathlib import Path

import numpy as np
import pytest

from sidelight.studies import Player, StudyError, World, opened, parse, plan, read, report, run
from sidelight.studies.gone import definitions
from sidelight.studies.output import is_current, write
from sidelight.studies.report_page import document
from sidelight.studies.running import prepared, summary_line
from sidelight.studies.study import Study

from .making import Watcher, forget, small, write_mine

pytest.importorskip("matplotlib")


@pytest.fixture
def made(tmp_path):
    """A study with a recording and a strategy in files, finished."""
    np.save(tmp_path / "recorded.npy", np.arange(80) % 2)
    write_mine(tmp_path)
    worlds = (World("laws", "balanced"), World("replay", "recorded.npy"))
    study = small(Player("Uniform"), Player("mine.py:Mine"), worlds=worlds, folder=str(tmp_path), measures=("regret",))
    run(study, tmp_path / "out", workers=1)
    return study


def lose(folder, *names):
    for name in names:
        (folder / name).unlink()
    forget()


@pytest.mark.parametrize(
    ("names", "cells"), [(["mine.py"], [2]), (["recorded.npy"], [2]), (["mine.py", "recorded.npy"], [2, 2])]
)
def test_a_report_is_written_from_what_is_stored(tmp_path, made, names, cells):
    before = report(tmp_path / "out").outcome.standings
    lose(tmp_path, *names)
    with pytest.warns(UserWarning, match="cannot be checked") as caught:
        found = report(tmp_path / "out")
    assert found.outcome.standings == before
    assert found.outcome.unfinished == []
    assert len(found.notes) == len(names)
    said = "\n".join(str(each.message) for each in caught)
    for name in names:
        assert f"there is no file '{tmp_path / name}'" in said
        assert str(tmp_path / name) in document(found).to_html()
    assert sum(int(note.split("; ")[1].split()[0]) for note in found.notes) in (sum(cells), sum(cells) - 1)


def test_more_can_be_added_and_what_is_finished_is_not_made(tmp_path, made):
    lose(tmp_path, "mine.py")
    watcher = Watcher()
    more = opened(tmp_path / "out").with_players([Player("FixedAction", {"action": 0})])
    progress = run(more, tmp_path / "out", workers=1, display=watcher)
    assert {task.cell.player.label for task in progress.done.ran} == {"FixedAction(action=0)"}
    assert summary_line(progress) == "6 of 6 cells are finished"
    assert len(write(progress, watcher.note).outcome.standings) == 6
    assert sum("mine.py'; 2 finished cells were made with it" in note for note in watcher.notes) == 1
    assert is_current(progress)
    write_mine(tmp_path)
    there = run(more, tmp_path / "out", workers=1, display=Watcher())
    assert there.done.ran == []
    assert there.notes == []
    assert not is_current(there)  # the report says that something is missing


def test_what_is_not_finished_is_refused_with_the_right_remedy(tmp_path, made):
    lose(tmp_path, "mine.py", "recorded.npy")
    longer = parse_runs(opened(tmp_path / "out"), 6)
    with pytest.raises(StudyError) as caught:
        run(longer, tmp_path / "out", workers=1)
    assert len(caught.value.problems) == 2
    for problem in caught.value.problems:
        assert problem.endswith("put it back, or run the study's file from where it is now")
    assert f"there is no file '{tmp_path / 'mine.py'}', which 1 unfinished cell needs" in str(caught.value)
    assert "impossible" not in str(caught.value)


def parse_runs(study, runs):
    return Study.from_dict({**study.to_dict(), "runs": runs})


def test_what_was_skipped_for_a_missing_file_is_played_when_it_is_back(tmp_path, made):
    longer = Study.from_dict({**opened(tmp_path / "out").to_dict(), "runs": 6, "impossible": "skip"})
    lose(tmp_path, "mine.py")
    progress = run(longer, tmp_path / "out", workers=1, display=Watcher())
    assert {cell.player.label for cell in progress.skipped} == {"Mine"}
    assert all("put it back" in why for why in progress.skipped.values())
    write_mine(tmp_path)
    again = run(longer, tmp_path / "out", workers=1, display=Watcher())
    assert {task.cell.player.label for task in again.done.ran} == {"Mine"}


def test_a_report_of_an_unfinished_study_without_its_files_is_written(tmp_path, made):
    for path in (tmp_path / "out" / "runs").rglob("Mine*.npz"):
        path.unlink()
    lose(tmp_path, "mine.py")
    found = report(tmp_path / "out")
    assert {each.labels.label for each in found.outcome.standings} == {"Uniform"}
    assert "put it back" in document(found).to_html()


def test_a_source_that_is_there_but_broken_is_refused_by_run_and_not_by_report(tmp_path, made):
    (tmp_path / "mine.py").write_text("def")
    with pytest.raises(StudyError, match="Mine cannot play"):
        run(opened(tmp_path / "out"), tmp_path / "out", workers=1)
    with pytest.warns(UserWarning, match="cannot be checked"):
        assert len(report(tmp_path / "out").outcome.standings) == 4


def test_other_parameters_under_the_same_label_are_not_taken_for_what_is_stored(tmp_path, made):
    data = opened(tmp_path / "out").to_dict()
    (mine,) = [each for each in data["players"] if each["label"] == "Mine"]
    mine["parameters"] = {"speed": 2}
    lose(tmp_path, "mine.py")
    with pytest.raises(StudyError, match="there is no file"):
        run(Study.from_dict(data), tmp_path / "out", workers=1)


def test_a_stored_file_that_is_another_one_is_not_used(tmp_path, made):
    first, second = sorted((tmp_path / "out" / "runs" / "apple-tasting" / "balanced").glob("Mine*.npz"))
    second.write_bytes(first.read_bytes())
    lose(tmp_path, "mine.py")
    watcher = Watcher()
    found = write(prepared(opened(tmp_path / "out"), tmp_path / "out", stored=True), watcher.note)
    assert "the stored runs are damaged and were removed" in watcher.notes[0]
    assert [cell.title for cell in found.outcome.unfinished] == ["Mine in apple-tasting, balanced, 60 rounds"]


def test_without_a_list_of_keys_nothing_is_guessed(tmp_path, made):
    (tmp_path / "out" / "keys.json").write_text(json.dumps({"keys": {"x": 1}}))
    lose(tmp_path, "mine.py")
    with pytest.raises(StudyError, match="put it back"):
        prepared(opened(tmp_path / "out"), tmp_path / "out")
    assert {
        cell.player.label for cell in prepared(opened(tmp_path / "out"), tmp_path / "out", stored=True).skipped
    } == {"Mine"}


def test_cells_are_defined_alike_by_a_file_and_by_what_is_stored():
    example = Path(__file__).parents[2] / "src" / "sidelight" / "studies" / "example.toml"
    rich = """
        horizons = [50, 100]
        checkpoints = [10, 50]
        seeds = [0, 3]
        [[games]]
        name = "dynamic-pricing"
        prices = [3, 5]
        cost = "1/2"
        [[worlds]]
        law = [[0.25, 0.25, 0.5]]
        [[worlds]]
        contexts = "linear"
        d = 3
        spread = 1.5
        [[strategies]]
        name = "RandCBP"
        bins = [5, 10]
        sigma = 1.0
    """
    for study in (read(example), parse(rich)):
        settled = plan.settled(study)
        stored = Study.from_dict(json.loads(json.dumps(settled.to_dict())))
        names = list(definitions(plan.cells(settled)))
        assert names == list(definitions(plan.cells(stored)))
        assert len(set(names)) == len(names)
