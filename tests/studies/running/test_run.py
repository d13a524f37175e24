"""Running studies: resumed, edited, shared out, with strategies that misbehave."""

import subprocess
import sys

import numpy as np
import pytest

import sidelight as sl
from sidelight.studies import GameEntry, PlayerEntry, StudyError, WorldEntry, opened, report, run
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.skips import group_skipped_cases
from sidelight.studies.plan.tasks import CaseTask, split_cases_into_tasks
from sidelight.studies.reporting.standings import finished_study_results
from sidelight.studies.store.store import State, Store
from sidelight.text import list_some

from ..making import Watcher, calls, failures, small, text_of_mine, write_mine


def ran(study, folder, **options):
    """Run a study; return what became of it and who watched."""
    watcher = Watcher()
    return run(study, folder, workers=2, display=watcher, **options), watcher


def test_runs_are_those_of_simulate_and_are_made_once(tmp_path):
    study = small(PlayerEntry("RandCBP", {"bins": 10}), worlds=(WorldEntry("law", [0.3, 0.7]),), seeds=(0, 5))
    progress, _ = ran(study, tmp_path)
    assert len(progress.done.ran) == 4
    (entry,), missing = finished_study_results(study, progress.store)
    assert missing == []
    strategy = sl.strategies.RandCBP(sl.games.load("apple-tasting"), bins=10)
    direct = [sl.simulate(strategy, sl.environments.IID([0.3, 0.7]), 60, 4, seed) for seed in (0, 5)]
    assert np.array_equal(entry.regret, np.concatenate([each.regret for each in direct]))
    assert np.array_equal(entry.plays, np.concatenate([each.plays for each in direct]))
    again, watcher = ran(study, tmp_path)
    assert (watcher.pending, again.done.ran) == (0, [])
    assert opened(tmp_path) == study


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("raise RuntimeError('out of apples')", "RuntimeError: out of apples"),
        ("return 7", "SidelightError: Mine chose action 7: there are actions 0 to 1"),
        ("return 'sell'", "SidelightError: Mine chose 'sell', which is not the index of an action"),
        ("time.sleep(600)", "no round was finished for 2 s"),
    ],
)
def test_a_strategy_that_misbehaves_harms_nobody_else(tmp_path, act, reason):
    bad = write_mine(tmp_path, act)
    study = small(PlayerEntry("Uniform"), bad, PlayerEntry("FixedAction", {"action": 0}), patience=2.0)
    progress, watcher = ran(study, tmp_path / "out")
    assert [failure.reason for failure in watcher.failures] == [reason]
    assert len(progress.done.ran) == 4
    (failure,) = failures(tmp_path / "out")
    assert "mine.py" in failure["traceback"] or "chose" in failure["traceback"]
    assert failure["case"].startswith("Mine in apple-tasting")
    assert not list((tmp_path / "out" / "runs").rglob("Mine*.npz"))
    write_mine(tmp_path)
    fixed, _ = ran(study, tmp_path / "out")
    assert {task.case.player.label for task in fixed.done.ran} == {"Mine"}
    assert failures(tmp_path / "out") == []


def test_importing_needs_no_patience(tmp_path):
    """Only rounds do: what takes longer to import or compile than a round may take is not a strategy that hangs."""
    before = "import time\ntime.sleep(3.0)\n"  # imported by the process that plays
    progress, watcher = ran(small(write_mine(tmp_path, before=before), patience=2.0), tmp_path / "out")
    assert (watcher.failures, len(progress.done.ran)) == ([], 2)


def test_an_edited_strategy_runs_again_and_nobody_else(tmp_path):
    """Even in a process that goes on."""
    study = small(PlayerEntry("Uniform"), write_mine(tmp_path))
    ran(study, tmp_path / "out")
    assert ran(study, tmp_path / "out")[0].done.ran == []
    write_mine(tmp_path, act="return 1")
    progress, watcher = ran(study, tmp_path / "out")
    assert {task.case.player.label for task in progress.done.ran} == {"Mine"}
    assert watcher.notes == ["2 stored pieces of work were from other code or parameters and will be done again"]
    assert calls(tmp_path / "out")[-1]["again_cases"] == ["Mine in apple-tasting, balanced, 60 rounds"]


