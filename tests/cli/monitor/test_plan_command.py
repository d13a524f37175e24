"""`sidelight monitor plan`."""

import json
import random

import pytest
from click.testing import CliRunner

from sidelight.cli.monitor.group import monitor_command
from sidelight.monitor.stats.confidence import rate_test


def invoke(*arguments):
    return CliRunner().invoke(monitor_command, ["plan", *map(str, arguments)])


def test_the_labels_are_those_that_a_test_takes():
    """A hundred thousand answers at random, stopped by the test itself."""
    (row,) = json.loads(invoke("--tolerance", 0.1, "--confidence", 0.9, "--rate", 0.3, "--json").stdout)
    test, draws, counts = rate_test(0.1, 0.9), random.Random(5), []
    for _ in range(4000):
        errors = verified = 0
        while test.verdict(errors, verified) == "unknown":
            verified, errors = verified + 1, errors + (draws.random() < 0.3)
        counts.append(verified)
    counts.sort()
    assert sum(counts) / 4000 == pytest.approx(row["labels"], rel=0.05)
    assert counts[3400] <= row["usual"] <= counts[3800]
    assert row["verdict"] == "above"


def test_a_rate_at_the_tolerance_stays_unknown():
    said = invoke("--tolerance", 0.2, "--rate", 0.2, "--rate", 0)
    assert said.exit_code == 0
    assert "unknown" in said.stdout
    assert "margin" in said.stdout


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (("--tolerance", 2), "--tolerance"),
        (("--tolerance", 1e-9), "--tolerance"),
        (("--tolerance", 1 - 1e-9), "--tolerance"),
        (("--tolerance", 0.1, "--confidence", 1), "--confidence"),
        (("--tolerance", 0.1, "--rate", 1.5), "--rate"),
        ((), "--tolerance"),
    ],
)
def test_mistakes_name_their_option(wrong, name):
    result = invoke(*wrong)
    assert result.exit_code == 2
    assert name in result.stderr
