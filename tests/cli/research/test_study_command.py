"""`sidelight study` from the shell."""

import json

import pytest
from click.testing import CliRunner

from sidelight.cli import main
from sidelight.studies.plan.tasks import forget_files_of_case_tasks as forget

STUDY = """
horizons = [40]
runs = 3

[[games]]
name = "apple-tasting"

[[worlds]]
laws = "balanced"

[[strategies]]
name = "Uniform"

[[strategies]]
name = "FixedAction"
action = [0, 1]
"""


def invoke(*arguments):
    return CliRunner().invoke(main, ["study", *map(str, arguments)])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


def test_the_example_is_a_study(tmp_path):
    path = tmp_path / "new.toml"
    assert invoke("new", path).exit_code == 0
    from sidelight.studies import read
    from sidelight.studies.plan import cases as plan

    assert len(plan.plan_cases(read(path))) == 32
    assert "is there already" in invoke("new", path).stderr
    assert "TOML file" in invoke("new", tmp_path / "new.txt").stderr


def test_check_says_what_it_costs(file):
    result = invoke("check", file, "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["cases"], data["settings"], data["rounds"]) == (3, 1, 360)
    assert 0 < data["core_seconds"] < 60
    text = " ".join(invoke("check", file, "--workers", 1).stdout.split())
    assert "3 cases in 1 setting, 360 rounds, about" in text
    assert text.endswith("on 1 core of this machine.")


def test_check_groups_what_is_skipped(tmp_path):
    path = tmp_path / "mine.toml"
    games = '[[games]]\nname = "label-efficient"\ncost = [1, "1/2", "1/3", "1/4", "1/5"]\n'
    players = '[[strategies]]\nname = "KLUCB"\n[[strategies]]\nname = "Uniform"\n'
    worlds = '[[worlds]]\nlaws = ["balanced", "rare"]\n'
    path.write_text(f'impossible = "skip"\nhorizons = [40]\nruns = 2\n{games}{worlds}{players}', encoding="utf-8")
    text = " ".join(invoke("check", path).stdout.split())
    assert "10 cases cannot be played and are skipped: KLUCB cannot play 5 games (label-efficient(cost=1), " in text
    assert " and 1 more) in 2 worlds: KLUCB plays bandits" in text
    assert text.count("KLUCB cannot play") == 1
    assert " ".join(invoke("check", path, "--all").stdout.split()).count(": KLUCB: KLUCB plays bandits") == 10
    assert len(json.loads(invoke("check", path, "--json").stdout)["skipped"]) == 10


def test_long_tables_stay_in_the_report(file, tmp_path, monkeypatch):
    monkeypatch.setattr("sidelight.cli.research.study._ROWS", 2)
    result = invoke("run", file, "--out", tmp_path / "out")
    assert "The tables have 3 rows: see the report." in result.stdout
    assert "Uniform" not in result.stdout


def test_run_report_and_add(file, tmp_path):
    out = tmp_path / "out"
    first = invoke("run", file, "--out", out)
    assert first.exit_code == 0, first.output
    assert f"3 of 3 cases are finished; report written to {out / 'report.html'}" in first.stdout
    again = invoke("run", file, "--out", out)
    assert again.stdout.startswith("Nothing to do: 3 of 3 cases are finished")
    added = invoke("add", out, "--strategy", "EpsilonGreedy:scale=0.2", "--json")
    assert added.exit_code == 0, added.output
    assert "players new: EpsilonGreedy(scale=0.2)" in added.stderr
    data = json.loads(added.stdout)
    (table,) = data["tables"]
    assert [row["player"] for row in table["rows"]] == [
        "Uniform",
        "FixedAction(action=0)",
        "FixedAction(action=1)",
        "EpsilonGreedy(scale=0.2)",
    ]
    assert invoke("report", out).exit_code == 0


BAD = """
from sidelight.strategies import Strategy

class Mine(Strategy):
    def _start(self):
        return {}

    def _act(self, context):
        %s

    def _observe(self, action, symbol, context):
        pass
"""


def test_cells_that_fail_make_the_exit_code_one(file, tmp_path):
    (tmp_path / "mine.py").write_text(BAD % "raise RuntimeError('out of apples')", encoding="utf-8")
    file.write_text(f'{STUDY}\n[[strategies]]\nname = "mine.py:Mine"\n', encoding="utf-8")
    out = tmp_path / "out"
    result = invoke("run", file, "--out", out)
    assert result.exit_code == 1
    assert "3 of 4 cases are finished" in result.stdout
    assert result.stderr.endswith("sidelight: 1 case failed: the report says why\n")
    assert (out / "report.html").exists()
    again = invoke("run", file, "--out", out, "--json")
    assert again.exit_code == 1
    assert len(json.loads(again.stdout)["failures"]) == 1
    codes = [invoke("run", file, "--out", out, "--share", share).exit_code for share in ("1/2", "2/2")]
    assert sorted(codes) == [0, 1]
    assert invoke("report", out).exit_code == 0  # nothing failed in this call
    (tmp_path / "mine.py").write_text(BAD % "return 0", encoding="utf-8")
    forget()
    assert invoke("run", file, "--out", out).exit_code == 0


def test_add_finds_a_file_where_the_shell_is(file, tmp_path, tmp_path_factory, monkeypatch):
    assert invoke("run", file, "--out", tmp_path / "out").exit_code == 0
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for folder, name in ((elsewhere, "theirs.py"), (tmp_path, "ours.py")):
        (folder / name).write_text(BAD % "return 0", encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    added = invoke("add", tmp_path / "out", "--strategy", "theirs.py:Mine")
    assert added.exit_code == 0, added.output
    assert "4 of 4 cases are finished" in added.stdout
    monkeypatch.chdir(tmp_path)
    assert invoke("report", "out").exit_code == 0
    added = invoke("add", "out", "--strategy", "ours.py:Mine")
    assert "two players are called 'Mine'" in added.stderr
    study = json.loads((tmp_path / "out" / "study.json").read_text(encoding="utf-8"))["study"]
    assert study["players"][-1]["name"] == f"{(elsewhere / 'theirs.py').resolve()}:Mine"


def test_add_writes_a_file_of_the_study_as_the_study_does(file, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(BAD % "return 0", encoding="utf-8")
    file.write_text(f'{STUDY}\n[[strategies]]\nname = "mine.py:Mine"\n', encoding="utf-8")
    assert invoke("run", file, "--out", tmp_path / "out").exit_code == 0
    monkeypatch.chdir(tmp_path / "out")
    assert invoke("add", ".", "--strategy", "../mine.py:Mine").stdout.startswith("Nothing to do: 4 of 4 cases")


def test_shares_write_no_report(file, tmp_path):
    out = tmp_path / "out"
    for share in ("1/2", "2/2"):
        result = invoke("run", file, "--out", out, "--share", share)
        assert f"Share {share} is in {out}" in result.stdout
    assert not (out / "report.html").exists()
    assert "3 of 3 cases are finished" in invoke("report", out).stdout
    for share in ("1/2", "2/2"):
        result = invoke("add", out, "--strategy", "Greedy", "--share", share)
        assert f"Share {share} is in {out}" in result.stdout
    assert "4 of 4 cases are finished" in invoke("report", out).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "none.toml"), "there is no file 'none.toml'"),
        (("report", "nowhere"), "there is no study in 'nowhere'"),
        (("run", "{file}", "--share", "3/2"), "the share is '3/2'"),
        (("run", "{file}", "--out", ""), "--out is empty: name a folder, or leave out --out"),
        (("run", "{file}", "--cluster", "here"), "--cluster is 'here'"),
        (("run", "{file}", "--cluster", "tcp://127.0.0.1:1", "--workers", "2"), "leave out --workers"),
    ],
)
def test_mistakes_are_one_line(file, tmp_path, arguments, words):
    given = [str(file) if each == "{file}" else each for each in arguments]
    more = ["--out", str(tmp_path / "out")] if given[0] == "run" and "--out" not in given else []
    result = invoke(*given, *more)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
