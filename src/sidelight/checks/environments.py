"""`check_environment`: what every environment must pass."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.checks.report import (
    Report,
    checks_in,
    ensure,
    ensure_plain_data,
    is_importable_class,
    is_same_checked_data,
)
from sidelight.environments.base import Environment, baseline, cost, draw
from sidelight.game import Game
from sidelight.kernels import compiled, compiled_available, interpreted
from sidelight.simulation import simulate
from sidelight.strategies import Uniform

RUNS = 2
ROUNDS = 50
SEED = 7


@dataclass(frozen=True)
class CheckSite:
    """An environment in a game."""

    environment: Environment
    game: Game

    def world(self, run: int) -> tuple[Any, np.random.Generator]:
        """Return a fresh world of a run and the generator it draws from, as `simulate` makes them."""
        rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(run, 0)))
        return self.environment.start(self.game, run, rng), rng

    def rounds(self, run: int) -> list[tuple[int, list[float], list[float]]]:
        """Play a run: outcome, context and the cost of each action, round by round."""
        world, rng = self.world(run)
        context = np.zeros(self.environment.dimension)
        found = []
        for _ in range(ROUNDS):
            outcome = draw(world, context, rng)
            costs = [float(cost(world, a, outcome)) for a in range(self.game.n_actions)]
            found.append((outcome, context.tolist(), costs))
        return found

    def simulate(self) -> list[bytes]:
        """Simulate; return regrets and plays."""
        strategy = Uniform(self.game)
        strategy.dimension = self.environment.dimension
        settings: dict[str, Any] = {"horizon": ROUNDS, "runs": RUNS, "seed": SEED, "checkpoints": ROUNDS, "workers": 1}
        results = simulate(strategy, self.environment, progress=False, **settings)
        return [results.regret.tobytes(), results.plays.tobytes()]


def check_environment(environment: Environment, game: Game) -> Report:
    """Check an environment that can serve 2 runs of 50 rounds of a game; return what was checked.

    Raises
    ------
    AssertionError
        With a sentence that says what is wrong.
    """
    ensure(isinstance(environment, Environment), f"a {type(environment).__name__} is not an Environment")
    environment.check(game, RUNS, ROUNDS)
    report = Report(type(environment).__name__)
    report.run(CHECKS, CheckSite(environment, game), game.name or repr(game))
    return report


def describes_itself(site: CheckSite) -> None:
    """Check name, description and the kind of regret."""
    described = site.environment.describe()
    ensure_plain_data(described, "describe()")
    ensure(described.get("name") == site.environment.name, "describe() lacks the environment's name")
    kind = site.environment.regret_kind
    ensure(kind in ("pseudo-regret", "hindsight"), f"regret_kind is {kind!r}: 'pseudo-regret' or 'hindsight'")


def draws_valid_outcomes(site: CheckSite) -> None:
    """Check outcomes and contexts."""
    last = site.game.n_outcomes - 1
    for run in range(RUNS):
        for outcome, context, _ in site.rounds(run):
            whole = isinstance(outcome, int | np.integer)
            ensure(whole and 0 <= outcome <= last, f"draw returned {outcome!r}: outcomes are numbered 0 to {last}")
            ensure(np.isfinite(context).all(), f"draw wrote a context that is not finite: {context}")


def charges_regret(site: CheckSite) -> None:
    """Check that costs are finite and, where they are gaps, that none is negative and the best action's is 0."""
    for run in range(RUNS):
        for _, _, costs in site.rounds(run):
            ensure(np.isfinite(costs).all(), f"a cost is not finite: {costs}")
            if site.environment.regret_kind == "pseudo-regret":
                ensure(min(costs) == 0.0, f"the least cost is {min(costs)}, but the best action costs nothing")
        world, _ = site.world(run)
        ensure(np.isfinite(baseline(world)), "the baseline is not finite")


def runs_can_be_repeated(site: CheckSite) -> None:
    """Check that a run depends only on its number and the seed, and does not change the environment."""
    before = site.environment.describe()
    first = [site.rounds(run) for run in range(RUNS)]
    again = [site.rounds(run) for run in reversed(range(RUNS))][::-1]
    ensure(first == again, "the same run with the same seed differs when it is played again")
    ensure(is_same_checked_data(site.environment.describe(), before), "playing changes the environment")


def survives_pickle_and_deepcopy(site: CheckSite) -> str | None:
    """Check that a pickle and a deep copy, made before and after runs, are the same environment."""
    named = is_importable_class(type(site.environment))
    copies: list[Any] = []
    for _ in range(2):
        copies.append(copy.deepcopy(site.environment))
        if named:
            copies.append(_pickled_environment(site.environment))
        played = site.rounds(0)
    for twin in copies:
        ensure(
            is_same_checked_data(twin.describe(), site.environment.describe()), "a copy describes itself differently"
        )
        ensure(CheckSite(twin, site.game).rounds(0) == played, "in a copy the same run with the same seed differs")
    return None if named else "the class cannot be imported by its name, so that nothing can pickle it"


def _pickled_environment(environment: Environment) -> Any:
    try:
        return pickle.loads(pickle.dumps(environment))
    except Exception as error:
        hint = "it may hold only what can be imported by name, no lambda and no function inside another"
        raise AssertionError(f"it cannot be pickled ({type(error).__name__}: {error}): {hint}") from error


def draws_from_its_generator_only(site: CheckSite) -> None:
    """Check that the global generator is left alone."""
    before = str(np.random.get_state())  # noqa: NPY002
    site.rounds(0)
    ensure(str(np.random.get_state()) == before, "outcomes are drawn from NumPy's global generator")  # noqa: NPY002


def compiled_as_interpreted(site: CheckSite) -> str | None:
    """Check that the compiled loop and the interpreter agree to the last bit, with floating-point errors raised."""
    with interpreted(), np.errstate(all="raise", under="ignore"):
        slow = site.simulate()
    if not compiled_available():
        return "nothing is compiled here: Numba is missing or switched off"
    with compiled():
        fast = site.simulate()
    ensure(fast == slow, "compiled and interpreted, the environment differs")
    return None


CHECKS = checks_in(globals())
