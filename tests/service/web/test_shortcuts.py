"""Keys of the review page: typing what one sees never means something else."""

import string

import pytest

from service.api.conftest import SQLITE
from service.reviews import make
from sidelight.service.web.pages.review import button_keys, label_keys


@pytest.mark.parametrize(
    "labels",
    [
        [str(n) for n in range(10)],
        list(reversed(string.digits)),
        list(string.ascii_lowercase),
        list(string.ascii_uppercase),
        ["a", "A", "s", "S"],
        [*string.digits, *string.ascii_lowercase, *"+-/<*>"],
        ["é", "Ж", "猫", "+"],
        ["S", "cat", "3", "1st"],
        [str(n) for n in range(40)],
        [f"{n}0" for n in range(1, 60)],
        ["cat", "dog", "bird"],
        [" ", "\u202e", "ab", "c"],
    ],
)
def test_no_key_means_something_else(labels):
    keys, buttons = label_keys(labels), button_keys(labels)
    assert list(keys) == labels or set(keys) == set(labels)
    used = [one for one in keys.values() if one]
    assert len(used) == len(set(used))
    assert not {one.lower() for one in used} & {one for one in buttons.values() if one}
    assert len([one for one in buttons.values() if one]) == len({one for one in buttons.values() if one})
    for label, key in keys.items():
        if len(label) == 1 and label.isprintable() and label.strip():
            assert key == label
        elif key:
            assert not any(other.lower().startswith(key) for other in labels)


def test_words_have_digits_and_buttons_their_letters():
    assert label_keys(["cat", "dog"]) == {"cat": "1", "dog": "2"}
    assert "".join(button_keys(["cat", "dog"]).values()) == "rwsuxn"
    assert "".join(button_keys(["S", "r"]).values()) == "+w/uxn"
    assert button_keys(["s", "/"])["skip"] == ""


@SQLITE
def test_the_page_shows_the_keys_and_focuses_nothing(service, browsers):
    make(service, 2, labels=["7", "S", "pear"], prediction="7")
    page = browsers("Ann", "answer").get("/m/fruit/review?verification=1").text
    assert "autofocus" not in page
    assert 'data-key="S">S <kbd>S</kbd>' in page
    assert 'data-key="/">Skip <kbd>/</kbd>' in page
    assert 'value="right" data-key="r" data-also="7">Right <span><kbd>R</kbd> <kbd>7</kbd></span>' in page
    assert 'value="7"' not in page
