"""What scores save, and that verdicts stay valid: each line is a ratio of labels or a share of wrong verdicts.

python benchmarks/scores.py [--runs N] [--seed N] [--only TEXT] [labels | valid | real | speed ...]

labels  labels and predictions until the verdict, relative to the test without scores on the same stream
valid   the share of wrong verdicts in hostile settings, at rates close to the tolerance
real    labels relative to the test without scores on confidences of classifiers of data that ship with scikit-learn
speed   what a score adds to the time of a decision, and memory
"""

import argparse
import functools
import heapq
import math
import sys
import time
import tracemalloc
from statistics import NormalDist

import numpy as np
from measuring import missed, report

from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.stats.confidence import rate_test


def binormal(rng, rate, auc, length):
    """Return which predictions are wrong, and scores with a given area under the curve."""
    wrong = rng.random(length) < rate
    return wrong, rng.standard_normal(length) + math.sqrt(2) * NormalDist().inv_cdf(auc) * wrong


@functools.lru_cache(maxsize=64)
def boundary(tolerance, confidence, length):
    return tuple(map(np.array, rate_test(tolerance, confidence).boundary(length)))


def without_scores(wrong, tolerance, confidence):
    """Return the labels until the verdict if every prediction is verified: all of them if it does not come."""
    few, many = boundary(tolerance, confidence, len(wrong))
    errors = np.concatenate([[0], np.cumsum(wrong)])
    decided = np.flatnonzero((errors <= few) | (errors >= many))
    return int(decided[0]) if len(decided) else len(wrong)


def with_scores(wrong, scores, tolerance, confidence, seed, late=None, **settings):
    """Return labels, predictions and the verdict of a monitor; `late(place, wrong, score)` is when an answer comes."""
    engine = ClassifierMonitor(tolerance, confidence=confidence, seed=seed, **{"drift": False} | settings).engine
    waiting, state = [], None
    for place, (bad, score) in enumerate(zip(wrong.tolist(), scores.tolist(), strict=True)):
        if engine.decide("class", place, None, score)[0].verify:
            delay = late(place, bad, score) if late else 0
            if delay is not None:
                heapq.heappush(waiting, (place + delay, place, bad))
        while waiting and waiting[0][0] <= place:
            _, id, found = heapq.heappop(waiting)
            engine.answer(id, not found)
        state = state or engine.classes["class"]
        if state.verdict != "unknown" and not late:
            return state.asked, place + 1, state.verdict
    return state.asked, len(wrong), state.verdict


def labels(runs, seed):
    """Print labels and predictions relative to the test without scores."""
    goals = {(0.05, 0.8, 0.9): 0.65, (0.05, 1.25, 0.9): 0.65, (0.05, 0.8, 0.95): 0.55, (0.05, 1.25, 0.95): 0.55}
    cells = [(0.05, 0.25, 3000), (0.05, 0.5, 9000), (0.05, 0.8, 60000), (0.05, 1.25, 60000), (0.05, 2.5, 4000)]
    cells += [(0.1, 0.8, 30000), (0.1, 1.25, 30000)]
    for tolerance, factor, length in cells:
        for auc in (0.5, 0.7, 0.9, 0.95):
            rows = []
            for run in range(runs):
                rng = np.random.default_rng((seed, run, int(1000 * factor)))
                wrong, scores = binormal(rng, factor * tolerance, auc, length)
                before = without_scores(wrong, tolerance, 0.95)
                rows.append((before, *with_scores(wrong, scores, tolerance, 0.95, run)[:2]))
            before, asked, seen = np.array(rows, float).T
            ratio = asked.mean() / before.mean()
            error = (asked - ratio * before).std() / math.sqrt(runs) / before.mean()
            what = f"labels at {factor:g} x {tolerance:g}, AUC {auc:g}"
            most = goals.get((tolerance, factor, auc), 1.05 if auc == 0.5 else None)
            note = f"+- {error:.2f}, predictions {seen.mean() / before.mean():.2f}, {before.mean():.0f} labels before"
            report(what, ratio, most=None if most is None else most + 2 * error, note=note)


