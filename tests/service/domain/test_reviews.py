"""Reviews: what settles a verification, what stands, and what reaches the monitor."""

from __future__ import annotations

import pytest

from service.reviews import claim, entries, make, say, slots, verification
from sidelight.service.auth.keys import create_key, revoke_key
from sidelight.service.auth.reviewers import disable_reviewer, invite_reviewer
from sidelight.service.auth.sessions import follow_password_link
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.inputs import AnswerTo
from sidelight.service.domain.monitors import change_served_monitor
from sidelight.service.domain.queue import ReviewSlot
from sidelight.service.domain.reviews import (
    Said,
    outcome_of_reviews,
    settle_over_reviews,
    withdraw_review,
)
from sidelight.service.maintenance.check import check_database
from sidelight.service.problems import Problem


def counts(service, monitor):
    """Return the answers and errors that the monitor knows of its class."""
    (one,) = service.report(monitor).classes
    return one.verified, one.errors, one.skipped


def review(place, correct, label=None):
    return ReviewSlot(place, f"r{place}", None, {"correct": correct} | ({} if label is None else {"label": label}), 0.0)


@pytest.mark.parametrize(
    ("slots", "reviews", "expected"),
    [
        ([], 1, None),
        ([review(1, True)], 1, (True, None)),
        ([review(1, False, "plum")], 1, (False, "plum")),
        ([review(1, True)], 2, None),
        ([review(1, True), review(2, True)], 2, (True, None)),
        ([review(1, True), review(2, False)], 2, None),
        ([review(1, False, "plum"), review(2, False, "plum")], 2, (False, "plum")),
        ([review(1, False, "plum"), review(2, False, "kiwi")], 2, (False, None)),
        ([review(1, True), review(2, False), review(3, False, "kiwi")], 2, (False, "kiwi")),
        ([ReviewSlot(-1, "r", None, {"skipped": True}, 0.0), review(1, True)], 1, (True, None)),
        ([ReviewSlot(1, "r", 9e9, None, None)], 1, None),
    ],
)
def test_what_reviews_settle(slots, reviews, expected):
    assert outcome_of_reviews(slots, reviews) == expected


def test_labels_that_differ_agree_if_both_are_wrong(service):
    monitor = make(service, 1, reviews=2)
    say(service, monitor, 1, "ann", label="plum")
    assert say(service, monitor, 1, "bob", label="kiwi") == "settled"
    found = verification(service, monitor, 1)
    assert (found.correct, found.label) == (False, None)
    assert [answer["label"] for _, _, answer in slots(service, monitor, 1)] == ["plum", "kiwi"]


def test_a_team_of_two_can_settle(service):
    monitor = make(service, 1, reviews=2)
    say(service, monitor, 1, "ann", correct=True)
    say(service, monitor, 1, "bob", correct=False)
    assert service.do(settle_over_reviews(monitor, "ann", 1, Said(correct=False))).status == "settled"
    assert counts(service, monitor) == (1, 1, 0)
    # What was settled over the reviews does not change with them.
    assert service.do(withdraw_review(monitor, "bob", 1)).status == "withdrawn"
    assert verification(service, monitor, 1).correct is False


def test_a_late_answer_to_an_open_verification_is_taken_and_the_one_after_it_is_told_what_stands(service):
    monitor = make(service, 1)
    claim(service, monitor, "ann")
    assert say(service, monitor, 1, "bob", correct=True) == "settled"
    with pytest.raises(Problem) as caught:
        say(service, monitor, 1, "ann", correct=False)
    assert caught.value.status == 409
    assert caught.value.places[0] | {"detail": ""} == {
        "detail": "",
        "pointer": "#/number",
        "state": "answered",
        "revision": 1,
        "correct": True,
    }
    assert counts(service, monitor) == (1, 0, 0)


def test_others_may_replace_what_is_settled_only_with_the_scope(service):
    monitor = make(service, 1)
    say(service, monitor, 1, "ann", correct=True)
    with pytest.raises(Problem) as caught:
        say(service, monitor, 1, "bob", correct=False, replace=True, revision=1)
    assert caught.value.status == 403
    assert say(service, monitor, 1, "bob", correct=False, replace=True, revision=1, settles=True) == "settled"
    assert verification(service, monitor, 1).correct is False


def test_a_review_that_is_replaced_may_reopen_what_two_had_settled(service):
    monitor = make(service, 1, reviews=2)
    say(service, monitor, 1, "ann", correct=True)
    say(service, monitor, 1, "bob", correct=True)
    assert say(service, monitor, 1, "ann", correct=False, replace=True, revision=1) == "disputed"
    assert verification(service, monitor, 1).state == "open"
    assert counts(service, monitor) == (0, 0, 1)
    assert say(service, monitor, 1, "bob", correct=False) == "settled"
    assert counts(service, monitor) == (1, 1, 0)


