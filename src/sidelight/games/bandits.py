"""Games of choosing among arms, which differ in what is shown: everything, the chosen arm, a comparison, the rest.

An outcome fixes what every arm is worth in this round. Outcomes are in lexicographic order; arm 0 changes slowest.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

from sidelight.errors import GameError
from sidelight.games._catalogue import Kind, Matrices, game
from sidelight.games._parameters import NumbersParameter, WholeParameter
from sidelight.games._sources import CLEANING_UP, DUELING, OWN, PMLIB

# One more arm doubles the outcomes, and a game that fits into memory may still be too large to analyze.
MOST_OUTCOMES = 1024
ARMS = WholeParameter(1, 10, "each arm doubles the number of outcomes")


def _kind_of_bandit_game(arms: int) -> Kind:
    """Return the class of a game whose arms can all be compared: with a single arm there is nothing to choose."""
    return "easy" if arms > 1 else "trivial"


def _binary_outcomes_of_game(arms: int) -> tuple[tuple[int, ...], ...]:
    return tuple(product((0, 1), repeat=arms))


def _digit_names_of_game_outcomes(outcomes: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    return tuple("".join(map(str, outcome)) for outcome in outcomes)


def _arm_names_of_game(arms: int) -> tuple[str, ...]:
    return tuple(f"arm {arm}" for arm in range(arms))


@game(
    "full-information",
    number=6,
    title="Full information",
    source=PMLIB,
    known=lambda outcomes: _kind_of_bandit_game(outcomes),
    outcomes=WholeParameter(1, 200),
)
def full_information(outcomes: int = 3) -> Matrices:
    """Guess what comes next; it is shown whatever was guessed.

    A forecaster says before each round which of several `outcomes` will come, and pays 1 if another one does. What came
    is then seen by everyone, whatever the forecast was, so that looking is free and every forecast can be judged in
    hindsight. This is the friendly end of the scale: the only regret left comes from not knowing at first which outcome
    is the likeliest.

    L = 1 − I; every action shows the outcome's number.
    """
    numbers = range(outcomes)
    loss = [[int(guess != truth) for truth in numbers] for guess in numbers]
    labels = tuple(str(number) for number in numbers)
    return Matrices(loss, [tuple(numbers)] * outcomes, tuple(f"guess {label}" for label in labels), labels)


@game(
    "bernoulli-bandit",
    number=7,
    title="Bernoulli bandit",
    source=PMLIB,
    known=_kind_of_bandit_game,
    arms=ARMS,
)
def bernoulli_bandit(arms: int = 2) -> Matrices:
    """Pull one of several arms; only its own success or failure is shown.

    A gambler faces several slot machines and pulls one arm in each round; think of a web page that tries one of several
    headlines on each visitor. The arm that is pulled succeeds or fails, and a failure costs 1. The gambler sees the
    result of that arm and nothing of the others: what they would have given stays unknown. An outcome lists the results
    of all arms, 1 for success, so there are two to the power of `arms` outcomes.

    Outcomes o in {0, 1}^K; L_a = 1 − o_a; action a shows o_a.
    """
    outcomes = _binary_outcomes_of_game(arms)
    loss = [[1 - outcome[arm] for outcome in outcomes] for arm in range(arms)]
    feedback = [[outcome[arm] for outcome in outcomes] for arm in range(arms)]
    return Matrices(loss, feedback, _arm_names_of_game(arms), _digit_names_of_game_outcomes(outcomes))


@game(
    "finite-bandit",
    number=8,
    title="Bandit with finitely many rewards",
    source=OWN,
    known=lambda arms, rewards: _kind_of_bandit_game(min(arms, len(rewards))),  # with one reward all are alike
    arms=WholeParameter(1, 10, "each arm multiplies the number of outcomes"),
    rewards=NumbersParameter(MOST_OUTCOMES),
)
def finite_bandit(
    arms: int = 2, rewards: tuple[Fraction, ...] = (Fraction(0), Fraction(1, 2), Fraction(1))
) -> Matrices:
    """Pull one of several arms whose rewards take a few known values.

    A shop shows each visitor one of several offers, and the visitor spends one of a few known amounts, the `rewards`.
    The shop sees what was spent on the offer it made and pays, as its loss, what is missing to the highest amount; what
    the visitor would have spent on another offer is never known. With the amounts 0 and 1 this is the Bernoulli bandit.
    An outcome lists an amount for every one of the `arms`.

    Outcomes o in R^K, R in the order given; L_a = max R − o_a; action a shows o_a, as text if it is not a whole number.
    """
    if len(rewards) ** arms > MOST_OUTCOMES:
        raise GameError(
            f"{arms} arms with {len(rewards)} rewards make {len(rewards) ** arms} outcomes: "
            f"give fewer of either, so that there are at most {MOST_OUTCOMES}"
        )
    best, outcomes = max(rewards), tuple(product(rewards, repeat=arms))
    loss = [[best - outcome[arm] for outcome in outcomes] for arm in range(arms)]
    symbol = {each: each.numerator if each.denominator == 1 else str(each) for each in rewards}  # a file can hold them
    feedback = [[symbol[outcome[arm]] for outcome in outcomes] for arm in range(arms)]
    return Matrices(
        loss, feedback, _arm_names_of_game(arms), tuple(", ".join(map(str, outcome)) for outcome in outcomes)
    )


@game(
    "dueling-bandit",
    number=12,
    title="Utility-based dueling bandit",
    source=f"{DUELING}; {PMLIB}",
    known=_kind_of_bandit_game,
    arms=ARMS,
)
def dueling_bandit(arms: int = 3) -> Matrices:
    """Compare two arms; only which of them did better is shown.

    A search engine has several rankers, its `arms`, and mixes the results of two of them for each query; it may also
    use one ranker twice. Each ranker is useful to this user or not, and the engine pays one half for each of the two
    that is not. It never sees that: it sees only whether the user preferred the first ranker, the second, or neither.
    Using the best ranker twice costs least and shows nothing; to learn which one it is, worse ones have to be put
    beside it.

    Outcomes o in {0, 1}^K; actions (a, b), a ≤ b, in lexicographic order; L_ab = 1 − (o_a + o_b)/2; shows o_a − o_b.
    """
    outcomes = _binary_outcomes_of_game(arms)
    pairs = tuple(combinations_with_replacement(range(arms), 2))
    loss = [[1 - Fraction(outcome[a] + outcome[b], 2) for outcome in outcomes] for a, b in pairs]
    feedback = [[outcome[a] - outcome[b] for outcome in outcomes] for a, b in pairs]
    return Matrices(loss, feedback, tuple(f"{a} and {b}" for a, b in pairs), _digit_names_of_game_outcomes(outcomes))


@game(
    "cops-and-robbers",
    number=16,
    title="Cops and robbers",
    source=f"Name from {CLEANING_UP}; matrices of this catalogue",
    known=_kind_of_bandit_game,
    arms=ARMS,
)
def cops_and_robbers(arms: int = 3) -> Matrices:
    """Rob one house; learn only which of the other houses were watched.

    A robber breaks into one of several houses, the `arms`, each night, and the police watch some of them. In a watched
    house the loot is marked without the robber's noticing, and that costs 1 later on. The next morning's paper tells
    which of the other houses were watched, but about the one that was robbed the police keep silent. So the robber
    never sees what a night really cost, only what the alternatives would have cost: a bandit turned inside out.

    Outcomes o in {0, 1}^K; L_a = o_a; action a shows the tuple of o_b over all b ≠ a.
    """
    outcomes = _binary_outcomes_of_game(arms)
    loss = [[outcome[arm] for outcome in outcomes] for arm in range(arms)]
    feedback = [[outcome[:arm] + outcome[arm + 1 :] for outcome in outcomes] for arm in range(arms)]
    return Matrices(
        loss, feedback, tuple(f"house {arm}" for arm in range(arms)), _digit_names_of_game_outcomes(outcomes)
    )
