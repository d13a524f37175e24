"""Small games that each show one thing: a class, a degenerate action, a difference seen though no loss is."""

from __future__ import annotations

from fractions import Fraction

from sidelight.games._catalogue import Matrices, game
from sidelight.games._parameters import OneOfParameter, WholeParameter
from sidelight.games._sources import BOOK, OWN, PMLIB, THESIS

HALF = Fraction(1, 2)
BLIND = ("nothing", "nothing")
COIN = ("heads", "tails")
EXTRA_ACTION = OneOfParameter("degenerate", "duplicate")


@game(
    "bartok",
    number=11,
    title="Bartók's three-action game",
    source=f"{THESIS}, as quoted by {PMLIB}",
    known="easy",
)
def bartok() -> Matrices:
    """Pick one of three doors, each of which recognizes one outcome of three.

    A player picks one of three doors while the world picks one of three outcomes. Each door is free at one outcome and
    costs 1 at the other two. After each pick the player sees only an a or a b: every door recognizes a single outcome,
    which is never the one where it is free, and shows b at both others. No door always tells what it cost, but the two
    doors of a pair together tell which of them is cheaper, and the game is easy.

    L = [1 1 0; 0 1 1; 1 0 1]; H = [a b b; b a b; b b a].
    """
    return Matrices(
        [[1, 1, 0], [0, 1, 1], [1, 0, 1]],
        [("a", "b", "b"), ("b", "a", "b"), ("b", "b", "a")],
        ("first door", "second door", "third door"),
        ("0", "1", "2"),
    )


@game("hopeless", number=13, title="A hopeless game", source=PMLIB, known="hopeless")
def hopeless() -> Matrices:
    """Call heads or tails, forever, without an answer that says anything.

    A player calls a hidden coin over and over. The wrong call costs 1, the right one nothing. All that the player ever
    sees is a shrug: "maybe" after calling tails and "who knows" after calling heads, whatever the coin was. If the coin
    is biased one of the calls is better, but nothing that is shown depends on which, so no strategy can avoid regret in
    proportion to the number of rounds.

    L = [1 0; 0 1]; H = [m m; w w].
    """
    shrugs = [("maybe", "maybe"), ("who knows", "who knows")]
    return Matrices([[1, 0], [0, 1]], shrugs, ("call tails", "call heads"), COIN)


@game("trivial", number=14, title="A trivial game", source=OWN, known="trivial")
def trivial() -> Matrices:
    """Sit still for free, though another action would show more.

    A player may sit still, which costs nothing and shows nothing, or look at a coin, which costs 1 and shows the side
    that is up. There is something to be seen and no reason to pay for it: sitting still is best whatever the coin does.
    A strategy that explores out of habit has regret here; one that first checks whether there is anything to decide has
    none.

    L = [0 0; 1 1]; H = [x x; a b].
    """
    return Matrices([[0, 0], [1, 1]], [BLIND, COIN], ("sit still", "look"), COIN)


@game(
    "trivial-degenerate",
    number=15,
    title="A trivial game with a degenerate or a duplicate action",
    source=OWN,
    known="trivial",
    kind=EXTRA_ACTION,
)
def trivial_degenerate(kind: str = "degenerate") -> Matrices:
    """Stay with an action that is never beaten, beside one that ties with it.

    A player has an action that is never worse than the others, so there is nothing to learn, but it is not the only one
    that can be best. With the `kind` "degenerate", sitting still costs nothing and looking at a coin costs 1 at tails
    only: if tails never comes the two are equally good. With "duplicate", sitting still and looking cost the same, 1 at
    tails, and a third action always costs 1. Only looking shows the coin. Counting every action that is best
    somewhere would find a problem where there is none.

    Degenerate: L = [0 0; 0 1], H = [x x; a b]. Duplicate: L = [0 1; 0 1; 1 1], H = [x x; a b; x x].
    """
    if kind == "degenerate":
        return Matrices([[0, 0], [0, 1]], [BLIND, COIN], ("sit still", "look"), COIN)
    return Matrices([[0, 1], [0, 1], [1, 1]], [BLIND, COIN, BLIND], ("sit still", "look", "pay"), COIN)


@game(
    "difference",
    number=17,
    title="The four-outcome difference game",
    source=f"{BOOK}, chapter 37, p. 455",
    known="easy",
)
def difference() -> Matrices:
    """Choose between two roads; you can learn which one costs less, but not what they cost.

    A driver takes the first or the second road each day. One of the two is jammed, which costs 1 on that road; and on
    some days both charge a toll of 1, which is never seen because it is collected much later. The driver sees how the
    road was: 1 for clear, 2 for jammed. What a road costs on average can therefore never be found out, but which of the
    two costs less can, since the toll is the same on both. That is all that is needed, and the game is easy.

    L = [0 1 1 2; 1 0 2 1]; H = [1 2 1 2; 2 1 2 1]. Without the toll t, L_0 − t = 0 1 0 1 and L_1 − t = 1 0 1 0.
    """
    return Matrices(
        [[0, 1, 1, 2], [1, 0, 2, 1]],
        [(1, 2, 1, 2), (2, 1, 2, 1)],
        ("first road", "second road"),
        ("second jammed", "first jammed", "second jammed, toll", "first jammed, toll"),
    )


