"""`sidelight serve`: it starts with one command, says what to do next, and stops without losing anything."""

import os
import socket
import stat
import subprocess
import sys

import click
import httpx
import pytest
from click.testing import CliRunner
from service.served import PATIENCE, Served

from sidelight.cli import main
from sidelight.client import Client

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="needs signals")]


def invoke(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def key(database, *scopes):
    result = invoke("admin", "key", "create", "--database", database, *(f"--scope={one}" for one in scopes))
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


@pytest.fixture
def database(tmp_path):
    return tmp_path / "test.db"


def test_the_first_start_prints_a_link_and_what_was_said_is_kept(database):
    with Served(database) as server:
        assert server.said.startswith(f"sidelight serves {database} at http://127.0.0.1:")
        secret = key(database, "decide", "answer", "report", "admin")
        with Client(server.url, secret) as client:
            monitor = client.create("digits", tolerance=0.2, policy="explore")
            assert monitor.decide("7", id="a", payload="look").verify
            assert monitor.answer("a", correct=False).status == "recorded"
            report = monitor.report()
        code, out, err = server.stop()
        assert (code, err) == (0, "")
        link = out.split()[-1]
        assert link.startswith(f"{server.url}/start#")
        assert "There is no administrator yet. Open this link within 15 minutes to become one:" in out
    assert sorted(os.listdir(database.parent)) == ["test.db", "test.db-lock"]
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    with Served(database) as server, Client(server.url, secret) as client:
        assert client.monitor("digits").report() == report
        assert client.monitor("digits").decide("7", id="a").verify


def test_a_port_in_use(database):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = invoke("serve", "--database", database, "--port", taken.getsockname()[1])
    assert result.exit_code == 2
    assert "is in use, perhaps by another server: stop that one, or give another --port" in result.stderr
    assert not database.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "70000"], "70000 is not a port"),
        (["--port", "-1"], "at least 0"),
        (["--host", "no.such.host.invalid"], "'no.such.host.invalid' is not an address of this machine"),
        (["--host", "192.0.2.1"], "192.0.2.1:0 is not an address of this machine"),
        (["--url", "monitor.example.org"], "is not an address like https://"),
        (["--url", "ftp://x"], "is not an address like https://"),
        (["--url", "https://x/below"], "is not an address like https://"),
        (["--url", "http://["], "is not an address like https://"),
        (["--url", "http://x:99999"], "is not an address like https://"),
        (["--grace", "nan"], "--grace must be a finite number"),
        (["--trusted-proxy", "*"], "--trusted-proxy * is not an address"),
        (
            ["--trusted-proxy", "127.0.0.1", "--trusted-proxy", "proxy.example"],
            "--trusted-proxy proxy.example is not an address",
        ),
        (["--trusted-proxy", "10.0.0.1/8"], "or a network like"),
        (["--webhook-allow", "10.0.0.1/8"], "--webhook-allow 10.0.0.1/8 is not a network like"),
        (["--webhook-allow", "intranet"], "--webhook-allow intranet is not a network like"),
        (["--webhook-proxy", "https://proxy.example"], "--webhook-proxy is not an address like"),
        (["--webhook-proxy", "http://proxy.example:x"], "--webhook-proxy is not an address like"),
        (["--url", "https://x/?a=b"], "is not an address like https://"),
        (["--database", "mysql://x/y"], "mysql:// is not supported"),
        (["--database", ":memory:"], "a database in memory is lost"),
        (["--database", "."], "is a folder"),
        (["--database", "no/such/folder/x.db"], "cannot write in the folder of"),
        (["--database", "postgresql://nobody@127.0.0.1:1/x"], "the database cannot be used now"),
    ],
)
def test_mistakes_are_said_in_one_line(options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke("serve", "--port", "0", *options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output


def test_every_option_has_a_variable_of_the_environment(monkeypatch):
    command = main.get_command(None, "serve")
    options = [one for one in command.params if isinstance(one, click.Option) and one.name != "help"]
    for option in options:
        assert option.envvar == f"SIDELIGHT_{option.opts[0].strip('-').replace('-', '_').upper()}"
    monkeypatch.setenv("SIDELIGHT_TRUSTED_PROXY", "127.0.0.1 proxy.example")
    assert "--trusted-proxy proxy.example is not an address" in invoke("serve").stderr


def test_the_password_of_the_database_comes_from_a_file(monkeypatch, tmp_path):
    monkeypatch.setenv("PGPASSWORD", "")
    monkeypatch.setenv("SIDELIGHT_DATABASE_PASSWORD_FILE", str(tmp_path / "secret"))
    assert f"cannot read {tmp_path / 'secret'}" in invoke("serve").stderr
    (tmp_path / "secret").write_text("open sesame\n")
    invoke("serve", "--database", "postgresql://nobody@127.0.0.1:1/x")
    assert os.environ["PGPASSWORD"] == "open sesame"


def test_a_file_that_is_no_database(database):
    database.write_bytes(b"this is not a database" * 100)
    result = invoke("serve", "--database", database, "--port", "0")
    assert result.exit_code == 2
    assert "file is not a database" in result.stderr
    assert database.read_bytes() == b"this is not a database" * 100


def test_without_the_extra_it_says_what_to_install():
    script = (
        "import importlib.util\nfound = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'fastapi' else found(name, *rest)\n"
        "from sidelight.cli import main\nmain(['serve'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert result.returncode == 2
    assert result.stderr == (
        'sidelight: error: the service needs fastapi (not installed): run  pip install ".[serve]"\n'
    )


def test_a_note_about_other_machines(database):
    with Served(database, "--host", "0.0.0.0") as server:
        code, _, err = server.stop()
    assert code == 0
    assert "without TLS, others on the network can read keys and passwords" in err


def test_the_demonstration_needs_nothing_and_leaves_nothing(tmp_path):
    with Served(None, "--demo", folder=tmp_path, ready=False) as server:
        said = [server.process.stdout.readline() for _ in range(3)]
        assert said[0].startswith("Making up")
        url, password = said[1].split(" at ")[1].split()[0], said[2].split()[-1]
        with httpx.Client(base_url=url, follow_redirects=True, timeout=PATIENCE, trust_env=False) as http:
            headers = {"Origin": url}
            page = http.post("/signin", data={"name": "demo", "password": password}, headers=headers)
            assert "digits" in page.text
            assert "above tolerance" in http.get("/m/digits").text
        code, _, err = server.stop()
        assert (code, err) == (0, "")
    assert os.listdir(tmp_path) == []


def test_the_demonstration_has_a_database_of_its_own(tmp_path):
    result = invoke("serve", "--demo", "--database", tmp_path / "x.db")
    assert result.exit_code == 2
    assert "leave out --database" in result.output


def test_a_server_whose_output_nobody_reads_goes_on(database):
    with Served(database) as server:
        server.process.stdout.close()
        server.wait()
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0
