"""`analyze(game)`: everything about a game that does not depend on how it is played."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from sidelight.analysis.cells import ActionCertificate, Cells, NeighborCertificate, Status
from sidelight.analysis.envelope import TwoOutcomeEnvelope
from sidelight.analysis.observability import ObservabilityCertificate, ObserverKind, Observers, ObserverVectors
from sidelight.errors import NoActionError, SidelightError, WrongTypeError
from sidelight.game import Game

Kind = Literal["trivial", "easy", "hard", "hopeless"]
Pair = tuple[int, int]


def analyze(game: Game) -> Analysis:
    """Work out exactly what kind of problem a game is, with a proof of every answer.

    Examples
    --------
    >>> import sidelight as sl
    >>> a = sl.analyze(sl.Game([[1, 0], [0, 1]], [["?", "?"], ["a", "b"]]))
    >>> a.kind, a.neighbors, a.observer_vectors(0, 1)
    ('easy', ((0, 1),), {0: (Fraction(0, 1),), 1: (Fraction(1, 1), Fraction(-1, 1))})
    """
    if not isinstance(game, Game):
        raise WrongTypeError(f"analyze needs a Game, not {type(game).__name__}: make one with Game(loss, feedback)")
    return _shared_analysis(game, Analysis)


def _shared_analysis(game: Game, make: Callable[[Game], Analysis]) -> Analysis:
    """Return this process's analysis of a game, or make it."""
    # Equal games may have different names, and equal symbols may be written differently.
    key = (repr(game), game.actions, game.outcomes)
    with _lock:
        known = _recent.pop(key, None)
        analysis = known if known is not None and known.game == game else make(game)
        _recent[key] = analysis
        while len(_recent) > _MOST_RECENT:
            del _recent[next(iter(_recent))]
    return analysis


def _unpickled_analysis(facts: dict[str, Any]) -> Analysis:
    """Return this process's analysis of the game, or the one that was pickled."""

    def remake_analysis(game: Game) -> Analysis:
        analysis = object.__new__(Analysis)
        vars(analysis).update(facts, **{name: {} for name in _CACHES})
        return analysis

    return _shared_analysis(facts["game"], remake_analysis)


# All strategies that play a game share its analysis, and so share what they learn about plausible sets.
_recent: dict[tuple[Any, ...], Analysis] = {}
_MOST_RECENT = 32
_CACHES = ("_observers", "learned")
_lock = threading.Lock()


