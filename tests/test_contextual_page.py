"""docs/contextual-widths.md says what was measured, and what was measured can be measured again."""

import importlib.util
import json
import warnings
from pathlib import Path

import pytest

import sidelight as sl
from sidelight.cli.research.arguments.players import build_strategy_from_argument

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def script():
    """The script that measures and writes the page."""
    spec = importlib.util.spec_from_file_location("make_contextual_table", DOCS / "make_contextual_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def known():
    return json.loads((DOCS / "contextual-widths.json").read_text(encoding="utf-8"))


def test_the_page_is_made_of_what_was_measured(script, known):
    assert {cell.key for cell in script.cells(96, 20_000, 8)} == set(known)
    text = script.Page(known, 96, 20_000, 8).text()
    assert (DOCS / "contextual-widths.md").read_text(encoding="utf-8") == text


def test_a_cell_measured_again(script, known):
    """Within its standard error, since another machine may round otherwise."""
    parameters = {"dimension": 10, "bounds": "tight", "model": "linear"}
    for game in ("AT", "LE"):
        cell = script.Cell(game, "linear", "RandCBPSide", parameters, 96, 20_000)
        assert abs(cell.measure()["mean"] - known[cell.key]["mean"]) < known[cell.key]["error"]


def test_every_cell_can_be_named_on_the_command_line(script):
    for cell in script.cells(96, 20_000, 8):
        game = sl.games.load(script.GAMES[cell.game])
        text = ",".join(f"{name}={value}" for name, value in cell.parameters.items() if name != "dimension")
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            built = build_strategy_from_argument(
                f"{cell.played}:{text}" if text else cell.played, game, cell.horizon, dimension=10
            )
        assert built.name == cell.played
        assert cell.parameters.items() <= built.parameters().items()


def test_what_the_page_claims(known, script):
    """The words of the page, beyond the numbers in them."""
    page = script.Page(known, 96, 20_000, 8)

    def mean(game, world, strategy, variant):
        return page.cell(game, world, strategy, variant)["mean"]

    tight = [variant for variant in script.VARIANTS if "tight" in variant]
    worse = [
        (game, world, variant)
        for game in script.GAMES
        for world in script.WORLDS
        for variant in tight
        if mean(game, world, "RandCBPSide", variant) >= mean(game, world, "CBPSide", variant)
    ]
    assert worse == [("AT", "linear", "linear, tight, no intercept")]
    for game, most in (("AT", 200), ("LE", 1_500)):
        assert mean(game, "linear", "RandCBPSide", "linear, tight") < most
        assert mean(game, "linear", "RandCBPSide", "logistic, tight") < most
        for width in ("tight", "corrected"):
            models = [mean(game, "logistic", "RandCBPSide", f"{model}, {width}") for model in ("logistic", "linear")]
            assert models[0] < models[1]
