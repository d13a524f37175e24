"""`simulate`: many runs of one strategy, on all cores, the same to the last bit on any number of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.environments.base import Environment
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import compiled_available
from sidelight.results import Results
from sidelight.simulation.loop import CHECKPOINT, ROUND, Run, Stepped, play
from sidelight.simulation.progress import Progress
from sidelight.strategies.base import KernelStrategy, Strategy
from sidelight.tasks import Advancing, cores

# How much time passes between two looks at the progress bar and at Ctrl-C, and with how many rounds that begins.
_PATIENCE = 0.2
_FIRST_CHUNK = 1 << 10
_MOST_CHUNK = 1 << 24


def simulate(
    game: Game,
    strategy: Strategy,
    environment: Environment,
    horizon: int = 20_000,
    runs: int = 96,
    seed: int = 0,
    checkpoints: int | Sequence[int] = 200,
    workers: int | None = None,
    *,
    first_run: int = 0,
    progress: bool | Advancing | None = None,
) -> Results:
    """Play a game many times and return the regret at checkpoints.

    Run r draws its world from `SeedSequence(seed, spawn_key=(r, 0))` and the strategy's own randomness from
    `(r, 1)`: all strategies meet the same outcomes, and neither the number of workers nor whether the loop is compiled
    changes a result.

    Parameters
    ----------
    game, strategy, environment
        Who plays what against whom. The strategy is not changed; each run starts from scratch.
    horizon, runs
        Rounds of a run, and how many runs.
    seed
        Where all randomness starts.
    checkpoints
        How many, evenly spaced and ending at the horizon; or a list of rounds.
    workers
        Threads; all cores by default.
    first_run
        The number of the first run, for experiments that are split over several machines.
    progress
        Show a progress bar; by default only on a terminal, and only if it takes long. Or anything with a method
        `advance`, which is told of finished rounds a few times a second and may raise an error to end the work.
    """
    _check(game, strategy, environment, horizon, runs, seed, workers, first_run)
    horizon, runs, seed, first_run = int(horizon), int(runs), int(seed), int(first_run)
    environment.check(game, first_run + runs, horizon)
    rounds = _rounds(checkpoints, horizon)
    compiled = isinstance(strategy, KernelStrategy) and compiled_available()
    workers = min(runs, workers or cores()) if compiled else 1
    started = time.perf_counter()
    shown = progress if isinstance(progress, bool) else None
    own = Progress(f"{strategy.name} on {game.name or 'game'}", runs * horizon, shown)
    with own:
        bar = own if progress is None or isinstance(progress, bool) else progress
        job = _Job(game, strategy, environment, horizon, seed, rounds, bar)
        books = _run_all(job.play, range(first_run, first_run + runs), workers, job.stop)
    return Results(
        game=game,
        strategy=strategy.describe(),
        environment=environment.describe(),
        rounds=rounds,
        regret=np.array([run.regret for run in books]),
        plays=np.array([run.plays for run in books]),
        seed=seed,
        regret_kind=environment.regret_kind,
        seconds=time.perf_counter() - started,
        manifest={"first_run": first_run},
    )


class _Job:
    """One simulation: everything that its runs share."""

    def __init__(
        self,
        game: Game,
        strategy: Strategy,
        environment: Environment,
        horizon: int,
        seed: int,
        rounds: npt.NDArray[np.int64],
        bar: Advancing,
    ) -> None:
        self.game, self.strategy, self.environment = game, strategy, environment
        self.horizon, self.seed, self.rounds, self.bar = horizon, seed, rounds, bar
        self.signals = signals(game)
        self.stop = threading.Event()

    def play(self, number: int) -> Run:
        """Play one run to its end."""
        world_rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number, 0)))
        own = np.random.SeedSequence(self.seed, spawn_key=(number, 1))
        world = self.environment.start(self.game, number, world_rng)
        run = Run(
            signals=self.signals,
            checkpoints=self.rounds,
            regret=np.zeros(len(self.rounds)),
            plays=np.zeros(self.game.n_actions, np.int64),
            progress=np.zeros(CHECKPOINT + 1, np.int64),
            spent=np.zeros(1),
        )
        context = np.zeros(self.environment.dimension)
        if isinstance(self.strategy, KernelStrategy):
            self._compiled(self.strategy, own, world, run, context, world_rng)
        else:
            player = self.strategy.clone().reset(own)
            self._stepped(player, world, run, context, world_rng)
        return run

    def _compiled(self, strategy: KernelStrategy, own: Any, world: Any, run: Run, context: Any, world_rng: Any) -> None:
        rng = np.random.default_rng(own)
        parameters, state = strategy.compiled_parameters, strategy._start()
        chunk = _FIRST_CHUNK
        while (t := int(run.progress[ROUND])) < self.horizon and not self.stop.is_set():
            begun = time.perf_counter()
            waiting = play(parameters, state, world, run, context, rng, world_rng, min(t + chunk, self.horizon))
            if waiting:
                parameters, state = strategy._resume(parameters, state)
            played = int(run.progress[ROUND]) - t
            self.bar.advance(played)
            if played == chunk:
                longer = _PATIENCE / max(time.perf_counter() - begun, 1e-6)
                chunk = int(min(_MOST_CHUNK, max(1.0, chunk * min(longer, 16.0))))

    def _stepped(self, player: Strategy, world: Any, run: Run, context: Any, world_rng: Any) -> None:
        while (t := int(run.progress[ROUND])) < self.horizon and not self.stop.is_set():
            until = min(t + _FIRST_CHUNK, self.horizon)
            play.python(Stepped(player), None, world, run, context, None, world_rng, until)
            self.bar.advance(until - t)


def _run_all(task: Callable[[int], Run], numbers: range, workers: int, stop: threading.Event) -> list[Run]:
    """Run the tasks on threads; on an error or Ctrl-C the others stop at their next chunk."""
    if workers == 1:
        return [task(number) for number in numbers]
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(task, number) for number in numbers]
        try:
            # In slices, because a thread that waits for ever hears no Ctrl-C on every platform.
            while wait(futures, timeout=0.2, return_when=FIRST_EXCEPTION).not_done:
                if any(future.done() and future.exception() for future in futures):
                    break
        finally:
            if any(not future.done() or future.exception() for future in futures):
                stop.set()
                pool.shutdown(cancel_futures=True)
        return [future.result() for future in futures]


def signals(game: Game) -> npt.NDArray[np.int64]:
    """Return, for each action and outcome, the place of the symbol shown among the action's symbols."""
    return np.array([[game.symbols(a).index(s) for s in row] for a, row in enumerate(game.feedback)], np.int64)


