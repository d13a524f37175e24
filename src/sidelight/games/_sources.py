"""The works that the games are taken from."""

SEED = (
    'M. Heuillet, O. Ahmad and A. Durand, "Randomized Confidence Bounds for Stochastic Partial Monitoring", ICML 2024'
)
APPLE_TASTING = (
    'D. P. Helmbold, N. Littlestone and P. M. Long, "Apple tasting", Information and Computation 161(2), 2000'
)
LABEL_EFFICIENT = 'D. P. Helmbold and S. Panizza, "Some label efficient learning results", COLT 1997'
BOOK = "T. Lattimore and C. Szepesvári, Bandit Algorithms, Cambridge University Press 2020"
CLEANING_UP = (
    'T. Lattimore and C. Szepesvári, "Cleaning up the neighborhood: a full classification for adversarial partial '
    'monitoring", ALT 2019'
)
PREDICTION = "N. Cesa-Bianchi and G. Lugosi, Prediction, Learning, and Games, Cambridge University Press 2006"
THESIS = 'G. Bartók, "The Role of Information in Online Learning", PhD thesis, University of Alberta 2012'
DUELING = 'P. Gajane and T. Urvoy, "Utility-based dueling bandits as a partial monitoring game", EWRL 2015'
PMLIB = "T. Urvoy, pmlib, a Python library for partial monitoring, 2017"
OWN = "Made for this catalogue"
