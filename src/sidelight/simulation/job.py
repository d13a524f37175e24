"""One simulation on several threads, or on a cluster."""

from __future__ import annotations

import platform
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import numpy as np

from sidelight.environments.base import Environment
from sidelight.errors import SidelightError
from sidelight.game_arrays import signal_indices
from sidelight.kernels import chosen_way
from sidelight.kernels.arrays import Floats, Integers
from sidelight.simulation.blocks import SimulationBlock, origin_of_simulated_strategy, split_simulation_into_blocks
from sidelight.simulation.worker import Worker
from sidelight.strategies.base import Strategy
from sidelight.tasks import Advancing, Failure, TaskError

# Compiling a loop takes some seconds of processor time, loading one that is stored half a second. A round in the
# interpreter takes ten microseconds or much more, so that many rounds are always compiled.
_SHORT = 1.0  # seconds of processor time, which do not depend on what else the machine does
_LOOK = 0.1  # seconds in the interpreter before its speed is known
_MANY = 100_000  # rounds
# Elsewhere some of NumPy's generators round otherwise than Numba's copies of them.
_SAME_DRAWS = platform.machine() in ("x86_64", "AMD64")


class Job:
    """One simulation: everything that its runs share."""

    def __init__(
        self,
        strategy: Strategy,
        environment: Environment,
        horizon: int,
        seed: int,
        rounds: Integers,
        numbers: range,
        bar: Advancing,
    ) -> None:
        self.game, self.strategy, self.environment = strategy.game, strategy, environment
        self.horizon, self.seed, self.rounds, self.numbers, self.bar = horizon, seed, rounds, numbers, bar
        self.signals = signal_indices(self.game)
        self._rounds_left, self._rounds_interpreted, self._seconds = len(numbers) * horizon, 0, 0.0
        self.stop = threading.Event()
        self._lock, self._waiting = threading.Lock(), numbers
        self.interpreter = threading.Lock()
        """For the one thread that plays there: several would only take turns."""
        try:
            self.regret = np.zeros((len(numbers), len(rounds)))
            self.plays = np.zeros((len(numbers), self.game.n_actions), np.int64)
        except (MemoryError, ValueError, OverflowError):
            raise SidelightError(
                f"{numbers.stop - numbers.start} runs with {len(rounds)} checkpoints do not fit into memory: "
                "give fewer, or simulate parts of the experiment with first_run and save them"
            ) from None

    def take(self, most: int) -> range:
        """Take the next runs to play, at most `most` and at most a quarter of those left; return their numbers."""
        with self._lock:
            count = 0 if self.stop.is_set() else min(most, -(-len(self._waiting) // 4))
            taken, self._waiting = self._waiting[:count], self._waiting[count:]
            return taken

    def advance(self, rounds: int, interpreted: float = 0.0) -> None:
        """Count rounds that were played, perhaps in so many seconds of the interpreter."""
        with self._lock:
            self._rounds_left -= rounds
            if interpreted:
                self._rounds_interpreted, self._seconds = self._rounds_interpreted + rounds, self._seconds + interpreted
        self.bar.advance(rounds)

    def pays_to_compile(self) -> bool:
        """Say whether the rounds that are left would keep the interpreter busy for long."""
        if chosen_way() is not None or self._rounds_left > _MANY or not _SAME_DRAWS:
            return True
        return self._seconds > _LOOK and self._seconds * self._rounds_left > _SHORT * self._rounds_interpreted

    def play_all(self, workers: int) -> None:
        """Play all runs on threads; on an error or Ctrl-C the others stop at their next chunk."""
        if workers == 1:
            Worker(self).work()
            return
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(Worker(self).work) for _ in range(workers)]
            try:
                # In slices: on some platforms a thread that waits without a timeout does not notice Ctrl-C.
                while wait(futures, timeout=0.2, return_when=FIRST_EXCEPTION).not_done:
                    if any(future.done() and future.exception() for future in futures):
                        break
            finally:
                self.stop.set()
        for future in futures:
            future.result()

    def play_on_cluster(self, address: str) -> None:
        """Play all runs on the workers of a cluster."""
        from sidelight.tasks.cluster import run_on_cluster

        def receive_simulated_block(block: SimulationBlock, rows: tuple[Floats, Integers] | Failure) -> None:
            if isinstance(rows, Failure):
                raise TaskError(f"a worker failed at {block.title} ({rows.reason})")
            here = slice(block.first - self.numbers.start, block.first - self.numbers.start + block.count)
            self.regret[here], self.plays[here] = rows
            self.bar.advance(block.count * self.horizon)

        rounds, origin = tuple(self.rounds.tolist()), origin_of_simulated_strategy(self.strategy)
        first, runs = self.numbers.start, len(self.numbers)
        whole = SimulationBlock(self.strategy, self.environment, self.horizon, self.seed, rounds, first, runs, origin)
        run_on_cluster(address, split_simulation_into_blocks(whole), receive_simulated_block)
