"""Table 3: both games with contexts."""

from sidelight.reproduction.exhibit import DIMENSION, Exhibit, Profile, exhibit_study_of_game, slow_player_of_exhibit
from sidelight.studies import PlayerEntry, Study

_D = {"dimension": DIMENSION}


def table3_studies(profile: Profile) -> tuple[Study, ...]:
    """Return one study per game."""
    published = profile.protocol == "published"
    widths = {**_D, "bounds": "published" if published else "printed"}
    ours = (
        PlayerEntry("RandCBPSide", {**_D, "standardize": False, "hinge": False}, label="RandCBPSide, tight"),
        PlayerEntry("ProspectSide", _D, label="ProspectSide"),
    )
    both = (
        PlayerEntry("PublishedRandCBPSide", {**widths, "tail": 1e-6 if published else 1e-7}, label="RandCBPSide"),
        PlayerEntry("PublishedCBPSide", widths, label="CBPSide"),
    )
    stap = {**_D, "regularization": 20.0, "count": "all"} if published else _D
    apples = (
        *both,
        slow_player_of_exhibit("PGIDS", _D, profile),
        slow_player_of_exhibit("PGTS", _D, profile),
        PlayerEntry("STAP", stap, label="STAP"),
        *ours,
    )
    labels = (*both, PlayerEntry("CESA", _D, label="CESA"), *ours)
    return (
        exhibit_study_of_game("apple-tasting", "contexts", apples, profile),
        exhibit_study_of_game("label-efficient", "contexts", labels, profile),
    )


EXHIBIT = Exhibit(
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
    studies=table3_studies,
    reasons={
        **{(name, "described"): "half-space" for name in ("RandCBPSide", "CBPSide", "PGIDS", "PGTS", "STAP")},
        ("CESA", "published"): "inverted-cesa",
        ("CESA", "described"): "inverted-cesa",
    },
)
