"""`sidelight monitor`."""

import json
import random

import pandas as pd
import pytest
from click.testing import CliRunner

from sidelight.cli.monitor.group import monitor_command

RATES = {"cat": 0.01, "dog": 0.03, "horse": 0.2}
COLUMNS = ("--prediction", "predicted", "--truth", "label", "--tolerance", "0.05")


def invoke(*arguments, columns=80, **more):
    return CliRunner().invoke(monitor_command, list(map(str, arguments)), env={"COLUMNS": str(columns)}, **more)


@pytest.fixture
def rows():
    draws = random.Random(1)
    names = [draws.choice(list(RATES)) for _ in range(3000)]
    return pd.DataFrame(
        {
            "predicted": names,
            "label": [name if draws.random() >= RATES[name] else "other" for name in names],
            "when": [f"2026-01-{1 + k // 300:02}T12:00:00" for k in range(3000)],
            "known": [f"2026-01-{2 + k // 300:02}T12:00:00" if k % 10 else None for k in range(3000)],
        }
    )


@pytest.fixture
def log(rows, tmp_path):
    path = tmp_path / "log.csv"
    rows.to_csv(path, index=False)
    return path


def test_replay_shows_all_policies_and_fits(log):
    result = invoke("replay", log, *COLUMNS)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert max(map(len, lines)) <= 80
    table = {line.split()[0]: line.split() for line in lines if line.split() and line.split()[0] in TITLES}
    assert set(table) == TITLES
    assert "Wald" not in result.output
    assert "horse" in result.output
    assert "above" in result.output
    assert "3000 predictions of 3 classes" in result.output


def test_replay_fits_a_narrow_terminal(log):
    result = invoke("replay", log, *COLUMNS, columns=40)
    assert max(map(len, result.output.splitlines())) <= 40
    for title in (*TITLES, "interval", "truth"):
        assert title in result.output


TITLES = {"randcbp", "cbp", "sequential"}


def test_all_formats_say_the_same(rows, log, tmp_path):
    rows.to_json(tmp_path / "log.jsonl", orient="records", lines=True)
    rows.to_parquet(tmp_path / "log.parquet")
    found = [
        json.loads(invoke("replay", tmp_path / f"log.{kind}", *COLUMNS, "--json").stdout)
        for kind in ("csv", "jsonl", "parquet")
    ]
    for kind in ("csv", "jsonl"):
        text = (tmp_path / f"log.{kind}").read_text()
        found.append(json.loads(invoke("replay", "-", *COLUMNS, "--json", "--format", kind, input=text).stdout))
    for one in found:
        one.pop("source")
    assert all(one == found[0] for one in found)
    assert [one["policy"] for one in found[0]["policies"]] == ["sequential", "randcbp", "cbp"]
    assert found[0]["classes"][0]["rate"] == found[0]["classes"][0]["errors"] / found[0]["classes"][0]["predictions"]
    assert found[0]["malformed"] == 0


def test_figure_and_page(log, tmp_path):
    figure, page = tmp_path / "figure.svg", tmp_path / "folder" / "page.html"
    result = invoke("replay", log, *COLUMNS, "--policy", "sequential", "--figure", figure, "--html", page)
    assert result.exit_code == 0, result.output
    assert figure.read_text().startswith("<?xml")
    assert "sequential" in page.read_text()
    assert "Written to" in result.stderr


def test_malformed_lines_are_counted_or_fatal(log):
    with log.open("a") as file:
        file.write("only one\ncat,,2026-01-01,\n" + "x\n" * 30)
    result = invoke("replay", log, *COLUMNS)
    assert result.exit_code == 0
    assert "32 lines could not be used" in result.stderr
    assert "line 3002: 1 column where the header has 4" in result.stderr
    assert "line 3003: 'label' is empty" in result.stderr
    assert "and 12 more" in result.stderr
    strict = invoke("replay", log, *COLUMNS, "--strict")
    assert strict.exit_code != 0
    assert "line 3002" in str(strict.exception)


