"""`sidelight simulate`."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.cli import main
from sidelight.cli.research.arguments.players import parse_argument_value
from sidelight.text import number_text

SMALL = ("--horizon", "60", "--runs", "4", "--checkpoints", "6")

OWN = '''
import time
from pathlib import Path

from sidelight.strategies import Strategy


class Turns(Strategy):
    """Plays the actions in turn, each `stay` times."""

    def __init__(self, game, stay=1, *, seed=0):
        super().__init__(game, seed=seed)
        self.stay = stay

    def _start(self):
        return {"t": 0}

    def _act(self, context):
        self.state["t"] += 1
        return (self.state["t"] - 1) // self.stay % self.game.n_actions

    def _observe(self, action, symbol, context):
        pass


class Slow(Turns):
    def _act(self, context):
        time.sleep(0.02)
        return super()._act(context)


class Told(Turns):
    def __init__(self, game, horizon, *, seed=0):
        Strategy.__init__(self, game, seed=seed)
        self.horizon = horizon
        self.stay = horizon


class Seeing(Turns):
    dimension = 2


class Picky(Turns):
    def __init__(self, game, needed, *, seed=0):
        Strategy.__init__(self, game, seed=seed)


class Unfinished(Strategy):
    pass


number = 3
'''


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    """Short runs are quicker than compilation; results are the same."""
    monkeypatch.setenv("SIDELIGHT_JIT", "0")


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of the user's in the current folder, under a name of its own in each test."""
    monkeypatch.chdir(tmp_path)
    name = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(OWN)
    yield name
    sys.modules.pop(name, None)


def invoke(*arguments, columns=80):
    return CliRunner().invoke(main, ["simulate", *map(str, arguments)], env={"COLUMNS": str(columns)})


def succeeded(*arguments, columns=80):
    result = invoke(*arguments, columns=columns)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments):
    """Return the message of a call that must fail as one line with exit code 2."""
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    assert result.output.startswith("sidelight: error: ")
    assert result.output.count("\n") == 1
    return result.output


def direct(strategy, law, name="apple-tasting", **options):
    game = sl.games.load(name)
    environment = sl.environments.IID(law)
    return sl.simulate(strategy(game, **options), environment, 60, 4, checkpoints=6)


def test_json_holds_the_numbers_of_simulate():
    data = json.loads(
        succeeded("apple-tasting", "CBP", "RandCBP:bins=10,sigma=2", "--law", "0.3,0.7", *SMALL, "--json")
    )
    results = [
        direct(sl.strategies.CBP, [0.3, 0.7]),
        direct(sl.strategies.RandCBP, [0.3, 0.7], bins=10, sigma=2),
    ]
    assert data["tests"] == {"against": "CBP", "side": "two-sided"}
    assert (data["horizon"], data["runs"], data["seed"], data["round"]) == (60, 4, 0, 60)
    assert data["environment"] == results[0].environment
    welch, paired = sl.results.welch(results[1], results[0]), sl.results.paired(results[1], results[0])
    for row, result, won in zip(data["strategies"], results, sl.results.wins(results), strict=True):
        s = result.summary()
        assert row["label"] == result.label
        assert row["strategy"] == result.strategy
        assert (row["mean"], row["std"], row["standard_error"]) == (s.mean, s.std, s.standard_error)
        assert (row["median"], row["q99"], row["max"]) == (s.quantiles[50], s.quantiles[99], s.max)
        assert (row["strict_wins"], row["tied_wins"]) == (won.strict, won.tied)
        assert row["mean_plays"] == result.mean_plays.tolist()
    assert data["strategies"][0]["p_welch"] is None
    assert data["strategies"][1]["p_welch"] == welch.p_value
    assert data["strategies"][1]["p_paired"] == paired.p_value


def test_the_table_holds_the_same_numbers_and_says_what_they_are():
    output = succeeded("apple-tasting", "CBP", "RandCBP", "--law", "1/4,3/4", "--seed", "0", *SMALL)
    for result in (direct(sl.strategies.CBP, [0.25, 0.75]), direct(sl.strategies.RandCBP, [0.25, 0.75])):
        s = result.summary()
        (line,) = re.findall(rf"^{result.label} +(.*)$", output.split("\n\n")[0], re.MULTILINE)
        wanted = (s.mean, s.standard_error, s.std, s.quantiles[50], s.quantiles[99], s.max)
        assert line.split()[:6] == [number_text(value) for value in wanted]
    flat = " ".join(output.split())
    for part in (
        "Pseudo-regret after 60 rounds of apple-tasting, 4 runs, seed 0; outcomes drawn from p = (0.25, 0.75)",
        "two-sided",
        "Welch's test",
        "paired t-test",
        "same outcomes",
        "standard error",
    ):
        assert part in flat
    assert "is the default" not in flat


