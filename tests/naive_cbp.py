"""A slow, obvious twin of CBP and RandCBP: sets, dictionaries, exact fractions, no solver and no tables.

Whatever is rational is a `Fraction` and compared exactly; roots and logarithms have 40 digits. The outcome laws that
the decided signs leave are found by cutting cells with half-spaces, corner by corner.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

from naive import NaiveAnalysis, cut, dot, minus, signal

DIGITS = 40


def decimal(value):
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def solve(matrix, right):
    """Return one solution x of matrix x = right, or None, by elimination."""
    rows = [[*map(Fraction, row), Fraction(value)] for row, value in zip(matrix, right, strict=True)]
    size, pivots = len(matrix[0]), []
    for column in range(size):
        rank = len(pivots)
        found = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if found is None:
            continue
        rows[rank], rows[found] = rows[found], rows[rank]
        rows[rank] = [value / rows[rank][column] for value in rows[rank]]
        for r in range(len(rows)):
            if r != rank:
                rows[r] = [a - rows[r][column] * b for a, b in zip(rows[r], rows[rank], strict=True)]
        pivots.append(column)
    if any(row[-1] for row in rows[len(pivots) :]):
        return None
    x = [Fraction(0)] * size
    for r, column in enumerate(pivots):
        x[column] = rows[r][-1]
    return x


def shortest_vectors(game, actions, difference):
    """Return the observer vectors of least norm as {action: {symbol: weight}}: v = S x with S'S x = difference."""
    seen = [(a, symbol, row) for a in actions for symbol, row in labeled_signal(game, a)]
    outcomes = range(game.n_outcomes)
    square = [[sum(row[m] * row[k] for _, _, row in seen) for k in outcomes] for m in outcomes]
    x = solve(square, difference)
    assert x is not None
    vectors = {a: {} for a in actions}
    for a, symbol, row in seen:
        vectors[a][symbol] = dot(row, x)
    return vectors


def labeled_signal(game, action):
    row = game.feedback[action]
    return zip(dict.fromkeys(row), signal(row), strict=True)


