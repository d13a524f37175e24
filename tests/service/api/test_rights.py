"""Who may answer what: nobody goes around two reviews, the scope settle, or a hidden prediction."""

import pytest

from service.api.conftest import SQLITE
from service.api.test_queue import URL, fruit
from service.web.browsing import Browser, add_person

__all__ = ["fruit"]


def answer(call, **said):
    return call("POST", f"{URL}/answers", {"id": "id-1"} | said)


def errors(call):
    (one,) = call("GET", f"{URL}/report").json()["classes"]
    return one["verified"], one["errors"]


@pytest.mark.parametrize("body", [{"correct": False, "replace": True}, {"correct": False}, {"skipped": True}])
@pytest.mark.parametrize("settings", [{"reviews": 2}, {"blind": True}])
def test_an_answer_by_id_goes_around_nothing(fruit, as_caller, settings, body):
    everyone = fruit(**settings)
    ann, bob, cem = (as_caller("answer") for _ in range(3))
    for call in (ann, bob)[: settings.get("reviews", 1)]:
        assert call("POST", f"{URL}/queue/answer", {"number": 1, "label": "pear"}).status_code == 200
    assert errors(everyone) == (1, 0)
    refused = answer(cem, **body)
    assert refused.status_code == 403
    assert "settle" in refused.json()["detail"]
    batch = cem("POST", f"{URL}/answers", {"answers": [{"id": "id-1"} | body]})
    assert batch.status_code == 403
    assert errors(everyone) == (1, 0)


@SQLITE
def test_nobody_settles_a_dispute_alone(fruit, as_caller):
    everyone = fruit(reviews=2)
    ann, bob = as_caller("answer"), as_caller("answer")
    ann("POST", f"{URL}/queue/answer", {"number": 1, "correct": True})
    assert bob("POST", f"{URL}/queue/answer", {"number": 1, "correct": False}).json()["status"] == "disputed"
    assert answer(bob, correct=False).status_code == 403
    assert errors(everyone) == (0, 0)
    assert answer(as_caller("answer", "settle"), correct=False).json()["status"] == "recorded"
    assert errors(everyone) == (1, 1)


@SQLITE
def test_labels_of_a_program_settle_where_one_visible_review_does(fruit, as_caller):
    everyone = fruit()
    people, night = as_caller("answer"), as_caller("answer")
    people("POST", f"{URL}/queue/answer", {"number": 1, "correct": True})
    rows = [{"id": "id-1", "label": "plum", "replace": True}, {"id": "never", "label": "plum"}]
    reply = night("POST", f"{URL}/answers", {"answers": rows})
    assert [one["status"] for one in reply.json()["answers"]] == ["corrected", "unknown"]
    assert errors(everyone) == (1, 1)
    everyone("PATCH", URL, {"settings": {"reviews": 2}})
    assert night("POST", f"{URL}/answers", {"answers": rows}).status_code == 403


@SQLITE
def test_somebody_who_signed_in_answers_through_the_queue(fruit, service, app):
    fruit()
    add_person(service, "Ann", "answer")
    browser = Browser(app)
    browser.sign_in("Ann")
    headers = {"Origin": browser.base}

    def call(path, body):
        return browser.runner.run(browser.client.post(URL + path, json=body, headers=headers)).status_code

    assert call("/answers", {"id": "id-1", "correct": False}) == 403
    assert call("/queue/answer", {"number": 1, "correct": False}) == 200
    browser.close()


@SQLITE
def test_no_reply_of_a_blind_monitor_tells_what_is_right(fruit, as_caller):
    """Replies about a right, a wrong and another wrong label must be the same but for the label and the revision."""
    everyone = fruit(None, None, None, blind=True, labels=["apple", "plum", "pear"])
    call = as_caller("answer", "settle")
    histories = []
    for n, labels in enumerate((("pear", "plum"), ("apple", "plum"), ("plum", "pear")), 1):
        replies = []
        for label, replace in zip((*labels, *labels[::-1], labels[1]), (0, 0, 1, 0, 0), strict=True):
            body = {"id": f"id-{n}", "label": label, "replace": bool(replace)}
            single = call("POST", f"{URL}/answers", body)
            batch = call("POST", f"{URL}/answers", {"answers": [body]})
            replies += [(single.status_code, single.text), (batch.status_code, batch.text)]
            assert "pear" not in single.text + batch.text
        histories.append([(status, text.replace(f"id-{n}", "id")) for status, text in replies])
    assert histories[0] == histories[1] == histories[2]
    statuses = [text.partition('"status":')[2][:15] for status, text in histories[0] if status == 200]
    assert len(set(statuses)) > 1  # a retry and a conflict are still told apart
    assert errors(everyone)[0] == 3


@SQLITE
@pytest.mark.parametrize("path", ["answers", "queue/answer", "queue/settle"])
def test_a_label_of_another_type_does_not_tell_the_hidden_class(fruit, as_caller, path):
    fruit(blind=True, labels=["7", "pear"])
    call = as_caller("answer", "settle")
    body = {"id": "id-1"} if path == "answers" else {"number": 1}
    reply = call("POST", f"{URL}/{path}", body | {"label": 7})
    assert reply.status_code == 422
    assert "pear" not in reply.text


@SQLITE
def test_another_label_replaces_one_that_was_as_wrong(fruit, as_caller):
    everyone = fruit(labels=["pear", "plum", "kiwi"])
    everyone("POST", f"{URL}/queue/answer", {"number": 1, "label": "plum"})
    everyone("POST", f"{URL}/queue/answer", {"number": 1, "label": "kiwi", "replace": True, "revision": 1})
    stands = everyone("POST", f"{URL}/queue/answer", {"number": 1, "correct": True}).json()["errors"][0]
    assert (stands["label"], stands["revision"]) == ("kiwi", 2)
    assert errors(everyone) == (1, 1)


@SQLITE
def test_a_label_that_reviews_no_longer_agree_on_is_gone(fruit, as_caller):
    fruit(labels=["pear", "plum", "kiwi"], reviews=2)
    ann, bob = as_caller("answer"), as_caller("answer")
    for call in (ann, bob):
        call("POST", f"{URL}/queue/answer", {"number": 1, "label": "plum"})
    bob("POST", f"{URL}/queue/answer", {"number": 1, "label": "kiwi", "replace": True, "revision": 1})
    stands = bob("POST", f"{URL}/queue/answer", {"number": 1, "correct": True}).json()["errors"][0]
    assert "label" not in stands
    assert stands["correct"] is False