def test_laws_are_drawn_unless_given_and_this_is_said():
    output = " ".join(succeeded("bartok", "CBP", *SMALL).split())
    assert "from 'dirichlet'" in output
    assert "the default" in output
    chosen = " ".join(succeeded("apple-tasting", "CBP", "--law-from", "balanced", *SMALL).split())
    assert "from 'balanced'" in chosen
    assert "is the default" not in chosen


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--law-from", "balanced"],
            "Bayes-optimal play for T = 60, prior of balanced laws (p uniform on [0.4, 0.6]), ",
        ),
        (["--law-from", "imbalanced"], "Bayes-optimal play for T = 60, prior of imbalanced laws"),
        ([], "Bayes-optimal play for T = 60, uniform prior, "),
        (["--law", "0.3,0.7"], "C*(p) log T (asymptotic)"),
    ],
)
def test_the_limit_is_for_the_very_laws_and_says_what_it_is(options, words):
    output = " ".join(succeeded("label-efficient", "CBP", "--limit", *options, *SMALL).split())
    assert f"The limit is {words}" in output
    asymptotic = "--law" in options
    assert ("which may be lower" in output) is asymptotic
    assert ("though it may have less before" in output) is not asymptotic


def test_bayes_optimal_play_is_the_limit_of_its_laws():
    data = json.loads(succeeded("label-efficient", "BayesOptimal:prior=balanced", "--law-from", "balanced", "--limit",
                                "--horizon", "60", "--runs", "4", "--json"))  # fmt: skip
    assert data["limit"]["value"] == data["strategies"][0]["mean"]


def test_one_run_claims_nothing_about_chance():
    output = succeeded("apple-tasting", "CBP", "RandCBP", "--horizon", "20", "--runs", "1")
    assert "A single run says nothing about chance" in " ".join(output.split())
    data = json.loads(succeeded("apple-tasting", "CBP", "--horizon", "20", "--runs", "1", "--json"))
    assert data["strategies"][0]["std"] is None


def test_the_folder_holds_everything_and_can_be_read(tmp_path):
    folder = tmp_path / "new" / "folder"
    arguments = ("apple-tasting", "CBP", "RandCBP", "RandCBP", "RandCBP:sigma=2", "--law", "0.3,0.7", *SMALL)
    output = succeeded(*arguments, "--out", folder)
    assert output.splitlines()[-1] == f"Results, table and figures written to {folder}"
    names = {path.name for path in folder.iterdir()}
    results = {"CBP.parquet", "RandCBP.parquet", "RandCBP-2.parquet", "RandCBP-sigma-2.parquet"}
    assert names == results | {"table.md", "table.tex", "regret.svg", "regret.png"}
    assert sl.Results.load(folder / "CBP.parquet") == direct(sl.strategies.CBP, [0.3, 0.7])
    assert sl.Results.load(folder / "RandCBP-sigma-2.parquet").label == "RandCBP(sigma=2)"
    table = (folder / "table.md").read_text()
    assert "| RandCBP #2 |" in table
    assert "4 runs, seed 0" in table
    assert (folder / "regret.png").read_bytes().startswith(b"\x89PNG")


