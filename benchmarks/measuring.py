"""What the benchmarks share: times, and lines that say whether a limit is kept."""

import time

from sidelight.kernels import compiled

missed = []
"""What lay outside its limit."""


def report(what, value, most=None, least=None, unit="", note=""):
    """Print one line: what was measured, and whether it is within its limit."""
    verdict = ""
    if most is not None or least is not None:
        good = value <= most if most is not None else value >= least
        allowed = f"<= {most:g}" if most is not None else f">= {least:g}"
        verdict = f"{allowed} {'ok' if good else 'MISSED'}"
        if not good:
            missed.append(what)
    print(f"{what:66} {value:9.4g} {unit:5} {verdict:14} {note}".rstrip(), flush=True)


def seconds(work, clock=time.perf_counter):
    """Return how long the work takes, with compiled loops however short it is."""
    with compiled():
        start = clock()
        work()
        return clock() - start


def fastest(*works, repetitions=5, clock=time.perf_counter):
    """Return the least time of each piece of work, taken in turns, after a first time that does not count."""
    for work in works:
        seconds(work)
    rounds = [[seconds(work, clock) for work in works] for _ in range(repetitions)]
    return [min(times) for times in zip(*rounds, strict=True)]
