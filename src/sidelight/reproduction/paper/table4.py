"""Table 4: the use case, case 1; and what the two tables of the use case share."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.settings import error_rate
from sidelight.reproduction.experiment import Experiment, Player, Section, UseCase
from sidelight.studies.classifiers import TOLERANCES

PLAYERS = (
    Player("randcbp", label="C-RandCBP", paper="C-RandCBP", reasons={"described": "two-draws"}),
    Player("cbp", label="C-CBP", paper="C-CBP"),
    Player("explore", label="Explore-fully", paper="Explore-fully"),
    Player("sequential", label="Sequential"),
)


def sections(
    case: int, tolerances: Iterable[float] = TOLERANCES, players: tuple[Player, ...] = PLAYERS
) -> tuple[Section, ...]:
    """Return one section per tolerated error rate; rates that the paper does not have come without printed numbers."""
    return tuple(
        Section(f"{rate}", UseCase(case, rate, f"Tolerance {rate:g}"), players) for rate in dict.fromkeys(tolerances)
    )


def varied(
    experiments: Sequence[Experiment],
    tolerances: Sequence[float] = (),
    policies: Sequence[str] = (),
    confidence: float | None = None,
) -> list[Experiment]:
    """Return the experiments with other tolerances, some of the policies, or another confidence in the use case."""
    if not (tolerances or policies or confidence is not None):
        return list(experiments)
    if confidence is not None and not 0.0 < confidence < 1.0:
        raise SidelightError(f"confidence is {confidence}: give a number between 0 and 1, such as 0.95")
    rates = [error_rate(rate) for rate in tolerances] or TOLERANCES
    given = {} if confidence is None else {"confidence": confidence}
    players = tuple(
        replace(player, published=given, described=given)
        for player in PLAYERS
        if not policies or player.strategy in policies
    )
    if not any(_settings(experiment) for experiment in experiments):
        raise SidelightError("tolerances, policies and confidence are about the use case: name table4 or table5")
    return [_with(experiment, rates, players) if _settings(experiment) else experiment for experiment in experiments]


def variation(experiments: Sequence[Experiment]) -> dict[str, Any]:
    """Return the arguments of `varied` that made these experiments, as far as they differ from the paper."""
    rates = list(dict.fromkeys(setting.tolerance for each in experiments for setting in _settings(each)))
    players = next((each.sections[0].players for each in experiments if _settings(each)), PLAYERS)
    found = {
        "tolerances": rates if rates != list(TOLERANCES) else [],
        "policies": [player.strategy for player in players] if len(players) < len(PLAYERS) else [],
        "confidence": players[0].published.get("confidence"),
    }
    return {name: value for name, value in found.items() if value}


def _with(experiment: Experiment, rates: Sequence[float], players: tuple[Player, ...]) -> Experiment:
    cases = dict.fromkeys(setting.case for setting in _settings(experiment))
    return replace(experiment, sections=tuple(each for case in cases for each in sections(case, rates, players)))


def _settings(experiment: Experiment) -> list[UseCase]:
    """Return the settings of an experiment that belong to the use case."""
    return [section.setting for section in experiment.sections if isinstance(section.setting, UseCase)]


EXPERIMENT = Experiment(
    name="table4",
    title="Watching a classifier, case 1: classes alike",
    text=(
        "A deployed classifier predicts one of ten classes. Having a prediction verified by a person costs something; "
        "the goal is to find the classes whose predictions are wrong more often than a tolerated rate. The F1 score "
        "says how well they were found (1 is best), verifications what it cost. In case 1 true classes are equally "
        "frequent and one error rate, drawn between 0 and 0.1, holds for all of them. Explore-fully verifies up to a "
        "fixed number of predictions per class. 'Sequential' is not in the paper: this library's test that stops a "
        "class as soon as its verdict is certain."
    ),
    sections=sections(1),
)
