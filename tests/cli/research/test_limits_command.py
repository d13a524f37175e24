"""`sidelight limits`."""

import json
import math
import re
from fractions import Fraction

import click
import pytest
from click.testing import CliRunner

from sidelight import games
from sidelight.cli.group import CommandLine
from sidelight.cli.research.limits import _bracket_rounded_outwards
from sidelight.limits import lower_bound
from sidelight.strategies import BayesOptimal


@click.group(
    cls=CommandLine,
    sections={"Research": {"limits": ("sidelight.cli.research.limits", "Say how good any strategy can be.")}},
)
def program():
    pass


def invoke(*arguments, columns=80):
    return CliRunner().invoke(program, ["limits", *map(str, arguments)], env={"COLUMNS": str(columns)})


def text_of(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 80
    return " ".join(result.output.split())


def refused(*arguments):
    """Return the message of a call that must fail as one line with exit code 2."""
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.output.startswith("sidelight: error: ")
    assert result.output.count("\n") == 1
    return result.output


def test_both_limits():
    """Label-efficient prediction under (0.2, 0.8): C* = 0.8 / kl(0.2, 1/2) = 4.15057."""
    text = text_of("label-efficient", "--law", "0.2,0.8", "--horizon", 300)
    assert text.startswith("label-efficient: 3 actions and 2 outcomes For p = (0.2, 0.8): action 1 (predict B) is")
    assert re.search(r"Lower bound C\*\(p\) = 4\.15057, proven to lie between 4\.150\d+ and 4\.150\d+\.", text)
    assert f": {4.15057 * math.log(300):.4g} for T = 300. This is asymptotic" in text
    assert "in multiples of log T: ask 5.188." in text
    value = BayesOptimal(games.load("label-efficient"), 300).value
    assert f"Bayes-optimal regret = {value:.6f} over T = 300 rounds, uniform prior." in text


def test_brackets_are_rounded_outwards():
    assert _bracket_rounded_outwards(4.150567891, 4.150567899) == "4.1505678 and 4.1505679"
    assert _bracket_rounded_outwards(0.0, 0.0) == "0 and 0"
    assert _bracket_rounded_outwards(1234567891.5, 1e-7) == "1234567800 and 0.00000010000000"


def test_json():
    result = invoke("apple-tasting", "--law", "1/5,4/5", "--horizon", 100, "--prior", "2,3", "--json")
    assert result.exit_code == 0
    data = json.loads(result.output)
    game = games.load("apple-tasting")
    found = lower_bound(game, [0.2, 0.8])
    assert data["horizon"] == 100
    assert data["lower_bound"]["low"] == found.low <= 3.11293 + 1e-5
    assert data["lower_bound"]["high"] == found.high >= 3.11293 - 1e-5
    assert data["lower_bound"]["times_log_horizon"] == [found.low * math.log(100), found.high * math.log(100)]
    assert data["lower_bound"]["optimal"] == 0
    assert list(data["lower_bound"]["allocation"]) == ["1"]
    assert data["lower_bound"]["law"] == [0.2, 0.8]
    value = BayesOptimal(game, 100, (2, 3)).value
    wanted = {"prior": [2, 3], "assumes": "Beta(2, 3) prior", "value": value, "reason": None}
    assert data["bayes_optimal"] == wanted


def test_priors_of_other_kinds():
    game = games.load("apple-tasting")
    for text, prior in [
        ("balanced", "balanced"),
        ("[((0.25,0.75),1),((0.5,0.5),2)]", [((0.25, 0.75), 1), ((0.5, 0.5), 2)]),
    ]:
        data = json.loads(invoke("apple-tasting", "--horizon", 40, "--prior", text, "--json").output)
        assert data["bayes_optimal"]["value"] == BayesOptimal(game, 40, prior).value
    assert "prior of balanced laws (p uniform on [0.4, 0.6])." in text_of("apple-tasting", "--prior", "balanced")


def test_the_horizon_is_20_000_and_the_prior_uniform_if_nothing_is_said():
    assert "Bayes-optimal regret = 11.125376 over T = 20000 rounds, uniform prior." in text_of("apple-tasting")


def test_without_a_law_it_asks_for_one():
    text = text_of("apple-tasting", "--horizon", 50, "--prior", "0.5,4")
    assert "Lower bound C*(p): it depends on the law; give the probability of each outcome with --law." in text
    assert "over T = 50 rounds, Beta(0.5, 4) prior." in text
    data = json.loads(invoke("apple-tasting", "--horizon", 50, "--json").output)
    assert data["lower_bound"] is None


def test_where_no_bayes_optimal_play_is_known_it_says_why():
    text = text_of("bartok", "--law", "0.2,0.3,0.5")
    assert "Bayes-optimal regret: not known for this game. BayesOptimal plays games of two outcomes" in text
    assert "this one has 3 outcomes" in text
    data = json.loads(invoke("full-information", "--set", "outcomes=2", "--json").output)
    assert data["bayes_optimal"]["value"] is None
    assert "exactly one action reveals them" in data["bayes_optimal"]["reason"]


@pytest.mark.parametrize(
    ("name", "law", "status"),
    [
        ("hopeless", "0.3,0.7", "infinite"),
        ("label-efficient", "1/2,1/2", "undefined"),
        ("trivial", "0.3,0.7", "zero"),
        ("apple-tasting", "0.9,0.1", "zero"),
    ],
)
def test_other_answers_are_explained_and_stay_json(name, law, status):
    found = lower_bound(games.load(name), [float(Fraction(part)) for part in law.split(",")])
    text = text_of(name, "--law", law)
    assert f"): {found.reason}. Lower bound C*(p): {status}." in text
    data = json.loads(invoke(name, "--law", law, "--json").output)["lower_bound"]
    assert (data["status"], data["reason"], data["allocation"]) == (status, found.reason, {})
    assert data["high"] == (0 if status == "zero" else None)


def test_mistakes_are_one_line():
    assert "--law gives 3 probabilities" in refused("apple-tasting", "--law", "0.2,0.3,0.5")
    assert "sums to" in refused("apple-tasting", "--law", "0.2,0.3")
    for wrong in ("1", "", "a,b", "balance", "0,1", "1,-1", "1,inf", "1,2,3"):
        assert f"--prior is '{wrong}': give the two positive parameters (a, b)" in refused(
            "apple-tasting", "--prior", wrong
        )
    assert "there is no game 'apple': did you mean 'apple-tasting'?" in refused("apple")
    assert "horizon" in refused("apple-tasting", "--horizon", "0")
