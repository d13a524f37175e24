"""Many reviewers, programs and settings at once: every verification is settled once, and the journal says so."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from service.reviews import ask, entries, make
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.inputs import AnswerTo
from sidelight.service.domain.queue import claim_verifications
from sidelight.service.domain.reviews import Said, give_review, withdraw_review
from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.problems import Problem
from sidelight.service.store import open_storage

ITEMS = 60


@pytest.mark.parametrize("reviews", [1, 2])
def test_every_verification_is_settled_once_whoever_comes_when(database, reviews):
    """Reviewers claim, answer and withdraw, a program answers by id, predictions arrive; by two writers if possible."""
    services = [Service(open_storage(database), options=Options())]
    if services[0].storage.kind == "postgres":
        services.append(Service(open_storage(database), options=Options()))
    monitor = make(services[0], ITEMS // 2, reviews=reviews)
    failures, refused = [], Counter()

    def guarded(work, place):
        try:
            work(services[place % len(services)], place)
        except BaseException as error:
            failures.append(error)

    def reviewer(service, place):
        who = f"reviewer-{place}"
        for turn in range(3 * ITEMS):
            found = service.do(claim_verifications(monitor, who, settle=True))
            if not found:
                if turn > ITEMS:
                    return
                continue
            number = found[0].verification.number
            try:
                service.do(give_review(monitor, who, number, Said(correct=(number + place) % 7 > 0), settles=True))
                if number % 11 == place:
                    service.do(withdraw_review(monitor, who, number))
            except Problem as problem:
                refused[problem.kind] += 1

    def program(service, place):
        for n in range(1, ITEMS, 5):
            service.do(record_answers(monitor, [AnswerTo(f"id-{n}", correct=True)], actor="key:night"))

    def traffic(service, place):
        for start in range(ITEMS // 2, ITEMS, 10):
            ask(service, monitor, 10, start=start)

    work = [traffic, program, *[reviewer] * 6]
    threads = [threading.Thread(target=guarded, args=(one, place)) for place, one in enumerate(work)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures, failures
    assert set(refused) <= {"conflict", "forbidden"}
    service = services[0]
    with service.read() as tx:
        states = dict(tx.all("SELECT number, state FROM verifications"))
        answered = {
            number: bool(correct)
            for number, correct in tx.all("SELECT number, correct FROM verifications WHERE correct IS NOT NULL")
        }
        doubles = tx.all("SELECT verification, reviewer FROM slots GROUP BY verification, reviewer HAVING COUNT(*) > 1")
    assert len(states) == ITEMS
    assert doubles == []
    last = {entry.data["number"]: entry.data["correct"] for entry in entries(service, monitor, "answered")}
    # What the journal said last about a verification is what stands; what was withdrawn is open again.
    assert {number: correct for number, correct in last.items() if correct is not None} == answered
    report = service.report(monitor)
    assert report.classes[0].verified == len(answered)
    for one in services:
        one.writer.replicas.drop([monitor])
    assert service.report(monitor) == report
    for one in services:
        one.close()
