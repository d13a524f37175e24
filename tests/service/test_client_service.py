"""The client and the service together: the same words on both sides, whatever happens in between."""

import asyncio
import random
import signal
import threading
from datetime import UTC, datetime, timedelta

import httpx
import pandas as pd
import pytest

from service.api.conftest import SQLITE
from service.running import running
from service.served import Served
from sidelight.client import AsyncClient, Client, ServiceError, calls
from sidelight.monitor import ClassifierMonitor
from sidelight.service.auth.keys import SCOPES, create_key
from sidelight.service.maintenance.check import check_database
from sidelight.service.maintenance.export import export_rows
from sidelight.service.server.app import make_app
from sidelight.service.server.commands import request_of_admin_command


@pytest.fixture
def talk(service):
    """Run a coroutine function with a client of the application."""
    app = make_app(service)
    key = service.do(create_key("test", "of a test", SCOPES)).key

    def run(conversation):
        async def main():
            transport = httpx.ASGITransport(app)
            async with AsyncClient("http://localhost", key, transport=transport, timeout=30.0) as client:
                return await conversation(client)

        return asyncio.run(main())

    return run


def test_what_the_service_says_is_what_the_library_says(talk, service):
    twin = ClassifierMonitor(0.2, confidence=0.9)

    async def conversation(client):
        monitor = await client.create("digits", tolerance=0.2, confidence=0.9)
        for n in range(150):
            name = "abc"[n % 3]
            decision = await monitor.decide(name, id=f"r{n}", payload={"n": n})
            assert decision == twin.decide(name, id=f"r{n}")
            if decision.verify and n % 10:
                answer = await monitor.answer(f"r{n}", label="a")
                expected = twin.answer(f"r{n}", label="a")
                assert (answer.status, answer.verdict) == (expected.status, expected.verdict)
        assert (await monitor.report()).classes == twin.report().classes
        assert [one.id for one in await monitor.pending()] == [one.id for one in twin.pending()]
        assert client.unreachable == 0

    talk(conversation)
    assert check_database(service.storage) == []


@SQLITE
def test_scores_segments_and_true_classes_go_through_the_service(talk, service):
    source = random.Random(4)
    options = {"tolerance": 0.2, "confidence": 0.999, "score_is": "confidence", "drift": False}
    twin = ClassifierMonitor(**options)

    async def conversation(client):
        monitor = await client.create("digits", **options)
        for n in range(500):
            wrong = source.random() < 0.2
            given = {
                "score": source.gauss(-2 * wrong, 1) if n % 9 else None,
                "segment": {"customer": n % 3},
                "version": "x",
            }
            decision = await monitor.decide("a", id=f"r{n}", **given)
            assert decision == twin.decide("a", id=f"r{n}", **given)
            if decision.verify:
                await monitor.answer(f"r{n}", label="b" if wrong else "a")
                twin.answer(f"r{n}", label="b" if wrong else "a")
            if n % 50 == 0:
                assert await monitor.decide("a", id=f"r{n}", **given) == decision
        report = await monitor.report()
        assert report == twin.report()
        assert report["a"].score.spared > 20
        assert await monitor.true_classes() == twin.true_classes()
        with pytest.raises(ServiceError, match="not allowed"):
            await (await client.create("other", tolerance=0.2, policy="randcbp")).decide("a", score=0.5)

    talk(conversation)
    assert check_database(service.storage) == []
    spared, *_ = [row for row in export_rows(service.storage, "decisions", ["digits"]) if not row["verify"]]
    assert 0.0 < spared["propensity"] < 1.0
    assert (spared["segment"].keys(), spared["version"]) == ({"customer"}, "x")


@SQLITE
def test_batches_of_any_length_and_in_the_background(talk):
    async def conversation(client):
        monitor = await client.create("digits", tolerance=0.2, confidence=0.9)
        decided = await monitor.decide_many([7, 8] * 1250, payloads=["x" * 3000] * 2500)
        assert len(decided) == len({one.id for one in decided}) == 2500
        later = [monitor.decide_later(7) for _ in range(1500)]
        await monitor.flush()
        assert all(one.result().reason != "unreachable" for one in later)
        chosen = [one.id for one in decided if one.verify]
        passed = [one.id for one in decided if not one.verify]
        answers = await monitor.answer_many(chosen + passed, [True] * 2500)
        assert {one.status for one in answers[: len(chosen)]} == {"recorded"}
        assert {one.status for one in answers[len(chosen) :]} <= {"not chosen"}
        assert (await monitor.report()).predictions == 4000

    talk(conversation)