def test_a_helper_of_an_edited_strategy_counts(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helper_of_mine.py").write_text("ACTION = 0\n")
    study = small(write_mine(tmp_path, "return ACTION", before="from helper_of_mine import ACTION\n"))
    ran(study, "out")
    (tmp_path / "helper_of_mine.py").write_text("ACTION = 1\n")
    progress, _ = ran(study, "out")
    assert len(progress.done.ran) == len(progress.done.again) == 2


def test_an_edited_module_is_not_taken_for_what_was_imported(tmp_path, monkeypatch):
    """Processes that play import it anew."""
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "module_of_mine.py"
    file.write_text(text_of_mine())
    study = small(PlayerEntry("module_of_mine:Mine"))
    first, _ = ran(study, tmp_path / "out")
    file.write_text(text_of_mine("return 1 - 0"))
    again, _ = ran(study, tmp_path / "out")
    plays = [next(iter(finished_study_results(study, state.store)[0])).plays[0].tolist() for state in (again,)]
    assert len(first.done.ran) == len(again.done.again) == 2
    assert plays == [[0, 60]]
    file.write_text(text_of_mine())
    assert len(ran(study, tmp_path / "out")[0].done.ran) == 2


def test_a_file_that_is_gone_is_named(tmp_path):
    study = small(write_mine(tmp_path), impossible="skip")
    ran(study, tmp_path / "out")
    (tmp_path / "mine.py").unlink()
    for act in (lambda: ran(study, tmp_path / "out"), lambda: report(tmp_path / "out")):
        with pytest.raises(sl.SidelightError, match=r"there is no file '.*mine\.py'"):
            act()


def test_an_edited_study_runs_what_is_new_and_says_so(tmp_path):
    ran(small(), tmp_path)
    more = small(
        PlayerEntry("Uniform"), PlayerEntry("FixedAction", {"action": 0}), PlayerEntry("CBP"), runs=6, horizons=(60, 30)
    )
    progress, watcher = ran(more, tmp_path)
    assert watcher.notes == ["players new: CBP", "horizons: 60, 30 instead of 60", "runs: 6 instead of 4"]
    # CBP everywhere, all players at the new horizon, and the runs that were added.
    assert len(progress.done.ran) == 3 + 3 * 3 + 2 * 1
    assert progress.done.again == []
    fewer, watcher = ran(small(PlayerEntry("Uniform")), tmp_path)
    assert fewer.done.ran == []
    assert any("no longer there" in note for note in watcher.notes)


def test_a_byte_more_in_a_finished_study_is_noticed(tmp_path):
    progress, _ = ran(small(), tmp_path)
    file = next((tmp_path / "runs").rglob("*.npz"))
    file.write_bytes(file.read_bytes() + b"0")
    with pytest.raises(sl.SidelightError, match=r"npz' is damaged: remove it, and run the study again"):
        report(progress)
    file.unlink()
    assert len(ran(small(), tmp_path)[0].done.ran) == 1


def test_impossible_combinations_are_listed_together_before_anything_runs(tmp_path):
    study = small(
        PlayerEntry("CBP"),
        PlayerEntry("CBPSide"),
        games=(GameEntry("apple-tasting"), GameEntry("hopeless")),
    )
    with pytest.raises(StudyError) as caught:
        ran(study, tmp_path / "out")
    text = str(caught.value)
    assert "CBP cannot play hopeless in balanced: " in text
    assert "CBPSide cannot play 2 games (apple-tasting, hopeless) in balanced: CBPSide decides by contexts" in text
    assert text.endswith('or write impossible = "skip"')
    assert not (tmp_path / "out" / "runs").exists()


def test_impossible_combinations_may_be_skipped(tmp_path):
    study = small(PlayerEntry("CBP"), games=(GameEntry("apple-tasting"), GameEntry("hopeless")), impossible="skip")
    progress, _ = ran(study, tmp_path)
    assert [(case.game.label, case.player.label) for case in progress.skipped] == [("hopeless", "CBP")]
    assert len(progress.done.ran) == 2
    again, _ = ran(study, tmp_path)
    assert again.skipped == progress.skipped
    with pytest.raises(StudyError, match="nobody plays anywhere"):
        ran(small(PlayerEntry("CBP"), games=(GameEntry("hopeless"),), impossible="skip"), tmp_path / "other")


def test_reasons_are_told_once():
    """Up to the semicolon, after which they are about a single game."""
    games = (GameEntry("label-efficient", {"cost": 1}), GameEntry("bartok"))
    cases = [Case(game, WorldEntry("laws", "balanced"), PlayerEntry("CBP", label="mine"), 10, 2) for game in games]
    (same,) = group_skipped_cases(dict.fromkeys(cases, "CBP: it cannot; so there"))
    assert str(same) == "mine cannot play 2 games (label-efficient(cost=1), bartok) in balanced: it cannot; so there"
    (alike,) = group_skipped_cases({cases[0]: "it cannot; 3 outcomes", cases[1]: "it cannot; 4 outcomes"})
    assert alike.why == "it cannot"
    assert len(group_skipped_cases({cases[0]: "it cannot", cases[1]: "it will not"})) == 2
    assert list_some("abcde", 3) == "a, b, c and 2 more"


def test_policies_watch_classifiers(tmp_path):
    study = small(
        PlayerEntry("sequential", policy=True),
        PlayerEntry("explore", {"verifications": 20}, policy=True),
        games=(),
        worlds=(WorldEntry("classifiers", 1, {"tolerance": 0.1}),),
        measures=("verifications", "f1"),
    )
    progress, _ = ran(study, tmp_path)
    found, _ = finished_study_results(study, progress.store)
    assert {labels.world for labels in found.labels} == {"classifiers, case 1(tolerance=0.1)"}
    assert [results.values("f1").shape for results in found] == [(4,), (4,)]


def test_a_game_and_a_recording_in_files(tmp_path):
    sl.games.load("label-efficient").save(tmp_path / "mine.toml")
    np.savez(tmp_path / "recorded.npz", outcomes=np.arange(80) % 2)
    (tmp_path / "rows.csv").write_text("outcome,x\n" + "".join(f"{k % 2},{k / 80}\n" for k in range(80)))
    study = small(
        PlayerEntry("Uniform"),
        games=(GameEntry(file="mine.toml"),),
        worlds=(WorldEntry("replay", "recorded.npz"), WorldEntry("replay", "rows.csv")),
        folder=str(tmp_path),
    )
    progress, _ = ran(study, tmp_path / "out")
    assert len(progress.done.ran) == 4
    (tmp_path / "mine.toml").unlink()
    assert ran(opened(tmp_path / "out"), tmp_path / "out")[0].done.ran == []
    np.savez(tmp_path / "recorded.npz", outcomes=np.zeros(80, int))
    changed, _ = ran(opened(tmp_path / "out"), tmp_path / "out")
    assert {task.case.world.label for task in changed.done.ran} == {"recorded"}


def test_an_interrupted_run_goes_on(tmp_path):
    class Interrupting(Watcher):
        def finished(self, task):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(small(), tmp_path, workers=1, display=Interrupting())
    progress, watcher = ran(small(), tmp_path)
    assert watcher.pending == 3
    states = Store(tmp_path / "runs").states(
        [task for case in progress.cases for task in split_cases_into_tasks(case)], thorough=True
    )
    assert set(states.values()) == {State.READY}


@pytest.mark.parametrize(
    "labels", [("A/b", "A b"), ("\U0001f389", "\U0001f680"), ("x" * 90 + "1", "x" * 90 + "2"), ("界" * 90, "界")]
)
def test_labels_that_look_alike_do_not_share_files(tmp_path, labels):
    players = [PlayerEntry("FixedAction", {"action": k}, label=label) for k, label in enumerate(labels)]
    worlds = [WorldEntry("law", [0.3, 0.7], label=label) for label in labels]
    ran(small(players[0], worlds=(worlds[0],)), tmp_path)
    study = small(*players, worlds=tuple(worlds))
    progress, _ = ran(study, tmp_path)
    assert progress.summary() == "4 of 4 cases are finished"
    assert progress.done.again == []
    assert ran(study, tmp_path)[0].done.ran == []


def test_a_file_may_import_its_neighbors(tmp_path, monkeypatch):
    """From wherever the study is run."""
    monkeypatch.syspath_prepend(str(tmp_path))  # so that what is added to the path is removed again
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "neighbor_of_mine.py").write_text("ACTION = 1\n")
    study = small(write_mine(tmp_path / "mine", "return ACTION", before="from neighbor_of_mine import ACTION\n"))
    assert len(ran(study, tmp_path / "out")[0].done.ran) == 2


