"""Finished tasks on disk: found again, and never believed when they are not what was written."""

from dataclasses import replace

import pytest

from sidelight import SidelightError
from sidelight.studies import GameEntry, PlayerEntry, WorldEntry
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.tasks import CaseTask, split_cases_into_tasks
from sidelight.studies.store.store import State, Store

CELL = Case(GameEntry("apple-tasting"), WorldEntry("laws", "imbalanced"), PlayerEntry("CBP"), horizon=200, runs=3)


@pytest.fixture
def task():
    return split_cases_into_tasks(CELL)[0]


@pytest.fixture
def store(tmp_path, task):
    kept = Store(tmp_path)
    kept.keep(task, task.perform())
    return kept


def state(store, task):
    return store.states([task], thorough=True)[task]


def test_what_is_kept_comes_back(store, task):
    assert state(store, task) is State.READY
    assert store.gather([task]) == task.perform()


def test_other_code_makes_stored_work_stale_and_its_place_is_taken(store, task, monkeypatch):
    before = store.path(task)
    monkeypatch.setattr("sidelight.studies.plan.code.versions_on_worker", lambda: {"sidelight": "9"})
    later = Store(store.folder)
    assert later.states([task])[task] is State.STALE
    assert state(later, task) is State.STALE
    later.keep(task, task.perform())
    later.remove_former(task)
    assert later.states([task])[task] is State.READY
    assert not before.exists()
    assert later.path(task).exists()


def test_what_belongs_to_another_task_is_not_kept(tmp_path, task):
    other = CaseTask(task.case, 3, 3)
    with pytest.raises(SidelightError, match="other sources or parameters"):
        Store(tmp_path).keep(task, other.perform())
    assert state(Store(tmp_path), task) is State.MISSING


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"horizon": 100},
        {"checkpoints": "log"},
        {"player": PlayerEntry("CBP", {"alpha": 1.5}, label="CBP")},
        {"player": PlayerEntry("RandCBP", label="CBP")},
        {"world": WorldEntry("laws", "balanced", label="imbalanced")},
        {"world": WorldEntry("law", [0.3, 0.7], label="imbalanced")},
        {"game": GameEntry("label-efficient", label="apple-tasting")},
    ],
)
def test_whatever_decides_the_runs_decides_the_file(store, task, change):
    other = CaseTask(replace(CELL, **change), task.first, task.count)
    assert store.path(other) != store.path(task)
    assert state(store, other) is not State.READY


@pytest.mark.parametrize("change", [{"runs": 96}, {"patience": 1.0}, {"player": PlayerEntry("CBP", limit=True)}])
def test_what_does_not_decide_the_runs_changes_nothing(store, task, change):
    other = CaseTask(replace(CELL, **change), task.first, task.count)
    assert state(store, other) is State.READY
    assert store.states([other])[other] is State.READY


def test_a_folder_that_cannot_be_written_is_named(tmp_path, task):
    (tmp_path / "runs").write_text("in the way")
    with pytest.raises(
        SidelightError, match=r"cannot write '.*/runs/.*npz': .*What was finished before is kept"
    ) as caught:
        Store(tmp_path / "runs").keep(task, task.perform())
    assert "draft" not in str(caught.value)
