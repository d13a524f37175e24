import base64

from sidelight.service.webhooks.signatures import new_secret, signed_headers


def test_the_example_of_the_specification():
    """The vector that the reference libraries of Standard Webhooks are tested with."""
    headers = signed_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_secrets_are_256_random_bits():
    assert new_secret() != new_secret()
    assert len(base64.b64decode(new_secret().removeprefix("whsec_"))) == 32