def test_a_verification_that_was_opened_again_can_be_skipped(service):
    monitor = make(service, 1)
    say(service, monitor, 1, correct=False)
    service.do(withdraw_review(monitor, "ann", 1))
    assert say(service, monitor, 1, skipped=True) == "skipped"
    assert verification(service, monitor, 1).state == "skipped"
    assert claim(service, monitor, "bob") is None


@pytest.mark.parametrize(
    ("prediction", "label"), [(1.5, "nan"), (1.5, "inf"), (1.5, "1e999"), (7, "nan"), (7, "9" * 190)]
)
def test_a_label_that_is_no_number_that_can_be_stored_is_refused(service, prediction, label):
    monitor = make(service, 1, prediction=prediction)
    with pytest.raises(Problem, match="nothing changed"):
        say(service, monitor, 1, label=label)
    assert verification(service, monitor, 1).state == "open"


def test_a_verification_is_skipped_after_as_many_skips_as_reviews(service):
    monitor = make(service, 1, reviews=2)
    claim(service, monitor, "ann")
    assert say(service, monitor, 1, "ann", skipped=True) == "passed on"
    assert claim(service, monitor, "ann") is None
    assert claim(service, monitor, "bob") == 1
    assert say(service, monitor, 1, "bob", skipped=True) == "skipped"
    assert verification(service, monitor, 1).state == "skipped"
    assert counts(service, monitor) == (0, 0, 1)
    assert len(entries(service, monitor, "reviewed")) == 2


def test_a_skip_can_be_taken_back_by_an_answer(service):
    monitor = make(service, 1)
    say(service, monitor, 1, skipped=True)
    assert say(service, monitor, 1, correct=True, replace=True, revision=1) == "settled"
    assert counts(service, monitor) == (1, 0, 0)
    assert slots(service, monitor, 1) == [(1, "ann", {"correct": True})]


@pytest.mark.parametrize(("prediction", "right", "wrong"), [(7, "7", "1"), (0.5, "0.5", "2"), ("7", "7", "1")])
def test_labels_of_forms_are_compared_as_the_classes_are(service, prediction, right, wrong):
    monitor = make(service, 2, prediction=prediction)
    say(service, monitor, 1, label=right)
    say(service, monitor, 2, label=wrong)
    assert [verification(service, monitor, n).correct for n in (1, 2)] == [True, False]


def test_an_answer_from_elsewhere_settles_what_a_reviewer_holds(service):
    monitor = make(service, 1)
    claim(service, monitor)
    service.do(record_answers(monitor, [AnswerTo("id-1", correct=True)], actor="key:night"))
    with pytest.raises(Problem, match="settled"):
        say(service, monitor, 1, correct=False)
    assert counts(service, monitor) == (1, 0, 0)


def test_settling_what_is_settled_takes_the_word(service):
    monitor = make(service, 1)
    service.do(settle_over_reviews(monitor, "ann", 1, Said(correct=True)))
    assert service.do(settle_over_reviews(monitor, "bob", 1, Said(correct=True))).status == "unchanged"
    with pytest.raises(Problem, match="settled"):
        service.do(settle_over_reviews(monitor, "bob", 1, Said(correct=False)))
    assert (
        service.do(settle_over_reviews(monitor, "bob", 1, Said(correct=False), revision=1, replace=True)).status
        == "settled"
    )
    assert (
        service.do(settle_over_reviews(monitor, "bob", 1, Said(skipped=True), revision=2, replace=True)).status
        == "skipped"
    )
    assert counts(service, monitor) == (0, 0, 1)


def test_the_journal_replays_to_what_reviews_left(service):
    monitor = make(service, 6, reviews=2)
    for number in range(1, 5):
        say(service, monitor, number, "ann", correct=number % 2 == 0)
        say(service, monitor, number, "bob", correct=True)
    say(service, monitor, 2, "ann", correct=False, replace=True, revision=1)
    service.do(settle_over_reviews(monitor, "cem", 1, Said(correct=False)))
    say(service, monitor, 5, "ann", skipped=True)
    served = service.report(monitor)
    service.writer.replicas.forget()
    assert service.report(monitor) == served


def person(service, name, *scopes, only=None, ready=True):
    """Add somebody who may sign in; return their actor."""
    invited = service.do(invite_reviewer("test", name, scopes or ("answer",), only))
    if ready:
        service.do(follow_password_link(invited.code, "", "hash"))
    return invited.reviewer.actor


