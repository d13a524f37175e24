"""`sidelight compile`: compile now rather than at the first simulation."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Iterator
from typing import Any, TypeVar

import click
import numpy as np

from sidelight import games, strategies
from sidelight.environments import IID, Environment, Replay, contexts_by_name
from sidelight.errors import SidelightError
from sidelight.kernels import cache_directory, compiled, compiled_available
from sidelight.simulation import simulate
from sidelight.strategies import KernelStrategy, Strategy

S = TypeVar("S", bound="Strategy")
_ROUNDS = 12
# For parameters without a default.
_SAMPLES: dict[str, Any] = {"action": 0, "horizon": _ROUNDS, "dimension": 2, "contexts": 2}
# Games to try, the ones that most strategies accept first.
_GAMES = ("apple-tasting", "label-efficient", "bartok")


@click.command("compile")
def compile_command() -> None:
    """Compile everything now, so that simulations start at once.

    The first simulation of many rounds with a strategy compiles its round loop, which takes a few seconds; later ones,
    in any process, load it from disk. This command compiles the loops of all strategies in advance. Use it when you
    build a container image, before you measure speed, or before a talk. Run it again after updating sidelight, Python,
    NumPy or Numba.
    The environment variable SIDELIGHT_CACHE_DIR chooses another folder.
    """
    if not compiled_available():
        click.echo("Numba is missing or switched off, so there is nothing to compile; to install it: pip install numba")
        return
    jobs = list(_jobs_to_compile())
    for number, (title, strategy, environment) in enumerate(jobs, start=1):
        click.echo(f"[{number}/{len(jobs)}] {title}")
        _play_to_compile(strategy, environment)
    place = cache_directory()
    if place is None:
        click.echo("The loops could not be stored: choose a writable folder with SIDELIGHT_CACHE_DIR")
    else:
        click.echo(f"Compiled loops are in {place}")


def _jobs_to_compile() -> Iterator[tuple[str, KernelStrategy, Environment]]:
    """Yield every compiled strategy in every environment it can play in."""
    for name in strategies.names():
        kind = getattr(strategies, name)
        strategy = make_strategy_for_compile_command(kind) if issubclass(kind, KernelStrategy) else None
        if strategy is not None:
            for title, environment in _environments_to_compile(strategy):
                yield f"{name} in {title}", strategy, environment


def make_strategy_for_compile_command(kind: type[S]) -> S | None:
    """Make a strategy for some game that it accepts; the choice of game does not affect what is compiled."""
    wanted = inspect.signature(kind.__init__).parameters
    values = {
        name: _SAMPLES[name]
        for name, parameter in wanted.items()
        if name in _SAMPLES and parameter.default is parameter.empty
    }
    for game in dict.fromkeys((*_GAMES, *games.names())):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of missing guarantees, say, which do not matter here
                return kind(games.load(game), **values)
        except (SidelightError, TypeError):
            continue
    return None


def _environments_to_compile(strategy: KernelStrategy) -> Iterator[tuple[str, Environment]]:
    """Yield one environment of each class that the strategy can play in."""
    count, d = strategy.game.n_outcomes, strategy.dimension
    law = np.full(count, 1 / count)
    found: list[Environment] = [] if d else [IID(law)]
    for name in contexts_by_name.names_of_context_environments() if d else ():
        size = "contexts" if "contexts" in contexts_by_name.defaults_of_context_environment(name) else "d"
        with contextlib.suppress(SidelightError):  # some kinds are only for two outcomes
            found.append(contexts_by_name.load_context_environment(name, strategy.game, **{size: d}))
    found.append(Replay(np.arange(_ROUNDS) % count, np.ones((_ROUNDS, d)) if d else None, law))
    yield from {type(each).__name__: each for each in found}.items()


def _play_to_compile(strategy: KernelStrategy, environment: Environment) -> None:
    with compiled(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulate(strategy, environment, _ROUNDS, 1, checkpoints=1, workers=1, progress=False)
