"""What a report says: numbers from the runs themselves, and everything that went wrong."""

import json
import sys

import numpy as np
import pytest

import sidelight as sl
from sidelight.studies import Comparison, FigureEntry, GameEntry, PlayerEntry, TableEntry, WorldEntry, report, run
from sidelight.studies.reporting.page import write_study_report_document
from sidelight.studies.reporting.standings import compare_study_players
from sidelight.studies.reporting.standings import finished_study_results as results_of
from sidelight.studies.reporting.tables import tables_of_study_report
from sidelight.studies.reporting.write import is_study_report_current, write_study_report

from ..making import Watcher, small, write_mine

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A study with everything: a limit, a failure, something impossible, two measures and two comparisons."""
    folder = tmp_path_factory.mktemp("report")
    bad = write_mine(folder, "raise RuntimeError('<b>out of apples</b>')")
    study = small(
        PlayerEntry("CBP"),
        PlayerEntry("RandCBP", {"bins": 10}),
        PlayerEntry("Uniform", runs=6),
        PlayerEntry("BayesOptimal", limit=True, games=("apple-tasting",)),
        bad,
        games=(GameEntry("apple-tasting"), GameEntry("hopeless")),
        worlds=(WorldEntry("laws", "dirichlet"),),
        measures=("regret", "plays", "verifications"),
        comparisons=(Comparison("CBP", "paired", "less"), Comparison()),
        impossible="skip",
        title="Apples & <others>",
    )
    progress = run(study, folder / "out", workers=2, display=Watcher())
    return progress, report(progress)


def standing(outcome, label, measure="regret"):
    return next(
        each
        for each in outcome.standings
        if each.labels.label == label and each.measure == measure and each.labels.game == "apple-tasting"
    )


def test_numbers_are_those_of_the_runs(finished):
    progress, _ = finished
    outcome = compare_study_players(progress.study, *results_of(progress.study, progress.store, list(progress.skipped)))
    game, env = sl.games.load("apple-tasting"), sl.environments.IID(sl.environments.laws.load("dirichlet", 2))
    cbp = sl.simulate(sl.strategies.CBP(game), env, 60, 4)
    rand = sl.simulate(sl.strategies.RandCBP(game, bins=10), env, 60, 4)
    ours = standing(outcome, "RandCBP(bins=10)")
    assert ours.summary.mean == rand.final.mean()
    assert ours.summary.tests[0].p_value == sl.results.paired(rand, cbp, "less").p_value
    assert ours.summary.tests[1].p_value == sl.results.welch(rand, cbp).p_value
    assert standing(outcome, "CBP").summary.tests == (None, None)
    limit = standing(outcome, "BayesOptimal").summary.mean
    assert ours.summary.limit_ratio == ours.summary.mean / limit
    assert standing(outcome, "Uniform").summary.runs == 6
    assert standing(outcome, "Uniform").summary.tests[0] is None  # runs that do not match cannot be paired
    telling = [action for action in range(2) if len(game.symbols(action)) > 1]
    assert standing(outcome, "CBP", "verifications").summary.mean == cbp.plays[:, telling].sum(axis=1).mean()


def test_the_page_says_everything_and_nothing_runs_in_it(finished):
    progress, found = finished
    page = (progress.folder / "report.html").read_text(encoding="utf-8")
    assert page == write_study_report_document(found).to_html()
    for words in (
        "Apples &amp; &lt;others&gt;",
        "What failed",
        "out of apples",
        "mine.py",
        "What cannot be played",
        "hopeless",
    ):
        assert words in page
    assert "<b>out of" not in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    text = write_study_report_document(found).to_markdown()
    assert "**Mine in apple" in text
    assert "RandCBP(bins=10)" in text


def test_files(finished):
    progress, _ = finished
    data = json.loads((progress.folder / "tables.json").read_text(encoding="utf-8"))
    assert {each["case"].partition(" in ")[0] for each in data["failures"]} == {"Mine"}
    assert data["tables"][0]["rows"]
    assert sorted(path.name for path in (progress.folder / "figures").iterdir()) == ["figure1-1.png", "figure1-1.svg"]
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = parquet.read_table(progress.folder / "runs.parquet").to_pylist()
    own = [row for row in rows if (row["player"], row["measure"], row["round"]) == ("CBP", "regret", 60)]
    assert len(own) == 4


def test_a_matrix_has_one_in_every_column(finished):
    progress, _ = finished
    outcome = compare_study_players(progress.study, *results_of(progress.study, progress.store, list(progress.skipped)))
    matrix = next(table for title, table in tables_of_study_report(outcome) if "relative" in title)
    columns = list(zip(*[row.cells for row in matrix.rows], strict=True))
    for column in columns[3:]:
        assert min(cell.value for cell in column if cell.value is not None) == 1.0
    assert "BayesOptimal" not in columns[0]


def test_a_report_knows_whether_it_is_current(finished):
    progress, _ = finished
    assert is_study_report_current(progress)
    path = progress.store.path(progress.done.ran[0])
    content = path.read_bytes()
    path.unlink()
    assert not is_study_report_current(progress)
    path.write_bytes(content)
    assert is_study_report_current(progress)


def test_wishes_are_met(tmp_path):
    study = small(
        PlayerEntry("CBP"),
        PlayerEntry("Uniform"),
        horizons=(20, 60),
        measures=("regret", "verifications"),
        tables=(TableEntry("comparison", "verifications", "Looks", horizons=(20,)),),
        figures=(FigureEntry("quartiles", "regret"), FigureEntry("regret", title="Over time")),
    )
    found = report(run(study, tmp_path, workers=1))
    ((title, table),) = tables_of_study_report(found.outcome)
    assert title == "Looks"
    assert {row.group for row in table.rows} == {"apple-tasting, balanced, 20 rounds"}
    assert [figure.file for figure in found.figures] == ["figures/figure1-1.svg", "figures/figure2-1.svg"]


def test_a_figure_that_cannot_be_drawn_costs_nothing_else(tmp_path, monkeypatch):
    def refusing(*arguments):
        raise sl.SidelightError("there is <too little> ink")

    monkeypatch.setattr("sidelight.report.figures.quartiles.draw_quartiles", refusing)
    study = small(
        figures=(FigureEntry("quartiles", "regret"), FigureEntry("quartiles", title="Mine"), FigureEntry("regret"))
    )
    watcher = Watcher()
    found = write_study_report(run(study, tmp_path, workers=1), watcher.note)
    assert [figure.file for figure in found.figures] == ["figures/figure3-1.svg"]
    words = "figure 1 (quartiles of regret) cannot be drawn: there is <too little> ink"
    assert watcher.notes == [words, words.replace("1 (quartiles of regret)", "2 (Mine)")]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Figure 1 (quartiles of regret) cannot be drawn: there is &lt;too little&gt; ink." in page
    assert r"there is \<too little\> ink." in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "tables.json").read_text(encoding="utf-8"))["notes"] == watcher.notes


def test_the_text_of_a_study_is_shown_as_it_is(tmp_path):
    text = "# A <script>alert(1)</script>\n## B\n\n- c *d* &lt;\n\n1. e\n\n===\n\n12) f"
    found = report(run(small(text=text, runs=1), tmp_path, workers=1))
    lines = write_study_report_document(found).to_markdown().split("\n\n")
    assert lines[1:6] == [
        r"\# A \<script\>alert(1)\</script\> ## B",
        r"\- c \*d\* &amp;lt;",
        r"1\. e",
        r"\===",
        r"12\) f",
    ]
    assert "<script>" not in write_study_report_document(found).to_html()


def test_a_limit_is_compared_in_the_same_runs(tmp_path):
    """Of each seed, the first ones that both have."""
    limit = PlayerEntry("BayesOptimal", limit=True)
    study = small(PlayerEntry("Uniform", runs=2), PlayerEntry("CBP"), limit, seeds=(0, 5))
    progress = run(study, tmp_path, workers=1)
    outcome = compare_study_players(study, *results_of(study, progress.store))
    game, env = sl.games.load("apple-tasting"), sl.environments.IID(sl.environments.laws.load("balanced", 2))
    for label, runs, kind in (("Uniform", 2, sl.strategies.Uniform), ("CBP", 4, sl.strategies.CBP)):
        ours, best = (
            np.mean([sl.simulate(each, env, 60, 4, seed).final[:runs] for seed in (0, 5)])
            for each in (kind(game), sl.strategies.BayesOptimal(game, horizon=60))
        )
        assert standing(outcome, label).summary.limit_ratio == pytest.approx(ours / best)
    note = "in the runs that a player and the limit both have"
    assert note in write_study_report_document(report(progress)).to_html()
    assert (
        note
        not in write_study_report_document(report(run(small(PlayerEntry("CBP"), limit), tmp_path, workers=1))).to_html()
    )


def test_the_time_of_a_round_is_known_of_a_single_piece(tmp_path):
    progress = run(small(runs=2), tmp_path, workers=1)
    assert all(each.summary.microseconds > 0 for each in report(progress).outcome.standings)


def test_many_settings_are_drawn_only_if_somebody_asks(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["sidelight.studies.reporting.figures"], "_MANY", 1)
    worlds = (WorldEntry("laws", "balanced"), WorldEntry("laws", "rare"))
    for wishes, figures in (((), 0), ((FigureEntry("regret", worlds=("rare",)),), 1)):
        watcher = Watcher()
        progress = run(small(worlds=worlds, figures=wishes), tmp_path, display=watcher)
        assert len(write_study_report(progress, watcher.note).figures) == figures
        assert any("as there are 2 settings" in note for note in watcher.notes) == (not figures)


def test_an_empty_report_says_so(tmp_path):
    bad = write_mine(tmp_path, "raise RuntimeError")
    found = report(run(small(bad), tmp_path / "out", workers=1, display=Watcher()))
    assert "Nothing is finished yet." in write_study_report_document(found).to_html()


def test_a_report_is_not_replaced_by_one_of_nothing(tmp_path, monkeypatch):
    """As after an upgrade, when all stored runs are those of other code; the study is run again then."""
    run(small(), tmp_path, workers=1)
    report(tmp_path)
    before = (tmp_path / "report.html").read_bytes()
    monkeypatch.setattr("sidelight.studies.plan.code.versions_on_worker", lambda: {"sidelight": "9"})
    with pytest.raises(sl.SidelightError, match="is finished by the code that is here"):
        report(tmp_path)
    assert (tmp_path / "report.html").read_bytes() == before
    run(small(), tmp_path, workers=1)
    assert len(report(tmp_path).outcome.standings) == 2