class Analysis:
    """The exact geometry of one game. Make it with `analyze`.

    Attributes
    ----------
    kind
        "trivial": one action is optimal whatever the outcomes; "easy": every pair of neighbors is locally observable,
        and regret grows like the square root of the horizon T; "hard": some pair is observable only with the help of
        other actions, and regret grows like T^(2/3); "hopeless": some pair of neighbors cannot be told apart at all,
        and regret is linear.
    pareto, degenerate, dominated
        Actions by the dimension of their cell; together all actions, duplicates included.
    duplicates
        Classes of equal loss rows with more than one member.
    neighbors
        Pairs (i, j), i < j, of neighbors; a class of duplicates is represented by its lowest index.
    learned
        What strategies found out about the game and share with all others that play it; it is never saved.

    References
    ----------
    G. Bartók, D. Foster, D. Pál, A. Rakhlin, Cs. Szepesvári, "Partial monitoring: classification, regret bounds, and
    algorithms", Mathematics of Operations Research, 2014.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.cells = TwoOutcomeEnvelope(game) if game.n_outcomes == 2 else Cells(game)
        self._observers: dict[tuple[int, ...], Observers] = {}
        self.learned: dict[Any, Any] = {}
        every = range(game.n_actions)
        self.pareto = tuple(i for i in every if self.cells.status(i) == "pareto")
        self.degenerate = tuple(i for i in every if self.cells.status(i) == "degenerate")
        self.dominated = tuple(i for i in every if self.cells.status(i) == "dominated")
        groups: dict[int, list[int]] = {}
        for i in every:
            groups.setdefault(self.cells.representative[i], []).append(i)
        self.duplicates = tuple(tuple(group) for group in groups.values() if len(group) > 1)
        self.neighbors: tuple[Pair, ...] = self.cells.neighbors

    def __reduce__(self) -> tuple[Any, ...]:
        # Leave out the caches, which other threads may change; what is learned can be large, and each process shares
        # its own.
        return _unpickled_analysis, ({name: value for name, value in dict(vars(self)).items() if name not in _CACHES},)

    def __deepcopy__(self, memo: dict[int, Any]) -> Analysis:
        return self  # nothing changes it but what it learns, which all should share

    @cached_property
    def kind(self) -> Kind:
        """The class of the game. Only neighbors need to be observable: a dominated action need not be observed."""
        if not self.neighbors:
            return "trivial"
        if all(self.locally_observable(i, j) for i, j in self.neighbors):
            return "easy"
        return "hard" if self.unobservable is None else "hopeless"

    @cached_property
    def unobservable(self) -> Pair | None:
        """The first pair of neighbors that no combination of symbols can tell apart, if there is one."""
        return next((pair for pair in self.neighbors if not self.globally_observable(*pair)), None)

    def status(self, i: int) -> Status:
        """Return "pareto", "degenerate" or "dominated"."""
        return self.cells.status(self._action(i))

    def neighborhood(self, i: int, j: int) -> tuple[int, ...]:
        """Return N+ of a pair of neighbors: the actions that are optimal wherever both of them are."""
        return self._neighborhood[self._pair(i, j)]

    @cached_property
    def _neighborhood(self) -> dict[Pair, tuple[int, ...]]:
        return {pair: self.cells.on_line(*pair) for pair in self.neighbors}

    def locally_observable(self, i: int, j: int) -> bool:
        """Say whether the neighborhood of a pair of neighbors observes its loss difference."""
        return self._local[self._pair(i, j)]

    @cached_property
    def _local(self) -> dict[Pair, bool]:
        return {
            pair: self.globally_observable(*pair) and self._observing(inner).observe(self.cells.difference(*pair))
            for pair, inner in self._neighborhood.items()
        }

    def globally_observable(self, i: int, j: int) -> bool:
        """Say whether all actions together observe the loss difference of any two actions."""
        return self._residuals[self._action(i)] == self._residuals[self._action(j)]

    @cached_property
    def _residuals(self) -> list[tuple[int, ...]]:
        # The residual is linear, so a difference is observable exactly if both loss rows have the same residual.
        return [self._observing(self._everyone).residual(row) for row in self.cells.loss]

    def observers(self, i: int, j: int) -> tuple[int, ...]:
        """Return V of a pair of neighbors: its neighborhood if that observes the difference, else all actions."""
        pair = self._pair(i, j)
        if not self.globally_observable(*pair):
            raise SidelightError(f"no actions observe {self._names(*pair)}: the game is hopeless")
        return self._neighborhood[pair] if self._local[pair] else self._everyone

    def observer_vectors(self, i: int, j: int, kind: ObserverKind = "minimum-norm") -> ObserverVectors:
        """Return v with L_i - L_j = sum_a S_a' v_a over the observers a, each v_a over the symbols of a.

        `kind` is "minimum-norm" (least sum of squares), "half-range" (least sum of half-ranges, what Hoeffding's
        inequality charges for) or "max-norm" (least largest entry).
        """
        watching = self._observing(self.observers(i, j))
        return watching.vectors(self.cells.difference(i, j), kind)

    def action_certificate(self, i: int) -> ActionCertificate:
        """Return the proof of an action's status."""
        return self.cells.certificates[self.cells.representative[self._action(i)]]

    def neighbor_certificate(self, i: int, j: int) -> NeighborCertificate:
        """Return the proof that two Pareto-optimal actions with different losses are neighbors, or are not."""
        a, b = self._representatives(i, j)
        if a == b or not {a, b} <= set(self.cells.pareto):
            raise SidelightError(f"{self._names(i, j)} are not two Pareto-optimal actions with different losses")
        answer = self.cells.neighbor_certificate(min(a, b), max(a, b))
        if answer.neighbors or a < b:
            return answer
        # From the other side: L_k - L_j = (L_k - L_i) + (L_i - L_j), and the difference changes its sign.
        assert answer.actions is not None
        assert answer.difference is not None
        weight = sum(answer.actions.values(), Fraction(0))
        return answer._replace(difference=weight - answer.difference)

    def observability_certificate(
        self, i: int, j: int, scope: Literal["local", "global"] = "local"
    ) -> ObservabilityCertificate:
        """Return the proof that neighbors (with scope="global", any two actions) can or cannot be told apart."""
        if scope not in ("local", "global"):
            raise SidelightError(f"scope is {scope!r}: choose 'local' or 'global'")
        actions = self._everyone if scope == "global" else self.neighborhood(i, j)
        return self._observing(actions).certificate(self.cells.difference(self._action(i), self._action(j)))

    def explain(self) -> str:
        """Return the analysis in words, with its reasons."""
        from sidelight.analysis.explanation import explain_analysis

        return explain_analysis(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold; fractions as integers or as text such as "1/3"."""
        from sidelight.analysis.explanation import analysis_to_dict

        return analysis_to_dict(self)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Return a Matplotlib figure of the cells, or of the graph of neighbors if there are more than three outcomes.

        With a `path` also write the figure (.svg, .pdf or .png).
        """
        from sidelight.report.plotting import plot_analyzed_game

        return plot_analyzed_game(self, path)

    def __repr__(self) -> str:
        name = self.game.name or "game"
        counts = f"{len(self.pareto)} Pareto-optimal, {len(self.neighbors)} neighbor pairs"
        return f"<Analysis of {name}: {self.kind}, {counts}>"

    @cached_property
    def _everyone(self) -> tuple[int, ...]:
        return tuple(range(self.game.n_actions))

    def _observing(self, actions: tuple[int, ...]) -> Observers:
        if actions not in self._observers:
            self._observers[actions] = Observers(self.game, actions, self.cells.scale)
        return self._observers[actions]

    def _action(self, i: int) -> int:
        if not 0 <= i < self.game.n_actions:
            raise NoActionError(f"there is no action {i}: actions are numbered 0 to {self.game.n_actions - 1}")
        return i

    def _representatives(self, i: int, j: int) -> Pair:
        return self.cells.representative[self._action(i)], self.cells.representative[self._action(j)]

    def _pair(self, i: int, j: int) -> Pair:
        """Return the pair of neighbors that represents i and j, each of which may have duplicates."""
        a, b = self._representatives(i, j)
        pair = (min(a, b), max(a, b))
        if pair not in self._position:
            pairs = ", ".join(map(str, self.neighbors[:8])) + (" ..." if len(self.neighbors) > 8 else "")
            raise SidelightError(
                f"{self._names(i, j)} are not neighbors; the pairs of neighbors are: {pairs or 'none'}"
            )
        return pair

    @cached_property
    def _position(self) -> dict[Pair, int]:
        return {pair: index for index, pair in enumerate(self.neighbors)}

    def _names(self, i: int, j: int) -> str:
        named = [f"{k}" if self.game.actions[k] == str(k) else f"{k} ({self.game.actions[k]})" for k in (i, j)]
        return f"actions {named[0]} and {named[1]}"