class NaiveCBP:
    """RandCBP with `bins` > 1, CBP with `bins` = 1; `rng` gives one uniform per pair and round, in the order of pairs.

    `observers` may give {pair: {action: {symbol: weight}}}; the least norm is the default.
    """

    def __init__(self, game, rng=None, alpha=1.01, bins=1, sigma=1.0, tail=1e-7, lower=0.0, observers=None):
        self.game, self.rng, self.bins = game, rng, bins
        self.alpha, self.sigma, self.tail, self.lower = (Decimal(x) for x in (alpha, sigma, tail, lower))
        self.analysis = NaiveAnalysis(game)
        self.pairs = self.analysis.neighbors
        self.difference = {pair: minus(game.loss[pair[0]], game.loss[pair[1]]) for pair in self.pairs}
        self.neighborhood = {pair: set(self.analysis.neighborhood(*pair)) for pair in self.pairs}
        if observers is None:
            observers = {
                (i, j): shortest_vectors(game, self.analysis.observers(i, j), self.difference[i, j])
                for i, j in self.pairs
            }
        self.vectors = observers
        self.informative = {a for a in range(game.n_actions) if len(set(game.feedback[a])) > 1}
        self.norm = {  # of each pair, for the informative actions that matter to it
            pair: {a: norm for a in vectors if a in self.informative and (norm := max(map(abs, vectors[a].values())))}
            for pair, vectors in self.vectors.items()
        }
        self.weight = {a: max([n.get(a, Fraction(0)) for n in self.norm.values()], default=0) for a in self.everyone()}
        self.cell = {i: cell(game.loss, i) for i in self.analysis.pareto}
        self.border = {pair: cut(self.cell[pair[0]], self.difference[pair], "border") for pair in self.pairs}
        self.t = 0
        self.plays = dict.fromkeys(self.everyone(), 0)
        self.seen = {a: dict.fromkeys(game.feedback[a], 0) for a in self.everyone()}
        self.contradictions = 0  # how many rounds had an empty D(t)
        self.zeros = 0  # how many pairs had an estimate of exactly 0
        self.margin = Decimal(1)  # the closest that a comparison of irrational numbers came to equality
        self.tie = ""  # the exact tie of the last round, if there was one
        self.meeting = {}

    def everyone(self):
        return range(self.game.n_actions)

    def observe(self, symbol, action):
        self.seen[action][symbol] += 1

    def act(self):
        with localcontext(prec=DIGITS):
            action = self.choose()
        self.plays[action] += 1
        self.t += 1
        return action

    def choose(self):
        self.tie = ""
        if not self.pairs:
            return self.analysis.pareto[0]
        if self.t < self.game.n_actions:
            return self.t
        plausible, borders = self.plausible(self.signs())
        allowed = plausible.union(*(self.neighborhood[pair] for pair in borders))
        observing = set().union(*(set(self.vectors[pair]) for pair in borders))
        playable = allowed | (observing & self.rarely_played())
        scores = {a: self.weight[a] ** 2 / Fraction(self.plays[a]) for a in sorted(playable)}
        best = [a for a in scores if scores[a] == max(scores.values())]
        if len({self.weight[a] for a in best}) > 1:
            self.tie = "equal scores of unequal weights"
        return best[0]

    def rarely_played(self):
        """R(t): actions played at most W^(2/3) f(t) times."""
        t, third = Decimal(self.t), Decimal(1) / 3
        f = self.alpha**third * t ** (2 * third) * t.ln() ** third
        rates = {a: decimal(w) ** (2 * third) * f if w else Decimal(0) for a, w in self.weight.items()}
        for a, rate in rates.items():
            self.note(rate, self.plays[a])
        return {a for a, rate in rates.items() if self.plays[a] <= rate}

    def signs(self):
        """Return {pair: sign} of the decided pairs, and remember how certain each is."""
        signs, self.certainty = {}, {}
        for pair in self.pairs:
            z = self.draw()
            counts = {a: sum(self.seen[a].values()) for a in self.norm[pair]}
            if not all(counts.values()):
                continue
            delta = self.estimate(pair)
            reach = sum(decimal(norm) / Decimal(counts[a]).sqrt() for a, norm in self.norm[pair].items())
            if z > 0 and delta:
                self.note(abs(decimal(delta)) / (z * reach), 1)
            self.zeros += not delta
            if not delta and z <= 0:
                self.tie = "an estimate of exactly 0"
            if delta and abs(decimal(delta)) >= z * reach:
                signs[pair] = 1 if delta > 0 else -1
                self.certainty[pair] = abs(decimal(delta)) / reach
        return signs

    def estimate(self, pair):
        """Return sum_a v_a . nu_a / n_a; an uninformative action always shows its one symbol."""
        total = Fraction(0)
        for a, vector in self.vectors[pair].items():
            if a not in self.informative:
                total += sum(vector.values())
            elif any(vector.values()):
                n = sum(self.seen[a].values())
                total += sum(weight * self.seen[a][symbol] for symbol, weight in vector.items()) / n
        return total

    def draw(self):
        """Draw Z: points evenly spaced from `lower` to the bound, Gaussian weights, the mass `tail` on the bound."""
        bound = (self.alpha * Decimal(self.t).ln()).sqrt()
        if self.bins == 1:
            return bound
        low, last = min(self.lower, bound), self.bins - 1
        points = [low + (bound - low) * k / last for k in range(last)]
        weights = [(-((point / self.sigma) ** 2) / 2).exp() for point in points]
        u, reached = Decimal(self.rng.random()), Decimal(0)
        for point, weight in zip(points, weights, strict=True):
            reached += weight / sum(weights) * (1 - self.tail)
            self.note(1 + u, 1 + reached)
            if u < reached:
                return point
        return bound

    def plausible(self, signs):
        """Return the plausible actions and pairs, giving up the least certain signs while they are contradictory."""
        signs = dict(signs)
        actions, borders = self.leave(signs)
        self.contradictions += not actions
        while not actions:
            least = min(self.certainty[pair] for pair in signs)
            # Equal certainties may differ in their last digits: the first pair among them goes.
            weakest = next(
                p for p in self.pairs if p in signs and self.certainty[p] <= least * (1 + Decimal(10) ** -30)
            )
            del signs[weakest]
            actions, borders = self.leave(signs)
        return actions, borders

    def leave(self, signs):
        key = frozenset(signs.items())
        if key not in self.meeting:
            rows = [tuple(sign * d for d in self.difference[pair]) for pair, sign in signs.items()]
            actions = {i for i in self.analysis.pareto if meets(self.cell[i], rows)}
            borders = {pair for pair in self.pairs if meets(self.border[pair], rows)}
            self.meeting[key] = actions, borders
        return self.meeting[key]

    def note(self, one, other):
        """Remember how near to a tie a comparison was: floats could decide a very close one otherwise."""
        self.margin = min(self.margin, abs(one / other - 1) if other else Decimal(1))


def cell(losses, action):
    """Return the cell of an action as `cut` wants it: {corner: walls it touches}."""
    outcomes = range(len(losses[0]))
    points = {tuple(Fraction(m == j) for j in outcomes): frozenset(outcomes) - {m} for m in outcomes}
    for number, other in enumerate(losses, start=len(outcomes)):
        if other != losses[action]:
            points = cut(points, minus(other, losses[action]), number)
    return points


def meets(polytope, rows):
    """Say whether some point p of a polytope has row . p > 0 for every row.

    After cutting, the middle of all corners is such a point unless all corners lie on one of the walls.
    """
    for number, row in enumerate(rows):
        if not any(dot(row, point) > 0 for point in polytope):
            return False
        polytope = cut(polytope, row, ("sign", number))
    return all(any(dot(row, point) > 0 for point in polytope) for row in rows)
