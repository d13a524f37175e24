"""Names, parameters, laws and files that are wrong are refused when a study is read; what only does not fit is not."""

import textwrap

import pytest

from sidelight.studies import GameEntry, PlayerEntry, Study, StudyError, WorldEntry, parse
from sidelight.studies.build.objects import word_errors_of_user_code
from sidelight.studies.plan import cases as plan
from sidelight.studies.plan.tasks import forget_files_of_case_tasks as forget

GAME = '[[games]]\nname = "apple-tasting"\n'
WORLD = '[[worlds]]\nlaws = "dirichlet"\n'
STRATEGY = '[[strategies]]\nname = "CBP"\n'
MODULES = {
    "own_laws": """
        def bad(game):
            raise RuntimeError("no\\nlaws")
        def fair(game, weight=1):
            return [1 / game.n_outcomes] * game.n_outcomes
        number = 3
    """,
    "own_broken": """
        raise ImportError("one\\ntwo\\nthree")
    """,
    "own_world": """
        from sidelight.environments import IID
        class Mine(IID):
            def __init__(self, weight=1):
                super().__init__([0.3, 0.7])
    """,
    "own_players": """
        from sidelight.strategies import Uniform
        class Raises(Uniform):
            def __init__(self, game, seed=0):
                raise KeyError("tolerance")
        class Large(Uniform):
            def __init__(self, game, rate=1.0, seed=0):
                super().__init__(game, seed=seed)
                if game.n_outcomes < 3:
                    raise ValueError("three outcomes, please")
    """,
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with modules of the user's own, in which commands are called."""
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    return str(tmp_path)


def problems(text, folder=""):
    with pytest.raises(StudyError) as caught:
        parse(f'impossible = "skip"\n{text}', folder=folder)
    return list(caught.value.problems)


def skipped(text, folder=""):
    study = plan.settle_study_before_planning(parse(f'impossible = "skip"\n{text}', folder=folder))
    return {case.player.label: why for case, why in plan.find_unplayable_cases(plan.plan_cases(study))}


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        (
            "law = [0.3, 0.7]\ngame = ['apple-tasting']",
            "line 6: a world with 'law' has no 'game': did you mean 'games'?",
        ),
        ("law = [0.3, 0.7]\nfoo = 3", "line 6: a world with 'law' has no 'foo': there are law, label, games"),
        ("laws = 'balanced'\nspread = 3", "line 6: a world with 'laws' has no 'spread'"),
        ("classifiers = 1\ntolerance = 0.1\nfoo = 1", "line 7: a world with 'classifiers' has no 'foo'"),
        (
            "classifiers = 1\ntolerence = 0.1\ntolerance = 0.1",
            "line 6: a world with 'classifiers' has no 'tolerence': did you mean",
        ),
        ("classifiers = 1", "line 5: classifiers need a tolerated error rate"),
        ("classifiers = 99\ntolerance = 0.1", "line 5: classifiers is 99: give the case, 1 or 2"),
        ("classifiers = 1\ntolerance = 5", "line 6: tolerance is 5: give a number between 0.001 and 1"),
        ("law = [0.3, 0.3]", "line 5: the law is [0.3, 0.3], which sums to 0.6 and not to 1"),
        ("law = ['a', 'b']", "line 5: the law is ['a', 'b']: give probabilities"),
        ("law = [[0.5, 0.5], [1.0]]", "line 5: the law is [[0.5, 0.5], [1.0]]: give probabilities"),
        ("contexts = 'linear'\nd = -1", "line 5: linear contexts have d=-1: give a whole number of at least 1"),
        ("contexts = 'logistic'\nscale = 'x'", "line 5: logistic contexts have scale=x: give a positive number"),
        ('replay = "a\\u0000.csv"', "line 5: there is no file"),
        ("replay = 'none.csv'", "line 5: there is no file"),
        ("replay = 'some.txt'", "line 5: cannot tell the format"),
        ("replay = 'none.csv'\nlaw = 'out'", "line 6: the law is 'out': give probabilities"),
        ("laws = 'own_laws:none'", "line 5: 'own_laws' has no 'none': name a function that is there"),
        ("laws = 'own_none:x'", "line 5: there is no module 'own_none'"),
        ("environment = 'noenv'", "line 5: 'noenv' does not name a class: write package.module:Class"),
        ("environment = 'own_world:Mine'\nwidth = 1", "line 5: 'own_world:Mine' cannot be made: TypeError: "),
        ("environment = 'own_broken:X'", "line 5: importing 'own_broken' failed: ImportError: one two three"),
    ],
)
def test_a_wrong_world_is_refused_with_its_line(folder, world, expected):
    (found,) = problems(f"{GAME}[[worlds]]\n{world}\n{STRATEGY}", folder)
    assert found.startswith(expected)


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ("name = 'RandCPB'", "line 7: there is no strategy 'RandCPB': did you mean 'RandCBP'?"),
        ("name = 'RandCBP'\nbin = 3", "line 8: RandCBP has no parameter 'bin': did you mean 'bins'?"),
        ("name = 'RandCBP'\nbins = 'x'", "line 8: RandCBP: bins is 'x': give a whole number of at least 1"),
        ("name = 'RandCBP'\nbins = [5, -1]", "line 8: RandCBP: bins is -1"),
        ("name = 'RandCBP'\nbins = 1979-05-27", "line 8: bins is 1979-05-27: give a number"),
        ("name = 'CBP'\nrums = 3", "line 8: CBP has no parameter 'rums': it has alpha"),
        ("name = 'CBP'\nseed = 3", "line 8: CBP: leave out seed"),
        ("name = 'FixedAction'", "line 7: FixedAction needs action: give a value"),
        ("name = 'FixedAction'\naction = 'fly'", "line 8: FixedAction: action is 'fly'"),
        ("name = 'own_laws:bad'", "line 7: 'bad' of 'own_laws' is not a strategy"),
    ],
)
def test_a_wrong_strategy_is_refused_with_its_line(folder, player, expected):
    (found,) = problems(f"{GAME}{WORLD}[[strategies]]\n{player}\n", folder)
    assert found.startswith(expected)


