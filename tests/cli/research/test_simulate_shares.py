"""`sidelight simulate --share` and `--merge`: the whole is what one call would have given."""

import numpy as np
import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.cli import main

OPTIONS = ("--law", "0.3,0.7", "--horizon", "60", "--runs", "7", "--seed", "2")


def invoke(*arguments):
    return CliRunner().invoke(main, ["simulate", "apple-tasting", "CBP", "Uniform", *OPTIONS, *map(str, arguments)])


@pytest.fixture(scope="module")
def shares(tmp_path_factory):
    """Three shares, made in another order."""
    folder = tmp_path_factory.mktemp("shares")
    for share in ("3/3", "1/3", "2/3"):
        result = invoke("--share", share, "--out", folder)
        assert result.exit_code == 0, result.output
        assert "when all are: the same command with --merge" in result.stdout
    return folder


def test_the_whole_is_what_one_call_gives(shares, tmp_path):
    assert invoke("--merge", "--out", shares).exit_code == 0
    assert invoke("--out", tmp_path).exit_code == 0
    for name in ("CBP.parquet", "Uniform.parquet"):
        whole, once = (sl.Results.load(folder / name) for folder in (shares, tmp_path))
        assert np.array_equal(whole.regret, once.regret)
        assert np.array_equal(whole.plays, once.plays)
        assert whole.seed == once.seed == 2
    assert (shares / "table.md").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seed", "3"], "it differs in seed"),
        (["--law", "0.4,0.6"], "it differs in environment"),
        (["--runs", "8"], "do not make up 8 runs"),
    ],
)
def test_another_simulation_is_not_merged(shares, options, words):
    before = {path: path.read_bytes() for path in shares.rglob("*.parquet")}
    result = invoke("--merge", "--out", shares, *options)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert {path: path.read_bytes() for path in shares.rglob("*.parquet")} == before


def test_other_strategies_are_not_merged(shares):
    arguments = ["simulate", "apple-tasting", "RandCBP", *OPTIONS, "--merge", "--out", str(shares)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "RandCBP.parquet" in result.output


def test_missing_shares_are_told_of(tmp_path):
    invoke("--share", "2/4", "--out", tmp_path)
    assert "do not make up 7 runs: run those that are missing" in invoke("--merge", "--out", tmp_path).output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--share", "1/3"], "--share needs --out"),
        (["--merge"], "--merge needs --out"),
        (["--share", "1/3", "--merge", "--out", "x"], "give only one of them"),
        (["--share", "0/3", "--out", "x"], "write i/n"),
        (["--share", "8/8", "--out", "x"], "7 runs, too few for 8 shares"),
    ],
)
def test_mistakes(options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke(*options)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert not list(tmp_path.rglob("*.parquet"))
