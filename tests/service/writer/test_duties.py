"""Duties: one process at a time, again after a death, and one that fails does not stop the others."""

import threading

import pytest

from sidelight.service.domain.service import Service
from sidelight.service.store import open_storage
from sidelight.service.writer import duties
from sidelight.service.writer.duties import DUTIES, LEASE, Duty, DutyClock


def counting(name, every=0.0, when=lambda tx: True):
    ran = []
    return ran, Duty(name, every, ran.append, when)


def test_a_duty_runs_when_it_is_due(service):
    often, first = counting("often")
    seldom, second = counting("seldom", every=3600.0)
    never, third = counting("never", when=lambda tx: False)
    clock = DutyClock(service, [first, second, third])
    assert clock.run_due() == ["often", "seldom"]
    assert clock.run_due() == ["often"]
    assert (len(often), len(seldom), len(never)) == (2, 1, 0)
    with service.read() as tx:
        assert tx.all("SELECT name FROM duties ORDER BY name") == [("often",), ("seldom",)]


def test_what_one_process_runs_no_other_does(service):
    begun, end, ran = threading.Event(), threading.Event(), []

    def slow(_):
        begun.set()
        assert end.wait(30.0)

    clocks = [DutyClock(service, [Duty("slow", 0.0, slow, lambda tx: True)]) for _ in range(2)]
    thread = threading.Thread(target=lambda: ran.append(clocks[0].run_due()))
    thread.start()
    assert begun.wait(30.0)
    assert clocks[1].run_due() == []
    end.set()
    thread.join(30.0)
    assert ran == [["slow"]]
    assert clocks[1].run_due() == ["slow"]


def test_two_processes_on_postgres_never_get_the_same_duty(postgres_url):
    services = [Service(open_storage(postgres_url)) for _ in range(2)]
    taken = []

    def take(service, holder):
        for turn in range(30):
            if service.do(duties._take_periodic_duty(f"turn {turn}", holder)):
                taken.append(turn)

    threads = [threading.Thread(target=take, args=(one, f"holder {i}")) for i, one in enumerate(services * 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    for service in services:
        service.close()
    assert sorted(taken) == list(range(30))


def test_the_duty_of_a_process_that_died_is_taken_over_after_its_lease(service):
    ran, one = counting("orphan")
    assert service.do(duties._take_periodic_duty("orphan", "the dead"))
    assert DutyClock(service, [one]).run_due() == []
    service.do(_LetTimePass("orphan", LEASE + 1.0))
    assert DutyClock(service, [one]).run_due() == ["orphan"]
    assert len(ran) == 1
    service.do(duties._release_periodic_duty("orphan", "the dead", 3600.0))  # who comes back late changes nothing
    assert DutyClock(service, [one]).run_due() == ["orphan"]


class _LetTimePass:
    monitors = ()
    keys = verification_keys = ()

    def __init__(self, name, seconds):
        self.name, self.seconds = name, seconds

    def run(self, work):
        work.writing().run("UPDATE duties SET until = until - ? WHERE name = ?", self.seconds, self.name)


def test_a_duty_that_fails_is_logged_and_the_others_run(service, caplog):
    ran, fine = counting("fine")
    broken = Duty("broken", 0.0, lambda service: 1 / 0, lambda tx: True)
    assert DutyClock(service, [broken, fine]).run_due() == ["fine"]
    assert "the duty broken failed" in caplog.text
    assert len(ran) == 1
    assert DutyClock(service, [broken]).run_due() == []


def test_the_thread_runs_duties_and_stops(service):
    done = threading.Event()
    clock = DutyClock(service, [Duty("now", 0.0, lambda service: done.set(), lambda tx: True)], look=0.01)
    clock.start()
    assert done.wait(30.0)
    clock.stop(30.0)
    assert not clock._thread.is_alive()
    DutyClock(service).stop()  # one that never started


@pytest.fixture(autouse=True)
def _no_duty_is_left():
    before = dict(DUTIES)
    yield
    assert before == DUTIES
