"""What the kernel saw: replies follow syncs, and a disk that fails ends the process.

Killing a process cannot show that a sync is missing, because the kernel still has what the process has written.
"""

import os
import re
import shutil
import subprocess

import pytest

from service.conftest import PostgresServer, postgres_programs
from service.durability.checking import losses
from service.durability.load import Client, run_all
from service.durability.servers import Caller, Server, prepare

STRACE = shutil.which("strace")


def can_trace():
    """Say whether this machine lets us watch what a process asks of the kernel."""
    return STRACE is not None and subprocess.run([STRACE, "-qq", "-o", os.devnull, "true"], check=False).returncode == 0


pytestmark = [pytest.mark.slow, pytest.mark.skipif(not can_trace(), reason="strace is not there, or not allowed")]
REQUESTS = 20
_SYNC = re.compile(r"(fdatasync|fsync)\(\d+<(?P<path>[^>]*)>|<\.\.\. (fdatasync|fsync) resumed>")
_REPLY = re.compile(r"(sendto|sendmsg|write|writev)\(\d+<(socket|TCP)[^>]*>, .*HTTP/1\.1 (?P<status>\d\d\d)")


def traced(trace, *more):
    """Return the command that traces what is written and synced, of all threads and processes."""
    calls = "trace=fdatasync,fsync,write,writev,sendto,sendmsg"
    return [STRACE, "-f", "--seccomp-bpf", "-y", "-qq", "-ttt", "-s", "64", "-e", calls, *more, "-o", str(trace)]


def replies_and_syncs(trace, path):
    """Return the letters R for each reply and S for each sync of files in the path that has ended, in order."""
    found, under_way = "", {}
    for line in trace.read_text().splitlines():
        thread = line.split()[0]
        sync, reply = _SYNC.search(line), _REPLY.search(line)
        if sync is not None and sync["path"] is not None:
            if "unfinished" in line:
                under_way[thread] = sync["path"]
                continue
            found += "S" * (path in sync["path"])
        elif sync is not None:
            found += "S" * (path in under_way.pop(thread, ""))
        elif reply is not None:
            found += "R"
    return found


def ask_one_by_one(server, key):
    server.start()
    caller = Caller(server.port, key)
    for k in range(REQUESTS):
        status, _ = caller.post("decisions", {"id": f"p{k}", "prediction": "a"})
        assert status == 200
    caller.close()


@pytest.mark.parametrize("faults", [(), ("no-sync",)], ids=["as it is", "without syncs"])
def test_each_reply_follows_a_sync(tmp_path, faults):
    database = str(tmp_path / "test.db")
    _, key = prepare(database)
    server = Server(database, *faults, strace=traced(tmp_path / "trace"))
    try:
        ask_one_by_one(server, key)
    finally:
        server.close()
    found = replies_and_syncs(tmp_path / "trace", "test.db-wal")
    assert found.count("R") == REQUESTS
    synced = [("S" in before) for before in found.split("R")[:-1]]
    assert sum(synced) == (0 if faults else REQUESTS), found


def test_each_reply_follows_a_sync_of_postgres(tmp_path):
    programs = postgres_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL")
    postgres = PostgresServer(programs, fsync=True)
    try:
        database = postgres.create()
        _, key = prepare(database)
        with postgres.watched(traced(postgres.folder / "trace")):
            server = Server(database, strace=traced(tmp_path / "trace-of-server"))
            try:
                ask_one_by_one(server, key)
            finally:
                server.close()
        trace = (postgres.folder / "trace").read_text().splitlines()
    finally:
        postgres.close()
    syncs = [float(line.split()[1]) for line in trace if _ended_sync(line)]
    lines = (tmp_path / "trace-of-server").read_text().splitlines()
    replies = [float(line.split()[1]) for line in lines if _REPLY.search(line)]
    assert len(replies) == REQUESTS
    gaps = zip([0.0, *replies], replies, strict=False)
    assert all(any(before < sync < after for sync in syncs) for before, after in gaps)


def _ended_sync(line):
    return ("sync(" in line and "unfinished" not in line) or "sync resumed" in line


def fail_under_load(tmp_path, which, *faults):
    """Let syncs of a file fail after some time; return the exit code, what the process said, and what was lost."""
    database = str(tmp_path / "test.db")
    monitor, key = prepare(database)
    errors = (tmp_path / "errors").open("w")
    inject = ["-P", f"{database}{which}", "-e", f"inject=fdatasync,fsync:error=EIO:when={40 if which else 4}+"]
    server = Server(database, *faults, strace=traced(tmp_path / "trace", *inject), errors=errors)
    clients = [Client(f"c{k}", seed=k) for k in range(4)]
    try:
        server.start()
        for thread in run_all(clients, server.port, key, most=2000):
            thread.join()
        code = server.ended()
    finally:
        server.close()
        errors.close()
    replies = sum(one.replies for one in clients)
    again = Server(database)
    try:  # another disk, say: everything that was acknowledged is there
        again.start()
        for thread in run_all(clients, again.port, key, most=3):
            thread.join()
    finally:
        again.close()
    return code, (tmp_path / "errors").read_text(), replies, losses(database, monitor, clients)


@pytest.mark.parametrize(("which", "faults"), [("-wal", ()), ("", ("small-log",))], ids=["commit", "checkpoint"])
def test_a_failed_sync_ends_the_process_and_nothing_acknowledged_is_lost(tmp_path, which, faults):
    code, errors, replies, lost = fail_under_load(tmp_path, which, *faults)
    assert code == 70
    assert "IOERR_FSYNC" in errors
    assert replies > 10
    assert lost == []
