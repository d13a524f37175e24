"""What becomes of requests when something fails, before, at or after the commit."""

import asyncio
import contextlib
import threading

import pytest

from service.conftest import fatal
from service.traffic import Traffic
from sidelight.errors import SidelightError
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Prediction
from sidelight.service.domain.service import Service
from sidelight.service.journal import entry as journal
from sidelight.service.maintenance.check import check_database
from sidelight.service.options import Options
from sidelight.service.problems import Problem
from sidelight.service.store import open_storage
from sidelight.service.store.base import DiskError, UnavailableError, UnknownOutcomeError
from sidelight.service.writer.writer import WriterTicket


@pytest.fixture
def traffic(service):
    traffic = Traffic(service)
    traffic.run(5)
    return traffic


class Failing:
    """A job that changes something and then fails."""

    keys = verification_keys = ()

    def __init__(self, traffic, error):
        self.monitors, self.error, self.traffic = (traffic.monitor,), error, traffic

    def run(self, work):
        decide_predictions(self.traffic.service, self.traffic.monitor, [Prediction("never", "a")], actor="x").run(work)
        raise self.error


class Waiting:
    """A job that lets others pile up behind it."""

    monitors = ()
    keys = verification_keys = ()

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()

    def run(self, work):
        self.begun.set()
        assert self.go_on.wait(60)


def together(service, jobs):
    """Let jobs run in one group; return the outcome or the error of each."""
    waiting = Waiting()
    holding = WriterTicket(waiting)
    service.writer.put(holding)
    assert waiting.begun.wait(60)
    tickets = [WriterTicket(job) for job in jobs]
    for ticket in tickets:
        service.writer.put(ticket)
    groups = service.writer.groups
    waiting.go_on.set()
    found = [ticket.future.exception() or ticket.future.result() for ticket in tickets]
    return found, service.writer.groups - groups


def one(traffic, id):
    return decide_predictions(traffic.service, traffic.monitor, [Prediction(id, "a")], actor="key:1")


def test_requests_that_wait_are_committed_together(service, traffic):
    found, groups = together(service, [one(traffic, f"x{k % 5}") for k in range(20)])
    assert groups == 1
    assert [rows[0].id for rows in found] == [f"x{k % 5}" for k in range(20)]
    assert len({rows[0][:4] for rows in found}) == 5
    assert service.report(traffic.monitor).predictions == traffic.sent + 5


@pytest.mark.parametrize("error", [RuntimeError("a defect"), Problem("conflict", "too late")], ids=str)
def test_a_request_that_fails_takes_no_other_with_it(service, traffic, error):
    again = one(traffic, "never")  # what the failing request had decided is decided again
    jobs = [one(traffic, "x1"), Failing(traffic, error), one(traffic, "x2"), again, one(traffic, "x1")]
    found, groups = together(service, jobs)
    assert groups == (1 if isinstance(error, Problem) else 1 + len(jobs))
    assert found[1] is error
    assert [found[k][0].id for k in (0, 2, 3, 4)] == ["x1", "x2", "never", "x1"]
    assert service.report(traffic.monitor).predictions == traffic.sent + 3
    assert check_database(service.storage) == []


class Late:
    """A job that writes everywhere but to the monitor itself, and is refused then."""

    keys = verification_keys = ()

    def __init__(self, monitor):
        self.monitors = (monitor,)

    def run(self, work):
        monitor = self.monitors[0]
        work.insert("duties", ("name", "holder", "until", "next_at"), ("first", "x", 1.0, 1.0))
        work.append(monitor, journal.REVIEWED, {"number": 1}, actor="x")
        work.writing().run("INSERT INTO duties (name, holder, until, next_at) VALUES ('second', 'x', 1.0, 1.0)")
        work.update("UPDATE monitors SET name = 'renamed' WHERE id = ?", monitor)
        assert work.reading.one("SELECT name FROM monitors WHERE id = ?", monitor) == ("renamed",)
        raise SidelightError("not like this")


def test_a_late_refusal_undoes_only_what_it_did(service, traffic):
    held = service.writer.replicas.get(traffic.monitor)
    jobs = [one(traffic, "x1"), Late(traffic.monitor), Late(traffic.monitor), one(traffic, "x2")]
    found, groups = together(service, jobs)
    assert groups == 1
    assert [str(found[k]) for k in (1, 2)] == ["not like this"] * 2
    assert service.writer.replicas.get(traffic.monitor) is held  # nothing is replayed
    assert service.report(traffic.monitor).predictions == traffic.sent + 2
    with service.read() as tx:
        assert tx.all("SELECT name FROM duties") == []
        assert tx.one("SELECT name FROM monitors WHERE id = ?", traffic.monitor) != ("renamed",)
        assert tx.all("SELECT number FROM journal WHERE kind = ?", journal.REVIEWED) == []
    assert check_database(service.storage) == []


