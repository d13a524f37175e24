"""Examples in the docstrings of strategies show what happens."""

import doctest

import pytest

from sidelight import strategies


@pytest.mark.parametrize("name", strategies.names(published=True))
def test_examples_are_true(name: str) -> None:
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder(recurse=False).find(getattr(strategies, name), name):
        runner.run(example)
    assert runner.failures == 0
