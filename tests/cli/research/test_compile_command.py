"""`sidelight compile`."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.cli import main
from sidelight.cli.research import compile as compile_command
from sidelight.kernels import cache_directory, compiled_available

ONE = """
import sidelight.strategies
from sidelight.cli import main
from sidelight.cli.research import compile as compile_command

every = compile_command._environments_to_compile
sidelight.strategies.names = lambda: ("Uniform",)
compile_command._environments_to_compile = lambda strategy: list(every(strategy))[:1]
main(["compile"])
"""


def invoke():
    return CliRunner().invoke(main, ["compile"])


@pytest.mark.skipif(not compiled_available(), reason="needs Numba")
def test_every_kernel_strategy_is_compiled_in_every_environment(monkeypatch):
    ran = []
    monkeypatch.setattr(
        compile_command,
        "_play_to_compile",
        lambda strategy, environment: ran.append((strategy.name, environment.name)),
    )
    result = invoke()
    assert result.exit_code == 0
    for name in sl.strategies.names():
        kind = getattr(sl.strategies, name)
        if not issubclass(kind, sl.strategies.KernelStrategy):
            assert not any(name == one for one, _ in ran)
        else:
            assert (name, "Replay") in ran
            assert f"{name} in Replay" in result.output
    assert {("CBP", "IID"), ("RandCBP", "IID")} <= set(ran)
    assert f"[1/{len(ran)}] Prospect in IID\n" in result.output


@pytest.mark.skipif(not compiled_available(), reason="needs Numba")
@pytest.mark.slow
def test_the_second_time_nothing_is_compiled(tmp_path):
    def warm():
        environment = os.environ | {"SIDELIGHT_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", ONE]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True, env=environment)
        return done.stdout, {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb[ic]")}

    output, first = warm()
    if cache_directory() is None:
        pytest.skip("the sources changed since this process began")
    assert f"Compiled loops are in {tmp_path}" in output
    assert first
    again, second = warm()
    assert f"Compiled loops are in {tmp_path}" in again
    assert second == first


def test_without_numba_it_says_so(monkeypatch):
    monkeypatch.setattr("sidelight.kernels.loops.numba_or_none", lambda: None)
    monkeypatch.setitem(sys.modules, "numba", None)
    result = invoke()
    assert result.exit_code == 0
    assert "pip install numba" in result.output


def test_where_compilation_is_off_it_says_so(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_JIT", "0")
    result = invoke()
    assert result.exit_code == 0
    assert "switched off" in result.output
