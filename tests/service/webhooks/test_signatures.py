import base64
import hashlib
import hmac

from sidelight.service.webhooks.signatures import new_secret, signed_headers


def test_the_example_of_the_specification():
    """The vector that the reference libraries of Standard Webhooks are tested with."""
    headers = signed_headers(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_while_secrets_are_exchanged_both_sign():
    old, new = new_secret(), new_secret()
    signatures = signed_headers([new, old], "msg_1", 7, b"{}")["webhook-signature"].split(" ")
    expected = [
        hmac.new(base64.b64decode(one.removeprefix("whsec_")), b"msg_1.7.{}", hashlib.sha256).digest()
        for one in (new, old)
    ]
    assert [base64.b64decode(one.removeprefix("v1,")) for one in signatures] == expected


def test_secrets_are_256_random_bits():
    assert new_secret() != new_secret()
    assert len(base64.b64decode(new_secret().removeprefix("whsec_"))) == 32
