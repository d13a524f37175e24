"""One thread of a simulation, which plays one run after the other, short ones many at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sidelight.errors import SidelightError
from sidelight.kernels import named_tuple_classes
from sidelight.simulation.loop import CHECKPOINT, ROUND, ROW, ROWS, Restart, Runs, Stepped, play
from sidelight.simulation.packing import arrays, layout, packed_state
from sidelight.simulation.streams import OWN, WORLD, Stream, seeds
from sidelight.strategies.base import KernelStrategy, Strategy

if TYPE_CHECKING:
    from sidelight.simulation.job import Job

_PACKAGE = __name__.partition(".")[0]

# How much time passes between two updates of the progress bar and checks for Ctrl-C, and the first number of rounds.
_PATIENCE = 0.2
_FIRST_CHUNK = 1 << 10
_MOMENT = 0.05  # seconds in the interpreter between two looks at the time that is left
_MOST_CHUNK = 1 << 24
_MOST_RUNS = 1 << 10  # that are played at a time


class Worker:
    """Plays runs of a job with two generators of its own."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._own, self._world = Stream(), Stream()
        self._compiling = False

    def work(self) -> None:
        """Play until no run is left or the job is stopped."""
        job, size = self._job, 1
        short = isinstance(job.strategy, KernelStrategy) and job.horizon < _FIRST_CHUNK
        while numbers := job.take(size):
            begun = time.perf_counter()
            while numbers and not job.stop.is_set():
                numbers = numbers[self._play(numbers) :]
            if short and self._compiling:
                size = _longer(size, begun, _MOST_RUNS)

    def _play(self, numbers: range) -> int:
        """Play the first of these runs, and as many after it as can be played with it; return how many."""
        job = self._job
        own, drawn = (seeds(job.seed, numbers, stream) for stream in (OWN, WORLD))
        self._world.seed(drawn[0])
        world = job.environment.start(job.game, numbers[0], self._world.rng)
        if not isinstance(job.strategy, KernelStrategy):
            player = job.strategy.clone().reset(np.random.SeedSequence(job.seed, spawn_key=(numbers[0], OWN)))
            self._stepped(player, world, self._record(numbers[0], no_restart()))
            return 1
        self._own.seed(own[0])
        state, restart = job.strategy._start(), no_restart()
        if len(numbers) > 1 and (made := self._restart(numbers, own, drawn, state, world)) is not None:
            state, world, restart = made
        return self._loop(job.strategy, state, world, self._record(numbers[0], restart))

    def _restart(
        self, numbers: range, own: list[list[int]], drawn: list[list[int]], state: Any, world: Any
    ) -> tuple[Any, Any, Restart] | None:
        """Return state and world of the first run in one place, and how each of the other runs starts there.

        Return None if that is not possible. A run whose world is of another kind than the first one's ends the list.
        """
        of_state, of_world = packed_state(state), packed_state(world)
        if self._own.memory is None or self._world.memory is None or of_state is None or of_world is None:
            return None
        (state, state_memory), (here, world_memory) = of_state, of_world
        kind = layout(world)
        worlds, own_seeds, world_seeds = [world_memory.copy()], [], [self._world.memory.copy()]
        for number, words in zip(numbers[1:], drawn[1:], strict=True):
            self._world.seed(words)
            other = self._job.environment.start(self._job.game, number, self._world.rng)
            if layout(other) != kind:
                break
            for target, source in zip(arrays(here), arrays(other), strict=True):
                target[...] = source
            worlds.append(world_memory.copy())
            world_seeds.append(self._world.memory.copy())
        for words in own[: len(worlds)]:
            self._own.seed(words)
            own_seeds.append(self._own.memory.copy())
        world_memory[:] = worlds[0]
        self._world.memory[:], self._own.memory[:] = world_seeds[0], own_seeds[0]
        rows = map(np.array, (worlds, own_seeds, world_seeds))
        streams = self._own.memory, self._world.memory
        return state, here, Restart(state_memory, world_memory, *streams, state_memory.copy(), *rows)

    def _record(self, number: int, restart: Restart) -> Runs:
        job, count = self._job, len(restart.own_seeds)
        here = slice(number - job.numbers.start, number - job.numbers.start + count)
        progress = np.zeros(CHECKPOINT + 1, np.int64)
        progress[ROWS] = count
        return Runs(job.signals, job.rounds, job.regret[here], job.plays[here], progress, np.zeros(1), restart)

    def _loop(self, strategy: KernelStrategy, state: Any, world: Any, runs: Runs) -> int:
        job, parameters = self._job, strategy.compiled_parameters
        context, chunk = np.zeros(job.environment.dimension), _FIRST_CHUNK
        self._compiling = self._compiling or not self._may_interpret(parameters, state, world, runs)
        while not job.stop.is_set():
            begun, before = time.perf_counter(), _rounds_played(runs, job.horizon)
            if before == runs.progress[ROWS] * job.horizon:
                break
            # Several runs at a time are short ones, which need not be divided.
            until = job.horizon if runs.progress[ROWS] > 1 else min(before + chunk, job.horizon)
            arguments = (parameters, state, world, runs, context, self._own.rng, self._world.rng)
            waiting, spent = (play(*arguments, until), 0.0) if self._compiling else self._interpret(*arguments)
            if waiting > 0:
                last = job.game.n_actions - 1
                raise SidelightError(f"{strategy.name} chose action {waiting - 1}: there are actions 0 to {last}")
            if waiting:
                same = state
                parameters, state = strategy._resume(parameters, state)
                if state is not same:  # then it no longer lies where the next run would start
                    runs.progress[ROWS] = runs.progress[ROW] + 1
            played = _rounds_played(runs, job.horizon) - before
            job.advance(played, spent)
            if played == chunk and self._compiling:
                chunk = _longer(chunk, begun, _MOST_CHUNK)
        return int(runs.progress[ROWS])

    def _may_interpret(self, *values: Any) -> bool:
        """Say whether a run may begin in the interpreter.

        Only if it is ours all through: tests compare both ways of what stands in this package to the last bit. Whoever
        breaks a rule for kernels in code of their own should not get results that depend on time.
        """
        if self._job.pays_to_compile():
            return False
        classes = list(named_tuple_classes(values))
        ours = all(each.__module__.partition(".")[0] == _PACKAGE for each in classes)
        return ours and not play.is_compiled_for(classes)

    def _interpret(self, *arguments: Any) -> tuple[int, float]:
        """Play some rounds of a run in the interpreter; return what the loop returns, and the seconds it took.

        Without warnings of overflows, which compiled code does not give either.
        """
        runs, waiting, step = arguments[3], 0, cast(Any, play.python)
        with self._job.interpreter, np.errstate(all="ignore"):
            self._compiling = self._job.pays_to_compile()  # another thread may know by now
            begun = time.thread_time()
            while not (self._compiling or waiting or (t := int(runs.progress[ROUND])) == self._job.horizon):
                waiting = step(*arguments, t + 1)
                if time.thread_time() - begun > _MOMENT:
                    break
            return waiting, time.thread_time() - begun

    def _stepped(self, player: Strategy, world: Any, runs: Runs) -> None:
        job, context = self._job, np.zeros(self._job.environment.dimension)
        while (t := int(runs.progress[ROUND])) < job.horizon and not job.stop.is_set():
            until = min(t + _FIRST_CHUNK, job.horizon)
            play.python(Stepped(player), None, world, runs, context, None, self._world.rng, until)
            job.advance(until - t)


def _rounds_played(runs: Runs, horizon: int) -> int:
    return int(runs.progress[ROW]) * horizon + int(runs.progress[ROUND])


def _longer(count: int, begun: float, most: int) -> int:
    """Return how many to play next, so that it takes about as long as people wait without a sign."""
    ratio = _PATIENCE / max(time.perf_counter() - begun, 1e-6)
    return int(min(most, max(1.0, count * min(ratio, 16.0))))


def no_restart() -> Restart:
    """Return the record of a run that is played alone."""
    nothing, row = np.zeros(0, np.uint64), np.zeros((1, 0), np.uint64)
    return Restart(*[nothing] * 5, *[row] * 3)
