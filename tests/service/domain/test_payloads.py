import base64

import pytest

from sidelight.service.domain.inputs import JSON, LARGEST, LINK, TEXT, encode_prediction_payload


def image(content):
    return {"image": base64.b64encode(content).decode("ascii")}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
def test_the_type_of_a_picture_is_read_from_its_bytes(content, kind):
    assert encode_prediction_payload(image(content)) == (kind, content)


@pytest.mark.parametrize(
    "content", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<html>", b"RIFF", b"BM", b"%PDF-"]
)
def test_what_browsers_could_run_is_no_picture(content):
    with pytest.raises(ValueError, match="PNG"):
        encode_prediction_payload(image(content))


@pytest.mark.parametrize(
    "link",
    [
        "",
        "7.png",
        "//images.example/7.png",
        "data:image/png;base64,",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https://user@images.example/",
        "https://images.example/a b",
        "https://images.example/\n",
        "https://ü/",
        "https://images.example/" + "a" * 2000,
        "https://[::1",
    ],
)
def test_what_is_no_link_is_refused(link):
    with pytest.raises(ValueError, match="https"):
        encode_prediction_payload({"link": link})


def test_payloads_have_at_most_64_kilobytes_as_they_are_stored():
    assert LARGEST == 65_536
    for good, bad in (
        ("x" * LARGEST, "x" * (LARGEST + 1)),
        ({"text": "é" * (LARGEST // 2)}, {"text": "é" * (LARGEST // 2 + 1)}),
        (["x" * (LARGEST - 4)], ["x" * (LARGEST - 3)]),
        (image(b"GIF89a".ljust(LARGEST)), image(b"GIF89a".ljust(LARGEST + 1))),
    ):
        assert len(encode_prediction_payload(good)[1]) == LARGEST
        with pytest.raises(ValueError, match="65536"):
            encode_prediction_payload(bad)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("", TEXT),
        ({"text": "a"}, TEXT),
        ({"link": "http://a/"}, LINK),
        ({}, JSON),
        ([], JSON),
        (0, JSON),
        ({"text": None}, JSON),
        ({"text": "a", "link": "b"}, JSON),
        ({"image": 7}, JSON),
        ({"other": "a"}, JSON),
    ],
)
def test_only_the_known_forms_are_more_than_json(value, kind):
    assert encode_prediction_payload(value)[0] == kind
