"""Games in which seeing the truth costs something: tasting, verifying, asking for a label."""

from __future__ import annotations

from fractions import Fraction

from sidelight.games._catalogue import Kind, Matrices, game
from sidelight.games._parameters import NumberParameter, OneOfParameter
from sidelight.games._sources import APPLE_TASTING, BOOK, LABEL_EFFICIENT, OWN, PMLIB, PREDICTION, SEED

BLIND = ("nothing", "nothing")


def kind_of_paid_look_game(cost: Fraction) -> Kind:
    """Return the class of a choice between (1, 0), (0, 1) and a look at the outcome for a constant `cost`.

    The better of the two guesses loses at most 1/2. A look for less is the best action somewhere between them and
    informs about itself; at exactly 1/2 it still lies between them; for more it is dominated, and the neighbors left
    are blind. A look for nothing is never beaten.
    """
    if cost <= 0:
        return "trivial"
    return "easy" if cost <= Fraction(1, 2) else "hard"


@game(
    "apple-tasting",
    number=1,
    title="Apple tasting",
    source=f"{APPLE_TASTING}; matrices as in {SEED}",
    known="easy",
)
def apple_tasting() -> Matrices:
    """Sell each apple or taste it; only a tasted apple shows what it was.

    A grocer takes apples from a crate, one by one, and either sells or tastes each. A rotten apple sold costs one
    customer and a good apple tasted costs its price, one unit each; the other two cases are free. The grocer sees
    whether an apple was rotten or good only by tasting it: of those sold, nothing is ever heard again. Selling is the
    thing to do when most apples are good, and it is the one thing that teaches nothing.

    L = [1 0; 0 1] over the outcomes rotten and good; the first action is blind, the second shows the outcome.
    """
    return Matrices([[1, 0], [0, 1]], [BLIND, ("rotten", "good")], ("sell", "taste"), ("rotten", "good"))


@game(
    "label-efficient",
    number=2,
    title="Label-efficient prediction",
    source=f"{LABEL_EFFICIENT}; matrices, with cost 1, as in {SEED}",
    known=kind_of_paid_look_game,
    cost=NumberParameter(),
)
def label_efficient(cost: Fraction = Fraction(1)) -> Matrices:
    """Predict one of two classes unseen, or pay to see the true one.

    A classifier must say of each item whether it belongs to class A or to class B, and a wrong answer costs 1. It is
    never told whether it was right. Instead of answering it may hand the item to an expert, for a fixed `cost`, and is
    then shown the true class. With a cost above 1/2 the expert is never the best choice by itself, yet without asking
    now and then nothing can be learned: each look is paid for with regret.

    L = [c c; 1 0; 0 1] over the outcomes A and B; only the first action, asking, shows the outcome.
    """
    return Matrices(
        [[cost, cost], [1, 0], [0, 1]],
        [("A", "B"), BLIND, BLIND],
        ("ask", "predict B", "predict A"),
        ("A", "B"),
    )


@game(
    "spam-filtering",
    number=3,
    title="Spam filtering",
    source=f"{PMLIB}, after {PREDICTION}, chapter 6",
    known="hard",
)
def spam_filtering() -> Matrices:
    """Deliver or drop each message unseen, or ask the reader about it.

    A mail filter decides about each message. Spam that is delivered costs 1, a wanted message that is dropped costs 2,
    and the right decision is free; the filter never sees which of these happened. It can also show the message to the
    reader and ask, which costs 1 whatever the answer, and only then learns whether it was ham or spam. It is
    label-efficient prediction with mistakes of unequal price.

    L = [1 1; 0 1; 2 0] over the outcomes ham and spam; only the first action, asking, shows the outcome.
    """
    return Matrices(
        [[1, 1], [0, 1], [2, 0]],
        [("ham", "spam"), BLIND, BLIND],
        ("ask", "deliver", "drop"),
        ("ham", "spam"),
    )


@game(
    "matching-pennies",
    number=4,
    title="Matching pennies with a costly look",
    source=f"{BOOK}, chapter 37",
    known=kind_of_paid_look_game,
    cost=NumberParameter(),
)
def matching_pennies(cost: Fraction = Fraction(1)) -> Matrices:
    """Call heads or tails unseen, or pay to look at the coin.

    A player calls the side of a hidden coin; the wrong call costs 1, the right one nothing, and the coin goes back into
    the other's pocket without being seen. Or the player pays a fixed `cost` to look at the coin instead of calling it.
    What the look costs decides what kind of problem this is: above 1/2 looking is a pure expense and the game is hard,
    from there down it is worth its price at some odds and the game is easy, and at 0 there is nothing left to decide.

    L = [0 1; 1 0; c c] over the outcomes heads and tails; only the last action, looking, shows the outcome.
    """
    return Matrices(
        [[0, 1], [1, 0], [cost, cost]],
        [BLIND, BLIND, ("heads", "tails")],
        ("call heads", "call tails", "look"),
        ("heads", "tails"),
    )


@game(
    "tau-detection",
    number=5,
    title="τ-detection",
    source=SEED,
    known="easy",
    tau=NumberParameter(above=Fraction(0), below=Fraction(1)),
)
def tau_detection(tau: Fraction = Fraction(1, 5)) -> Matrices:
    """Verify each prediction or let it pass, to catch error rates above a limit.

    A classifier is in use, and a supervisor accepts that it is wrong in a share `tau` of its predictions. For each
    prediction the supervisor either has it verified by a person, which costs 1 and shows whether it was wrong or right,
    or lets it pass unseen, which costs nothing if it was right and 1/`tau` if it was wrong. Passing is the cheaper
    choice exactly as long as the error rate is below `tau`, so to play well is to find out on which side it is with as
    few verifications as possible.

    L = [1 1; 1/τ 0] over the outcomes wrong and right; only the first action, verifying, shows the outcome.
    """
    return Matrices([[1, 1], [1 / tau, 0]], [("wrong", "right"), BLIND], ("verify", "pass"), ("wrong", "right"))


def _kind_of_query_game(query: str) -> Kind:
    """Return the game's class: hard, but hopeless if a coarse query cannot tell the neighbors B and C apart."""
    return "hard" if query == "full" else "hopeless"


@game(
    "three-class-label-efficient",
    number=21,
    title="Label-efficient prediction of three classes",
    source=OWN,
    known=_kind_of_query_game,
    query=OneOfParameter("full", "coarse"),
)
def three_class_label_efficient(query: str = "full") -> Matrices:
    """Predict one of three classes unseen, or pay for an answer, full or coarse.

    A classifier must name the class of each item, A, B or C; a wrong name costs 1 and no one says so. It may ask an
    expert instead, for 2, which is more than any mistake. A "full" `query` shows the class, and the game is hard like
    its two-class relative. With a "coarse" `query` the expert sees only whether the item is an A: no amount of asking
    then tells B from C, and the game is hopeless.

    L = [0 1 1; 1 0 1; 1 1 0; 2 2 2]; only the last action, asking, informs: (A, B, C), or (A, not A, not A).
    """
    answers = ("A", "B", "C") if query == "full" else ("A", "not A", "not A")
    blind = ("nothing",) * 3
    return Matrices(
        [[0, 1, 1], [1, 0, 1], [1, 1, 0], [2, 2, 2]],
        [blind, blind, blind, answers],
        ("predict A", "predict B", "predict C", "ask"),
        ("A", "B", "C"),
    )
