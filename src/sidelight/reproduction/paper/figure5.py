"""Figure 5: how RandCBPside* depends on its parameters."""

from sidelight.reproduction.exhibit import DIMENSION, Exhibit, Profile, exhibit_study_of_game
from sidelight.reproduction.paper.figure4 import figure4_variants
from sidelight.studies import Study


def figure5_studies(profile: Profile) -> tuple[Study, ...]:
    """Return the studies of Figure 2 with variants of one strategy in place of its players."""
    widths = {"dimension": DIMENSION, "bounds": "published" if profile.protocol == "published" else "printed"}
    players = figure4_variants("PublishedRandCBPSide", widths, profile)
    return tuple(
        exhibit_study_of_game(game, "contexts", players, profile) for game in ("apple-tasting", "label-efficient")
    )


EXHIBIT = Exhibit(
    name="figure5",
    title="How RandCBPside* depends on σ and K, with contexts",
    text="The same for the contextual strategy, whose cut-off B grows with the dimension of the contexts.",
    studies=figure5_studies,
    drawing="sensitivity",
)
