"""`sidelight admin`: before the first start, while the database is served, and when it is not."""

import contextlib
import json
import os
import sqlite3
import stat
import subprocess
import sys

import httpx
import pytest
from click.testing import CliRunner
from service.filling import fill
from service.served import Served

from sidelight.cli import main
from sidelight.service.domain.service import Service
from sidelight.service.server.commands import request_of_admin_command, server_address_file
from sidelight.service.store import open_storage, sqlite_file_of_storage


def invoke(*arguments, code=0):
    result = CliRunner().invoke(main, ["admin", *map(str, arguments)], env={"COLUMNS": "120"})
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    return str(tmp_path / "test.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def filled(database):
    service = Service(open_storage(database))
    fill(service, 120, "digits")
    service.close()
    return database


def listed(what, database):
    return json.loads(invoke(what, "list", "--json", "--database", database).stdout)


def test_keys_before_the_first_start(database):
    secret = invoke("key", "create", "--scope", "decide", "--scope", "report", "--database", database).stdout.strip()
    assert secret.startswith("sl_")
    (row,) = listed("key", database)
    assert (row["scopes"], row["monitors"], row["state"]) == (["decide", "report"], None, "works")
    assert secret not in invoke("key", "list", "--database", database).stdout
    new = invoke("key", "rotate", row["id"], "--hours", "0", "--database", database).stdout.strip()
    assert new != secret
    assert sorted(one["state"] for one in listed("key", database)) == ["expired", "works"]
    invoke("key", "revoke", new, "--database", database)
    assert sorted(one["state"] for one in listed("key", database)) == ["expired", "revoked"]


@pytest.mark.parametrize(
    "arguments",
    [["key", "create"], ["key", "create", "--scope", "all"], ["key", "create", "--scope", "decide", "--days", "0"]],
)
def test_wrong_usage_of_keys(arguments, tmp_path):
    result = invoke(*arguments, "--database", tmp_path / "test.db", code=2)
    assert result.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == []


def test_people(database):
    link = invoke(
        "reviewer", "invite", "Ada \u00c4", "--database", database, "--url", "https://x.example"
    ).stdout.strip()
    assert link.startswith("https://x.example/start#")
    (row,) = listed("reviewer", database)
    assert (row["name"], row["scopes"], row["state"]) == ("Ada \u00c4", ["answer", "report"], "invited")
    assert "this name is taken" in invoke("reviewer", "invite", "Ada \u00c4", "--database", database, code=2).stderr
    assert invoke("reviewer", "link", "Ada \u00c4", "--database", database).stdout.strip() != link
    invoke("reviewer", "disable", "Ada \u00c4", "--database", database)
    assert listed("reviewer", database)[0]["state"] == "disabled"
    invoke("reviewer", "enable", "Ada \u00c4", "--database", database)
    assert "there is no reviewer 'Eve'" in invoke("reviewer", "disable", "Eve", "--database", database, code=2).stderr


def test_monitors_and_webhooks(database, tmp_path):
    invoke("monitor", "create", "fruit", "tolerance=0.1", "policy=explore", 'labels=["a", "b"]', "--database", database)
    (row,) = listed("monitor", database)
    assert (row["name"], row["settings"]["labels"], row["settings"]["policy"]) == ("fruit", ["a", "b"], "explore")
    assert (
        "exists already" in invoke("monitor", "create", "fruit", "tolerance=0.1", "--database", database, code=2).stderr
    )
    assert "write it as in" in invoke("monitor", "create", "x", "tolerance", "--database", database, code=2).stderr
    wrong = invoke("monitor", "create", "x", "tolerance=5", "--database", database, code=2).stderr
    assert "tolerance" in wrong
    secret = invoke("webhook", "create", "https://x.example", "--monitor", "fruit", "--database", database).stdout
    assert secret.startswith("whsec_")
    (hook,) = listed("webhook", database)
    assert (hook["address"], hook["monitors"], hook["state"]) == ("https://x.example", ["fruit"], "works")
    assert "https://" in invoke("webhook", "create", "http://x.example", "--database", database, code=2).stderr
    invoke("webhook", "remove", hook["id"], "--database", database)
    (tmp_path / "key").write_text("r" * 32 + "\n")
    pager = ["--format", "pagerduty", "--routing-key-file", tmp_path / "key"]
    id = invoke("webhook", "create", "https://x.example", *pager, "--database", database).stdout.strip()
    assert [(one["id"], one["format"]) for one in listed("webhook", database)] == [(id, "pagerduty")]
    invoke("webhook", "remove", id, "--database", database)
    invoke("monitor", "archive", "fruit", "--database", database)
    assert listed("monitor", database) == listed("webhook", database) == []
    for what in ("monitor", "webhook"):
        assert invoke(what, "list", "--database", database).stdout.startswith(f"no {what}s yet")


def test_reading_commands_make_no_database(tmp_path):
    for arguments in (["key", "list"], ["check"], ["export"], ["backup", tmp_path / "b.db"]):
        result = invoke(*arguments, "--database", tmp_path / "none.db", code=2)
        assert "there is no file" in result.stderr
    assert os.listdir(tmp_path) == []


def test_backup_export_and_check(filled, tmp_path):
    backup = tmp_path / "backup.db"
    assert "bytes" in invoke("backup", backup, "--database", filled).stdout
    rows = invoke("export", "--database", filled).stdout
    assert len(rows.splitlines()) == 120
    assert invoke("export", "--database", backup).stdout == rows
    assert "all is well: 1 monitor" in invoke("check", "--database", backup).stdout
    out = tmp_path / "digits.parquet"
    assert "120 rows written" in invoke("export", "--monitor", "digits", "--out", out, "--database", filled).stderr
    assert out.stat().st_size > 0
    assert "backups are not overwritten" in invoke("backup", backup, "--database", filled, code=2).stderr


def test_copying(filled, tmp_path, postgres_server):
    before = invoke("export", "--what", "journal", "--database", filled).stdout
    there, back = postgres_server.create(), tmp_path / "back.db"
    assert "1 monitor" in invoke("copy", there, "--database", filled).stdout
    invoke("copy", back, "--database", there)
    assert invoke("export", "--what", "journal", "--database", back).stdout == before
    assert "the target already contains data" in invoke("copy", back, "--database", there, code=2).stderr


def test_a_journal_that_was_changed_is_found(tmp_path):
    path = tmp_path / "test.db"
    service = Service(open_storage(str(path)))
    fill(service, 50)
    service.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE journal SET body = replace(body, 'digits 7 ', 'digits 8 ') WHERE number = 9")
    connection.close()
    result = invoke("check", "--database", path, code=1)
    assert "digits" in result.stdout
    assert "entry 9 does not follow from the one before" in result.stdout


def test_erasing_and_pruning(filled):
    rows = [json.loads(line) for line in invoke("export", "--database", filled).stdout.splitlines()]
    waiting = next(row["id"] for row in rows if row["state"] == "open")
    found = invoke("erase", "digits", waiting, "nobody", "--database", filled).stdout.splitlines()
    assert found[0].endswith(": released, payload deleted")
    assert found[1] == "nobody: no such verification"
    assert "there is no monitor" in invoke("erase", "letters", "a", "--database", filled, code=2).stderr
    assert "digits: " in invoke("prune", "--days", "0", "--database", filled).stdout
    assert "all is well" in invoke("check", "--database", filled).stdout


@pytest.mark.slow
def test_commands_while_the_database_is_served(tmp_path):
    database = tmp_path / "test.db"
    with Served(database) as server:
        secret = invoke("key", "create", "--scope", "report", "--database", database).stdout.strip()
        headers = {"Authorization": f"Bearer {secret}"}
        assert httpx.get(f"{server.url}/v1/monitors", headers=headers, trust_env=False).status_code == 200
        link = invoke("recover", "--database", database, "--url", "http://elsewhere").stdout.strip()
        assert link.startswith(f"{server.url}/start#")  # the server knows better where it is
        assert stat.S_IMODE(server_address_file(database).stat().st_mode) == 0o600
        invoke("reviewer", "invite", "Ada", "--database", database)
        assert listed("reviewer", database)[0]["name"] == "Ada"
        assert "there is no reviewer" in invoke("reviewer", "link", "Eve", "--database", database, code=2).stderr
        invoke("backup", tmp_path / "backup.db", "--database", database)
        assert "all is well" in invoke("check", "--database", database).stdout
        invoke("key", "revoke", secret, "--database", database)
        assert server.stop()[0] == 0
    assert [row["state"] for row in listed("key", tmp_path / "backup.db")] == ["works"]
    assert [row["state"] for row in listed("key", database)] == ["revoked"]


def test_a_monitor_that_cannot_be_pruned_does_not_keep_the_others_from_it(tmp_path):
    path = tmp_path / "test.db"
    service = Service(open_storage(str(path)))
    for name in ("broken", "whole"):
        fill(service, 20, name)
    service.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE journal SET at = 1 WHERE monitor = (SELECT id FROM monitors WHERE name = 'broken')")
    connection.close()
    result = invoke("prune", "--days", "0", "--database", path, code=2)
    assert "some monitors could not be pruned: broken: " in result.stderr
    assert result.stdout.startswith("whole: ")


def test_the_database_may_come_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SIDELIGHT_DATABASE", str(tmp_path / "named.db"))
    invoke("key", "create", "--scope", "decide")
    assert (tmp_path / "named.db").exists()


@pytest.mark.skipif(os.name != "posix", reason="pipes close differently")
def test_an_export_that_is_cut_short_is_silent(tmp_path):
    path = tmp_path / "test.db"
    service = Service(open_storage(str(path)))
    fill(service, 2000)
    service.close()
    script = f"{sys.executable} -m sidelight admin export --database {path} | head -n 1"
    result = subprocess.run(script, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout.startswith('{"monitor":"digits"')
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


@contextlib.contextmanager
def in_use(database):
    """Serve a database, so that commands about a file have to ask its server."""
    if sqlite_file_of_storage(database) is None:
        yield
        return
    with Served(database):
        yield


@pytest.mark.slow
def test_who_takes_data_out_is_noted(filled, tmp_path):
    with in_use(filled):
        invoke("backup", tmp_path / "backup.db", "--database", filled)
        invoke("export", "--monitor", "digits", "--database", filled)
        invoke("copy", tmp_path / "copy.db", "--database", filled)
        rows = request_of_admin_command(filled, "GET", "/v1/audit")["notes"]
    noted = {(row["actor"], row["action"], row["subject"]) for row in rows}
    assert noted >= {
        ("command", "backup made", "backup.db"),
        ("command", "data exported", "decisions"),
        ("command", "copy made", ""),
    }


@pytest.mark.parametrize("left_over", [False, True])
def test_a_file_that_nobody_serves_is_not_changed_by_taking_data_out(tmp_path, left_over):
    service = Service(open_storage(str(tmp_path / "test.db")))
    fill(service, 20, "digits")
    service.close()
    folder = tmp_path / "archive"
    folder.mkdir()
    file = folder / "monday.db"
    invoke("backup", file, "--database", tmp_path / "test.db")
    if left_over:  # as after a server was killed
        server_address_file(file).write_text('{"url": "http://127.0.0.1:1", "key": "x"}')
    before = file.read_bytes()
    for command in (["export"], ["backup", tmp_path / "again.db"], ["copy", tmp_path / "copy.db"], ["check"]):
        assert "noted" not in invoke(*command, "--database", file).stderr
        assert file.read_bytes() == before
        assert not file.with_name("monday.db-lock").exists()  # it was not opened for writing
