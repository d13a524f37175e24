"""`sidelight monitor new|decide|answer|pending|report`."""

import json
import math
from datetime import timedelta

import pytest
from click.testing import CliRunner

from sidelight.cli.monitor.group import monitor_command
from sidelight.monitor import ClassifierMonitor


def invoke(*arguments, columns=60, **more):
    return CliRunner().invoke(monitor_command, list(map(str, arguments)), env={"COLUMNS": str(columns)}, **more)


def said(*arguments, **more):
    result = invoke(*arguments, **more)
    assert result.exit_code == 0, result.output + str(result.exception)
    assert max(map(len, result.stdout.splitlines()), default=0) <= 60
    return result.stdout


def plain(*arguments, **more):
    result = invoke(*arguments, "--json", **more)
    assert result.exit_code == 0, result.output + str(result.exception)
    return json.loads(result.stdout)


def refused(*arguments, **more):
    result = invoke(*arguments, **more)
    assert result.exit_code != 0
    return f"{result.output}{result.exception}"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pets.json"
    said("new", path, "--tolerance", 0.05, "--policy", "explore", "--class", "cat")
    return path


def test_a_monitor_from_the_shell(file):
    assert "already" in refused("new", file, "--tolerance", 0.05)
    assert said("decide", file, "cat", "--id", "r1").startswith("verify r1 (cat)\n")
    assert said("decide", file, "cat", "--id", "r1").startswith("verify r1 (cat)\n")
    assert plain("pending", file)[0]["id"] == "r1"
    assert "1 verification pending" in said("pending", file)
    assert "'r1' ('cat') is wrong" in said("answer", file, "r1", "--wrong")
    assert "unchanged" in plain("answer", file, "r1", "--wrong")["status"]
    assert plain("answer", file, "r1", "--label", "cat")["status"] == "corrected"
    assert plain("answer", file, "r1", "--skip")["status"] == "withdrawn"
    assert said("pending", file) == "0 verifications pending\n"
    assert "pets.json: 1 prediction of 1 class" in said("report", file)
    assert plain("report", file)["verdicts"] == {"above": 0, "near": 0, "below": 0, "unknown": 1}
    assert ClassifierMonitor.load(file).report().predictions == 1


def test_many_from_files_and_standard_input(file, tmp_path):
    rows = [{"prediction": f"class {k % 3}", "id": k, "when": 1767225600 + k} for k in range(9)]
    lines = "\n".join(map(json.dumps, rows))
    found = plain("decide", file, "--from", "-", input=lines)
    assert [(one["id"], one["prediction"]) for one in found] == [(str(k), f"class {k % 3}") for k in range(9)]
    assert "9 of 9 predictions to verify" in said("decide", file, "--from", "-", input=lines)
    answers = tmp_path / "answers.csv"
    answers.write_text("id;correct;label;skipped\n0;yes;;\n1;;class 1;\n2;FALSE;;\n3;;;true\n")
    text = said("answer", file, "--from", answers)
    assert text == "4 answers: 3 recorded and 1 released\n"
    report = ClassifierMonitor.load(file).report()
    assert [(one.verified, one.errors, one.skipped) for one in report.classes[1:]] == [(1, 0, 1), (1, 0, 0), (1, 1, 0)]
    assert len(plain("pending", file, "--limit", 2)) == 2
    assert "5 verifications pending, 3 more than are shown" in said("pending", file, "--limit", 2)
    answers.write_text("id,correct\n4,1\n99,1\n")
    assert "no verification with the id '99'" in refused("answer", file, "--from", answers)


def test_a_monitor_with_numbers_is_not_for_the_shell(file):
    monitor = ClassifierMonitor(0.05, policy="explore")
    monitor.decide(7, id=17)
    monitor.save(file)
    assert "give all classes as text" in refused("decide", file, 7)


def test_numbers_that_are_listed_in_the_shell(tmp_path):
    path = tmp_path / "monitor.json"
    (tmp_path / "t.csv").write_text("class,tolerance\n7,0.1\n")
    said("new", path, "--tolerance", 0.05, "--tolerance-from", tmp_path / "t.csv", "--class", 8)
    rows = "".join(f'{{"prediction": {name}, "id": {name}}}\n' for name in (7, 8, 9))
    assert [one["prediction"] for one in plain("decide", path, "--from", "-", input=rows)] == ["7", "8", "9"]
    assert plain("answer", path, "--from", "-", input='{"id": 7, "label": 9}')[0]["correct"] is False
    assert {one.name: one.tolerance for one in ClassifierMonitor.load(path).report().classes} == {
        "7": 0.1,
        "8": 0.05,
        "9": 0.05,
    }