@SQLITE
def test_verifications_come_as_rows_for_pandas(service, monkeypatch):
    monkeypatch.setattr(calls, "LARGEST_BATCH", 3)
    app, key = make_app(service), service.do(create_key("test", "of a test", SCOPES)).key
    with running(app) as url, Client(url, key) as client:
        monitor = client.create("digits", tolerance=0.2, policy="explore")
        begin = datetime.now(UTC) - timedelta(seconds=1)
        monitor.decide_many([7, 7, 8, 7, 8, 7, 7], [f"r{n}" for n in range(7)])
        monitor.answer("r1", label=8)
        table = pd.DataFrame(monitor.verifications())
        assert list(table["prediction"]) == [7, 7, 8, 7, 8, 7, 7]
        assert (table["label"][1], table["correct"][1], str(table["time"].dtype)[-4:]) == (8, False, "UTC]")
        assert [row["id"] for row in monitor.verifications(8, since=begin)] == ["r2", "r4"]
        assert [row["id"] for row in monitor.verifications(state="answered")] == ["r1"]
        assert list(monitor.verifications(until=begin)) == []
        with pytest.raises(ServiceError, match="422"):
            next(monitor.verifications(state="waiting"))

        async def others():
            async with AsyncClient(url, key) as client:
                return [row async for row in client.monitor("digits").verifications()]

        assert asyncio.run(others()) == list(monitor.verifications())


@SQLITE
def test_mistakes_come_back_in_words(talk):
    async def conversation(client):
        monitor = await client.create("digits", tolerance=0.2, policy="explore")
        with pytest.raises(ServiceError, match=r"409 .*a monitor with this name exists already"):
            await client.create("digits", tolerance=0.2)
        with pytest.raises(ServiceError, match=r"422 .*#/settings"):
            await client.create("other", tolerance=2.0)
        with pytest.raises(ServiceError, match=r"404 "):
            await client.monitor("none").report()
        await monitor.decide("7", id="a")
        with pytest.raises(ServiceError, match=r"409 .*'7'"):
            await monitor.decide("8", id="a")
        with pytest.raises(ServiceError, match=r"404 .*this id was never decided"):
            await monitor.answer("b", correct=True)
        await monitor.answer("a", correct=True)
        with pytest.raises(ServiceError, match=r"409 .*replace"):
            await monitor.answer("a", correct=False)
        assert (await monitor.answer("a", correct=False, replace=True)).status == "corrected"
        with pytest.raises(ServiceError, match=r"422 .*#/predictions/1/payload: give a payload of at most"):
            await monitor.decide_many(["7", "7"], payloads=["x", "x" * 70_000])
        with pytest.raises(ServiceError, match=r"422 .*#/payload: give an image in PNG"):
            await monitor.decide("7", payload=b"not a picture")
        assert (await monitor.report()).predictions == 1

    talk(conversation)


@SQLITE
def test_a_clock_that_is_wrong(talk):
    async def conversation(client):
        monitor = await client.create("digits", tolerance=0.2, daily_cap=1)
        for shift in (timedelta(days=-2), timedelta(hours=1)):
            with pytest.raises(ServiceError, match=r"422 .*#/time: give a time from 24 hours ago to 5 minutes ahead"):
                await monitor.decide("7", time=datetime.now(UTC) + shift)
        assert (await monitor.decide("7", time=datetime.now(UTC) - timedelta(hours=1))).verify in (True, False)
        assert (await monitor.decide("7")).reason != "unreachable"

    talk(conversation)


def test_two_clients_with_the_same_id_get_the_same_decision(talk):
    async def conversation(client):
        monitor = await client.create("digits", tolerance=0.2, cap=20)
        pairs = [[monitor.decide("7", id=f"r{n}") for _ in range(4)] for n in range(25)]
        found = await asyncio.gather(*(one for pair in pairs for one in pair))
        for n in range(25):
            assert len(set(found[4 * n : 4 * n + 4])) == 1
        report = await monitor.report()
        assert (report.predictions, report.verifications) == (25, sum(one.verify for one in found[::4]))

    talk(conversation)


@pytest.mark.slow
def test_a_server_that_is_killed_loses_nothing_that_it_has_said(tmp_path):
    """Clients go on through kills and restarts: each decision that they got is stored once, and as they got it."""
    database, found, stop = tmp_path / "test.db", {}, threading.Event()
    key = request_of_admin_command(str(database), "POST", "/v1/keys", {"name": "test", "scopes": list(SCOPES)})["key"]
    with Served(database) as server:
        url, port = server.url, server.url.rpartition(":")[2]
        with Client(url, key) as client:
            client.create("digits", tolerance=0.2)

        def ask(place):
            with Client(url, key, timeout=60.0, retries=2000) as client:
                monitor = client.monitor("digits")
                for n in range(100_000):
                    if stop.is_set():
                        return
                    found[f"{place}-{n}"] = monitor.decide("7", id=f"{place}-{n}")

        threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
        for thread in threads:
            thread.start()
        servers = [server]
        for _ in range(2):
            size = len(found)
            while len(found) < size + 40:
                stop.wait(0.02)
            servers[-1].process.send_signal(signal.SIGKILL)
            servers[-1].end()
            servers.append(Served(database, "--port", port))
        size = len(found)
        while len(found) < size + 40:
            stop.wait(0.02)
        stop.set()
        for thread in threads:
            thread.join()
        with Client(url, key) as client:
            assert client.monitor("digits").report().predictions == len(found)
            again = client.monitor("digits").decide_many(["7"] * len(found), list(found))
        assert servers[-1].stop()[0] == 0
        for one in servers:
            one.close()
    assert "unreachable" not in {one.reason for one in found.values()}
    assert [(one.id, one.verify, one.reason) for one in again] == [
        (one.id, one.verify, one.reason) for one in found.values()
    ]
