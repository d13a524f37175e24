"""The client against servers that hang, drip, are killed or talk nonsense, and in programs that end or fork."""

import json
import os
import subprocess
import sys
import threading

import pytest
from service.clients import BOTH, closing  # noqa: F401
from service.fake import KEY
from service.sockets import Scripted, reply_text

from sidelight.client import Client, UnreachableError


def run_script(script, *arguments):
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_importing_the_client_is_light():
    script = (
        "import sys\nfrom sidelight.client import AsyncClient, Client\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('numpy', 'scipy', 'numba', 'fastapi', 'uvicorn')"
        " or name.startswith(('sidelight.service', 'sidelight.kernels', 'sidelight.monitor.monitor'))])"
    )
    assert run_script(script) == "[]\n"


def test_without_httpx_it_says_what_to_install():
    script = (
        "import sys\nsys.modules['httpx'] = None\n"
        "from sidelight.errors import SidelightError\n"
        "try:\n    import sidelight.client\nexcept SidelightError as error:\n    print(error)"
    )
    assert run_script(script) == "the client needs httpx: run `pip install httpx`\n"


def test_a_program_that_ends_sends_what_it_put_off():
    with Scripted([decision_reply] * 3) as server:
        script = (
            "import sys\nfrom sidelight.client import Client\n"
            "Client(sys.argv[1], 'key').monitor('digits').decide_later('7', 'a')"
        )
        run_script(script, server.url)
        assert [ids_in(body) for body in server.bodies] == [["a"]]


def ids_in(body):
    data = json.loads(body)
    return [row["id"] for row in data.get("predictions", [data])]


def decision_reply(connection, body):
    rows = ids_in(body)
    decided = [{"id": id, "verify": True, "reason": "open", "prediction": "7"} for id in rows]
    single = "predictions" not in json.loads(body)
    connection.sendall(reply_text(200, json.dumps(decided[0] if single else {"decisions": decided})))


def nothing(connection, body):
    """Close the connection after the request was read, as a server does that is killed."""


def half(connection, body):
    connection.sendall(reply_text(200, "{}", length=1000))


def noise(connection, body):
    connection.sendall(b"\x16\x03\x01 this is not HTTP\r\n\r\n")


@BOTH
@pytest.mark.parametrize("fault", [nothing, half, noise])
def test_a_server_that_is_killed_in_the_middle(kind, fault):
    with Scripted([fault, fault, decision_reply]) as server:
        assert kind(server.url, timeout=20.0).call("decide", "7", id="a").verify
        assert len(server.bodies) == 3
        assert len(set(server.bodies)) == 1


@BOTH
def test_a_server_that_hangs_or_drips(kind):
    end = threading.Event()

    def hang(connection, body):
        end.wait(30)

    def drip(connection, body):
        connection.sendall(reply_text(200, "", length=1 << 20))
        while not end.wait(0.02):
            connection.sendall(b" ")

    with Scripted([hang, drip]) as server:
        client = kind(server.url, timeout=0.3, retries=0)
        assert client.call("decide", "7").reason == "unreachable"
        assert client.call("decide", "7").reason == "unreachable"
        assert client.client.unreachable == 2
        end.set()


def test_nobody_listens():
    with Scripted([]) as server:
        url = server.url
    with Client(url, KEY) as client, pytest.raises(UnreachableError, match="after 4 attempts: ConnectError"):
        client.monitor("digits").report()


def test_proxies_of_the_environment_are_not_asked_for_this_machine(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with Scripted([decision_reply]) as server, Client(server.url, KEY) as client:
        assert client.monitor("digits").decide("7").verify


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_connections_and_a_background_of_its_own():
    script = (
        "import os, sys\nfrom sidelight.client import Client\n"
        "monitor = Client(sys.argv[1], 'key').monitor('digits')\n"
        "monitor.decide('7', 'before')\nmonitor.decide_later('7', 'later').result()\n"
        "child = os.fork()\n"
        "name = 'parent' if child else 'child'\n"
        "good = monitor.decide('7', name).verify and monitor.decide_later('7', name + ' later').result().verify\n"
        "if child:\n    print(good, os.waitpid(child, 0)[1])\nelse:\n    os._exit(not good)"
    )
    with Scripted([decision_reply] * 6, keep_alive=True) as server:
        assert run_script(script, server.url) == "True 0\n"
        ids = {id for body in server.bodies for id in ids_in(body)}
    assert ids == {"before", "later", "parent", "child", "parent later", "child later"}
