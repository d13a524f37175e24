"""Commands that reach a served database: for its owner only, in turn, and never half understood."""

import json
import os
import socket
import stat
import threading

import pytest

from sidelight.errors import SidelightError
from sidelight.service.server.control import Control, ask, socket_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs Unix sockets")


def run(name, arguments):
    if name == "refuse":
        raise SidelightError("this cannot be done: do something else")
    if name == "fail":
        raise ZeroDivisionError("secret detail")
    return {"name": name, **arguments}


@pytest.fixture
def database(tmp_path):
    return tmp_path / "test.db"


@pytest.fixture
def control(database):
    control = Control(database, run)
    yield control
    control.close()


def test_commands_are_answered(control, database):
    assert ask(database, "key create", {"scopes": ["decide"], "text": "\u00e4\n"}) == {
        "name": "key create",
        "scopes": ["decide"],
        "text": "\u00e4\n",
    }
    with pytest.raises(SidelightError, match=r"^this cannot be done: do something else$"):
        ask(database, "refuse", {})
    with pytest.raises(SidelightError, match=r"the server failed \(ZeroDivisionError\): see its log") as caught:
        ask(database, "fail", {})
    assert "secret" not in str(caught.value)
    assert ask(database, "again", {}) == {"name": "again"}


def test_only_the_owner_may_open_the_socket(control, database):
    assert stat.S_IMODE(socket_of(database).stat().st_mode) == 0o600
    mask = os.umask(0)
    os.umask(mask)
    assert mask != 0o177


def test_many_commands_at_once(control, database):
    found = []
    threads = [threading.Thread(target=lambda n=n: found.append(ask(database, "x", {"n": n})["n"])) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(20))


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"nonsense\n", b'{"name": 1}\n', b"[]\n", b'{"name": "x", "argum', b"\xff\n"]
)
def test_nonsense_harms_nobody(control, database, data):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(socket_of(database)))
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        reply = connection.recv(4096)
        assert not reply or "error" in json.loads(reply)
    assert ask(database, "x", {}) == {"name": "x"}


def test_a_socket_that_was_left_behind_is_replaced(database):
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(socket_of(database)))
    left.close()
    with pytest.raises(SidelightError, match="accepts no commands"):
        ask(database, "x", {}, patience=0.1)
    control = Control(database, run)
    assert ask(database, "x", {}) == {"name": "x"}
    control.close()
    assert not socket_of(database).exists()
    with pytest.raises(SidelightError, match="accepts no commands"):
        ask(database, "x", {}, patience=0.1)


def test_a_server_that_starts_is_waited_for(database):
    timer = threading.Timer(0.3, lambda: controls.append(Control(database, run)))
    controls = []
    timer.start()
    assert ask(database, "x", {}, patience=30.0) == {"name": "x"}
    timer.join()
    controls[0].close()


def test_a_server_that_dies_in_the_middle(database):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_of(database)))
        listener.listen()
        thread = threading.Thread(target=lambda: listener.accept()[0].close())
        thread.start()
        with pytest.raises(SidelightError, match="check whether the command was carried out"):
            ask(database, "x", {})
        thread.join()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_long_paths(tmp_path):
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    control = Control(folder / "test.db", run)
    assert ask(folder / "test.db", "x", {}) == {"name": "x"}
    control.close()
    assert os.listdir(folder) == []
