"""Measure the monitor and write the tables of docs/how-to/monitor-measurements.md.

    python docs/make_monitor_tables.py

Each table stands between the marks <!-- table NAME --> and <!-- end of table --> and is written anew with its caption,
which says runs and protocol; the rest of the page is left alone. `--table` names one of them, `--runs` is there to try
things out, `--page` writes elsewhere.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

from sidelight.monitor import ClassifierMonitor, replay
from sidelight.monitor.policies import POLICIES
from sidelight.reproduction.use_case import simulate_use_case
from sidelight.results.statistics import sample_mean_and_deviation
from sidelight.studies.classifiers.published import CASES, STREAM, TOLERANCES
from sidelight.studies.classifiers.watching import ClassifierOutcome
from sidelight.table import Column, Table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to" / "monitor-measurements.md"


def grouped(value: float, digits: int = 0) -> str:
    """Write a number with its thousands set apart."""
    return f"{value:,.{digits}f}".replace(",", " ")


def with_error(values: Any, digits: int) -> str:
    """Write a mean with its standard error."""
    mean, deviation = sample_mean_and_deviation(np.asarray(values, float))
    error = deviation / math.sqrt(len(values))
    small = not error >= 0.5 * 10.0**-digits
    return grouped(mean, digits) if small else f"{grouped(mean, digits)} ± {grouped(error, digits)}"


def use_case(runs: int) -> tuple[str, Table]:
    """Return verifications, F1 and verdicts of all policies on the published use case."""
    rows = []
    for case in CASES:
        for tolerance in TOLERANCES:
            for name in ("explore", "cbp", "randcbp", "sequential"):
                found = simulate_use_case(case, tolerance, name, runs, seed=1)
                rows.append([str(case), f"{tolerance:g}", f"`{name}`", *_judged(found)])
    titles = ("case", "tolerance", "policy", "verifications", "macro F1", "certain", "wrong")
    caption = (
        f"The two cases of the published use case: 10 classes, the published classifiers of the first {runs} runs, and "
        f"a stream of {STREAM // 10**6} million predictions, of which as many of each class are watched as the Wald "
        "cap and two more; confidence 0.95. `randcbp`, `cbp` and `explore` play as published, without stopping, "
        f'`sequential` until a verdict is certain; {runs} runs, mean ± standard error. "Certain" is the share of '
        'classes whose interval excludes the tolerance, "wrong" the share of those with the wrong verdict, both in %.'
    )
    return caption, Table([Column(title) for title in titles], rows)


def _judged(found: ClassifierOutcome) -> list[str]:
    certain = found.certain.mean(axis=1)
    wrong = found.wrong_certain.sum() / max(found.certain.sum(), 1)
    # Verdicts of one run share their classifier, so runs are the unit: the error of a ratio of two means.
    residuals = found.wrong_certain.sum(axis=1) - wrong * found.certain.sum(axis=1)
    error = residuals.std(ddof=1) / math.sqrt(len(residuals)) / max(found.certain.sum(axis=1).mean(), 1e-9)
    share = "0" if not wrong else f"{100 * wrong:.2f} ± {100 * error:.2f}"
    return [with_error(found.verifications, 0), with_error(found.f1, 3), with_error(100 * certain, 1), share]


def digits(runs: int) -> tuple[str, Table]:
    """Return what each policy makes of real predictions."""
    spec = importlib.util.spec_from_file_location("digits_monitor", ROOT / "examples" / "digits_monitor.py")
    example = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(example)  # type: ignore[union-attr]
    predicted, truth = example.digits()
    done = replay(predicted, truth, 0.05, confidence=0.95)
    rows = [
        [
            f"`{one.policy}`",
            grouped(one.verifications),
            f"{100 * done.saved_of_all(one):.1f} %",
            one.right,
            one.wrong,
            one.unknown,
        ]
        for one in done.policies
    ]
    caption = (
        f"`examples/digits_monitor.py`: a decision tree predicts the {grouped(done.predictions)} digits that ship with "
        f"scikit-learn (five-fold cross-validation, {100 * np.mean(predicted != truth):.1f} % wrong); tolerance 0.05, "
        "confidence 0.95, one order of the digits. Verdicts are compared with the truth of all."
    )
    titles = ("policy", "verifications", "saved", "right", "wrong", "unknown")
    return caption, Table([Column(title) for title in titles], rows)


RATES = (0.02, 0.05, 0.07, 0.14, 0.2, 0.3)
LENGTH = 15_000
REVIEWERS = {
    "at once": (0, 0, 0.0),
    "10 % never come": (0, 0, 0.1),
    "after 200 predictions": (200, 200, 0.0),
    "right ones after 50, wrong ones after 200": (50, 200, 0.0),
    "right ones after 500, wrong ones after 2 000": (500, 2000, 0.0),
    "the same, and 10 % never come": (500, 2000, 0.1),
}


def reviewers(runs: int) -> tuple[str, Table]:
    """Return what late and lost answers cost."""
    rows = [[words, *_reviewed(delays, runs)] for words, delays in REVIEWERS.items()]
    rates = ", ".join(f"{100 * rate:g}" for rate in RATES)
    caption = (
        f"Six classes that are wrong in {rates} % of cases; tolerance 0.1, confidence 0.95, `sequential`, otherwise "
        f"the default settings; {grouped(LENGTH)} predictions, exponential delays with the given means; {runs} runs, "
        "mean ± standard error. Verdicts are those at the end, when every answer that ever comes has come; the last "
        "column is the median over classes and runs."
    )
    titles = ("answers come", "right verdicts in %", "wrong in %", "verifications", "predictions until a verdict")
    return caption, Table([Column(title) for title in titles], rows)


def _reviewed(delays: tuple[int, int, float], runs: int) -> list[str]:
    right, wrong, labels = ([] for _ in range(3))
    until: list[int] = []
    for run in range(runs):
        one = _stream(delays, random.Random(f"{run} {delays}"))
        verdicts = {k: one.report[k].verdict for k in range(len(RATES))}
        good = [verdict == ("above" if RATES[k] > 0.1 else "below") for k, verdict in verdicts.items()]
        bad = [verdict != "unknown" and not fine for verdict, fine in zip(verdicts.values(), good, strict=True)]
        right.append(100 * np.mean(good))
        wrong.append(100 * np.mean(bad))
        labels.append(one.verifications)
        until += one.first_certain.values()
    return [
        with_error(right, 1),
        with_error(wrong, 1),
        with_error(labels, 0),
        grouped(float(np.median(until))) if until else "-",
    ]


def _stream(delays: tuple[int, int, float], draws: random.Random) -> Any:
    """Return the replay of one stream, with answers that come late or never."""
    soon, late, lost = delays
    predictions = [draws.randrange(len(RATES)) for _ in range(LENGTH)]
    wrong = [draws.random() < RATES[k] for k in predictions]
    answered = [
        None if draws.random() < lost else place + draws.expovariate(1) * (late if bad else soon)
        for place, bad in enumerate(wrong)
    ]
    truths = [-1 if bad else k for k, bad in zip(predictions, wrong, strict=True)]
    done = replay(predictions, truths, 0.1, ["sequential"], times=range(LENGTH), answered=answered, confidence=0.95)
    return done["sequential"]


CHECKED = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
SHARES = (0.1, 0.5, 0.8, 2.0)
CLOSED = 4000


def spot_checks(runs: int) -> tuple[str, Table]:
    """Return what noticing changes costs while nothing changes, and how often they are noticed."""
    rows = []
    for tolerance in CHECKED:
        for share in SHARES:
            watched = [_watched(tolerance, share * tolerance, run) for run in range(runs)]
            closed = [one for one in watched if one is not None]
            if len(closed) < runs / 2:
                continue
            labels, alarms, noticed = np.array(closed).T
            rows.append(
                [
                    f"{tolerance:g}",
                    f"{share * tolerance:g}",
                    f"{100 * labels.mean():.1f}",
                    f"{1e6 * alarms.mean() / CLOSED:.0f}",
                    f"{100 * noticed.mean():.0f}",
                ]
            )
    titles = ("tolerance", "error rate", "verified in %", "false alarms per million", "noticed in %")
    caption = (
        f"One class with the default settings, answers at once: {grouped(CLOSED)} predictions at the error rate, then "
        "the change that should be noticed. The columns are the share of predictions verified before the change while "
        "the verdict was certain, the drift alarms up to then (all false) per million predictions, and how often the "
        f"change was noticed within 2 000 predictions. Of {runs} runs, those with a verdict before the change count; "
        "rows where fewer than half have one are left out."
    )
    return caption, Table([Column(title) for title in titles], rows)


def _watched(tolerance: float, rate: float, run: int) -> tuple[float, int, bool] | None:
    """Return the share of spot checks, the false alarms, and whether the change was noticed; None if still open."""
    monitor, draws = ClassifierMonitor(tolerance, seed=run), random.Random(f"{run} {tolerance} {rate}")
    checked = closed = 0
    certain = False
    for place in range(CLOSED):
        decision = monitor.decide("class", id=place)
        closed += certain
        checked += certain and decision.verify
        if decision.verify:
            certain = monitor.answer(place, correct=draws.random() >= rate).verdict != "unknown"
    before = monitor.report()["class"]
    if not certain:
        return None
    after = 3 * tolerance if rate < tolerance else tolerance / 3
    after = min(after, 1 - (1 - tolerance) / 3)
    for place in range(CLOSED, CLOSED + 2000):
        if monitor.decide("class", id=place).verify:
            monitor.answer(place, correct=draws.random() >= after)
    one = monitor.report()["class"]
    return checked / closed, before.alarms, (one.alarms, one.verdict) != (before.alarms, before.verdict)


TABLES: dict[str, tuple[Callable[[int], tuple[str, Table]], int]] = {
    "digits": (digits, 1),
    "use-case": (use_case, 1000),
    "reviewers": (reviewers, 20),
    "spot-checks": (spot_checks, 40),
}


def written(text: str, name: str, caption: str, table: Table) -> str:
    """Return a page with one table replaced."""
    pattern = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end of table -->)", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise SystemExit(f"the page has no place for the table {name!r}, or several")
    lines = table.to_markdown().replace("\\`", "`")
    return pattern.sub(
        lambda found: f"{found[1]}\n{fill(caption, 120, break_on_hyphens=False)}\n\n{lines}\n\n{found[2]}", text
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=TABLES, action="append", help="only this one; may be repeated")
    parser.add_argument("--runs", type=int, help="instead of those of each table")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page to write into")
    options = parser.parse_args(arguments)
    assert set(POLICIES) == {"explore", "cbp", "randcbp", "sequential"}, "a new policy belongs into the tables"
    for name in options.table or TABLES:
        make, runs = TABLES[name]
        caption, table = make(options.runs or runs)
        options.page.write_text(written(options.page.read_text("utf-8"), name, caption, table), "utf-8")
        print(f"{name}: written to {options.page}")  # noqa: T201


if __name__ == "__main__":
    main()
