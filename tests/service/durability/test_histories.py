"""Many clients, few ids, two servers on one PostgreSQL: what everyone saw equals some order."""

import contextlib
import http.client
import itertools
import random
import threading
import time

import psycopg
import pytest

from service.durability.checking import losses
from service.durability.histories import NEVER, UNDECIDED, Operation, explained, prediction
from service.durability.servers import Caller, Server, prepare

IDS, CLIENTS, REQUESTS = 6, 8, 30


class Client:
    """One client, of one of the servers, that writes down what it did and what it was told."""

    def __init__(self, caller, seed):
        self.caller, self.random, self.seen = caller, random.Random(seed), []

    def run(self):
        try:
            for _ in range(REQUESTS):
                id = f"p{self.random.randrange(IDS)}"
                if self.random.random() < 0.4:
                    name = self.random.choice("abc")
                    self.note("decisions", id, ("decide", name), {"id": id, "prediction": name})
                else:
                    correct, replace = self.random.choice((True, False, None)), self.random.random() < 0.5
                    said = {"skipped": True} if correct is None else {"correct": correct}
                    self.note("answers", id, ("answer", correct, replace), {"id": id, "replace": replace} | said)
        finally:
            self.caller.close()

    def note(self, what, id, asked, body):
        called = time.monotonic()
        told, returned = None, NEVER
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, reply = self.caller.post(what, body)
            if status != 503:
                returned = time.monotonic()
                told = reply.get("status", "ok") if status == 200 else reply["type"].rpartition(":")[2]
        self.seen.append((id, Operation(called, returned, asked, told)))


def histories(clients):
    """Return what all clients saw of each id."""
    seen = sorted((entry for one in clients for entry in one.seen), key=lambda entry: entry[0])
    return {id: [one[1] for one in rows] for id, rows in itertools.groupby(seen, key=lambda entry: entry[0])}


def unexplained(seen):
    """Return the ids whose history equals no order."""
    return [id for id, operations in seen.items() if not explained(operations, UNDECIDED, prediction)]


def attack(database, key, *faults):
    """Let all clients work on two servers at once; return what they saw."""
    servers = [Server(database, *faults) for _ in range(2)]
    try:
        for server in servers:
            server.start()
        clients = [Client(Caller(servers[k % 2].port, key), k) for k in range(CLIENTS)]
        threads = [threading.Thread(target=one.run) for one in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return histories(clients)
    finally:
        for server in servers:
            server.close()


@pytest.mark.slow
def test_two_servers_on_postgres_act_as_one(postgres_url):
    monitor, key = prepare(postgres_url)
    seen = attack(postgres_url, key)
    assert len(seen) == IDS
    assert unexplained(seen) == []
    assert losses(postgres_url, monitor, []) == []


@pytest.mark.slow
def test_the_check_notices_that_nothing_is_locked(postgres_url):
    monitor, key = prepare(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE journal DROP CONSTRAINT journal_pkey")
        connection.execute("ALTER TABLE verifications DROP CONSTRAINT verifications_pkey")
    for _ in range(5):  # it is a matter of luck, but five times in a row is none
        seen = attack(postgres_url, key, "no-lock")
        if unexplained(seen) or losses(postgres_url, monitor, []):
            return
    pytest.fail("two servers that do not lock anything were not noticed")


def test_orders_are_found_where_there_is_one():
    def order_of(*rows):
        return explained([Operation(*row) for row in rows], UNDECIDED, prediction)

    a, b = ("decide", "a"), ("decide", "b")
    assert order_of((0, 1, a, "ok"), (2, 3, b, "conflict"))
    assert not order_of((0, 1, a, "ok"), (2, 3, b, "ok"))
    assert not order_of((0, 3, a, "ok"), (1, 2, b, "ok"))
    assert order_of((0, 3, a, "conflict"), (1, 2, b, "ok"))
    assert not order_of((0, 1, a, "conflict"), (2, 3, b, "ok"))
    assert order_of((0, NEVER, a, None), (2, 3, b, "conflict"))
    assert order_of((0, NEVER, a, None), (2, 3, b, "ok"))
    right, wrong = ("answer", True, False), ("answer", False, True)
    assert order_of((0, 1, a, "ok"), (2, 9, right, "recorded"), (3, 4, wrong, "corrected"))
    assert not order_of((0, 1, a, "ok"), (2, 3, right, "recorded"), (4, 5, wrong, "recorded"))
    assert not order_of((0, 1, a, "ok"), (2, 9, right, "recorded"), (3, 8, right, "recorded"))
    assert not order_of((0, 1, a, "ok"), (2, 3, right, "not-found"))
    assert order_of((0, 9, a, "ok"), (2, 3, right, "not-found"))
