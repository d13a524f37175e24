"""Table 3: both games with contexts."""

from typing import Any

from sidelight.reproduction.experiment import Experiment, GameSetting, Player, Section

_D = {"dimension": 10}
_PRINTED = {**_D, "bounds": "printed"}
_OTHER_WORLD = {"described": "half-space"}


def _side(name: str, published: dict[str, Any], described: dict[str, Any]) -> Player:
    return Player(
        f"Published{name}",
        label=name,
        paper={"RandCBPSide": "RandCBPside*", "CBPSide": "CBPside*"}[name],
        published={**_D, "bounds": "published", **published},
        described={**_PRINTED, **described},
        reasons=_OTHER_WORLD,
    )


_RAND_CBP_SIDE = _side("RandCBPSide", {"tail": 1e-6}, {"tail": 1e-7})
_CBP_SIDE = _side("CBPSide", {}, {})
_LEAST_SQUARES = {**_D, "standardize": False, "hinge": False}
_TIGHT = Player("RandCBPSide", label="RandCBPSide, tight", published=_LEAST_SQUARES, described=_LEAST_SQUARES)
_PROSPECT_SIDE = Player("ProspectSide", published=_D, described=_D)

_APPLES = (
    _RAND_CBP_SIDE,
    _CBP_SIDE,
    Player("PGIDS", paper="PG-IDS", published=_D, described=_D, slow=True, reasons=_OTHER_WORLD),
    Player("PGTS", paper="PG-TS", published=_D, described=_D, slow=True, reasons=_OTHER_WORLD),
    Player(
        "STAP",
        paper="STAP",
        published={**_D, "regularization": 20.0, "count": "all"},
        described=_D,
        reasons=_OTHER_WORLD,
    ),
    _TIGHT,
    _PROSPECT_SIDE,
)
_INVERTED = {"published": "inverted-cesa", "described": "inverted-cesa"}
_LABELS = (
    _RAND_CBP_SIDE,
    _CBP_SIDE,
    Player("CESA", paper="CESA", published=_D, described=_D, reasons=_INVERTED),
    _TIGHT,
    _PROSPECT_SIDE,
)

EXPERIMENT = Experiment(
    name="table3",
    title="With contexts",
    text=(
        "The same two games, but before each round you see ten numbers (a context) that say something about the "
        "outcome to come. The strategies CBPside* and RandCBPside* play any game; PG-IDS, PG-TS and STAP are made for "
        "apple tasting, CESA for label-efficient prediction. The cost of PG-IDS and PG-TS grows with the square of "
        "the horizon, so the paper stops them at round 7500. Two players are not in the paper. ProspectSide, this "
        "library's own strategy, looks while looking may still pay for itself. 'RandCBPSide, tight' has tighter "
        "widths, made for outcomes that chance decides; where the context decides alone, as behind the printed "
        "numbers, they can do worse."
    ),
    sections=(
        Section("apple-tasting", GameSetting("apple-tasting", "contexts", "Apple tasting, contexts"), _APPLES),
        Section("label-efficient", GameSetting("label-efficient", "contexts", "Label-efficient, contexts"), _LABELS),
    ),
)
