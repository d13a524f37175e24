"""What each call did is written down before it works, so that interrupted and killed calls are told of, too."""

import pytest

import sidelight as sl
from sidelight.studies import PlayerEntry, opened, report, run
from sidelight.studies.reporting.page import write_study_report_document

from ..making import Watcher, calls, failures, small, write_mine

pytest.importorskip("matplotlib")


class Ending(Watcher):
    """Ends the work when the first piece is finished, and remembers what the history says then."""

    def __init__(self, error, folder):
        super().__init__()
        self.error, self.folder, self.during = error, folder, []

    def finished(self, task):
        self.during = calls(self.folder)
        raise self.error


def changed():
    return small(PlayerEntry("Uniform"), PlayerEntry("FixedAction", {"action": 0}), PlayerEntry("CBP"), runs=6)


@pytest.mark.parametrize(
    ("error", "state", "words"),
    [
        (KeyboardInterrupt(), "interrupted", "interrupted"),
        (sl.SidelightError("the disk\nis full"), "error", "by an error: the disk is full"),
    ],
)
def test_what_had_changed_is_known_after_an_interruption(tmp_path, error, state, words):
    run(small(), tmp_path, workers=1)
    display = Ending(error, tmp_path)
    with pytest.raises(type(error)):
        run(changed(), tmp_path, workers=1, display=display)
    assert [call["state"] for call in display.during] == ["finished", "begun"]
    assert [call["state"] for call in calls(tmp_path)] == ["finished", state]
    run(changed(), tmp_path, workers=1)
    _, second, third = calls(tmp_path)
    assert second["changes"] == ["players new: CBP", "runs: 6 instead of 4"]
    assert second["pieces"] == 9
    assert third["changes"] == []
    found = report(tmp_path)
    for text in (write_study_report_document(found).to_html(), write_study_report_document(found).to_markdown()):
        assert "players new: CBP; runs: 6 instead of 4" in text
        assert words in text


def test_a_call_with_nothing_to_do_leaves_no_trace(tmp_path):
    run(small(), tmp_path, workers=1)
    before = (tmp_path / "study.json").read_bytes()
    run(small(), tmp_path, workers=1)
    assert (tmp_path / "study.json").read_bytes() == before
    more = small(PlayerEntry("Uniform"), PlayerEntry("FixedAction", {"action": 0}), PlayerEntry("CBP"))
    run(more, tmp_path, workers=1, share="1/1")
    count = len(calls(tmp_path))
    next((tmp_path / "runs").rglob("CBP*.npz")).unlink()
    doing = [len(run(more, tmp_path, workers=1, share=f"{k}/6").done.ran) for k in range(1, 7)]
    assert sum(doing) == 1
    assert len(calls(tmp_path)) == count + 1  # shares that found all of theirs done are not listed


def test_two_calls_at_a_time_are_both_kept(tmp_path):
    class Starting(Watcher):
        def begin(self, title, total, pending):
            if pending:
                run(small(PlayerEntry("Uniform")), tmp_path, workers=1)

    run(small(), tmp_path, workers=1, display=Starting())
    assert [(call["state"], call["pieces"]) for call in calls(tmp_path)] == [("finished", 4), ("finished", 2)]


@pytest.mark.parametrize(
    "content", ["", '{"study": {"na', "[]", '{"format": "sidelight study", "study": {"name": "x"}}']
)
def test_a_damaged_record_is_refused(tmp_path, content):
    run(small(), tmp_path, workers=1)
    (tmp_path / "study.json").write_text(content)
    for act in (lambda: opened(tmp_path), lambda: run(small(), tmp_path, workers=1)):
        with pytest.raises(sl.SidelightError, match=r"is damaged.*: remove it, and run the study's file again"):
            act()
    (tmp_path / "study.json").unlink()
    assert run(small(), tmp_path, workers=1).done.ran == []


def test_failures_name_the_seed_where_there_are_several(tmp_path):
    bad = write_mine(tmp_path, "raise RuntimeError('out of apples')")
    study = small(PlayerEntry("Uniform"), bad, seeds=(0, 5), runs=2)
    found = report(run(study, tmp_path / "out", workers=1, display=Watcher()))
    titles = [f"Mine in apple-tasting, balanced, 60 rounds, seed {seed}" for seed in (0, 5)]
    assert sorted(each["case"] for each in found.failures) == titles
    for title in titles:
        assert write_study_report_document(found).to_html().count(title) == 2  # failed, and not finished
        assert f"**{title}**: " in write_study_report_document(found).to_markdown()
    assert write_study_report_document(found).to_html().count("<details open>") == 1  # the second traceback is the same
    assert write_study_report_document(found).to_html().count("<details>") == 1
    # A share that does only one of them again leaves the other.
    write_mine(tmp_path)
    run(study, tmp_path / "out", workers=1, share="4/4")
    assert [each["case"] for each in failures(tmp_path / "out")] == titles[:1]
