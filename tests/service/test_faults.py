import pytest

from sidelight.service.problems import request_label_fault, request_text_fault


@pytest.mark.parametrize("text", [" ", "\t\n", "\u00a0", "\u3000\u2003", "\u200b", "\u202e", "\ufeff \u2060", "\u00ad"])
def test_a_name_can_be_seen(text):
    assert "can be seen" in request_text_fault(text)
    assert "can be seen" in request_label_fault(text)


@pytest.mark.parametrize("text", ["a", " a ", "-", "\u202eabc", "\u05d0", "\U0001f600", "\ue000", "\u0300"])
def test_what_can_be_seen_is_a_name(text):
    assert request_text_fault(text) is None
