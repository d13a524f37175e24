"""Claims: who gets which verification, on both databases."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from service.reviews import claim, make, say, slots
from sidelight.service.domain.queue import (
    claim_verifications,
    count_claimable_verifications,
    last_verification_answered_by,
    verifications_claimed_by,
)
from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.store import open_storage


def expire(service, monitor, who):
    """Let the leases of a reviewer end."""

    class End:
        monitors = ()
        keys = verification_keys = ()

        def run(self, work):
            work.writing().run(
                "UPDATE slots SET lease_until = ? WHERE monitor = ? AND reviewer = ?", work.now - 1, monitor, who
            )

    service.do(End())


def test_items_are_offered_oldest_first_and_to_one_reviewer_each(service):
    monitor = make(service, 3)
    assert [claim(service, monitor, who) for who in ("ann", "bob", "cem", "dan")] == [1, 2, 3, None]


def test_a_lease_that_has_ended_is_seen_in_the_claim(service):
    monitor = make(service, 1)
    assert claim(service, monitor, "ann") == 1
    assert claim(service, monitor, "bob") is None
    expire(service, monitor, "ann")
    assert claim(service, monitor, "bob") == 1
    assert slots(service, monitor, 1) == [(1, "bob", None)]


def test_whoever_let_a_lease_end_may_claim_again(service):
    monitor = make(service, 1, reviews=2)
    assert claim(service, monitor, "ann") == 1
    expire(service, monitor, "ann")
    assert claim(service, monitor, "ann") == 1
    assert slots(service, monitor, 1) == [(1, "ann", None)]


def test_one_reviewer_never_holds_both_slots(service):
    monitor = make(service, 2, reviews=2)
    assert [claim(service, monitor, "ann") for _ in range(3)] == [1, 2, None]
    assert [claim(service, monitor, "bob") for _ in range(3)] == [1, 2, None]
    assert claim(service, monitor, "cem") is None


def test_a_disputed_verification_is_offered_to_those_who_may_settle_and_did_not_review_it(service):
    monitor = make(service, 1, reviews=2)
    say(service, monitor, 1, "ann", correct=True)
    assert say(service, monitor, 1, "bob", correct=False) == "disputed"
    assert claim(service, monitor, "cem") is None
    assert claim(service, monitor, "ann", settle=True) is None
    assert claim(service, monitor, "cem", settle=True) == 1
    assert claim(service, monitor, "dan", settle=True) is None
    assert slots(service, monitor, 1)[-1] == (3, "cem", None)


def test_how_long_the_queue_is_for_somebody(service):
    monitor = make(service, 4, reviews=2)
    claim(service, monitor, "ann")
    say(service, monitor, 2, "ann", correct=True)
    say(service, monitor, 2, "bob", correct=False)
    with service.read() as tx:
        assert count_claimable_verifications(tx, monitor, "ann", 2, settle=True).verifications == 2
        assert count_claimable_verifications(tx, monitor, "cem", 2, settle=False).verifications == 3
        assert count_claimable_verifications(tx, monitor, "cem", 2, settle=True).verifications == 4
        assert verifications_claimed_by(tx, monitor, "ann") == [1]
        assert last_verification_answered_by(tx, monitor, "ann") == 2
        assert last_verification_answered_by(tx, monitor, "cem") is None


def test_a_long_queue_is_not_counted_to_its_end(service, monkeypatch):
    monkeypatch.setattr("sidelight.service.domain.queue.MOST_COUNTED", 3)
    monitor = make(service, 5)
    with service.read() as tx:
        found = count_claimable_verifications(tx, monitor, "ann", 1, settle=False)
    assert (found.verifications, found.words) == (4, "over 3")


@pytest.mark.parametrize("reviews", [1, 2])
def test_reviewers_in_many_threads_and_processes_never_hold_the_same_slot(database, reviews):
    """Each thread stands for a tab; two tabs share a reviewer. With PostgreSQL two writers compete."""
    services = [Service(open_storage(database), options=Options())]
    if services[0].storage.kind == "postgres":
        services.append(Service(open_storage(database), options=Options()))
    monitor = make(services[0], 60, reviews=reviews)
    taken, failures, start = [], [], threading.Barrier(12)

    def tab(place):
        try:
            service, who = services[place % len(services)], f"reviewer-{place // 2}"
            start.wait()
            for _ in range(200):
                found = service.do(claim_verifications(monitor, who))
                if not found:
                    break
                taken.append((found[0].verification.number, who, found[0].slot))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=tab, args=(place,)) for place in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    # A row that another process had locked was passed over: somebody comes back for it.
    for who in ("late-1", "late-2"):
        taken += [
            (one.verification.number, who, one.slot)
            for one in services[0].do(claim_verifications(monitor, who, count=100))
        ]
    for one in services:
        one.close()
    assert not failures
    assert Counter((number, slot) for number, _, slot in taken) == Counter(
        (number, slot) for number in range(1, 61) for slot in range(1, reviews + 1)
    )
    assert max(Counter((number, who) for number, who, _ in taken).values()) == 1
