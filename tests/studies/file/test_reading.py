"""Studies in files, and what is said about files that are none."""

import textwrap

import pytest

from sidelight.errors import NoFileError
from sidelight.studies import Comparison, PlayerEntry, StudyError, WorldEntry, parse, read
from sidelight.studies.build.objects import build_study_environment
from sidelight.studies.file.reading import find_lines_in_study_file, line_in_study_file

WHOLE = """
    title = "How many bins?"
    horizons = [1_000, 20_000]
    runs = 24
    seed = 3
    checkpoints = "log"
    measures = ["regret", "plays"]
    impossible = "skip"

    [[games]]
    name = "apple-tasting"

    [[games]]
    name = "dynamic-pricing"
    prices = [3, 5]   # a grid: two games

    [[worlds]]
    laws = ["dirichlet", "balanced"]

    [[worlds]]
    law = [0.2, 0.3, 0.5]
    games = ["dynamic-pricing(prices=3)"]
    label = "fixed"

    [[worlds]]
    contexts = "linear"
    d = [5, 10]
    label = "linear"

    [[strategies]]
    name = "CBP"

    [[strategies]]
    name = "RandCBP"
    bins = [5, 10]
    sigma = 2.0
    label = "Randomized"
    runs = 12

    [[comparisons]]
    against = "CBP"
    test = "paired"
    side = "less"

    [[tables]]
    kind = "matrix"

    [[figures]]
    games = ["apple*"]
    horizons = [20_000]
"""


def parsed(text, folder=""):
    return parse(textwrap.dedent(text), folder=folder)


def problems(text):
    with pytest.raises(StudyError) as caught:
        parsed(text)
    return caught.value.problems


def test_a_whole_study():
    study = parsed(WHOLE)
    assert (study.horizons, study.runs, study.seeds, study.checkpoints) == ((1000, 20000), 24, (3,), "log")
    assert [game.label for game in study.games][1:] == ["dynamic-pricing(prices=3)", "dynamic-pricing(prices=5)"]
    assert [world.label for world in study.worlds] == [
        "dirichlet",
        "balanced",
        "fixed",
        "linear (d=5)",
        "linear (d=10)",
    ]
    assert study.players[1] == PlayerEntry("RandCBP", {"bins": 5, "sigma": 2.0}, label="Randomized (bins=5)", runs=12)
    assert study.comparisons == (Comparison("CBP", "paired", "less"),)
    assert study.figures[0].games == ("apple*",)
    assert study.impossible == "skip"


def test_policies_watch_classifiers_and_need_no_game():
    study = parsed("""
        [[worlds]]
        classifiers = [1, 2]
        tolerance = [0.05, 0.1]
        [[policies]]
        name = "sequential"
        [[policies]]
        name = "explore"
        verifications = 100
    """)
    assert len(study.worlds) == 4
    assert [player.policy for player in study.players] == [True, True]


def test_parameters_with_the_names_of_keys_stand_in_a_table_of_their_own(tmp_path):
    text = "from sidelight.strategies import Uniform\nclass Mine(Uniform):\n    "
    text += "def __init__(self, game, runs=1, label='', seed=0):\n        super().__init__(game, seed=seed)\n"
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    study = parsed(
        """
        [[games]]
        name = "apple-tasting"
        [[worlds]]
        laws = "dirichlet"
        [[strategies]]
        name = "mine.py:Mine"
        parameters = { runs = [1, 2], label = "x" }
    """,
        folder=str(tmp_path),
    )
    assert [dict(player.parameters) for player in study.players] == [
        {"runs": 1, "label": "x"},
        {"runs": 2, "label": "x"},
    ]
    assert study.players[0].runs is None