def test_wrong_values_are_listed_together_and_beside_wrong_games_and_worlds(folder):
    player = "[[strategies]]\nname = 'RandCBP'\nbins = ['a']\nsigma = -1\nalpha = [1.0, 'b']\n"
    expected = ["bins is 'a'", "sigma is -1", "alpha is 'b'"]
    wrong_game, wrong_world = GAME.replace("apple-tasting", "apple-tastin"), "[[worlds]]\nlaw = [0.4, 0.7]\n"
    for before, first in ((GAME + WORLD, []), (wrong_game + WORLD, ["no game"]), (GAME + wrong_world, ["sums to"])):
        found = problems(before + player, folder)
        assert len(found) == len(first) + len(expected), found
        for words, problem in zip(first + expected, found, strict=True):
            assert words in problem


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("name = 'sequental'", "line 6: there is no policy 'sequental': did you mean 'sequential'?"),
        ("name = 'explore'\nlabls = 3", "line 7: the policy 'explore' has no parameter 'labls'"),
        ("name = 'explore'\nverifications = -1", "line 7: verifications is -1: give a whole number"),
    ],
)
def test_a_wrong_policy_is_refused_with_its_line(policy, expected):
    (found,) = problems(f"[[worlds]]\nclassifiers = 1\ntolerance = 0.1\n[[policies]]\n{policy}\n")
    assert found.startswith(expected)


def test_a_wrong_file_of_a_game_is_refused_with_its_line(tmp_path):
    text = f'[[games]]\nfile = "mine.toml"\n{WORLD}{STRATEGY}'
    assert problems(text, str(tmp_path))[0].startswith("line 3: there is no file")
    (tmp_path / "mine.toml").write_text("loss = 3", encoding="utf-8")
    assert problems(text, str(tmp_path))[0].startswith("line 3: ")
    (more,) = problems(text.replace('toml"', 'toml"\nlabel = 5'), str(tmp_path))
    assert more.startswith("line 4: label is 5")