def _rounds(checkpoints: int | Sequence[int], horizon: int) -> npt.NDArray[np.int64]:
    """Return the rounds after which regret is recorded."""
    if isinstance(checkpoints, int | np.integer):
        if checkpoints < 1:
            raise SidelightError(f"checkpoints is {checkpoints}: give at least 1, or a list of rounds")
        count = min(int(checkpoints), horizon)
        return np.array([horizon * (k + 1) // count for k in range(count)], np.int64)
    rounds = np.array(checkpoints)
    if rounds.ndim != 1 or not rounds.size or not np.issubdtype(rounds.dtype, np.integer):
        raise SidelightError(f"checkpoints must be a number or a list of rounds, not {checkpoints!r}")
    rounds = rounds.astype(np.int64)
    if rounds[0] < 1 or rounds[-1] > horizon or (np.diff(rounds) <= 0).any():
        raise SidelightError(f"checkpoints must increase and lie between 1 and the horizon {horizon}")
    return rounds


def _check(
    game: Game,
    strategy: Strategy,
    environment: Environment,
    horizon: int,
    runs: int,
    seed: int,
    workers: int | None,
    first_run: int,
) -> None:
    for value, kind, what in (
        (game, Game, "game"),
        (strategy, Strategy, "strategy"),
        (environment, Environment, "env"),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{what} must be of the class {kind.__name__}, not {type(value).__name__}")
    if strategy.game != game:
        raise SidelightError(f"the strategy was made for another game ({strategy.game.name or 'unnamed'})")
    least = {"horizon": (horizon, 1), "runs": (runs, 1), "seed": (seed, 0), "first_run": (first_run, 0)}
    if workers is not None:
        least["workers"] = (workers, 1)
    for name, (number, low) in least.items():
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < low:
            raise SidelightError(f"{name} is {number!r}: give a whole number of at least {low}")
    if strategy.dimension and strategy.dimension != environment.dimension:
        have = f"the environment has {environment.dimension or 'none'}"
        raise SidelightError(f"{strategy.name} wants contexts of {strategy.dimension} numbers, {have}")
