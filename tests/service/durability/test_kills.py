"""Servers are killed again and again: nothing that was acknowledged is lost, and nothing is there twice."""

import json
import os
import signal
import subprocess
import time

import pytest

from service.conftest import PostgresServer, postgres_programs
from service.durability.checking import losses, replayed
from service.durability.load import Client, run_all
from service.durability.servers import Caller, Server, prepare

KILLS = int(os.environ.get("SIDELIGHT_KILLS", "15"))
CAP = 2000


@pytest.fixture
def own_postgres():
    """A server of this test alone, which it may stop, and that syncs."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL")
    server = PostgresServer(programs, fsync=True)
    yield server
    server.close()


def kill_again_and_again(database, key, clients, kills, *faults, servers=1, between=lambda k: None):
    """Start servers, let all clients work, kill them one after the other; in the end ask one for a report."""
    several = [Server(database, *faults, errors=subprocess.DEVNULL) for _ in range(servers)]
    server = several[0]
    try:
        for k in range(0, kills, servers):
            for one in several:
                one.start()
            parts = [clients[place::servers] for place in range(servers)]
            threads = [run_all(part, one.port, key) for part, one in zip(parts, several, strict=True)]
            wait_for_replies(clients, 3 + int(60 * (k * 0.618 % 1.0)))
            between(k)
            for part, one, own in zip(parts, several, threads, strict=True):
                wait_for_replies(part, 2)
                one.kill()
                for thread in own:
                    thread.join()
        server.start()
        for thread in run_all(clients, server.port, key, most=1):  # what is open is repeated once more
            thread.join()
        caller = Caller(server.port, key)
        status, report = caller.get("report")
        caller.close()
        assert status == 200
        assert server.kill(signal.SIGTERM) == 0
        return report
    finally:
        for one in several:
            one.close()


def wait_for_replies(clients, most):
    """Wait for so many replies, but not for ever: a server that does not answer is killed as well."""
    before, end = sum(one.replies for one in clients), time.monotonic() + 20.0
    while sum(one.replies for one in clients) < before + most and time.monotonic() < end:
        time.sleep(0.002)


def clients_of(count):
    return [Client(f"c{k}", seed=k) for k in range(count)]


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_in_sqlite(tmp_path):
    database = str(tmp_path / "test.db")
    monitor, key = prepare(database, cap=CAP, max_pending=50, daily_cap=CAP)
    clients = clients_of(6)
    report = kill_again_and_again(database, key, clients, KILLS, "small-log")
    assert sum(len(one.decided) for one in clients) > 20 * KILLS
    assert sum(len(one.answered) for one in clients) > KILLS
    assert losses(database, monitor, clients, CAP) == []
    assert report["classes"] == json.loads(json.dumps(replayed(database, monitor).to_dict()["classes"]))


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_in_postgres(own_postgres):
    database = own_postgres.create()
    monitor, key = prepare(database, cap=CAP, max_pending=50, daily_cap=CAP)
    clients = clients_of(6)

    def between(k):
        if k % 5 in (3, 4):  # the database crashes under load, too
            own_postgres.stop()
            own_postgres.start()
            wait_for_replies(clients, 10)

    report = kill_again_and_again(database, key, clients, KILLS, servers=2, between=between)
    assert sum(len(one.decided) for one in clients) > 20 * KILLS
    assert losses(database, monitor, clients, CAP) == []
    assert report["classes"] == json.loads(json.dumps(replayed(database, monitor).to_dict()["classes"]))


@pytest.mark.slow
def test_the_check_notices_a_server_that_answers_before_the_commit(tmp_path):
    database = str(tmp_path / "test.db")
    monitor, key = prepare(database)
    clients = clients_of(6)
    kill_again_and_again(database, key, clients, 5, "acknowledge-early")
    found = losses(database, monitor, clients)
    assert any("was lost" in one or " was " in one for one in found), found
