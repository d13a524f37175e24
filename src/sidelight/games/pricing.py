"""Games of posting a price to a customer whose own valuation stays hidden."""

from __future__ import annotations

from fractions import Fraction

from sidelight.game import Symbol
from sidelight.games._catalogue import Kind, Matrices, game
from sidelight.games._parameters import NumberParameter, WholeParameter
from sidelight.games._sources import BOOK, PMLIB

PRICES = WholeParameter(2, 200)


def _kind_of_pricing_game(prices: int, cost: Fraction) -> Kind:
    """Return the class of dynamic pricing.

    If failing to sell costs nothing or less, the highest price is never beaten. Otherwise every price is best for the
    customer who values the good at it, any two prices are neighbors (on the edge between those two customers), and no
    third lies on the line through their losses. Sold or unsold at prices i < k tells j < i, i ≤ j < k and k ≤ j apart,
    and the loss difference c − (j − i) is constant in the middle only if k = i + 1. All prices together tell
    everything.
    """
    if cost <= 0:
        return "trivial"
    return "easy" if prices == 2 else "hard"


@game(
    "dynamic-pricing",
    number=9,
    title="Dynamic pricing",
    source=PMLIB,
    known=_kind_of_pricing_game,
    prices=PRICES,
    cost=NumberParameter(),
)
def dynamic_pricing(prices: int = 5, cost: Fraction = Fraction(2)) -> Matrices:
    """Post a price; see only whether the customer bought.

    A seller names one of the `prices` 0, 1, 2 and so on to each customer, who has a highest price in mind and buys if
    the posted one is not above it. The seller sees a good sold or unsold and never what the customer would have paid.
    If the price is too low, the seller loses the difference; if the good stays unsold, storing it costs `cost`. A low
    price sells and says nothing about how much more could have been asked; a high one finds out and risks the sale.
    With three prices or more, and any cost above 0, this is a hard game.

    Prices i and valuations j in 0..N−1; L = j − i if i ≤ j (sold), else c (unsold).
    """
    scale = range(prices)
    loss = [[value - price if price <= value else cost for value in scale] for price in scale]
    return Matrices(
        loss,
        _sales_of_pricing_game(prices),
        _labels_of_pricing_game("price", 0, prices),
        _labels_of_pricing_game("value", 0, prices),
    )


@game(
    "revenue-pricing",
    number=10,
    title="Pricing by revenue",
    source=f"Losses as in {BOOK}, exercise 37.6; feedback sold or unsold",
    known="easy",
    prices=PRICES,
    cost=NumberParameter(formula="prices - 1"),
)
def revenue_pricing(prices: int = 5, cost: Fraction | str = "prices - 1") -> Matrices:
    """Post a price and earn it if the customer buys; the takings show the loss.

    A seller buys a good for a fixed `cost` and offers it at a price; the customer buys if the price is not above what
    the good is worth to them. The seller pays the cost and, if the good is sold, gets the price back. Sold or unsold is
    all that is seen, but here that is enough: unlike in dynamic pricing, the money missed by asking too little does not
    count as a loss, so the seller knows after each round what it cost, and the game is easy. Unless it is given, the
    cost is one less than the number of `prices`, which are 1, 2, 3 and so on.

    Prices and valuations 1..N; L = c − price if price ≤ valuation (sold), else c (unsold).
    """
    spent = Fraction(prices - 1) if isinstance(cost, str) else cost
    scale = range(1, prices + 1)
    loss = [[spent - price if price <= value else spent for value in scale] for price in scale]
    return Matrices(
        loss,
        _sales_of_pricing_game(prices),
        _labels_of_pricing_game("price", 1, prices),
        _labels_of_pricing_game("value", 1, prices),
    )


def _sales_of_pricing_game(prices: int) -> list[list[Symbol]]:
    return [["sold" if price <= value else "unsold" for value in range(prices)] for price in range(prices)]


def _labels_of_pricing_game(what: str, first: int, count: int) -> tuple[str, ...]:
    return tuple(f"{what} {number}" for number in range(first, first + count))
