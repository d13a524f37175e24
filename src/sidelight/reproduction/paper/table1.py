"""Table 1: apple tasting without contexts."""

from sidelight.reproduction.exhibit import HORIZON, Exhibit, Profile, exhibit_study_of_game
from sidelight.studies import PlayerEntry, Study

CBP, PMDMED, PROSPECT = PlayerEntry("CBP"), PlayerEntry("PMDMED"), PlayerEntry("Prospect")
LIMIT = PlayerEntry("BayesOptimal", {"horizon": HORIZON}, label="Bayes-optimal, uniform prior", limit=True)


def table1_rand_cbp(profile: Profile) -> PlayerEntry:
    """Return RandCBP; its tail differs between the authors' code and the text."""
    return PlayerEntry("RandCBP", {"tail": 1e-6 if profile.protocol == "published" else 1e-7}, label="RandCBP")


def table1_studies(profile: Profile) -> tuple[Study, ...]:
    """Return one study per kind of laws."""
    published = profile.protocol == "published"
    prior = {"regularization": 0.001 if published else 0.01}
    players = (
        table1_rand_cbp(profile),
        CBP,
        PMDMED,
        PlayerEntry("TSPM", prior, label="TSPM"),
        PlayerEntry("TSPMGaussian", prior, label="TSPMGaussian"),
        PlayerEntry("BPMLeast", {"radius": "published"} if published else {}, label="BPMLeast"),
        PROSPECT,
        LIMIT,
    )
    return tuple(exhibit_study_of_game("apple-tasting", kind, players, profile) for kind in ("imbalanced", "balanced"))


EXHIBIT = Exhibit(
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
