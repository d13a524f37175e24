"""A monitor in a file that several processes use: nothing is lost, whoever is killed."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from sidelight._storage import file_lock
from sidelight.cli.monitor.shared_file import changing_monitor_file, create_shared_monitor_file, shared_file_text
from sidelight.errors import FileError, NoFileError, SidelightError
from sidelight.monitor import ClassifierMonitor

DECIDING = """
import sys
from sidelight.cli.monitor.shared_file import changing_monitor_file
path, name, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
for k in range(times):
    with changing_monitor_file(path) as monitor:
        verify = monitor.decide(name, id=f"{name}-{k}").verify
    if verify:
        with changing_monitor_file(path) as monitor:
            monitor.answer(f"{name}-{k}", correct=k % 5 > 0)
    print(k, flush=True)
"""


def start(path, name, times):
    command = [sys.executable, "-c", DECIDING, str(path), name, str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "monitor.json"
    create_shared_monitor_file(path, ClassifierMonitor(0.05, policy="explore"))
    return path


@pytest.mark.slow
def test_processes_on_one_file_lose_nothing(path):
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(start(path, f"class {k}", 40)) for k in range(3)]
        assert [process.wait(120) for process in processes] == [0, 0, 0]
    report = ClassifierMonitor.load(path).report()
    assert sorted((one.predictions, one.verified, one.errors) for one in report.classes) == [(40, 40, 8)] * 3
    assert [file.name for file in path.parent.iterdir()] == ["monitor.json"]


@pytest.mark.slow
def test_a_process_that_is_killed_loses_nothing_that_it_has_said(path):
    with start(path, "cat", 100_000) as process:
        said = [int(process.stdout.readline()) for _ in range(10)][-1]
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    with changing_monitor_file(path) as monitor:
        assert monitor.report()["cat"].predictions > said
        assert monitor.decide("cat", id=f"cat-{said}").verify
    assert {file.name for file in path.parent.iterdir() if "-draft-" not in file.name} == {"monitor.json"}


def test_a_mistake_changes_nothing(path):
    before = path.read_bytes()

    def change():
        with changing_monitor_file(path) as monitor:
            monitor.decide("cat", id=1)
            monitor.answer(2, correct=True)

    with pytest.raises(SidelightError, match="no verification with the id 2"):
        change()
    assert path.read_bytes() == before
    with pytest.raises(FileError, match="already"):
        create_shared_monitor_file(path, ClassifierMonitor(0.05))
    with pytest.raises(NoFileError), changing_monitor_file(path.with_name("none.json")):
        pass
    assert [file.name for file in path.parent.iterdir()] == ["monitor.json"]


def test_a_lock_that_is_not_given_back_is_said(path):
    again = contextlib.ExitStack()
    with file_lock(path), pytest.raises(FileError, match=r"in use by another process for over 0.05 s"):
        again.enter_context(file_lock(path, patience=0.05))
    with file_lock(path, patience=0.05):
        pass


def test_a_lock_file_that_was_left_behind_is_taken_over(path):
    path.with_name(".monitor.json.lock").touch()
    with file_lock(path, patience=0.05):
        assert os.path.exists(path.with_name(".monitor.json.lock"))
    assert not os.path.exists(path.with_name(".monitor.json.lock"))


def test_classes_and_ids_are_text():
    assert [shared_file_text(one) for one in (7, 7.0, 7.5, "07", True, None, ["7"])] == [
        "7",
        "7",
        "7.5",
        "07",
        "True",
        None,
        ["7"],
    ]
