"""Policies of the monitor on simulated classifiers, compiled: a whole study in seconds.

Each predicted class has its own policy and its own stream of outcomes, so what matters about a long stream is only how
many of its predictions fall on each class, a multinomial draw, and then the classes can be played one after the other.
All policies meet the same classifiers, streams and outcomes.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.kernels import compiled_available, loop
from sidelight.kernels.arrays import Floats, Integers
from sidelight.monitor.policies import Policy, wald_cap
from sidelight.monitor.policies.detection import asks
from sidelight.monitor.stats.confidence import rate_test
from sidelight.simulation.streams import Stream
from sidelight.studies.classifiers.published import (
    STREAM,
    draw_published_classifier,
    macro_f1_of_classifiers,
)


class Stop(NamedTuple):
    """When a class is closed: after n answers with at most `few[n]` errors, or with at least `many[n]`."""

    few: Integers
    many: Integers


@loop
def watch_simulated_classes(
    rule: Any,
    stop: Stop,
    rates: Floats,
    predictions: Integers,
    verified: Integers,
    errors: Integers,
    rng: np.random.Generator,
    world_rng: np.random.Generator,
) -> int:
    """Watch the predictions of each class; write how many were verified and how many of those were errors.

    Outcomes are drawn for all predictions, verified or not, so that every policy meets the same ones.
    """
    for c in range(rates.shape[0]):
        n = 0
        e = 0
        for t in range(predictions[c]):
            wrong = 1 if world_rng.random() < rates[c] else 0
            if stop.few[n] < e < stop.many[n] and asks(rule, t, n, e, rng):
                n += 1
                e += wrong
        verified[c] = n
        errors[c] = e
    return 0


@dataclass(frozen=True)
class ClassifierOutcome:
    """What one policy did on one case at one tolerance: a row per run, a column per class."""

    case: int
    tolerance: float
    policy: Policy
    confidence: float
    predictions: Integers
    rates: Floats
    verified: Integers
    errors: Integers
    certain: npt.NDArray[np.bool_]

    @property
    def verifications(self) -> Integers:
        """Verifications of each run."""
        return self.verified.sum(axis=1)

    @property
    def truth(self) -> npt.NDArray[np.bool_]:
        """Which classes exceed the tolerance."""
        return self.rates > self.tolerance

    @property
    def found(self) -> npt.NDArray[np.bool_]:
        """Return which classes the policy takes to exceed the tolerance, whether it is certain or not."""
        return self.errors > self.tolerance * self.verified

    @property
    def f1(self) -> Floats:
        """The macro F1 of each run."""
        return macro_f1_of_classifiers(self.truth, self.found)

    @property
    def wrong_certain(self) -> npt.NDArray[np.bool_]:
        """Which verdicts were called certain and are wrong."""
        return self.certain & (self.truth != self.found)


def limit_of_watched_predictions(tolerance: float) -> int:
    """Return how many predictions of a class are watched at most: the Wald cap, and two more as published."""
    return wald_cap(tolerance) + 2


def watch_simulated_classifiers(
    case: int,
    tolerance: float,
    policy: Policy,
    runs: int = 96,
    seed: int = 0,
    *,
    confidence: float = 0.95,
    stop: bool | None = None,
    stream: int = STREAM,
    workers: int | None = None,
    first_run: int = 0,
    classifiers: int = 0,
) -> ClassifierOutcome:
    """Let one policy watch the classifiers of one case.

    Run r watches the published classifier of run r (others, with another seed in `classifiers`). How many predictions
    fall on each class is drawn from `SeedSequence(seed, spawn_key=(case, r, 0))`, outcomes from `(case, r, 1)`, the
    policy's own numbers from `(case, r, 2)`: neither the number of workers nor whether the loop is compiled changes a
    result.

    Of each class the first `watched(tolerance)` predictions are watched, whatever the policy, which needs a `rule`.

    With `stop` a class is closed once its verdict is certain, as in the mode "identify" of a monitor; unless given,
    only the policy "sequential" does so, and the others play on to the end as published.
    """
    rule = policy.rule(tolerance)
    cap = limit_of_watched_predictions(tolerance)
    certain = Stop(*map(np.array, rate_test(tolerance, confidence).boundary(cap)))
    never = Stop(np.full(cap + 1, -1), np.full(cap + 1, cap + 1))
    rest = certain if (policy.until_certain if stop is None else stop) else never

    of_thread = threading.local()

    def watch_classifier_of_run(run: int) -> tuple[Floats, Integers, Integers, Integers]:
        """Watch one classifier; return error rates, predictions, verifications and errors of its classes."""
        classifier = draw_published_classifier(case, run, classifiers)
        for k, each in enumerate(of_thread.streams):
            each.seed(np.random.SeedSequence(seed, spawn_key=(case, run, k)).generate_state(4, np.uint64).tolist())
        drawn, world, own = (each.rng for each in of_thread.streams)
        predictions = np.minimum(drawn.multinomial(stream, classifier.share), cap).astype(np.int64)
        verified, errors = (np.zeros(len(predictions), np.int64) for _ in range(2))
        watch_simulated_classes(rule, rest, classifier.error, predictions, verified, errors, own, world)
        return classifier.error, predictions, verified, errors

    def begin_classifier_streams() -> None:
        of_thread.streams = [Stream() for _ in range(3)]

    numbers = range(first_run, first_run + runs)
    with ThreadPoolExecutor(workers if compiled_available() else 1, initializer=begin_classifier_streams) as pool:
        rates, predictions, verified, errors = (
            np.array(part) for part in zip(*pool.map(watch_classifier_of_run, numbers), strict=True)
        )
    sure = (errors <= certain.few[verified]) | (errors >= certain.many[verified])
    return ClassifierOutcome(case, tolerance, policy, confidence, predictions, rates, verified, errors, sure)
