"""Slow, obvious twins of what the library computes: exact fractions, brute force, no solver.

The geometry of a game is found from the corners of its cells. The cell of action i is the polytope of the outcome laws
under which no action is better than i; its corners are found by starting with the corners of the simplex and cutting
off one half-space after another. Everything else is counted from the corners.
"""

from fractions import Fraction
from itertools import combinations


def dot(row, column):
    return sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0))


def minus(row, other):
    return tuple(a - b for a, b in zip(row, other, strict=True))


def rank(rows):
    """Rank of a matrix, by elimination."""
    rows = [list(map(Fraction, row)) for row in rows]
    found = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((r for r in range(found, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for r in range(found + 1, len(rows)):
            factor = rows[r][column] / rows[found][column]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[found], strict=True)]
        found += 1
    return found


def in_span(vector, rows):
    return rank([*rows, vector]) == rank(rows)


def dimension(points):
    """Dimension of the convex hull of some points; -1 if there are none."""
    return rank([minus(point, points[0]) for point in points[1:]]) if points else -1


def cut(points, wall, number):
    """Return what the half-space `wall . p >= 0` leaves of a polytope, both as {corner: walls it touches}.

    New corners lie where the wall crosses an edge, and the ends of an edge have walls in common that leave it one
    dimension. Segments that are no edges may pass that count too, but where the wall crosses one of these is no corner:
    it touches fewer walls than some corner of the face it lies in.
    """
    height = {point: dot(wall, point) for point in points}
    left = {p: walls | {number} if height[p] == 0 else walls for p, walls in points.items() if height[p] >= 0}
    for above in points:
        for below in points:
            shared = points[above] & points[below]
            if height[above] > 0 > height[below] and len(shared) >= len(wall) - 2:
                share = height[above] / (height[above] - height[below])
                crossing = tuple(a + share * (b - a) for a, b in zip(above, below, strict=True))
                left[crossing] = shared | {number}
    return {p: walls for p, walls in left.items() if not any(walls < others for others in left.values())}


def corners(losses, action):
    """Corners of the cell of `action`: laws p with (L_k - L_i) p >= 0 for every k."""
    outcomes = range(len(losses[0]))
    points = {tuple(Fraction(m == j) for j in outcomes): frozenset(outcomes) - {m} for m in outcomes}
    for number, other in enumerate(losses, start=len(outcomes)):
        if other != losses[action]:
            points = cut(points, minus(other, losses[action]), number)
    return sorted(points)


class NaiveAnalysis:
    """The geometry of a game, by brute force."""

    def __init__(self, game):
        self.game = game
        self.loss = game.loss
        self.everyone = range(game.n_actions)
        found = {row: corners(game.loss, game.loss.index(row)) for row in set(game.loss)}
        self.cells = [found[row] for row in game.loss]
        self.pareto = self._with_status("pareto")
        self.degenerate = self._with_status("degenerate")
        self.dominated = self._with_status("dominated")
        classes = (tuple(k for k in self.everyone if self.loss[k] == row) for row in dict.fromkeys(self.loss))
        self.duplicates = tuple(members for members in classes if len(members) > 1)
        representatives = [i for i in self.pareto if self.loss.index(self.loss[i]) == i]
        self.neighbors = tuple(pair for pair in combinations(representatives, 2) if self.are_neighbors(*pair))
        self.kind = self._kind()

    def status(self, i):
        size = dimension(self.cells[i])
        if size == self.game.n_outcomes - 1:
            return "pareto"
        return "dominated" if size < 0 else "degenerate"

    def _with_status(self, status):
        return tuple(i for i in self.everyone if self.status(i) == status)

    def border(self, i, j):
        """Corners of the intersection of two cells: the corners of one at which the other action is as good."""
        return [p for p in self.cells[i] if dot(self.loss[i], p) == dot(self.loss[j], p)]

    def are_neighbors(self, i, j):
        both_pareto = self.status(i) == self.status(j) == "pareto"
        different = self.loss[i] != self.loss[j]
        return both_pareto and different and dimension(self.border(i, j)) == self.game.n_outcomes - 2

    def neighborhood(self, i, j):
        """Actions that are optimal wherever both i and j are."""
        shared = self.border(i, j)
        return tuple(k for k in self.everyone if all(dot(self.loss[k], p) == dot(self.loss[i], p) for p in shared))

    def observable(self, i, j, actions):
        """Say whether the symbols of `actions` tell the loss of i from that of j."""
        seen = [row for a in actions for row in signal(self.game.feedback[a])]
        return in_span(minus(self.loss[i], self.loss[j]), seen)

    def locally_observable(self, i, j):
        return self.observable(i, j, self.neighborhood(i, j))

    def globally_observable(self, i, j):
        return self.observable(i, j, self.everyone)

    def observers(self, i, j):
        return self.neighborhood(i, j) if self.locally_observable(i, j) else tuple(self.everyone)

    def _kind(self):
        if not self.neighbors:
            return "trivial"
        if all(self.locally_observable(i, j) for i, j in self.neighbors):
            return "easy"
        return "hard" if all(self.globally_observable(i, j) for i, j in self.neighbors) else "hopeless"


def signal(row):
    """Signal matrix of one feedback row: a 0/1 row for each symbol, by first appearance."""
    return [[int(shown == symbol) for shown in row] for symbol in dict.fromkeys(row)]


def optimal_everywhere(game):
    """Actions whose loss is the least at every outcome; a game is trivial if and only if there is one."""
    least = [min(column) for column in zip(*game.loss, strict=True)]
    return tuple(i for i, row in enumerate(game.loss) if list(row) == least)