def hidden(rng, rate, length):
    """Half of the errors have the very lowest score."""
    wrong, scores = binormal(rng, rate, 0.9, length)
    scores[wrong & (rng.random(length) < 0.5)] = -9.0
    return wrong, scores


def flipping(rng, rate, length, at=400):
    """Scores are good, and turned round from some place on."""
    wrong, scores = binormal(rng, rate, 0.95, length)
    scores[at:] *= -1
    return wrong, scores


def perfect_at_first(rng, rate, length, at=400):
    wrong = rng.random(length) < rate
    return wrong, np.where(np.arange(length) < at, wrong + 0.1 * rng.random(length), rng.random(length))


def missing(rng, rate, length):
    """Errors lose their score more often than right predictions."""
    wrong, scores = binormal(rng, rate, 0.9, length)
    scores[rng.random(length) < np.where(wrong, 0.6, 0.2)] = math.nan
    return wrong, scores


def moving(rng, rate, length):
    """Let the scores of all predictions rise, by four times as much as they vary."""
    wrong, scores = binormal(rng, rate, 0.9, length)
    return wrong, scores + np.linspace(0, 4, length)


def stepwise(rng, rate, length):
    """Scores are high where errors are rare and the reverse, in turns of 50 predictions."""
    wrong, scores = binormal(rng, rate, 0.95, length)
    return wrong, np.where(np.arange(length) // 50 % 2, scores, -scores)


def two_values(rng, rate, length):
    wrong = rng.random(length) < rate
    return wrong, (rng.random(length) < 0.1 + 0.6 * wrong) * 1.0


def heavy(rng, rate, length):
    wrong = rng.random(length) < rate
    return wrong, rng.standard_cauchy(length) ** 3 * np.where(wrong, 50.0, 1.0)


STREAMS = {
    "useless": functools.partial(binormal, auc=0.5),
    "AUC 0.9": functools.partial(binormal, auc=0.9),
    "AUC 0.97": functools.partial(binormal, auc=0.97),
    "reversed": functools.partial(binormal, auc=0.1),
    "flipping midway": flipping,
    "perfect, then useless": perfect_at_first,
    "errors hidden at the lowest score": hidden,
    "two values": two_values,
    "constant": lambda rng, rate, length: (rng.random(length) < rate, np.ones(length)),
    "missing where wrong": missing,
    "heavy tails": heavy,
    "moving": moving,
    "turning every 50": stepwise,
}


def slow_where_wrong(rng):
    return lambda place, wrong, score: int(rng.exponential(150 if wrong else 10))


def slow_where_high(rng):
    return lambda place, wrong, score: int(rng.exponential(150 if score > 1 else 10))


def lost_at_random(rng):
    return lambda place, wrong, score: None if rng.random() < 0.3 else int(rng.exponential(20))


DELAYS = {"slow where wrong": slow_where_wrong, "slow where high": slow_where_high, "30 % lost": lost_at_random}


def wrong_verdicts(stream, factor, runs, seed, late=None, length=1500, **settings):
    """Return for each run whether its verdict is wrong."""
    found = np.zeros(runs, bool)
    for run in range(runs):
        rng = np.random.default_rng((seed, run, int(1000 * factor)))
        bad, scores = stream(rng, factor * 0.05, length=length)
        verdict = with_scores(bad, scores, 0.05, 0.9, run, late and late(rng), **settings)[2]
        found[run] = verdict == ("above" if factor <= 1 else "below")
    return found


def valid(runs, seed, only=""):
    """Print the share of wrong verdicts in hostile settings."""
    settings = [(f"scores {name}", stream, None) for name, stream in STREAMS.items()]
    settings += [(f"answers {name}", STREAMS["AUC 0.9"], late) for name, late in DELAYS.items()]
    for name, stream, late in settings:
        for factor in (0.97, 1.03) if only in name else ():
            found = wrong_verdicts(stream, factor, runs, seed, late)
            report(f"wrong verdicts, {name}, {factor:g} x tolerance", found.mean(), most=0.1)


def classifiers():
    """Yield name, predicted classes, confidences, and which are wrong, on data that ship with scikit-learn."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_wine
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    for source in (load_digits, load_breast_cancer, load_wine):
        x, y = source(return_X_y=True)
        for model in (
            GaussianNB(),
            RandomForestClassifier(100, random_state=1),
            make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
            make_pipeline(StandardScaler(), MLPClassifier((30,), alpha=0, max_iter=300, random_state=1)),
        ):
            chances = cross_val_predict(model, x, y, cv=folds, method="predict_proba")
            kind = getattr(model, "steps", [(None, model)])[-1][1]
            predicted = chances.argmax(1)
            yield f"{source.__name__[5:]}, {type(kind).__name__}", predicted, chances.max(1), predicted != y


def real(runs, seed):
    """Print labels relative to the test without scores, over all classes of real classifiers."""
    for name, predicted, confidence, wrong in classifiers():
        for tolerance in (0.02, 0.05, 0.1):
            rows = []
            for run in range(max(2, runs // 25)):
                rows.append(watched(predicted, confidence, wrong, tolerance, np.random.default_rng((seed, run)), run))
            before, after = np.array(rows, float).T
            ratio = after.mean() / before.mean()
            error = (after - ratio * before).std() / math.sqrt(len(rows)) / before.mean()
            note = f"+- {error:.2f}, error rate {wrong.mean():.3f}, {before.mean():.0f} labels before"
            report(f"labels, {name}, tolerance {tolerance:g}", ratio, most=1.1 + 2 * error, note=note)


def watched(predicted, confidence, wrong, tolerance, rng, seed, length=12000):
    """Return the labels of all classes until their verdicts, without and with scores, in a stream drawn from them."""
    rows = rng.integers(0, len(wrong), length)
    before = sum(without_scores(wrong[rows[predicted[rows] == k]], tolerance, 0.95) for k in np.unique(predicted))
    options = {"confidence": 0.95, "drift": False, "score_is": "confidence", "seed": seed}
    monitor = ClassifierMonitor(tolerance, **options)
    for place, row in enumerate(rows.tolist()):
        if monitor.decide(int(predicted[row]), place, score=float(confidence[row])).verify:
            monitor.answer(place, correct=not wrong[row])
    return before, monitor.engine.asked


def speed(runs, seed):
    """Print what a score adds to a decision, and to the memory of a million of them."""
    rng = np.random.default_rng(seed)
    size, names = 200_000, [f"class {k}" for k in range(10)]
    wrong, scores = binormal(rng, 0.045, 0.9, size)
    wrong, scores = wrong.tolist(), scores.tolist()

    def watch(used):
        monitor = ClassifierMonitor(0.05, confidence=0.99)
        start = time.process_time()
        for place in range(size):
            score = scores[place] if used else None
            if monitor.decide(names[place % 10], place, score=score).verify:
                monitor.answer(place, correct=not wrong[place])
        return (time.process_time() - start) / size * 1e6, monitor

    plain, scored = (min(watch(used)[0] for _ in range(2)) for used in (False, True))
    report("a decision with a score takes more", scored - plain, most=12, unit="us", note=f"{plain:.1f} without")
    for used, what in ((False, "without"), (True, "with")):
        tracemalloc.start()
        kept = watch(used)
        report(f"memory of 200 000 decisions {what} scores", tracemalloc.get_traced_memory()[0] / 1e6, unit="MB")
        tracemalloc.stop()
        del kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--only", default="", help="settings of `valid` whose names contain this")
    parser.add_argument("what", nargs="*", default=["labels", "valid", "real", "speed"])
    chosen = parser.parse_args()
    parts = {"labels": labels, "valid": functools.partial(valid, only=chosen.only), "real": real, "speed": speed}
    for name in chosen.what:
        parts[name](chosen.runs, chosen.seed)
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
