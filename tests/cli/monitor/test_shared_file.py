"""A monitor in a file that several processes use: nothing is lost, whoever is killed."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from sidelight._storage import file_lock
from sidelight.cli.monitor.shared_file import changing_monitor_file, class_of, create, id_of, label_of
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
    create(path, ClassifierMonitor(0.05, policy="explore"))
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
    assert [file.name for file in path.parent.iterdir()] == ["monitor.json"]


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
        create(path, ClassifierMonitor(0.05))
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


def classes_of(monitor, values):
    return [class_of(monitor, one) for one in values]


def test_a_class_is_found_however_it_is_written():
    monitor = ClassifierMonitor(0.05, classes=[7, "8"])
    assert classes_of(monitor, ["7", "8", "9", 7, 7.0, 8, "7.5"]) == [7, "8", "9", 7, 7, "8", "7.5"]
    assert classes_of(monitor, [None, ["7"], True]) == [None, ["7"], True]
    assert classes_of(ClassifierMonitor(0.05), ["7", 9, "07"]) == ["7", 9, "07"]


def test_new_classes_are_read_as_the_known_ones_are():
    numbers = ClassifierMonitor(0.05, classes=[7, 0.5])
    found = classes_of(numbers, ["9", "-3", "9.0", "0.25", "1e3", "cat", "nan", "inf"])
    assert found == [9, -3, 9, 0.25, 1000, "cat", "nan", "inf"]
    assert [type(one) for one in found[:3]] == [int] * 3
    for unclear in ("07", "+7", "1_000", "7.", ".5", "７"):
        with pytest.raises(SidelightError, match=r"known classes are numbers, and .* is not a plainly written number"):
            class_of(numbers, unclear)
    texts = ClassifierMonitor({"7": 0.05, "8": 0.1, None: 0.2})
    assert classes_of(texts, [7, 9, 9.0, "07", 0.5, True]) == ["7", "9", "9", "07", "0.5", True]
    assert classes_of(ClassifierMonitor(0.05, cap=9, weights={"7": 2, None: 1}), [7, 9]) == ["7", "9"]
    truth_values = ClassifierMonitor(0.05, classes=[True])
    assert classes_of(truth_values, ["True", "false", "FALSE", "0"]) == [True, False, False, 0]


def test_labels_are_read_as_the_predicted_class_is():
    for prediction, value, true in [
        (7, "7", 7),
        (7, "7.0", 7),
        (7, 8, 8),
        (0.5, "0.25", 0.25),
        (True, "false", False),
        ("cat", "7", "7"),
        ("7", "07", "07"),
        ("7", 7.0, "7"),
    ]:
        found = label_of(prediction, value)
        assert (found, type(found)) == (true, type(true))
    for value, error in [("dog", "'dog' cannot be read as one: give a number"), ("07", "write 7 if you mean that")]:
        with pytest.raises(SidelightError, match=error):
            label_of(7, value)


def test_ids_are_found_however_they_are_written():
    monitor = ClassifierMonitor(0.05, cap=2, aim="first-come")
    for id in (17, "18", 19, "20"):  # of which the last two pass
        monitor.decide("cat", id=id)
    assert [id_of(monitor, one) for one in ("17", 17, "18", 18)] == [17, 17, "18", "18"]
    assert [id_of(monitor, one) for one in ("19", 19, "20", 20)] == [19, 19, "20", "20"]
    assert [id_of(monitor, one) for one in ("21", 21, "017", "17.0", "-0", "r1")] == [
        "21",
        21,
        "017",
        "17.0",
        "-0",
        "r1",
    ]
    monitor.decide("cat", id="17")
    assert [id_of(monitor, one) for one in ("17", 17)] == ["17", 17]
    with pytest.raises(SidelightError, match="is not an id"):
        id_of(monitor, [17])
