"""Which actions are worth playing: of several with equal losses the informative ones, which show more at no cost."""

from __future__ import annotations

from sidelight.analysis import Analysis


def candidates(analysis: Analysis) -> dict[int, list[int]]:
    """Return, for each class of equal losses that can be optimal, its lowest action with those of it worth playing.

    These are the informative actions of the class; where none is informative, the lowest action stands for all.
    """
    game, geometry = analysis.game, analysis.cells
    classes = [i for i in geometry.classes if geometry.status(i) != "dominated"]
    members = {i: [a for a in range(game.n_actions) if geometry.representative[a] == i] for i in classes}
    return {i: [a for a in group if game.informative(a)] or [i] for i, group in members.items()}
