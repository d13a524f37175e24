"""The ten experiments: complete, consistent with what is printed, and cut into tasks that fit together."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from sidelight import SidelightError, reproduction
from sidelight.reproduction import plan, published
from sidelight.reproduction.experiment import PROTOCOLS
from sidelight.reproduction.plan import Profile
from sidelight.reproduction.reasons import REASONS
from sidelight.studies import Study
from sidelight.studies.plan import cells
from sidelight.studies.work import Task, tasks

TABLES = [name for name in reproduction.names() if name.startswith("table")]


def printed(name):
    """Return every (section, player, measure) of a table that the paper prints."""
    table = reproduction.load(name)
    return [
        (section.key, player.paper, measure)
        for section in table.sections
        for player in section.players
        for measure in section.setting.measures
        if player.paper and published.pair(name, section.key, player.paper, measure)
    ]


def test_all_74_printed_pairs_are_there():
    assert [len(printed(name)) for name in TABLES] == [12, 6, 8, 24, 24]


@pytest.mark.parametrize("name", TABLES)
def test_nothing_that_is_printed_is_left_out(name):
    data = json.loads((files("sidelight.reproduction") / "published.json").read_text(encoding="utf-8"))
    assert {(key, paper) for key, paper, _ in printed(name)} == {
        (key, p) for key in data[name] for p in data[name][key]
    }


@pytest.mark.parametrize("name", reproduction.names())
def test_every_condition_can_be_made(name):
    """Each strategy accepts its game and parameters, and each reason exists."""
    experiment = reproduction.load(name)
    assert experiment.name == name
    assert experiment.title
    assert experiment.text
    for protocol in PROTOCOLS:
        for line in plan.lines(experiment, protocol, Profile()):
            assert set(line.player.reasons) <= set(PROTOCOLS)
            assert set(line.player.reasons.values()) <= set(REASONS)
            json.dumps(line.condition.identity())
    line = plan.lines(experiment, "described", Profile())[0]
    done = Task(plan.cell(line.condition, Profile(seed=5)), 3, 2).perform()
    assert done.n_runs == 2


@pytest.mark.parametrize("key", REASONS)
def test_every_reason_has_its_evidence_and_its_test(key):
    reason = REASONS[key]
    assert reason.evidence
    for test in reason.test.split(", "):
        path, _, name = test.partition("::")
        text = (Path(__file__).parents[2] / path).read_text(encoding="utf-8")
        assert re.search(rf"^(class|def) {name}\b", text, re.MULTILINE)
    used = [p for n in TABLES for s in reproduction.load(n).sections for p in s.players if key in p.reasons.values()]
    assert used


def test_the_experiments_are_a_study():
    """What is simulated for the paper are the cells of one study, whichever tables and figures show them."""
    profile = Profile(runs=50)
    wanted = plan.conditions(reproduction.select(["all"]), PROTOCOLS, profile)
    assert len(wanted) == len(set(wanted))
    study = plan.study(reproduction.select(["all"]), PROTOCOLS, profile)
    found = cells(study)
    assert len(found) == len(set(found)) == len({(cell.place, cell.stem) for cell in found})
    assert set(found) == {plan.cell(condition, profile) for condition in wanted}
    assert Study.from_dict(json.loads(json.dumps(study.to_dict()))) == study


def test_tasks_cover_all_runs_once_and_grow_at_the_end():
    conditions = plan.conditions(reproduction.select(["all"]), PROTOCOLS, Profile())
    for condition in conditions[:3] + [condition for condition in conditions if condition.slow]:
        cell = plan.cell(condition, Profile())
        for runs in (1, 48, 96, 100):
            found = [run for task in tasks(cell, runs) for run in range(task.first, task.first + task.count)]
            assert found == list(range(runs))
        few, more = (tasks(cell, runs) for runs in (96, 960))
        assert more[: len(few)] == few


def test_profiles():
    slow = next(
        condition
        for condition in plan.conditions([reproduction.load("table3")], PROTOCOLS, Profile())
        if condition.slow
    )
    assert (slow.horizon, Profile().runs_of(slow)) == (7_500, 4)
    assert Profile(slow="full").runs_of(slow) == 96
    assert Profile(runs=3).runs_of(slow) == 3
    beyond = plan.conditions([reproduction.load("table3")], PROTOCOLS, Profile(slow="beyond"))
    assert {condition.horizon for condition in beyond} == {20_000}
    assert {7_499, 7_500, 19_999, 20_000} <= set(plan.checkpoints(beyond[0].horizon))
    quick = next(condition for condition in beyond if not condition.slow)
    assert (Profile().rerun_of(quick), Profile(runs=2_000).rerun_of(quick)) == (960, 2_000)


def test_selecting():
    assert [e.name for e in reproduction.select(["figure2", "table1", "figure2"])] == ["table1", "figure2"]
    assert [e.name for e in reproduction.select([])] == list(reproduction.names())
    with pytest.raises(SidelightError, match="no experiment 'table9': did you mean 'table"):
        reproduction.select(["table9"])
    with pytest.raises(SidelightError, match="there are table1"):
        reproduction.select(["all", "x"])
