"""The published use case: the classifiers, the tables on a subset, and what the sequential policy must show."""

import math

import numpy as np
import pytest

from sidelight.errors import SidelightError
from sidelight.kernels import interpreted
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.policies import RandCBPPolicy, wald_cap
from sidelight.monitor.stats.confidence import rate_test
from sidelight.reproduction import load
from sidelight.reproduction.exhibit import Profile
from sidelight.reproduction.published import printed_numbers_of_player
from sidelight.reproduction.use_case import LABELS, check_use_case_options, simulate_use_case
from sidelight.studies.classifiers import watching
from sidelight.studies.classifiers.published import draw_published_classifier, macro_f1_of_classifiers

CASES = [(case, tau) for case in (1, 2) for tau in (0.05, 0.1, 0.2)]


def test_classifiers_of_the_published_runs():
    """Case 1's rates are NumPy's first legacy draw; case 2's rare classes make Explore-fully miss its cap."""
    rates = [draw_published_classifier(1, run).error[0] for run in range(3)]
    assert rates == pytest.approx([0.0548813504, 0.0417022005, 0.0435994902], abs=1e-9)
    total = []
    for run in range(96):
        classifier = draw_published_classifier(2, run)
        assert classifier.share.sum() == pytest.approx(1)
        assert classifier.error.mean() <= 0.1
        total.append(np.minimum(2_000_000 * classifier.share, wald_cap(0.025) + 2).sum())
    assert np.mean(total) == pytest.approx(103_703, abs=40)
    assert np.std(total) == pytest.approx(2853, abs=40)
    assert not np.array_equal(draw_published_classifier(2, 0, seed=1).error, draw_published_classifier(2, 0).error)
    with pytest.raises(SidelightError, match="case is 3"):
        draw_published_classifier(3, 0)


@pytest.mark.parametrize(("case", "tau"), CASES)
@pytest.mark.parametrize("policy", ["explore", "cbp", "randcbp"])
def test_published_tables(case, tau, policy):
    """Same classifiers, other streams: differences are the noise of the streams alone, known from run by run."""
    batches = [simulate_use_case(case, tau, policy, 96, seed=seed) for seed in range(4)]
    labels, score = (
        printed_numbers_of_player(f"case{case}-{tau}", LABELS[policy], measure).mean
        for measure in ("verifications", "f1")
    )
    for values, printed, rounding in (
        (np.array([one.verifications for one in batches]), labels, 0.5),
        (np.array([one.f1 for one in batches]), score, 0.0005),
    ):
        noise = math.sqrt(values.var(axis=0, ddof=1).mean() / 96)  # of the mean of 96 runs
        assert abs(values.mean() - printed) <= 4 * noise * math.sqrt(1 + 1 / 4) + rounding


def test_the_text_of_the_paper_asks_for_more_labels():
    found = [
        simulate_use_case(1, 0.2, "randcbp", 96, protocol=protocol).verifications.mean()
        for protocol in ("published", "described")
    ]
    assert found == [pytest.approx(274, rel=0.1), pytest.approx(416, rel=0.1)]
    with pytest.raises(SidelightError, match="protocol"):
        simulate_use_case(1, 0.2, "randcbp", 1, protocol="other")


@pytest.mark.parametrize(("case", "tau", "most"), [(1, 0.05, 0.8), (2, 0.05, 0.8)])
def test_sequential_needs_fewer_labels_and_finds_the_same(case, tau, most):
    runs = 96
    explore, randcbp, sequential = (
        simulate_use_case(case, tau, policy, runs, seed=3) for policy in ("explore", "randcbp", "sequential")
    )
    assert sequential.verifications.mean() <= most * randcbp.verifications.mean()
    loss = explore.f1 - sequential.f1
    assert loss.mean() - 1.645 * loss.std() / math.sqrt(runs) <= 0.02
    assert sequential.wrong_certain.sum() <= 0.01 * sequential.certain.sum() + 3
    assert sequential.certain.mean() > 0.7


@pytest.mark.parametrize("policy", ["explore", "cbp", "randcbp", "sequential"])
def test_compiled_is_interpreted_and_workers_change_nothing(policy):
    def run(**options):
        return simulate_use_case(2, 0.2, policy, 4, seed=1, **options)

    compiled = run()
    with interpreted():
        plain = run()
    for other in (plain, run(workers=1)):
        assert np.array_equal(compiled.verified, other.verified)
        assert np.array_equal(compiled.errors, other.errors)
    later = simulate_use_case(2, 0.2, policy, 2, seed=1, first_run=2)
    assert np.array_equal(compiled.verified[2:], later.verified)


@pytest.mark.parametrize("stop", [False, True])
def test_the_simulation_is_the_monitor(stop):
    """Same law of labels: the compiled loop and the monitor, over runs with their own random numbers."""
    tau, rate, cap = 0.2, 0.1, wald_cap(0.2) + 2
    mode = {"mode": "identify" if stop else "guard", "class_predictions": cap, "confidence": 0.95}
    found = []
    for seed in range(150):
        monitor = ClassifierMonitor(tau, policy="randcbp", bins=10, pairs="both", tail=1e-6, seed=seed, **mode)
        rng = np.random.default_rng(seed)
        for id in range(cap):
            if monitor.decide("cat", id=id).verify:
                monitor.answer(id, correct=bool(rng.random() >= rate))
        found.append(monitor.report().verifications)
    rule = RandCBPPolicy(bins=10, pairs="both", tail=1e-6).rule(tau)
    few, many = rate_test(tau, 0.95).boundary(cap) if stop else ([-1] * (cap + 1), [cap + 1] * (cap + 1))
    n, e = (np.zeros(500, np.int64) for _ in range(2))
    generators = [np.random.default_rng(k) for k in (1, 2)]
    rest = watching.Stop(np.array(few), np.array(many))
    watching.watch_simulated_classes(rule, rest, np.full(500, rate), np.full(500, cap), n, e, *generators)
    error = math.hypot(np.std(found) / math.sqrt(150), n.std() / math.sqrt(500))
    assert abs(np.mean(found) - n.mean()) < 4.5 * error


def test_macro_f1_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    truth, found = rng.random((2, 50, 6)) < rng.random((1, 50, 1))
    expected = [metrics.f1_score(a, b, average="macro", zero_division=0) for a, b in zip(truth, found, strict=True)]
    assert macro_f1_of_classifiers(truth, found) == pytest.approx(expected)


def test_other_tolerances_some_policies_another_confidence():
    profile = Profile(tolerances=(0.2, 0.03), policies=("cbp",), confidence=0.99)
    for name, cases in (("table4", [1]), ("table5", [2]), ("figure3", [1, 2])):
        check_use_case_options(profile, [load("table1"), load(name)])
        studies = load(name).studies(profile)
        assert [study.title for study in studies] == ["Tolerance 0.2", "Tolerance 0.03"] * len(cases)
        assert list(dict.fromkeys(study.worlds[0].value for study in studies)) == cases
        assert {player.name for study in studies for player in study.players} == {"cbp"}
        assert dict(studies[0].worlds[0].parameters) == {"tolerance": 0.2, "confidence": 0.99}
    assert all("confidence" not in dict(study.worlds[0].parameters) for study in load("table4").studies(Profile()))
