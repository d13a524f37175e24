"""Table 1: apple tasting without contexts."""

from sidelight.reproduction.experiment import HORIZON, Experiment, GameSetting, Player, Section

RAND_CBP = Player("RandCBP", paper="RandCBP", published={"tail": 1e-6}, described={"tail": 1e-7})
CBP = Player("CBP", paper="CBP")
PROSPECT = Player("Prospect")
LIMIT = Player(
    "BayesOptimal",
    label="Bayes-optimal, uniform prior",
    limit=True,
    published={"horizon": HORIZON},
    described={"horizon": HORIZON},
)

_PLAYERS = (
    RAND_CBP,
    CBP,
    Player("PMDMED", paper="PM-DMED"),
    Player("TSPM", paper="TSPM", published={"regularization": 0.001}, described={"regularization": 0.01}),
    Player(
        "TSPMGaussian", paper="TSPM-Gaussian", published={"regularization": 0.001}, described={"regularization": 0.01}
    ),
    Player("BPMLeast", paper="BPM-Least", published={"radius": "published"}, reasons={"described": "bpm-radius"}),
    PROSPECT,
    LIMIT,
)

EXPERIMENT = Experiment(
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
    sections=(
        Section("imbalanced", GameSetting("apple-tasting", "imbalanced", "Apple tasting, imbalanced"), _PLAYERS),
        Section("balanced", GameSetting("apple-tasting", "balanced", "Apple tasting, balanced"), _PLAYERS),
    ),
)