def test_a_recording_may_come_with_its_law(tmp_path):
    (tmp_path / "recorded.csv").write_text("outcome\n0\n1\n", encoding="utf-8")
    study = parsed(
        """
        [[games]]
        name = "apple-tasting"
        [[worlds]]
        replay = "recorded.csv"
        law = [0.3, 0.7]
        [[strategies]]
        name = "CBP"
    """,
        folder=str(tmp_path),
    )
    assert study.worlds == (WorldEntry("replay", "recorded.csv", {"law": [0.3, 0.7]}),)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('name = "apple-tasting"', 'name = "aple-tasting"', "line 11: there is no game 'aple-tasting': did you mean"),
        ("prices = [3, 5]", "prize = 3", "line 14: dynamic-pricing has no parameter 'prize'"),
        ("prices = [3, 5]", "prices = 1.5", "line 14: prices cannot be 1.5: give a whole number"),
        ("prices = [3, 5]", "prices = []", "line 15: prices = [] is empty"),
        ('"balanced"', '"balenced"', "line 18: there is no kind of laws 'balenced': did you mean 'balanced'?"),
        ("law = [0.2, 0.3, 0.5]", "law = 0.5", "line 21: the law is [0.5]"),
        ("law = [0.2, 0.3, 0.5]", 'law = [1]\n    laws = "balanced"', "line 20: say with one key"),
        (
            'contexts = "linear"',
            'contexts = "liner"',
            "line 26: there are no contexts of the kind 'liner': did you mean",
        ),
        ("d = [5, 10]", "dim = 5", "line 27: a world with 'contexts' has no 'dim'"),
        ("runs = 24", "runs = 2.5", "line 4: runs is 2.5: give a whole number of at least 1"),
        ("runs = 24", "rums = 24", "line 4: a study has no 'rums': did you mean 'runs'?"),
        ("seed = 3", "seed = 3\n    seeds = [4]", "line 6: give seed or seeds, not both"),
        ('"log"', '"logs"', "line 6: checkpoints is 'logs'"),
        ('test = "paired"', 'test = "wilcoxon"', "line 42: test is 'wilcoxon': choose from welch, paired"),
        ('side = "less"', 'sides = "less"', "line 43: a Comparison has no 'sides': did you mean 'side'?"),
        ('kind = "matrix"', 'kind = "martix"', "line 46: kind is 'martix': did you mean 'matrix'?"),
        (
            'against = "CBP"',
            'against = "CBB"',
            "line 41: comparisons: against = 'CBB', but there is none: did you mean 'CBP'?",
        ),
        ('["apple*"]', '["pear*"]', "line 49: figures: 'regret' names games 'pear*'"),
        ("[[tables]]", "[tables]", "line 45: write [[tables]] with two brackets"),
        ('label = "fixed"', "label = 3", "line 23: label is 3: give a text in quotation marks"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_a_remedy(old, new, expected):
    assert old in WHOLE
    found = problems(WHOLE.replace(old, new, 1))
    assert [problem for problem in found if problem.startswith(expected)], found


def test_what_is_missing_is_said():
    assert [problem.split(":")[0] for problem in problems("runs = 3")] == [
        "there are no strategies",
        "there are no worlds",
        "there are no games",
    ]
    assert "there are no worlds" in problems('[[games]]\nname = "bartok"\n[[strategies]]\nname = "CBP"')[0]


def test_only_so_many_problems_are_listed_and_all_are_counted():
    text = WHOLE + "".join(f"\n[[strategies]]\nname = 'NoSuch{k}'\n" for k in range(60))
    with pytest.raises(StudyError, match="60 problems:") as caught:
        parsed(text)
    assert len(caught.value.problems) == 60
    assert str(caught.value).endswith("\n  and 10 more")


def test_numbers_and_brackets_that_python_cannot_read_are_refused():
    assert problems(f"runs = {'9' * 5000}")[0].startswith("not valid TOML: ")
    assert problems(f"a = {'[' * 5000}{']' * 5000}")[0].startswith("not valid TOML: ")
    assert "runs is a number of thousands of digits" in " ".join(problems(f"runs = 0x{'f' * 6000}"))


def test_the_name_of_a_file_becomes_that_of_a_study(tmp_path):
    path = tmp_path / "a b (2).toml"
    path.write_text(textwrap.dedent(WHOLE), encoding="utf-8")
    assert read(path).name == "a-b-2"
    path.write_text('name = "a b"\n' + textwrap.dedent(WHOLE), encoding="utf-8")
    with pytest.raises(StudyError, match=r"line 1: a study cannot be called 'a b': use letters.*, as in name = .mine."):
        read(path)


def test_text_that_is_no_toml_is_located():
    assert problems("runs = = 3")[0].startswith("not valid TOML: ")
    assert "line 1" in problems("runs = = 3")[0]


def test_files(tmp_path):
    with pytest.raises(NoFileError):
        read(tmp_path / "none.toml")
    path = tmp_path / "bins.toml"
    path.write_text(textwrap.dedent(WHOLE), encoding="utf-8")
    study = read(path)
    assert (study.name, study.folder) == ("bins", str(tmp_path))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(StudyError, match="not UTF-8"):
        read(path)


def test_places_of_tables_and_keys():
    text = (
        'a = 1\nc = [ # [[\n  1, "]",\n]\n[[games]]\nname = "x]["\n"q" = 1\n[[games]]\nname = \'y\'\n[single]\ne = 3\n'
    )
    games = {("games", 0): 5, ("games", 0, "name"): 6, ("games", 0, "q"): 7, ("games", 1): 8, ("games", 1, "name"): 9}
    assert find_lines_in_study_file(text) == {("a",): 1, ("c",): 2, **games, ("single",): 10, ("single", "e"): 11}


def test_the_line_of_a_parameter_is_found_wherever_it_stands():
    text = "[[strategies]]\na = 1\n[strategies.parameters]\nb = 2\n[[strategies]]\nparameters = {c = 3}\n"
    lines = find_lines_in_study_file(text)
    found = {
        each: line_in_study_file(("strategies", index, "parameters", each), lines) for index, each in enumerate("ac")
    }
    assert found == {"a": 2, "c": 6}
    assert line_in_study_file(("strategies", 0, "parameters", "b"), lines) == 4
    assert line_in_study_file(("strategies", 1, "name"), lines) == 5
    assert line_in_study_file((), lines) is None


def test_a_file_of_an_editor_that_marks_utf_8(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text(textwrap.dedent(WHOLE), encoding="utf-8-sig", newline="\r\n")
    plain = tmp_path / "plain.toml"
    plain.write_text(textwrap.dedent(WHOLE), encoding="utf-8")
    assert read(path).players == read(plain).players


def test_worlds_that_change_can_be_given():
    """As the page on studies says: a law in a table of its own, since a key is called so, and lists within lists."""
    study = parse("""
        name = "moving"
        horizons = [20]
        runs = 2

        [[games]]
        name = "apple-tasting"

        [[worlds]]
        environment = "sidelight.environments:Switching"
        parameters = {laws = [[[0.2, 0.8], [0.8, 0.2]]], times = [[5], [10]]}

        [[strategies]]
        name = "Restarting"
    """)
    made = [build_study_environment(world, study.games[0]) for world in study.worlds]
    assert [each.times for each in made] == [[5], [10]]
    assert all((each.laws == [[0.2, 0.8], [0.8, 0.2]]).all() for each in made)
