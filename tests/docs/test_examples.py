"""Every public name has an example, and the examples in `docs/_names/` print what they say."""

import functools
import importlib
import inspect
from pathlib import Path

import httpx
import pytest
from service.fake import KEY, Fake
from test_readme import Block, run_python

import sidelight as sl
from sidelight.client.clients import ClientSettings

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"
FILES = sorted((EXTENSIONS.parent / "_names").glob("*.txt"))


@pytest.fixture(scope="module")
def extensions():
    """The modules that write the reference, and that read examples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXTENSIONS))
        yield importlib.import_module("reference_python"), importlib.import_module("name_examples")


@pytest.fixture
def service(monkeypatch):
    """Every client talks to a service without a network."""
    connect = ClientSettings.__init__
    transport = httpx.MockTransport(Fake())
    monkeypatch.setattr(ClientSettings, "__init__", functools.partialmethod(connect, transport=transport))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sessions_print_what_they_show(path, extensions, service, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIDELIGHT_JIT", "0")  # the same numbers, without waiting for the compiler
    names = {"__name__": "__main__"}
    for name, text in extensions[1].sessions(path.stem).items():
        run_python(Block("pycon", text + "\n", 0), names, f"{path.name}, {name}")


def test_the_service_knows_the_key_of_the_examples(extensions):
    assert f'key="{KEY}"' in extensions[1].sessions("sidelight.client")[""]


def test_every_public_name_has_an_example(extensions):
    python, examples = extensions
    published = set(sl.strategies.names(published=True)) - set(sl.strategies.names())
    missing = []
    for module in python.MODULES:
        for name in set(python.public_names(importlib.import_module(module))) - published:
            value = getattr(importlib.import_module(module), name)
            elsewhere = python.home_of(name, value) not in (None, module)
            own = ">>> " in (inspect.getdoc(value) or "")
            if callable(value) and not elsewhere and not own and name not in examples.sessions(module):
                missing.append(f"{module}.{name}")
    assert missing == []


def test_no_example_is_left_over(extensions):
    for path in FILES:
        names = set(extensions[1].sessions(path.stem)) - {""}
        assert names <= set(extensions[0].public_names(importlib.import_module(path.stem)))