@game(
    "symbol-ladder",
    number=18,
    title="The symbol ladder",
    source=f"{BOOK}, exercise 37.13",
    known="easy",
    symbols=WholeParameter(2, 500),
)
def symbol_ladder(symbols: int = 3) -> Matrices:
    """Say odd or even about a rung of a ladder that is seen only in blurred pairs.

    A player says whether the number of a hidden rung is odd or even, and pays 1 if that is wrong. The player sees
    only its height, so blurred that two neighboring rungs look alike: rungs 0 and 1, 2 and 3 and so on after saying
    even, rungs 1 and 2, 3 and 4 and so on after saying odd. Only by comparing both views from the bottom to the top can
    one tell which answer is better, and each step adds its own error. The game is easy, but the more `symbols` the
    ladder has, the longer it takes.

    F symbols, M = 2(F − 1) outcomes; L = [1 0 1 0 …; 0 1 0 1 …]; H = [1 2 2 3 3 … F; 1 1 2 2 … F−1 F−1].
    """
    rungs = range(2 * (symbols - 1))
    loss = [[1 - rung % 2 for rung in rungs], [rung % 2 for rung in rungs]]
    feedback = [[(rung + 1) // 2 + 1 for rung in rungs], [rung // 2 + 1 for rung in rungs]]
    return Matrices(loss, feedback, ("say odd", "say even"), tuple(f"rung {rung}" for rung in rungs))


@game(
    "degenerate-informative",
    number=19,
    title="A game that only a degenerate or a duplicate action makes easy",
    source=OWN,
    known="easy",
    kind=EXTRA_ACTION,
)
def degenerate_informative(kind: str = "degenerate") -> Matrices:
    """Call a coin; the one action that shows it ties with the calls and never beats them.

    A player calls heads or tails on a hidden coin and pays 1 for the wrong call; both calls are blind. One more action
    shows the coin. With the `kind` "degenerate" it is a hedge, half on each side, which costs 1/2 whatever comes: it is
    as good as the calls when the coin is fair and never better. With "duplicate" it costs exactly what calling tails
    costs. Either way it can be played where it matters without extra cost, and the game is easy; an analysis that
    throws such actions away calls it hopeless.

    Degenerate: L = [1 0; 0 1; ½ ½], H = [x x; x x; a b]. Duplicate: L = [1 0; 1 0; 0 1], H = [x x; a b; x x].
    """
    if kind == "degenerate":
        actions = ("call tails", "call heads", "hedge and look")
        return Matrices([[1, 0], [0, 1], [HALF, HALF]], [BLIND, BLIND, COIN], actions, COIN)
    actions = ("call tails", "call tails and look", "call heads")
    return Matrices([[1, 0], [1, 0], [0, 1]], [BLIND, COIN, BLIND], actions, COIN)


@game(
    "unobservable-dominated",
    number=20,
    title="An unobservable action that does not matter",
    source=OWN,
    known="easy",
)
def unobservable_dominated() -> Matrices:
    """Choose between two actions that can be compared, and ignore a third that cannot.

    A player calls a coin and pays 1 for the wrong call; calling heads also shows the coin. A third action costs 3 in
    fine weather and 5 in rain, far more than any call, and the weather is never seen, so how much worse it is cannot be
    found out. It need not be: that it is worse is known from the start. The game is easy, and it catches definitions
    which demand that all actions be comparable instead of those that can be best.

    L = [1 0 1 0; 0 1 0 1; 3 3 5 5]; H = [x x x x; a b a b; x x x x].
    """
    blind = ("nothing",) * 4
    return Matrices(
        [[1, 0, 1, 0], [0, 1, 0, 1], [3, 3, 5, 5]],
        [blind, COIN + COIN, blind],
        ("call tails", "call heads and look", "go out"),
        ("heads, fine", "tails, fine", "heads, rain", "tails, rain"),
    )


@game(
    "blind-degenerate",
    number=22,
    title="Label-efficient prediction with a blind hedge",
    source=OWN,
    known="hard",
)
def blind_degenerate() -> Matrices:
    """Call a coin, hedge or pay to look; the hedge ties with the calls and shows nothing.

    A player calls heads or tails on a hidden coin and pays 1 for the wrong call, or hedges and pays 1/2 whatever comes;
    none of these three shows anything. Only a fourth action, which always costs 1, lets the player see the coin. The
    hedge is as good as both calls when the coin is fair, so it belongs to the neighborhood of the two, but being blind
    it does not help to tell them apart: one has to pay for looks, and the game is hard.

    L = [1 0; 0 1; ½ ½; 1 1]; H = [x x; x x; x x; a b].
    """
    return Matrices(
        [[1, 0], [0, 1], [HALF, HALF], [1, 1]],
        [BLIND, BLIND, BLIND, COIN],
        ("call tails", "call heads", "hedge", "look"),
        COIN,
    )