def test_files_whose_format_is_not_known(file, tmp_path):
    rows = tmp_path / "rows"
    rows.write_text("prediction\ncat\n")
    error = " ".join(refused("decide", file, "--from", rows).split())
    assert error.endswith("say with --format whether it is csv, json or jsonl")
    assert "1 of 1 prediction to verify" in said("decide", file, "--from", rows, "--format", "csv")
    assert "no file" in refused("decide", file, "--from", tmp_path / "none")
    assert "is a folder" in refused("decide", file, "--from", tmp_path)


@pytest.mark.parametrize(
    ("arguments", "text", "error"),
    [
        (("decide",), None, "either a CLASS or --from"),
        (("decide", "cat", "--time", "soon"), None, "time is 'soon'"),
        (("decide", "cat", "--id", ""), None, "is empty: did you use a shell variable that is not set?"),
        (("decide", ""), None, "is empty"),
        (("decide", "cat", "--from", "-"), "", "either a CLASS or --from"),
        (("decide", "--from", "-"), "", "no rows in standard input"),
        (("decide", "--from", "-"), '{"x": 1}', "row 1 has no 'prediction': is there a column"),
        (("decide", "--from", "-"), '{"prediction": "a"}\n{"x": 1}', "row 2 has no 'prediction'; nothing changed"),
        (("decide", "--from", "-"), "{", "line 1: not valid JSON"),
        (("decide", "--from", "-", "--format", "csv"), "prediction,id,id\na,1,2\n", "2 columns 'id'"),
        (("decide", "--from", "nothing.csv"), None, "no file 'nothing.csv'"),
        (("decide", "--from", "x.parquet"), None, "give CSV or JSON"),
        (("answer",), None, "either an ID or --from"),
        (("answer", "r1"), None, "--correct, --wrong, --label CLASS or --skip"),
        (("answer", "r1", "--correct"), None, "no verification with the id 'r1'"),
        (("answer", "--from", "-"), '{"id": 1, "correct": "perhaps"}', "no verification with the id '1'"),
        (("answer", "r1", "--correct", "--skip"), None, "no verification with the id 'r1'"),
        (("report", "--figure", "x.gif"), None, "format of the figure"),
    ],
)
def test_mistakes_are_said_and_change_nothing(file, arguments, text, error):
    before = file.read_bytes()
    assert error in refused(arguments[0], file, *arguments[1:], input=text)
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["decide", "answer", "pending", "report"])
def test_files_that_are_not_monitors(tmp_path, name):
    more = {"decide": ("cat",), "answer": ("r1", "--wrong")}.get(name, ())
    assert "no file" in refused(name, tmp_path / "none.json", *more)
    (tmp_path / "other.json").write_text("{}")
    assert "does not hold a monitor" in refused(name, tmp_path / "other.json", *more)
    assert "folder" in refused(name, tmp_path, *more)


def test_tolerances_of_single_classes(tmp_path):
    path, tolerances = tmp_path / "monitor.json", tmp_path / "t.csv"
    tolerances.write_text("class,tolerance\ncat,0.01\ndog,0.2\n")
    said("new", path, "--tolerance-from", tolerances, "--tolerance", 0.05)
    for one in ("cat", "dog", "bird"):
        said("decide", path, one)
    assert [one.tolerance for one in ClassifierMonitor.load(path).report().classes] == [0.01, 0.2, 0.05]
    for content, error in (
        ("class,tolerance\ncat,0.01\ncat,0.2\n", "is there twice"),
        ("class,tolerance\ncat,much\n", "give a number"),
        ("class,tolerance\ncat,7\n", "between 0 and 1"),
        ("name,tolerance\ncat,0.1\n", "is there a column 'class'?"),
    ):
        (tmp_path / "t.csv").write_text(content)
        assert error in refused("new", tmp_path / "x.json", "--tolerance-from", tmp_path / "t.csv")
    assert "--tolerance 0.05" in refused("new", tmp_path / "x.json")


