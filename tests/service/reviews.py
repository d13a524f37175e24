"""A monitor with verifications to review."""

from __future__ import annotations

from sidelight.service.domain import monitors
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import Prediction
from sidelight.service.domain.queue import claim_verifications, find_verification, review_slots_of_verification
from sidelight.service.domain.reviews import Said, give_review


def make(service, verifications=5, name="fruit", prediction="pear", **settings):
    """Make a monitor with so many open verifications; return its id."""
    given = {"tolerance": 0.05, "policy": "explore"} | settings
    given |= {"half_width" if given["policy"] == "explore" else "margin": 0.01} if "margin" not in given else {}
    row = service.do(monitors.create_served_monitor(name, given, actor="test"))
    ask(service, row.id, verifications, prediction)
    return row.id


def ask(service, monitor, verifications, prediction="pear", start=0):
    """Decide about so many predictions, all of which are chosen."""
    rows = [Prediction(f"id-{n}", prediction) for n in range(start + 1, start + verifications + 1)]
    assert all(one.verify for one in service.do(decide_predictions(service, monitor, rows, actor="test")))


def claim(service, monitor, who="ann", **options):
    """Claim one verification; return its number."""
    found = service.do(claim_verifications(monitor, who, **options))
    return found[0].verification.number if found else None


def say(service, monitor, number, who="ann", correct=None, label=None, skipped=False, **options):
    """Give one review; return what became of it."""
    return service.do(give_review(monitor, who, number, Said(correct, label, skipped), **options)).status


def verification(service, monitor, number):
    """Return a verification."""
    with service.read() as tx:
        return find_verification(tx, monitor, number)


def slots(service, monitor, number):
    """Return the slots of a verification: number, reviewer and answer."""
    with service.read() as tx:
        return [(one.slot, one.reviewer, one.answer) for one in review_slots_of_verification(tx, monitor, number)]


def entries(service, monitor, kind):
    """Return what the journal says of one kind."""
    from sidelight.service.journal.entry import read_all_journal_entries

    with service.read() as tx:
        return [one for one in read_all_journal_entries(tx, monitor, 0) if one.kind == kind]
