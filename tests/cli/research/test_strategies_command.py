"""`sidelight strategies`."""

import json

import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.cli import main
from sidelight.cli.research.docstrings import describe_class_for_command

NAMES = list(sl.strategies.names())
PUBLISHED = ["PublishedCBPSide", "PublishedRandCBPSide"]


def invoke(*arguments, columns=80):
    return CliRunner().invoke(main, ["strategies", *arguments], env={"COLUMNS": str(columns)})


@pytest.mark.parametrize("columns", [48, 80, 200])
def test_the_list_has_every_strategy_and_fits(columns):
    result = invoke(columns=columns)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert max(map(len, lines)) <= columns
    assert [line.split()[0] for line in lines[1:] if not line.startswith(" ")] == NAMES
    flat = " ".join(result.output.split())
    for name in sl.strategies.names():
        assert describe_class_for_command(getattr(sl.strategies, name)).line in flat
    assert 'G. Bartók, N. Zolghadr, Cs. Szepesvári, "An adaptive algorithm' in flat


def test_contexts_and_guarantees_are_listed():
    lines = invoke(columns=200).output.splitlines()
    rows = {line.split()[0]: line.split()[1] for line in lines if not line.startswith(" ")}
    assert rows["CBP"] == rows["BayesOptimal"] == "no"
    assert rows["PGTS"] == rows["CBPSide"] == rows["IDSContexts"] == "yes"
    assert "  Guarantee: easy and hard games." in lines


@pytest.mark.parametrize("name", NAMES + PUBLISHED)
def test_one_strategy_is_described(name):
    flat = " ".join(invoke(name).output.split())
    data = json.loads(invoke(name, "--json").output)
    for parameter, about in data["parameters"].items():
        assert about["meaning"], f"{name} does not explain {parameter}"
        assert f"{parameter} ({'needed' if about['required'] else ''}" in flat
        assert about["meaning"] in flat
        assert not about["meaning"].startswith("As for")


def test_json_lists_the_same():
    data = json.loads(invoke("--json").output)
    assert [each["name"] for each in data] == NAMES
    assert set(data[0]) == {"name", "line", "text", "contexts", "external", "guarantee", "papers", "parameters"}
    cbp = next(each for each in data if each["name"] == "RandCBP")
    assert cbp["parameters"]["bins"]["default"] == 5
    assert cbp["papers"] == [
        'M. Heuillet, O. Ahmad, A. Durand, "Randomized confidence bounds for stochastic partial monitoring", ICML 2024.'
    ]
    assert json.loads(invoke("RandCBP", "--json").output) == cbp


def test_several_papers_are_apart():
    papers = describe_class_for_command(sl.strategies.FeedExp3).papers
    assert len(papers) == 3
    assert all(paper[0].isupper() and paper.endswith(".") for paper in papers)


def test_what_a_class_does_not_say_its_parent_does():
    assert (
        describe_class_for_command(sl.strategies.PGIDS).papers == describe_class_for_command(sl.strategies.PGTS).papers
    )
    assert describe_class_for_command(sl.strategies.PGIDS).parameters["transitions"]


def test_the_text_of_a_parent_wins_over_a_reference_to_it():
    assert (
        describe_class_for_command(sl.strategies.CBP).parameters["alpha"]
        == describe_class_for_command(sl.strategies.RandCBP).parameters["alpha"]
    )
    assert (
        describe_class_for_command(sl.strategies.CBPSide)
        .parameters["model"]
        .startswith("How symbols depend on the context")
    )
    for name in PUBLISHED:
        assert '"printed"' in describe_class_for_command(getattr(sl.strategies, name)).parameters["bounds"]


def test_what_only_reproduces_print_is_not_listed():
    assert sl.strategies.names(published=True) == (*sl.strategies.names(), *PUBLISHED)
    assert "PublishedCBPSide" not in invoke().output


def test_a_name_that_is_nearly_right():
    result = invoke("randcpb")
    assert result.exit_code == 2
    assert "there is no strategy 'randcpb': did you mean 'RandCBP'? 'sidelight strategies' lists them" in result.output