def test_without_arrow_and_matplotlib_there_is_less(tmp_path, monkeypatch):
    for module in ("pyarrow", "matplotlib"):
        monkeypatch.setitem(sys.modules, module, None)
    result = invoke("apple-tasting", "CBP", *SMALL, "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"CBP.npz", "table.md", "table.tex"}
    assert "pip install matplotlib" in result.stderr
    assert sl.Results.load(tmp_path / "out" / "CBP.npz").n_runs == 4
    assert "pip install matplotlib" in refused("apple-tasting", "CBP", *SMALL, "--figure", tmp_path / "a.svg")


def test_a_figure_alone(tmp_path):
    output = succeeded("apple-tasting", "CBP", *SMALL, "--figure", tmp_path / "figure.pdf")
    assert output.splitlines()[-1] == f"Figure written to {tmp_path / 'figure.pdf'}"
    assert [path.name for path in tmp_path.iterdir()] == ["figure.pdf"]


@pytest.mark.parametrize(("text", "rounds"), [("3", [20, 40, 60]), ("10,50", [10, 50]), ("log", None)])
def test_checkpoints(text, rounds, tmp_path):
    succeeded("apple-tasting", "CBP", "--horizon", "60", "--runs", "2", "--checkpoints", text, "--out", tmp_path)
    found = sl.Results.load(tmp_path / "CBP.parquet").rounds.tolist()
    assert found == rounds if rounds else found[0] == 1 and found[-1] == 60 and len(found) > 30


def test_strategies_of_ones_own(own):
    text = f"{own}:Turns"
    data = json.loads(succeeded("bartok", "CBP", text, f"{text}:stay=5", f"{own}:Told", *SMALL, "--json"))
    labels = [row["label"] for row in data["strategies"]]
    assert labels == ["CBP", "Turns", "Turns(stay=5)", "Told(horizon=60)"]
    assert data["strategies"][1]["mean_plays"] == [20, 20, 20]
    assert data["strategies"][3]["mean_plays"] == [60, 0, 0]
    from_file = json.loads(succeeded("bartok", f"./{own}.py:Turns:stay=5", *SMALL, "--json"))
    assert from_file["strategies"][0]["mean"] == data["strategies"][2]["mean"]


@pytest.mark.parametrize(
    ("strategy", "parts"),
    [
        ("{}:Tuns", ["'Tuns'", "is not there", "Turns"]),
        ("{}:number", ["is not a strategy"]),
        ("{}:Unfinished", ["not complete", "_act", "_observe", "_start"]),
        ("{}:Picky", ["Picky needs needed"]),
        ("{}:Seeing", ["Seeing wants contexts of 2 numbers"]),
        ("{}:Turns:sty=3", ["no parameter 'sty'", "did you mean 'stay'?", "stay=1"]),
        ("no_such_module:Turns", ["there is no module 'no_such_module'"]),
        ("./none.py:Turns", ["there is no file './none.py'"]),
        ("broken:Turns", ["importing 'broken' failed", "ZeroDivisionError", "broken.py, line 2"]),
        ("unreadable:Turns", ["importing 'unreadable' failed", "SyntaxError", "line 1"]),
    ],
)
def test_mistakes_with_strategies_of_ones_own(own, strategy, parts, tmp_path):
    (tmp_path / "broken.py").write_text("x = 1\ny = x / 0\n")
    (tmp_path / "lacking.py").write_text("import no_such_module\n")
    (tmp_path / "unreadable.py").write_text("class (\n")
    message = refused("bartok", strategy.format(own), *SMALL)
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["RandCPB"], ["there is no strategy 'RandCPB'", "did you mean 'RandCBP'?"]),
        (
            ["RandCBP:bin=3"],
            ["RandCBP has no parameter 'bin'", "did you mean 'bins'?", "alpha=1.01, bins=5, sigma=1.0"],
        ),
        (["RandCBP:bins"], ["'bins' is not a parameter", "name=value"]),
        (["RandCBP:bins=3,bins=4"], ["'bins' is given twice"]),
        (["RandCBP:bins=0"], ["RandCBP: bins is 0"]),
        (["RandCBP:seed=1"], ["--seed"]),
        (["CBP", "--law", "0.3"], ["--law gives 1 probability, but the game has 2 outcomes"]),
        (["CBP", "--law", "0.3,0.6"], ["sums to 0.9 and not to 1"]),
        (["CBP", "--law", "-0.3,1.3"], ["a probability cannot be negative"]),
        (["CBP", "--law", "1/0,1"], ["give numbers"]),
        (["CBP", "--law", "0.3,0.7", "--law-from", "uniform"], ["not both"]),
        (["CBP", "--law-from", "uniformly"], ["did you mean 'uniform'?"]),
        (["CBP", "--runs", "0"], ["--runs"]),
        (["CBP", "--horizon", "many"], ["--horizon", "'many': give a whole number of at least 1"]),
        (["CBPSide", "--law", "0.3,0.7"], ["CBPSide decides by contexts", "--contexts linear:d=10"]),
        (["CBP", "--checkpoints", "0"], ["--checkpoints is '0'"]),
        (["CBP", "--checkpoints", "10,30000"], ["after the horizon 20000"]),
        (["CBP", "--figure", "figure.gif"], [".svg, .pdf or .png"]),
        (["CBP", "--out", "file"], ["'file' is a file: name a folder"]),
        ([], ["missing argument 'STRATEGY...'"]),
    ],
)
def test_mistakes_are_explained(arguments, parts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    message = refused("apple-tasting", *arguments)
    for part in parts:
        assert part in message
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("1e-7", 1e-7),
        ("1/4", 0.25),
        ("True", True),
        ("None", None),
        ("half-range", "half-range"),
        ("[1, 2]", [1, 2]),
        ("'3'", "3"),
    ],
)
def test_values(text, value):
    found = parse_argument_value(text)
    assert found == value
    assert type(found) is type(value)


def test_warnings_become_notes(own, tmp_path):
    text = OWN.replace("self.stay = stay", "self.stay = stay; import warnings; warnings.warn('no guarantee\\nhere')")
    (tmp_path / "warning.py").write_text(text)
    command = [sys.executable, "-m", "sidelight", "simulate", "bartok", "./warning.py:Turns", *SMALL]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert result.stderr == "sidelight: note: no guarantee here\n"


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_an_interrupt_keeps_what_is_finished(own, tmp_path):
    command = [sys.executable, "-m", "sidelight", "simulate", "apple-tasting", f"{own}:Turns", f"{own}:Slow"]
    options = ["--horizon", "100000", "--runs", "2", "--out", "out", "--figure", "figure.png"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "out" / "Turns.parquet").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert output == ""
    assert errors.strip() == "Interrupted; what was finished is in out: Turns.parquet"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["Turns.parquet"]
    assert not (tmp_path / "figure.png").exists()
    assert not list(tmp_path.glob(".*"))
    assert np.isfinite(sl.Results.load(tmp_path / "out" / "Turns.parquet").final).all()
