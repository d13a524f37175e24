"""Keys of the review page: typing what one sees never means something else."""

import string

import pytest

from sidelight.service.web.pages.review import keyboard_keys_of_buttons, keyboard_keys_of_labels


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
    keys, buttons = keyboard_keys_of_labels(labels), keyboard_keys_of_buttons(labels)
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
