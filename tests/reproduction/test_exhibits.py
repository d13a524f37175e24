"""The tables and figures of the paper: complete, as printed, and cut into tasks that fit together."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from sidelight import SidelightError, reproduction
from sidelight.reproduction.exhibit import PROTOCOLS, SLOW, Profile, checkpoints_of_exhibit
from sidelight.reproduction.published import REASONS, printed_numbers_of_player
from sidelight.reproduction.runs import Reproduction
from sidelight.studies import Study
from sidelight.studies.plan.cases import plan_cases
from sidelight.studies.plan.tasks import CaseTask
from sidelight.studies.store.store import Store

TABLES = [name for name in reproduction.names() if name.startswith("table")]


def printed(name, protocol="published"):
    """Return every (study, player, measure) of a table that the paper prints."""
    return [
        (study.name, player.label, measure)
        for study in reproduction.load(name).studies(Profile(protocol))
        for player in study.players
        for measure in study.measures
        if printed_numbers_of_player(study.name, player.label, measure)
    ]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_all_74_printed_pairs_are_there(protocol):
    assert [len(printed(name, protocol)) for name in TABLES] == [12, 6, 8, 24, 24]
    data = json.loads((files("sidelight.reproduction") / "published.json").read_text(encoding="utf-8"))["studies"]
    shown = {(study, label) for name in TABLES for study, label, _ in printed(name, protocol)}
    assert shown == {(study, label) for study, players in data.items() for label in players}


@pytest.mark.parametrize("name", reproduction.names())
def test_every_study_can_be_run(name):
    """Each strategy accepts its game and parameters, each reason exists, and a study is plain data."""
    exhibit = reproduction.load(name)
    assert exhibit.name == name
    assert exhibit.title
    assert exhibit.text
    assert set(exhibit.reasons.values()) <= set(REASONS)
    labels = {
        player.label for protocol in PROTOCOLS for each in exhibit.studies(Profile(protocol)) for player in each.players
    }
    assert {label for label, _ in exhibit.reasons} <= labels
    for protocol in PROTOCOLS:
        for study in exhibit.studies(Profile(protocol)):
            assert Study.from_dict(json.loads(json.dumps(study.to_dict()))) == study
    first = plan_cases(exhibit.studies(Profile("described", seed=5))[0])[0]
    assert CaseTask(first, 3, 2).perform().n_runs == 2


@pytest.mark.parametrize("key", REASONS)
def test_every_reason_has_its_evidence_and_its_test(key):
    reason = REASONS[key]
    assert reason.evidence
    for test in reason.tests:
        path, _, name = test.partition("::")
        text = (Path(__file__).parents[2] / path).read_text(encoding="utf-8")
        assert re.search(rf"^(class|def) {name}\b", text, re.MULTILINE)
    assert any(key in reproduction.load(name).reasons.values() for name in TABLES)


def test_what_several_exhibits_show_is_run_once(tmp_path):
    whole = Reproduction(reproduction.select(["all"]), [Profile(way, runs=50) for way in PROTOCOLS], Store(tmp_path))
    found = whole.cases()
    assert len({(case.place, case.stem) for case in found}) == len(found)
    shown = [case for each in whole.exhibits for case in Reproduction([each], whole.profiles, whole.store).cases()]
    assert set(shown) == set(found)
    assert len(shown) > len(found)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        (Profile(), (7_500, 4)),
        (Profile("described"), (7_500, 2)),
        (Profile(runs=3), (7_500, 3)),
        (Profile(slow="full"), (7_500, 96)),
        (Profile(slow="beyond"), (20_000, 96)),
    ],
)
def test_slow_strategies(profile, expected):
    found = [case for study in reproduction.load("table3").studies(profile) for case in plan_cases(study)]
    assert {(case.horizon, case.runs) for case in found if case.player.name in SLOW} == {expected}
    assert {(case.horizon, case.runs) for case in found if case.player.name not in SLOW} == {(20_000, profile.runs)}
    assert {7_499, 7_500, 19_999, 20_000} <= set(checkpoints_of_exhibit(20_000))


def test_selecting():
    assert [e.name for e in reproduction.select(["figure2", "table1", "figure2"])] == ["table1", "figure2"]
    assert [e.name for e in reproduction.select([])] == list(reproduction.names())
    with pytest.raises(SidelightError, match="no 'table9': did you mean 'table"):
        reproduction.select(["table9"])
    with pytest.raises(SidelightError, match="there are table1"):
        reproduction.select(["all", "x"])
