"""The review queue over HTTP."""

import base64

import pytest

from sidelight.service.demo.worlds import encode_demo_png

pytestmark = pytest.mark.filterwarnings("error")
URL = "/v1/monitors/fruit"


@pytest.fixture
def fruit(everyone):
    """Make a monitor with verifications; return who may do everything with it."""

    def make(*payloads, **settings):
        given = {"tolerance": 0.05, "policy": "explore", "half_width": 0.01, "labels": ["pear", "plum"]} | settings
        assert everyone("POST", "/v1/monitors", {"name": "fruit", "settings": given}).status_code == 201
        for n, payload in enumerate(payloads or [None], 1):
            sent = {"id": f"id-{n}", "prediction": "pear", "payload": payload}
            assert everyone("POST", f"{URL}/decisions", sent).json()["verify"]
        return everyone

    return make


def test_claim_answer_and_replace(fruit):
    call = fruit({"text": "a <b>pear</b>"}, {"weight": 3})
    reply = call("POST", f"{URL}/queue/claim", {"count": 5})
    assert reply.status_code == 200
    first, second = reply.json()["verifications"]
    assert (first["number"], first["id"], first["prediction"], first["slot"]) == (1, "id-1", "pear", 1)
    assert first["payload"] == {"text": "a <b>pear</b>"}
    assert second["payload"] == {"weight": 3}
    assert call("POST", f"{URL}/queue/claim", {}).json() == {"verifications": []}
    said = call("POST", f"{URL}/queue/answer", {"number": 1, "correct": True})
    assert said.json() == {"number": 1, "status": "settled", "revision": 1}
    refused = call("POST", f"{URL}/queue/answer", {"number": 1, "label": "plum"})
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["revision"] == 1
    said = call("POST", f"{URL}/queue/answer", {"number": 1, "label": "plum", "replace": True, "revision": 1})
    assert said.json()["status"] == "settled"
    assert call("GET", f"{URL}/report").json()["classes"][0]["errors"] == 1


def test_pictures_and_links_come_back_as_they_were_sent(fruit):
    import numpy as np

    image = base64.b64encode(encode_demo_png(np.zeros((2, 3), np.uint8))).decode()
    call = fruit({"image": image}, {"link": "https://example.com/a.png"})
    verifications = call("POST", f"{URL}/queue/claim", {"count": 2}).json()["verifications"]
    assert [one["payload"] for one in verifications] == [{"image": image}, {"link": "https://example.com/a.png"}]


def test_release_and_withdraw(fruit):
    call = fruit()
    call("POST", f"{URL}/queue/claim", {})
    assert call("POST", f"{URL}/queue/release", {"number": 1}).json() == {"released": True}
    assert call("POST", f"{URL}/queue/release", {"number": 1}).json() == {"released": False}
    assert call("POST", f"{URL}/queue/withdraw", {"number": 1}).status_code == 409
    call("POST", f"{URL}/queue/answer", {"number": 1, "correct": False})
    assert call("POST", f"{URL}/queue/withdraw", {"number": 1}).json()["status"] == "withdrawn"
    assert call("POST", f"{URL}/queue/claim", {}).json()["verifications"][0]["number"] == 1


def test_two_reviews_and_one_that_settles(fruit, as_caller):
    fruit(reviews=2)
    ann, bob, cem = as_caller("answer"), as_caller("answer"), as_caller("answer", "settle")
    assert ann("POST", f"{URL}/queue/answer", {"number": 1, "correct": True}).json()["status"] == "recorded"
    assert bob("POST", f"{URL}/queue/answer", {"number": 1, "correct": False}).json()["status"] == "disputed"
    dan = as_caller("answer")
    assert dan("POST", f"{URL}/queue/claim", {}).json() == {"verifications": []}
    assert dan("POST", f"{URL}/queue/answer", {"number": 1, "correct": False}).status_code == 403
    assert dan("POST", f"{URL}/queue/settle", {"number": 1, "correct": False}).status_code == 403
    assert cem("POST", f"{URL}/queue/claim", {}).json()["verifications"][0]["slot"] == 3
    assert cem("POST", f"{URL}/queue/settle", {"number": 1, "correct": False}).json()["status"] == "settled"


def test_a_hidden_prediction_is_in_no_answer(fruit, as_caller):
    fruit({"text": "look"}, {"text": "look"}, blind=True, labels=["apple", "plum", "pear"])
    call = as_caller("answer")
    claimed = call("POST", f"{URL}/queue/claim", {"count": 2})
    assert claimed.json()["verifications"][0]["labels"] == ["apple", "plum", "pear"]
    assert all("prediction" not in one for one in claimed.json()["verifications"])
    assert claimed.text.count("pear") == 2  # among the labels of each verification, and nowhere else
    assert call("POST", f"{URL}/queue/answer", {"number": 1, "correct": True}).status_code == 422
    said = call("POST", f"{URL}/queue/answer", {"number": 1, "label": "plum"})
    again = call("POST", f"{URL}/queue/answer", {"number": 1, "label": "apple"})
    assert again.status_code == 409
    for reply in (said, again):
        assert "pear" not in reply.text
        assert "correct" not in reply.text


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("claim", {"count": 0}, 422),
        ("claim", {"count": 101}, 422),
        ("claim", {"count": "1"}, 422),
        ("answer", {"number": 1}, 422),
        ("answer", {"number": 0, "correct": True}, 422),
        ("answer", {"number": 1 << 60, "correct": True}, 422),
        ("answer", {"number": 99, "correct": True}, 404),
        ("answer", {"number": 1, "correct": True, "label": "pear"}, 422),
        ("answer", {"number": 1, "label": "kiwi"}, 422),
        ("answer", {"number": 1, "label": 7}, 422),
        ("settle", {"number": 1}, 422),
        ("settle", {"number": 99, "skipped": True}, 404),
        ("release", {"number": 99}, 404),
        ("withdraw", {"number": 99}, 404),
    ],
)
def test_bad_input_changes_nothing(fruit, path, body, status):
    call = fruit()
    reply = call("POST", f"{URL}/queue/{path}", body)
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert call("POST", f"{URL}/queue/claim", {}).json()["verifications"][0]["revision"] == 0
