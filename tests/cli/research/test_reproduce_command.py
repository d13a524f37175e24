"""`sidelight reproduce`: what it writes, how it goes on after an interruption, and what it says to mistakes."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from sidelight.cli import main
from sidelight.kernels import compiled
from sidelight.results import Results

TABLE = ("reproduce", "table1", "--runs", "3", "--protocol", "published")


def invoke(*arguments):
    with compiled():  # other tests need the same loops
        return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished reproduction of one table and two figures."""
    place = tmp_path_factory.mktemp("reproduction")
    result = invoke(*TABLE, "figure1", "--out", place)
    assert result.exit_code == 0, result.output
    assert result.stdout.rstrip().splitlines()[-1] == f"Report written to {place / 'report.html'}"
    return place


def test_files(folder):
    found = {path.name for path in folder.iterdir()}
    assert found == {"figures", "manifest.json", "report.html", "report.md", "runs", "runs.parquet"}
    figures = {path.name for path in (folder / "figures").iterdir()}
    assert figures == {"figure1-published.svg", "figure1-published.png"}


def test_the_reports_say_the_same(folder):
    markdown, page = ((folder / name).read_text(encoding="utf-8") for name in ("report.md", "report.html"))
    for text in (markdown, page):
        for number in ("8.672", "8.532", "15.125", "165.040", "PMDMED", "TSPMGaussian"):
            assert number in text
    assert "figures/figure1-published.png" in markdown
    assert "<svg" in page
    assert not re.search(r'(src|href)="(?!#)', page)  # nothing is loaded


def test_json_holds_every_number(folder):
    """On standard output alone; NaN and infinities are null."""
    result = invoke(*TABLE, "figure1", "--out", folder, "--json")
    assert f"Report written to {folder / 'report.html'}" in result.stderr
    data = json.loads(result.stdout, parse_constant=pytest.fail)
    assert {number["table"] for number in data["numbers"]} == {"table1"}
    cbp = next(number for number in data["numbers"] if number["label"] == "CBP")
    assert (cbp["protocol"], cbp["measure"], cbp["runs"], cbp["round"]) == ("published", "regret", 3, 20_000)
    assert cbp["printed"]["mean"] == 8.672
    assert (cbp["verdict"], cbp["reason"]) == ("chance", None)
    assert data["facts"]["runs"] == 3
    assert [number["printed"] for number in data["numbers"] if number["is_limit"]] == [None, None]
    single = invoke("reproduce", "table1", "--runs", 1, "--protocol", "published", "--out", folder / "one", "--json")
    assert {number["std"] for number in json.loads(single.stdout, parse_constant=pytest.fail)["numbers"]} == {None}


def test_all_runs_in_one_table(folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(folder / "runs.parquet").to_pandas()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["runs"] == 3
    assert {"sidelight", "numpy", "platform", "code", "seed"} <= manifest.keys()
    for entry in manifest["entries"]:
        mine = table[
            (table.game == entry["game"]) & (table.world == entry["world"]) & (table.player == entry["player"])
        ]
        assert mine.run.nunique() == entry["runs"]
        assert mine["round"].max() == entry["horizon"]
    cbp = table[(table.player == "CBP") & (table.game == "apple-tasting") & (table.world == "imbalanced, published")]
    last = cbp[cbp["round"] == 20_000]
    import sidelight as sl
    from sidelight.reproduction.streams import PublishedStreams

    game = sl.games.load("apple-tasting")
    runs = sl.simulate(sl.strategies.CBP(game), PublishedStreams("imbalanced"), runs=len(last))
    assert np.array_equal(last.value.to_numpy(), runs.final)


def test_shares_and_merge(folder, tmp_path):
    for share in ("2/3", "1/3"):
        result = invoke(*TABLE, "figure1", "--share", share, "--out", tmp_path)
        assert result.exit_code == 0, result.output
        assert "the same command with --merge" in result.stdout
    early = invoke(*TABLE, "figure1", "--merge", "--out", tmp_path)
    assert early.exit_code == 2
    assert re.search(r"pieces of work are missing.*run all shares first", " ".join(early.stderr.split()))
    invoke(*TABLE, "figure1", "--share", "3/3", "--out", tmp_path)
    merged = invoke(*TABLE, "figure1", "--merge", "--out", tmp_path)
    assert merged.exit_code == 0, merged.output
    for path in (folder / "runs").rglob("*.npz"):
        assert Results.load(path) == Results.load(tmp_path / path.relative_to(folder))


USE_CASE = ("reproduce", "table4", "--runs", 3, "--protocol", "published", "--tolerance", 0.2, "--tolerance", 0.15)


def test_the_use_case_with_other_tolerances_and_one_policy(tmp_path):
    options = (*USE_CASE, "--policy", "sequential", "--confidence", 0.9, "--out", tmp_path)
    for share in ("1/2", "2/2"):
        assert invoke(*options, "--share", share).exit_code == 0
    merged = invoke(*options, "--merge")
    assert merged.exit_code == 0, merged.output
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Tolerance 0.15" in text
    assert (
        "- **protocols**: published\n- **tolerances**: 0.2, 0.15\n- **policies**: sequential\n- **confidence of v"
        in text
    )
    assert "The paper prints no number for these settings." in text
    assert "Tolerance 0.05" not in text
    assert "C-RandCBP" not in text.split("Watching a classifier", 1)[1].split("##", 1)[0]
    (entry, _) = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))["entries"]
    assert entry["strategy"] == "sequential"
    assert entry["world"] == "case 1, 0.2, published"


def test_interrupted(tmp_path, monkeypatch):
    from sidelight.studies.store.store import Store

    keep, count = Store.keep, []

    def interrupted(self, task, done):
        if len(count) == 3:
            raise KeyboardInterrupt
        count.append(1)
        keep(self, task, done)

    monkeypatch.setattr(Store, "keep", interrupted)
    result = invoke(*TABLE, "--out", tmp_path)
    assert result.exit_code == 130
    assert "Interrupted: what is finished is kept" in " ".join(result.stderr.split())
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table7"], "the paper has no 'table7': did you mean 'table"),
        (["--full", "--beyond"], "give only one of them"),
        (["--share", "1/2", "--merge"], "give only one of them"),
        (["--share", "3/2"], "write i/n with i from 1 to n"),
        (["--merge"], "run all shares first"),
        (["table4", "--tolerance", "0"], "between 0 and 1"),
        (["table4", "--tolerance", "nan"], "tolerance is nan"),
        (["table5", "--confidence", "2"], "confidence is 2.0"),
        (["table1", "--policy", "cbp"], "name table4 or table5"),
    ],
)
def test_mistakes(arguments, message, tmp_path):
    result = invoke("reproduce", *arguments, "--out", tmp_path / "new")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert not (tmp_path / "new").exists()


def test_without_what_draws_and_writes_tables(folder, tmp_path, monkeypatch):
    """Matplotlib and pyarrow are extras: what needs them is left out, with a note."""
    import importlib.util
    import sys

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "matplotlib" else find(name, *a))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = invoke(*TABLE, "figure1", "--out", folder)
    assert result.exit_code == 0, result.output
    assert "pip install matplotlib" in result.stderr
    assert "pip install pyarrow" in result.stderr
    assert not (folder / "runs.parquet").exists()
    assert not json.loads((folder / "manifest.json").read_text())["files"]
    assert "(<figures/" not in (folder / "report.md").read_text(encoding="utf-8")
