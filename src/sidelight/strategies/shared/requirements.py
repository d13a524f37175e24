"""Which games a strategy plays: a hopeless game is refused, and a game without a guarantee gives a warning."""

from __future__ import annotations

import warnings

from sidelight.analysis import Analysis
from sidelight.analysis.observability import Observers
from sidelight.errors import SidelightError
from sidelight.game import Game


def refuse_hopeless(analysis: Analysis) -> None:
    """Raise, naming the actions, if some pair of neighbors cannot be told apart."""
    if analysis.unobservable is None:
        return
    names = analysis.game.actions
    i, j = (f"{k} ({names[k]})" for k in analysis.unobservable)
    raise SidelightError(
        f"the game is hopeless: nothing that is ever shown tells action {i} from action {j}, which are neighbors; "
        "no strategy can play it well"
    )


def refuse_all_but_easy(analysis: Analysis, name: str, instead: str) -> None:
    """Raise if the game is neither trivial nor easy."""
    if analysis.kind not in ("trivial", "easy"):
        raise SidelightError(f"{name} plays easy games, and this one is {analysis.kind}: use {instead}")


def check_game_playable(analysis: Analysis, name: str, only_optimal: bool = False) -> None:
    """Refuse a hopeless game; warn about a hard one, and about one that only unplayed actions can inform about.

    With `only_optimal` the strategy plays a degenerate action, which is optimal only on a border, at most once.
    """
    refuse_hopeless(analysis)
    reason = ""
    if analysis.kind == "hard":
        reason = "the game is hard, and it may stop exploring while it is wrong"
    elif only_optimal and (pair := unobserved_neighbor_pair(analysis)) is not None:
        reason = f"actions {pair[0]} and {pair[1]} are told apart only by a degenerate action, which it does not play"
    if reason:
        warnings.warn(
            f"{name} has no guarantee here: {reason}; its regret may grow linearly. CBP and RandCBP have one",
            UserWarning,
            stacklevel=3,
        )


def settled_action(analysis: Analysis) -> int:
    """Return the action to play throughout in a trivial game, else -1."""
    return analysis.pareto[0] if analysis.kind == "trivial" else -1


def unobserved_neighbor_pair(analysis: Analysis) -> tuple[int, int] | None:
    """Return the first pair of neighbors that its Pareto-optimal actions, duplicates included, do not observe."""
    for pair in analysis.neighbors:
        inner = tuple(k for k in analysis.neighborhood(*pair) if analysis.status(k) == "pareto")
        observers = Observers(analysis.game, inner, analysis.cells.scale)
        if not observers.observe(analysis.cells.difference(*pair)):
            return pair
    return None


def only_revealing_action(game: Game, name: str, least_actions: int = 2) -> int:
    """Return the one informative action of a game of two outcomes, or say why there is none."""
    informative = [a for a in range(game.n_actions) if game.informative(a)]
    if game.n_outcomes != 2 or len(informative) != 1 or game.n_actions < least_actions:
        raise SidelightError(
            f"{name} plays games of two outcomes in which exactly one action reveals them; "
            f"this one has {game.n_outcomes} outcomes and {len(informative)} informative actions"
        )
    return informative[0]