@pytest.mark.parametrize("stored", [False, True], ids=["rolled back", "stored nevertheless"])
def test_after_a_failed_commit_the_same_id_says_what_happened(service, traffic, monkeypatch, stored):
    write = service.storage.write

    @contextlib.contextmanager
    def broken():
        monkeypatch.setattr(service.storage, "write", write)
        if stored:
            with write() as tx:
                yield tx
        else:
            with contextlib.suppress(ZeroDivisionError), write() as tx:
                yield tx
                raise ZeroDivisionError
        raise UnknownOutcomeError("the connection was lost")

    monkeypatch.setattr(service.storage, "write", broken)
    with pytest.raises(Problem, match="send the request again with the same ids") as caught:
        service.do(one(traffic, "x1"))
    assert (caught.value.status, "Retry-After" in caught.value.headers) == (503, True)
    predictions = service.report(traffic.monitor).predictions
    assert predictions == traffic.sent + stored
    (found,) = service.do(one(traffic, "x1"))
    assert found.id == "x1"
    assert service.report(traffic.monitor).predictions == traffic.sent + 1
    assert check_database(service.storage) == []


def test_a_database_that_is_away_loses_nothing(service, traffic, monkeypatch):
    def away():
        raise UnavailableError("no route to host")

    with monkeypatch.context() as patch:
        patch.setattr(service.storage, "write", away)
        with pytest.raises(Problem, match="cannot be used now") as caught:
            service.do(one(traffic, "x1"))
        assert caught.value.status == 503
    assert service.do(one(traffic, "x1"))[0].id == "x1"
    assert check_database(service.storage) == []


def test_after_the_disk_failed_nobody_is_answered(storage, monkeypatch):
    ends = []
    service = Service(storage, options=Options(on_fatal=ends.append))
    traffic = Traffic(service)

    @contextlib.contextmanager
    def broken():
        raise DiskError("fsync failed")
        yield

    monkeypatch.setattr(storage, "write", broken)
    for _ in range(2):
        with pytest.raises(Problem) as caught:
            service.do(one(traffic, "x1"))
        assert caught.value.status == 503
    assert [str(error) for error in ends] == ["fsync failed"]
    service.writer.close()


def test_more_than_can_wait_are_refused(storage):
    service = Service(storage, options=Options(most_waiting=3, on_fatal=fatal))
    waiting = Waiting()
    service.writer.put(WriterTicket(waiting))
    assert waiting.begun.wait(60)
    tickets = [WriterTicket(Waiting()) for _ in range(3)]
    for ticket in tickets:
        ticket.job.go_on.set()
        service.writer.put(ticket)
    with pytest.raises(Problem) as caught:
        service.writer.put(WriterTicket(Waiting()))
    assert caught.value.headers["Retry-After"] == "1"
    waiting.go_on.set()
    service.writer.close()  # answers those that wait
    assert all(ticket.future.done() for ticket in tickets)
    with pytest.raises(Problem, match="stopping"):
        service.do(Waiting())


def test_asyncio_gets_the_same(service, traffic):
    async def ask():
        jobs = [one(traffic, f"x{k % 3}") for k in range(30)]
        refused = decide_predictions(service, "nobody", [Prediction("x1", "b")], actor="key:1")
        found = await asyncio.gather(*map(service.submit, [*jobs, refused]), return_exceptions=True)
        given_up = asyncio.create_task(service.submit(one(traffic, "y")))
        await asyncio.sleep(0)
        given_up.cancel()
        return found

    *found, refused = asyncio.run(ask())
    assert {rows[0].id for rows in found} == {"x0", "x1", "x2"}
    assert refused.kind == "not-found"
    assert service.do(one(traffic, "y"))[0].id == "y"  # whoever gives up waiting does not stop the service


def test_reports_are_made_once_per_entry(service, traffic):
    first = service.report(traffic.monitor)
    assert service.report(traffic.monitor) is first
    traffic.decide()
    assert service.report(traffic.monitor).predictions == first.predictions + 1
    with pytest.raises(Problem) as caught:
        service.report("nobody")
    assert caught.value.status == 404


