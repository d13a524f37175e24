"""The paper's tables and figures of games: Tables 1 to 3, and Figures 1, 2, 4 and 5; `use_case` has the others."""

from __future__ import annotations

from typing import Any

from sidelight.reproduction.exhibit import (
    DIMENSION,
    HORIZON,
    Exhibit,
    Profile,
    exhibit_study_of_game,
    slow_player_of_exhibit,
)
from sidelight.studies import PlayerEntry, Study

GAMES = ("apple-tasting", "label-efficient")
CBP, PMDMED, PROSPECT = PlayerEntry("CBP"), PlayerEntry("PMDMED"), PlayerEntry("Prospect")
LIMIT = PlayerEntry("BayesOptimal", {"horizon": HORIZON}, label="Bayes-optimal, uniform prior", limit=True)
SIGMAS = {"1/2": 0.5, "1": 1.0, "2": 2.0, "10": 10.0}
BINS = (5, 10, 20)
_D = {"dimension": DIMENSION}


def _tail_of_paper(profile: Profile) -> float:
    """Return the tail of RandCBP, which differs between the authors' code and the text."""
    return 1e-6 if profile.protocol == "published" else 1e-7


def _widths_of_paper(profile: Profile) -> dict[str, Any]:
    """Return the parameters of CBPside* and RandCBPside*: their bounds, too, differ between code and text."""
    return {**_D, "bounds": "published" if profile.protocol == "published" else "printed"}


def _game_studies_of_paper(game: str, players: tuple[PlayerEntry, ...], profile: Profile) -> tuple[Study, ...]:
    """Return one study per kind of laws."""
    return tuple(exhibit_study_of_game(game, kind, players, profile) for kind in ("imbalanced", "balanced"))


def table1_studies(profile: Profile) -> tuple[Study, ...]:
    """Return the studies of apple tasting without contexts."""
    published = profile.protocol == "published"
    prior = {"regularization": 0.001 if published else 0.01}
    players = (
        PlayerEntry("RandCBP", {"tail": _tail_of_paper(profile)}, label="RandCBP"),
        CBP,
        PMDMED,
        PlayerEntry("TSPM", prior, label="TSPM"),
        PlayerEntry("TSPMGaussian", prior, label="TSPMGaussian"),
        PlayerEntry("BPMLeast", {"radius": "published"} if published else {}, label="BPMLeast"),
        PROSPECT,
        LIMIT,
    )
    return _game_studies_of_paper("apple-tasting", players, profile)


def table2_studies(profile: Profile) -> tuple[Study, ...]:
    """Return the studies of label-efficient prediction without contexts."""
    ours = PlayerEntry("RandCBP", {"tail": _tail_of_paper(profile)}, label="RandCBP")
    return _game_studies_of_paper("label-efficient", (ours, CBP, PMDMED, PROSPECT, LIMIT), profile)


def table3_studies(profile: Profile) -> tuple[Study, ...]:
    """Return a study of each game with contexts."""
    published = profile.protocol == "published"
    widths = _widths_of_paper(profile)
    ours = (
        PlayerEntry("RandCBPSide", {**_D, "standardize": False, "hinge": False}, label="RandCBPSide, tight"),
        PlayerEntry("ProspectSide", _D, label="ProspectSide"),
    )
    both = (
        PlayerEntry("PublishedRandCBPSide", {**widths, "tail": _tail_of_paper(profile)}, label="RandCBPSide"),
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


def _variants_of_paper(strategy: str, parameters: dict[str, Any], profile: Profile) -> tuple[PlayerEntry, ...]:
    """Return a strategy with every standard deviation and number of bins that the paper tries."""
    given = {**parameters, "tail": _tail_of_paper(profile)}
    return tuple(
        PlayerEntry(strategy, {**given, "bins": bins, "sigma": sigma}, label=f"σ={text}, K={bins}")
        for text, sigma in SIGMAS.items()
        for bins in BINS
    )


def figure4_studies(profile: Profile) -> tuple[Study, ...]:
    """Return the studies of Figure 1 with variants of one strategy in place of its players."""
    players = _variants_of_paper("RandCBP", {}, profile)
    return tuple(study for game in GAMES for study in _game_studies_of_paper(game, players, profile))


def figure5_studies(profile: Profile) -> tuple[Study, ...]:
    """Return the studies of Figure 2 with variants of one strategy in place of its players."""
    players = _variants_of_paper("PublishedRandCBPSide", _widths_of_paper(profile), profile)
    return tuple(exhibit_study_of_game(game, "contexts", players, profile) for game in GAMES)


TABLE1 = Exhibit(
    name="table1",
    title="Apple tasting",
    text=(
        "Apples come one by one, rotten or good, and each is sold or tasted. Selling a rotten one costs 1, tasting a "
        "good one costs 1, and only a tasted apple shows what it was. The game is easy: tasting, one of the two "
        "actions that may be best, shows all there is to know. The share p of rotten apples is drawn anew in each "
        "run: near 0 or 1 (imbalanced, quickly decided) or near 1/2 (balanced, where it takes many apples to find out "
        "which action is better). Prospect, this library's own strategy, is not in the paper: it looks as long as a "
        "look may still pay for itself."
    ),
    studies=table1_studies,
    reasons={("BPMLeast", "described"): "bpm-radius"},
)

TABLE2 = Exhibit(
    name="table2",
    title="Label-efficient prediction",
    text=(
        "You predict which of two outcomes comes next; a wrong prediction costs 1. Predictions show nothing. Asking "
        "for the label instead costs 1 and shows the outcome. This game is hard: the action that informs is never the "
        "best one, so every bit of knowledge has to be paid for. The laws are those of the previous table."
    ),
    studies=table2_studies,
    reasons={("PMDMED", "published"): "frozen-pm-dmed", ("PMDMED", "described"): "frozen-pm-dmed"},
)

TABLE3 = Exhibit(
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

FIGURE1 = Exhibit(
    name="figure1",
    title="Regret over time without contexts",
    text=(
        "What the strategies of Tables 1 and 2 have lost, compared with always playing the best action, as rounds go "
        "by. A curve that flattens has learned what to do."
    ),
    studies=lambda profile: table1_studies(profile) + table2_studies(profile),
    drawing="regret",
)

FIGURE2 = Exhibit(
    name="figure2",
    title="Regret over time with contexts",
    text="The strategies of Table 3 as rounds go by. PG-IDS and PG-TS end earlier because of their cost.",
    studies=table3_studies,
    drawing="regret",
)

FIGURE4 = Exhibit(
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

FIGURE5 = Exhibit(
    name="figure5",
    title="How RandCBPside* depends on σ and K, with contexts",
    text="The same for the contextual strategy, whose cut-off B grows with the dimension of the contexts.",
    studies=figure5_studies,
    drawing="sensitivity",
)

EXHIBITS = (TABLE1, TABLE2, TABLE3, FIGURE1, FIGURE2, FIGURE4, FIGURE5)