def test_a_strategy_that_ends_its_process_harms_nobody_else(tmp_path):
    """Other people's code is never run in this process."""
    bad = write_mine(tmp_path, "import os; os._exit(4)")
    progress, watcher = ran(small(PlayerEntry("Uniform"), bad), tmp_path / "out")
    (failure,) = watcher.failures
    assert failure.reason.startswith("the process that performed Mine in apple-tasting, balanced, 60 rounds, runs ")
    assert failure.reason.endswith("ended with exit code 4")
    assert {task.case.player.label for task in progress.done.ran} == {"Uniform"}


def test_processes_find_the_same_as_threads(tmp_path, monkeypatch):
    study = small(PlayerEntry("RandCBP"), PlayerEntry("CBP"), write_mine(tmp_path, "return int(self.rng.integers(2))"))
    stored = []
    for folder, seconds in (("threads", 1e9), ("processes", -1.0)):
        monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", seconds)
        progress, watcher = ran(study, tmp_path / folder)
        assert watcher.failures == []
        stored.append([results.regret for results in finished_study_results(study, progress.store)[0]])
    assert len(stored[0]) == 3
    assert all(np.array_equal(one, other) for one, other in zip(*stored, strict=True))


def test_a_strategy_edited_while_the_study_runs_is_not_kept(tmp_path, monkeypatch):
    """Processes that start later would import another one than the study began with."""
    monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", -1.0)
    study = small(PlayerEntry("Uniform"), write_mine(tmp_path))

    class Editing(Watcher):
        def begin(self, title, total, pending):
            write_mine(tmp_path, "return 1")

    watcher = Editing()
    progress = run(study, tmp_path / "out", workers=1, display=watcher)
    assert [failure.reason for failure in watcher.failures] == ["its sources were edited while the study was running"]
    assert {task.case.player.label for task in progress.done.ran} == {"Uniform"}