def test_two_services_on_postgres_follow_each_other(postgres_url):
    services = [Service(open_storage(postgres_url), options=Options(snapshot_every=50)) for _ in range(2)]
    try:
        first = Traffic(services[0], cap=60)
        second = Traffic.__new__(Traffic)
        second.__dict__.update(first.__dict__ | {"service": services[1], "open": []})
        for k in range(40):
            traffic = (first, second)[k % 2]
            traffic.sent = k * 20
            traffic.decide(5)
            traffic.answer()
        for service in services:
            assert service.report(first.monitor).predictions == 200
        states = [service.writer.replicas.get(first.monitor).state() for service in services]
        assert states[0] == states[1]
        assert states[0]["monitor"]["asked"] <= 60
        assert check_database(services[0].storage) == []
    finally:
        for service in services:
            service.close()


def test_a_monitor_in_use_by_many_threads_stays_whole(service, traffic):
    def work(name):
        for k in range(15):
            (found,) = service.do(one(traffic, f"{name}-{k}"))
            if found.verify:
                service.do(record_answers(traffic.monitor, [AnswerTo(found.id, correct=k % 3 > 0)], actor=name))

    threads = [threading.Thread(target=work, args=(f"t{k}",)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert service.report(traffic.monitor).predictions == traffic.sent + 90
    assert check_database(service.storage) == []


class Refused:
    """A job that looks at a monitor and at the database, and then refuses."""

    keys = verification_keys = ()

    def __init__(self, monitor):
        self.monitors = (monitor,)

    def run(self, work):
        assert work.replica(self.monitors[0]).number == work.writing().one("SELECT last FROM monitors")[0]
        raise Problem("conflict", "not this one")


def test_a_refusal_does_not_cost_the_monitor_in_memory(service, traffic):
    held = service.writer.replicas.get(traffic.monitor)
    held_before = held.state()
    with pytest.raises(Problem, match="not this one"):
        service.do(Refused(traffic.monitor))
    assert service.writer.replicas.get(traffic.monitor) is held
    with pytest.raises(Problem, match="too late"):
        service.do(Failing(traffic, Problem("conflict", "too late")))
    assert service.writer.replicas.get(traffic.monitor).state() == held_before
    with pytest.raises(RuntimeError):
        service.do(Failing(traffic, RuntimeError("a defect")))
    assert service.writer.replicas.get(traffic.monitor) is None
    traffic.run(2)
    assert check_database(service.storage) == []


def test_a_full_disk_refuses_and_recovers(tmp_path):
    storage = open_storage(str(tmp_path / "test.db"))
    service = Service(storage, options=Options(on_fatal=fatal))
    traffic = Traffic(service)
    traffic.run(3)
    pages = storage._writer.execute("PRAGMA page_count").fetchone()[0]
    storage._writer.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(Problem, match="cannot be used now") as caught:
        traffic.decide(5000)
    assert caught.value.status == 503
    before = service.report(traffic.monitor).predictions
    storage._writer.execute("PRAGMA max_page_count = 1000000")
    traffic.decide(100)
    assert service.report(traffic.monitor).predictions == before + 100
    assert check_database(storage) == []
    service.close()


def test_what_fails_after_the_commit_harms_nobody(service, traffic, monkeypatch, caplog):
    def broken(monitors):
        raise RuntimeError("no snapshot today")

    monkeypatch.setattr(service.writer, "after_commit", broken)
    traffic.run(2)
    assert "no snapshot today" in caplog.text
    assert check_database(service.storage) == []


def test_large_requests_do_not_share_a_group(storage):
    service = Service(storage, options=Options(most_rows_in_group=10, on_fatal=fatal))
    traffic = Traffic(service)
    jobs = [
        decide_predictions(service, traffic.monitor, [Prediction(f"{k}-{j}", "a") for j in range(6)], actor="x")
        for k in range(5)
    ]
    found, groups = together(service, jobs)
    assert groups == 3
    assert [len(rows) for rows in found] == [6] * 5
    service.writer.close()


def test_a_service_that_ends_well_leaves_a_snapshot_behind(database):
    service = Service(open_storage(database), options=Options(on_fatal=fatal))
    traffic = Traffic(service)
    traffic.decide(1200)
    service.close()
    storage = open_storage(database)
    with storage.read() as tx:
        assert tx.all("SELECT number FROM snapshots") == [(1201,)]
    again = Service(storage, options=Options(on_fatal=fatal))
    assert again.report(traffic.monitor).predictions == 1200
    assert check_database(storage) == []
    again.close()