def test_the_report(file, tmp_path):
    monitor = ClassifierMonitor(0.05, policy="explore", confidence=0.9)
    for k in range(1000):
        name = f"class {k % 25} with a long name"
        monitor.decide(name, id=k)
        monitor.answer(k, correct=k % 25 != 7)
    monitor.save(file)
    text = said("report", file)
    assert text.index("class 7 ") < text.index("class 0 ")
    assert "and 5 more (--limit 0 shows them)" in text
    assert "class 24" in said("report", file, "--limit", 0)
    assert invoke("report", file, "--fail-above").exit_code == 1
    assert "1 above" in invoke("report", file, "--fail-above").stdout
    assert len(plain("report", file)["classes"]) == 25
    assert "90 % confidence" in text
    page, figure = tmp_path / "page.html", tmp_path / "figure.png"
    result = invoke("report", file, "--html", page, "--figure", figure)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "pets.json" in page.read_text()
    assert figure.stat().st_size > 10_000


@pytest.mark.parametrize("name", ["new", "decide", "answer", "pending", "report", "replay"])
def test_help_fits(name):
    assert "FILE" in said(name, "--help", terminal_width=60)


def test_settings_reach_the_monitor(tmp_path):
    path = tmp_path / "monitor.json"
    (tmp_path / "w.csv").write_text("class,weight\ncat,3\n")
    options = (
        "--margin",
        0.01,
        "--weights-from",
        tmp_path / "w.csv",
        "--cap",
        100,
        "--drift-alarm-every",
        500,
        "--reviewer-error",
        0.001,
        "--together",
        "--aim",
        "first-come",
        "--patience",
        "3d",
    )
    said("new", path, "--tolerance", 0.05, *options, "--policy", "explore", "--no-drift", "--class", "cat")
    settings = ClassifierMonitor.load(path).engine.settings
    assert (settings.margin, settings.reviewer_error, settings.together) == (0.01, 0.001, True)
    assert (settings.aim, settings.patience.days, settings.drift, settings.classes) == (
        "first-come",
        3,
        False,
        ("cat",),
    )
    assert (settings.policy.half_width, settings.weights["cat"], settings.drift_alarm_every) == (0.1, 3, 500)


def test_limits_and_patience_of_a_file_are_changed(tmp_path):
    path = tmp_path / "m.json"
    said("new", path, "--tolerance", 0.05, "--cap", 100)
    said("decide", path, "cat", "--id", "a")
    assert "changed patience and cap" in said("change", path, "--patience", "2000", "--cap", "none")
    settings = ClassifierMonitor.load(path).engine.settings
    assert (settings.patience, settings.cap) == (2000, None)
    said("change", path, "--patience", "12h")
    assert ClassifierMonitor.load(path).engine.settings.patience == timedelta(hours=12)
    said("change", path, "--patience", "never")
    assert ClassifierMonitor.load(path).engine.settings.patience == math.inf
    said("change", path, "--patience", "default")
    assert ClassifierMonitor.load(path).engine.settings.patience is None
    assert "say what to change" in refused("change", path)
    assert "give a number of decisions" in refused("change", path, "--patience", "soon")


def test_scores_and_segments_come_from_options_and_columns(tmp_path):
    path = tmp_path / "scored.json"
    said("new", path, "--tolerance", 0.05, "--score-is", "confidence")
    found = plain("decide", path, "cat", "--id", "r1", "--score", 0.9, "--segment", "customer=acme")
    assert found["propensity"] == 1.0
    rows = '{"prediction": "cat", "id": "r2", "score": 0.4}\n{"prediction": "cat", "id": "r3", "score": null}'
    plain("decide", path, "--from", "-", input=rows)
    engine = ClassifierMonitor.load(path).engine
    assert list(engine.classes["cat"].rounds.scores)[:2] == [-0.9, -0.4]
    assert math.isnan(engine.classes["cat"].rounds.scores[2])
    assert [*engine.segments.values] == [("customer", "acme")]
    assert "not a number" in refused("decide", path, "--from", "-", input='{"prediction": "cat", "score": "high"}')
    assert "--segment acme" in refused("decide", path, "cat", "--segment", "acme")
