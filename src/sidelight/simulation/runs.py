"""`simulate`: many runs of one strategy, on all cores, with the same result to the last bit on any number of cores."""

from __future__ import annotations

import time
from typing import Any

from sidelight.environments.base import Environment
from sidelight.errors import SidelightError
from sidelight.kernels import chosen_way
from sidelight.results import Results
from sidelight.simulation.arguments import check_numbers_of_simulation, check_simulated_players
from sidelight.simulation.blocks import scheduler_address_of_simulation
from sidelight.simulation.checkpoints import Checkpoints, rounds_of_checkpoints
from sidelight.simulation.job import Job
from sidelight.simulation.progress import Progress
from sidelight.strategies.base import KernelStrategy, Strategy
from sidelight.tasks import Advancing, cores


def simulate(
    strategy: Strategy,
    environment: Environment,
    horizon: int = 20_000,
    runs: int = 96,
    seed: int = 0,
    checkpoints: Checkpoints = 200,
    workers: int | None = None,
    *,
    first_run: int = 0,
    progress: bool | Advancing | None = None,
    cluster: Any = None,
) -> Results:
    """Play the strategy's game many times and return the regret at checkpoints.

    Run r draws its world from `SeedSequence(seed, spawn_key=(r, 0))` and the strategy's own randomness from
    `(r, 1)`: all strategies meet the same outcomes, and neither the number of workers nor whether the loop is compiled
    changes a result.

    What takes less than a second in the interpreter runs there. Anything else is compiled, which takes some seconds
    when a strategy is simulated for the first time; later ones, in any process, load it from disk.

    Parameters
    ----------
    strategy, environment
        Who plays against whom. The strategy is not changed; each run starts from scratch.
    horizon, runs
        The number of rounds per run, and the number of runs.
    seed
        Where all randomness starts.
    checkpoints
        How many, evenly spaced and ending at the horizon; "log" for rounds evenly spaced on a logarithmic scale; or a
        list of rounds.
    workers
        Number of threads; by default one per core.
    first_run
        The number of the first run, for experiments that are split over several machines.
    progress
        Show a progress bar; by default only on a terminal, and only if it takes long. Or any object with a method
        `advance`, which is called with the number of finished rounds a few times a second and may raise an error to end
        the work.
    cluster
        Play on the workers of a Dask cluster instead of here: the address of its scheduler, such as
        "tcp://host:8786", or a cluster or client of Dask. Results are the same to the last bit.
    """
    if cluster is not None and workers is not None:
        raise SidelightError("cluster= brings its own workers: leave out workers=")
    address = None if cluster is None else scheduler_address_of_simulation(cluster)
    check_simulated_players(strategy, environment)
    game = strategy.game
    check_numbers_of_simulation(horizon=horizon, runs=runs, seed=seed, first_run=first_run, workers=workers)
    horizon, runs, seed, first_run = int(horizon), int(runs), int(seed), int(first_run)
    environment.check(game, first_run + runs, horizon)
    rounds = rounds_of_checkpoints(checkpoints, horizon)
    threaded = isinstance(strategy, KernelStrategy) and chosen_way() != "interpreted"
    workers = min(runs, workers or cores()) if threaded else 1
    started = time.perf_counter()
    if progress is not None and not isinstance(progress, bool) and not callable(getattr(progress, "advance", None)):
        raise SidelightError(f"progress is {progress!r}: give True, False or an object with a method advance")
    shown = progress if isinstance(progress, bool) else None
    with Progress(f"{strategy.name} on {game.name or 'game'}", runs * horizon, shown) as own:
        bar = own if progress is None or isinstance(progress, bool) else progress
        job = Job(strategy, environment, horizon, seed, rounds, range(first_run, first_run + runs), bar)
        if address is None:
            job.play_all(workers)
        else:
            job.play_on_cluster(address)
    return Results(
        game=game,
        strategy=strategy.describe(),
        environment=environment.describe(),
        rounds=rounds,
        regret=job.regret,
        plays=job.plays,
        seed=seed,
        regret_kind=environment.regret_kind,
        seconds=time.perf_counter() - started,
        manifest={"first_run": first_run},
    )