def test_caps_delay_mode(log):
    def found(*options):
        result = invoke("replay", log, *COLUMNS, "--json", *options)
        assert result.exit_code == 0, result.output
        return {one["policy"]: one["verifications"] for one in json.loads(result.stdout)["policies"]}

    assert max(found("--cap", 100).values()) == 100
    assert max(found("--daily-cap", 10, "--time", "when").values()) == 100
    assert found("--mode", "guard")["sequential"] > found()["sequential"]
    assert found("--delay", 200) != found()
    assert found("--confidence", 0.8)["sequential"] < found()["sequential"]
    assert found("--drift", "--spot-checks", 0.2)["sequential"] > found("--no-drift")["sequential"]
    assert found("--notice-within", 50, "--notice", 2)["sequential"] > found("--no-drift")["sequential"]
    assert found("--margin", 0.045)["sequential"] < found()["sequential"]
    assert found("--together")["sequential"] > found()["sequential"]
    assert found("--reviewer-error", 0.01)["sequential"] > found()["sequential"]
    late = ("--time", "when", "--answered", "known", "--policy", "sequential")
    assert found(*late, "--patience", "1h") != found(*late, "--patience", "never")
    assert found(*late, "--patience", "20") != found(*late, "--patience", "never")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--daily-cap", 10), "needs --time"),
        (("--patience", "3d"), "--patience in time needs --time"),
        (("--figure", "x.gif"), "format of the figure"),
        (("--format", "parquet"), "damaged"),
        (("--prediction", "nothing"), "no column 'nothing'"),
        (("--tolerance", 2), "tolerance is 2"),
        (("--confidence", 2), "confidence is 2"),
        (("--patience", "soon"), "give a number of decisions, a time such as 90min"),
        (("--window", 5, "--drift"), "window and drift"),
    ],
)
def test_mistakes_are_said(log, arguments, error):
    result = invoke("replay", log, *COLUMNS, *arguments)
    assert result.exit_code != 0
    assert error in str(result.exception) + result.output


def test_standard_input_needs_a_format():
    result = invoke("replay", "-", *COLUMNS, input="predicted,label\n")
    assert "--format" in str(result.exception)


def test_what_was_left_out_is_said(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("predicted|label\nnull|null\nÄ|Ä\nÄ|None\n", encoding="utf-8")
    result = invoke("replay", path, *COLUMNS, columns=60)
    assert "2 lines could not be used\n(1 without 'predicted' and 1 without 'label'):\n" in result.stderr
    assert max(map(len, result.stderr.splitlines())) <= 60
    found = json.loads(invoke("replay", path, *COLUMNS, "--json").stdout)
    assert (found["malformed"], found["empty"]) == (2, {"predicted": 1, "label": 1})


def test_chosen_policies(log):
    result = invoke("replay", log, *COLUMNS, "--policy", "cbp", "--policy", "explore", "--policy", "cbp")
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("cbp ", "explore ", "seq"))] == [
        "cbp",
        "explore",
    ]
    assert "of Wald" in result.output
    assert "cbp, class by class" in result.output


def test_times_of_answers(log):
    result = invoke("replay", log, *COLUMNS, "--time", "when", "--answered", "known", "--policy", "sequential")
    assert result.exit_code == 0, result.output
    assert "300 answers never came" in result.output.replace("\n", " ")
    assert "--answered needs --time" in str(invoke("replay", log, *COLUMNS, "--answered", "known").exception)


def test_tolerances_of_single_classes(rows, tmp_path):
    rows["predicted"] = rows["predicted"].map({"cat": 1, "dog": 2, "horse": 3})
    rows["label"] = rows["label"].map({"cat": 1, "dog": 2, "horse": 3}).fillna(4).astype(int)
    rows.to_parquet(tmp_path / "log.parquet")
    (tmp_path / "t.csv").write_text("class,tolerance\n3,0.5\n")
    path = tmp_path / "log.parquet"
    found = json.loads(invoke("replay", path, *COLUMNS, "--tolerance-from", tmp_path / "t.csv", "--json").stdout)
    assert {one["name"]: one["tolerance"] for one in found["classes"]} == {1: 0.05, 2: 0.05, 3: 0.5}


def test_scores_say_what_they_would_have_saved(rows, tmp_path):
    draws = random.Random(2)
    rows["score"] = [
        None if k % 20 == 0 else draws.gauss(2.5 * (name != label), 1)
        for k, (name, label) in enumerate(zip(rows["predicted"], rows["label"], strict=True))
    ]
    path, page = tmp_path / "scored.csv", tmp_path / "page.html"
    rows.to_csv(path, index=False)
    result = invoke("replay", path, *COLUMNS, "--score", "score", "--policy", "sequential", "--html", page)
    assert result.exit_code == 0, result.output
    assert "With scores, sequential asks for" in result.output
    assert "What scores would have saved" in page.read_text(encoding="utf-8")
    assert "not a number" in str(invoke("replay", path, *COLUMNS, "--score", "when", "--strict").exception)
    assert "'other'" in str(invoke("replay", path, *COLUMNS, "--score", "other").exception)