@pytest.mark.slow
def test_a_script_may_play_its_own_strategy(tmp_path):
    """It is played in this process, as others would run the script again; and when it is edited, it runs again."""
    end = """
import sidelight.tasks.local
from sidelight.studies import GameEntry, PlayerEntry, Study, WorldEntry, run

sidelight.tasks.local._WORTHWHILE = -1.0
game, world, player = GameEntry("apple-tasting"), WorldEntry("laws", "balanced"), PlayerEntry("__main__:Mine")
study = Study("own", games=(game,), worlds=(world,), players=(player,), runs=2)
progress = run(study, "out")
print(len(progress.done.ran), len(progress.done.failures))
"""
    script = tmp_path / "script.py"
    said = []
    for act in ("return 0", "return 0", "return 1"):
        script.write_text(text_of_mine(act) + end)
        done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True)
        said.append(done.stdout.split())
    assert said == [["1", "0"], ["0", "0"], ["1", "0"]]
    typed = subprocess.run(
        [sys.executable, "-"], input=script.read_text(), cwd=tmp_path, capture_output=True, text=True
    )
    assert "Mine was typed at a prompt" in typed.stderr


@pytest.mark.parametrize(
    ("player", "world", "where"),
    [
        (PlayerEntry("CBP"), WorldEntry("laws", "balanced"), "anywhere"),
        (PlayerEntry("CBP"), WorldEntry("environment", "sidelight.reproduction.streams:Any"), "anywhere"),
        (PlayerEntry("CBP"), WorldEntry("laws", "mine:laws"), "apart"),
        (PlayerEntry("mine.py:Mine"), WorldEntry("laws", "balanced"), "apart"),
        (PlayerEntry("__main__:Mine"), WorldEntry("laws", "balanced"), "here"),
        (PlayerEntry("CBP"), WorldEntry("laws", "__main__:laws"), "here"),
        (PlayerEntry("sequential", policy=True), WorldEntry("classifiers", 1, {"tolerance": 0.1}), "anywhere"),
    ],
)
def test_only_our_own_compiled_code_is_run_in_this_process(player, world, where, monkeypatch):
    task = CaseTask(Case(GameEntry("apple-tasting"), world, player, 10, 2), 0, 2)
    assert task.where == where
    monkeypatch.setenv("SIDELIGHT_JIT", "0")
    assert task.where == ("apart" if where == "anywhere" and not player.policy else where)