def test_a_file_of_a_game_that_was_mended_is_read_again(tmp_path):
    text = f'[[games]]\nfile = "mine.toml"\n{WORLD}{STRATEGY}'
    for outcomes in (2, 3):
        rows = [[0] * outcomes, [1] * outcomes]
        (tmp_path / "mine.toml").write_text(f"loss = {rows}\nfeedback = {rows}", encoding="utf-8")
        study = plan.settle_study_before_planning(parse(text, folder=str(tmp_path)))
        assert f'"loss": {rows}'.replace("'", '"') in study.games[0].data.replace('"0"', "0").replace('"1"', "1")


def test_a_file_of_a_strategy_that_was_mended_is_read_again(tmp_path):
    text = f"{GAME}{WORLD}[[strategies]]\nname = 'mine.py:Mine'\nrate = 2\n"
    source = "from sidelight.strategies import Uniform\nclass Mine(Uniform):\n    def __init__(self, game, {}seed=0):\n"
    source += "        super().__init__(game, seed=seed)\n"
    (tmp_path / "mine.py").write_text(source.format(""), encoding="utf-8")
    assert problems(text, str(tmp_path))[0].startswith("line 8: Mine has no parameter 'rate'")
    (tmp_path / "mine.py").write_text(source.format("rate=1, "), encoding="utf-8")
    assert parse(text, folder=str(tmp_path)).players[0].label == "Mine(rate=2)"


def test_everything_that_is_wrong_is_listed_in_the_order_of_lines(folder):
    text = f"runs = 0\n{STRATEGY}bons = 3\n{GAME}[[games]]\nfile = 'none.toml'\n[[worlds]]\nlaw = [0.1]\n"
    lines = [found.partition(":")[0] for found in problems(text, folder)]
    assert lines == ["line 2", "line 5", "line 9", "line 11"]


def test_what_only_does_not_fit_is_left_to_the_study(folder):
    games = f"{GAME}[[games]]\nname = 'hopeless'\n[[games]]\nname = 'cops-and-robbers'\narms = 3\n"
    worlds = f"{WORLD}[[worlds]]\nlaw = [0.3, 0.7]\n[[worlds]]\nlaws = 'own_laws:fair'\nweight = 2\n"
    players = "".join(f"[[strategies]]\nname = {name!r}\n" for name in ("CBP", "KLUCB", "CBPSide", "Uniform"))
    found = skipped(f"{games}{worlds}{players}[[strategies]]\nname = 'FixedAction'\naction = [0, 2]\n", folder)
    assert set(found) == {"CBP", "KLUCB", "CBPSide", "Uniform", "FixedAction(action=0)", "FixedAction(action=2)"}


def test_a_strategy_that_refuses_a_game_is_not_blamed_on_its_parameters(folder):
    found = skipped(f"{GAME}{WORLD}[[strategies]]\nname = 'own_players:Large'\nrate = 2.0\n", folder)
    assert "three outcomes, please" in found["Large(rate=2.0)"]


def test_a_constructor_that_fails_is_told_of_in_words(folder):
    found = skipped(f"{GAME}{WORLD}[[strategies]]\nname = 'own_players:Raises'\n", folder)
    assert found == {"Raises": "Raises cannot be made: KeyError: 'tolerance' (own_players.py, line 5)"}


def test_studies_in_python_are_checked_before_they_are_run():
    study = Study(
        "mine",
        (GameEntry("aple-tasting"),),
        (WorldEntry("law", [0.5]), WorldEntry("laws", 5)),
        (PlayerEntry("NoSuch"),),
    )
    with pytest.raises(StudyError) as caught:
        plan.settle_study_before_planning(study)
    assert [place[:2] for place in caught.value.places] == [("games", 0), ("worlds", 0), ("worlds", 1), ("players", 0)]
    with pytest.raises(StudyError, match="give each game a name"):
        plan.settle_study_before_planning(
            Study("mine", (GameEntry(),), (WorldEntry("laws", "rare"),), (PlayerEntry("CBP"),))
        )


def test_a_grid_that_nobody_could_list_is_refused():
    grid = "".join(f"p{k} = {list(range(100))}\n" for k in range(5))
    assert problems(f"{GAME}{WORLD}{STRATEGY}{grid}")[0].startswith("line 6: this grid has 10 000 000 000 entries")


def test_own_errors_stay_as_they_are():
    with pytest.raises(StudyError, match=r"^mine$"), word_errors_of_user_code("it failed"):
        raise StudyError(["mine"])