@pytest.mark.parametrize("reviews", [1, 2])
def test_a_skipped_verification_goes_to_somebody_else_before_it_ends(service, reviews):
    monitor = make(service, 2, reviews=reviews)
    ann, bob, cem = (person(service, name) for name in ("Ann", "Bob", "Cem"))
    assert claim(service, monitor, ann) == 1
    assert say(service, monitor, 1, ann, skipped=True) == "passed on"
    assert verification(service, monitor, 1).state == "open"
    assert claim(service, monitor, ann) == 2
    assert claim(service, monitor, bob) == 1
    assert say(service, monitor, 1, bob, skipped=True) == "skipped"
    assert claim(service, monitor, cem) != 1
    assert counts(service, monitor) == (0, 0, 1)


def test_what_one_skips_another_answers(service):
    monitor = make(service, 1)
    ann, bob = person(service, "Ann"), person(service, "Bob")
    say(service, monitor, 1, ann, skipped=True)
    assert say(service, monitor, 1, bob, correct=False) == "settled"
    assert counts(service, monitor) == (1, 1, 0)
    service.do(withdraw_review(monitor, ann, 1))
    assert verification(service, monitor, 1).correct is False


def test_only_who_can_review_it_keeps_a_skipped_verification_open(service):
    monitor = make(service, 6)
    make(service, 0, name="other")
    ann = person(service, "Ann")
    (
        person(service, "invited", ready=False),
        person(service, "elsewhere", only=["other"]),
        person(service, "x", "report"),
    )
    service.do(create_key("test", "classifier", ["decide", "answer"]))
    service.do(revoke_key("test", service.do(create_key("test", "old", ["answer"])).id))
    assert say(service, monitor, 1, ann, skipped=True) == "skipped"
    bob = person(service, "Bob")
    assert say(service, monitor, 2, ann, skipped=True) == "passed on"
    service.do(disable_reviewer("test", bob.partition(":")[2]))
    assert say(service, monitor, 3, ann, skipped=True) == "skipped"
    service.do(create_key("test", "tool", ["answer"], ["fruit"]))
    assert say(service, monitor, 4, ann, skipped=True) == "passed on"


def test_a_skip_that_is_withdrawn_opens_the_verification_and_can_be_replaced(service):
    monitor = make(service, 1)
    ann, bob = person(service, "Ann"), person(service, "Bob")
    say(service, monitor, 1, ann, skipped=True), say(service, monitor, 1, bob, skipped=True)
    service.do(withdraw_review(monitor, ann, 1))
    assert verification(service, monitor, 1).state == "open"
    assert claim(service, monitor, bob) is None
    assert claim(service, monitor, ann) == 1
    assert say(service, monitor, 1, ann, skipped=True) == "skipped"
    revision = verification(service, monitor, 1).revision
    assert say(service, monitor, 1, ann, correct=True, replace=True, revision=revision) == "settled"
    assert counts(service, monitor) == (1, 0, 0)


def test_who_settled_a_verification_as_skipped_is_not_overruled_by_one_withdrawn_skip(service):
    monitor = make(service, 1)
    ann, _ = person(service, "Ann"), person(service, "Bob")
    say(service, monitor, 1, ann, skipped=True)
    service.do(settle_over_reviews(monitor, "reviewer:cem", 1, Said(skipped=True)))
    service.do(withdraw_review(monitor, ann, 1))
    assert verification(service, monitor, 1).state == "skipped"


def test_items_with_enough_reviews_settle_when_fewer_are_wanted(service):
    monitor = make(service, 4, reviews=2)
    for number in (1, 2, 4):
        say(service, monitor, number, "ann", correct=number != 4)
    say(service, monitor, 2, "bob", correct=False)
    assert claim(service, monitor, "bob") == 1
    row = service.do(change_served_monitor(monitor, {"reviews": 1}, actor="admin"))
    found = [verification(service, monitor, number) for number in (1, 2, 3, 4)]
    assert [(one.state, one.correct, one.settled_by) for one in found] == [
        ("answered", True, "ann"),
        ("open", None, None),  # they disagree
        ("open", None, None),
        ("answered", False, "ann"),
    ]
    assert counts(service, monitor)[:2] == (2, 1)
    assert row.last == len(entries(service, monitor, "answered")) + entries(service, monitor, "settings")[0].number
    assert claim(service, monitor, "cem") == 3
    assert claim(service, monitor, "dan", settle=True) == 2
    assert say(service, monitor, 2, "dan", correct=False, settles=True) == "settled"
    assert check_database(service.storage) == []
