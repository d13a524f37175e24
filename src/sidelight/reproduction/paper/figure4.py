"""Figure 4: how RandCBP depends on its parameters."""

from typing import Any

from sidelight.reproduction.exhibit import Exhibit, Profile, exhibit_study_of_game
from sidelight.studies import PlayerEntry, Study

SIGMAS = {"1/2": 0.5, "1": 1.0, "2": 2.0, "10": 10.0}
BINS = (5, 10, 20)


def figure4_variants(strategy: str, parameters: dict[str, Any], profile: Profile) -> tuple[PlayerEntry, ...]:
    """Return a strategy with every standard deviation and number of bins that the paper tries."""
    tail = 1e-6 if profile.protocol == "published" else 1e-7
    return tuple(
        PlayerEntry(strategy, {**parameters, "tail": tail, "bins": bins, "sigma": sigma}, label=f"σ={text}, K={bins}")
        for text, sigma in SIGMAS.items()
        for bins in BINS
    )


def figure4_studies(profile: Profile) -> tuple[Study, ...]:
    """Return the studies of Figure 1 with variants of one strategy in place of its players."""
    players = figure4_variants("RandCBP", {}, profile)
    return tuple(
        exhibit_study_of_game(game, kind, players, profile)
        for game in ("apple-tasting", "label-efficient")
        for kind in ("imbalanced", "balanced")
    )


EXHIBIT = Exhibit(
    name="figure4",
    title="How RandCBP depends on σ and K, without contexts",
    text=(
        "RandCBP multiplies its confidence widths by a random number: normal with standard deviation σ, cut off and "
        "rounded to K points. A small σ explores less: cheap in most runs, now and then a disaster, and the disasters "
        "decide the mean."
    ),
    studies=figure4_studies,
    drawing="sensitivity",
)
