"""Passwords: hashed slowly, compared safely, never many at once."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import argon2
import pytest

from sidelight.service.auth import passwords
from sidelight.service.auth.passwords import hash_password, password_matches
from sidelight.service.problems import Problem


def test_a_password_matches_itself_alone():
    stored = hash_password("correct horse battery")
    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert password_matches("correct horse battery", stored)
    for other in ("correct horse batterx", "", "correct horse battery ", "x" * 10_000):
        assert not password_matches(other, stored)
    assert hash_password("correct horse battery") != stored


def test_any_characters_will_do():
    for text in ("pässwörter!", "\U0001f511" * 10, "\ud800 half a pair", "a\0b\0c\0d\0e\0f"):
        assert password_matches(text, hash_password(text))


@pytest.mark.parametrize("text", ["", "123456789", "x" * 201])
def test_passwords_that_are_none(text):
    with pytest.raises(Problem, match="characters"):
        hash_password(text)


def test_nobody_has_no_password_and_takes_as_long(monkeypatch):
    computed, real = [], passwords._hasher.verify
    fake = SimpleNamespace(verify=lambda *given: computed.append(given[0]) or real(*given))
    monkeypatch.setattr(passwords, "_hasher", fake)
    assert not password_matches("correct horse battery", None)
    (stored,) = computed
    assert argon2.extract_parameters(stored) == argon2.extract_parameters(hashed_by_default())


def hashed_by_default():
    return argon2.PasswordHasher().hash("x")


def test_old_hashes_are_noticed():
    assert not passwords.is_outdated_hash(hash_password("correct horse battery"))
    assert passwords.is_outdated_hash(argon2.PasswordHasher(memory_cost=8192).hash("correct horse battery"))
    assert not password_matches("correct horse battery", "scrypt$nonsense")


def test_at_most_two_are_computed_at_once_and_few_wait(monkeypatch):
    running, most, lock, go = 0, 0, threading.Lock(), threading.Event()

    def slow(*args):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        go.wait(30)
        with lock:
            running -= 1
        return False

    monkeypatch.setattr(passwords, "_hasher", SimpleNamespace(verify=slow))
    refused = []

    def check():
        try:
            password_matches("correct horse battery", None)
        except Problem as problem:
            refused.append(problem.status)

    threads = [threading.Thread(target=check) for _ in range(20)]
    for one in threads:
        one.start()
    while sum(one.is_alive() for one in threads) > 16:
        threads[-1].join(0.01)
    go.set()
    for one in threads:
        one.join()
    assert most == 2
    assert refused == [503] * 4
