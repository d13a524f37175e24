"""ProspectSide as its documentation describes it, with matrices: slow and obvious."""

import numpy as np

from sidelight.analysis import analyze


class NaiveBelief:
    """The linear belief, or with dimension 0 the constant one; at most a thousand symbols, since it keeps all."""

    def __init__(self, game, dimension):
        self.game, self.d = game, dimension
        loss = np.array(game.loss, float)
        self.loss = (loss - loss.min(axis=0)) / (loss.max(axis=0) - loss.min(axis=0)).max()
        analysis = analyze(game)
        copies = {a for group in analysis.duplicates for a in group[1:]}
        self.pareto = [a for a in analysis.pareto if a not in copies]
        self.neighbors = analysis.neighbors
        self.M = game.n_outcomes
        self.E, self.D = self.M - 1, dimension + 1
        # groups[a][u]: which outcomes show symbol u of action a, as a vector of 0 and 1
        self.groups = [
            np.array([[symbol == shown for shown in game.feedback[a]] for symbol in game.symbols(a)], float)
            for a in range(game.n_actions)
        ]
        self.kernel = 2 * (np.eye(self.E) - 1 / self.M)
        self.labels = []
        self.last_seen = self.last_round = 0
        self.next_search = 64
        self.precision, self.noise = 0.2, 0.5 / 20.5 / self.E if dimension else 0.0
        self.mean, self.scale = np.zeros(dimension), np.zeros(dimension)
        self.m, self.S = np.zeros(self.E * self.D), np.linalg.inv(np.kron(self.kernel, 0.2 * np.eye(self.D)))
        self.A = np.zeros_like(self.S)

    # The model.

    def features(self, x):
        with np.errstate(all="ignore"):
            z = np.where(self.scale > 0, (x[: self.d] - self.mean) / self.scale, 0.0)
        return np.append(z, 1.0)

    def lift(self, z):
        return np.kron(np.eye(self.E), z[:, None])  # (P, E)

    def softmax(self, eta):
        weights = np.exp(np.append(eta, 0.0) - max(0.0, eta.max()))
        return weights / weights.sum()

    def probabilities(self, q, noise):
        return noise + (1 - self.M * noise) * q

    def gradients(self, q, noise):
        """Return dp / deta, (M, E)."""
        return (1 - self.M * noise) * (np.diag(q) - np.outer(q, q))[:, : self.E]

    def score_and_information(self, action, symbol, q, noise):
        slopes = self.groups[action] @ self.gradients(q, noise)
        mass = self.groups[action] @ self.probabilities(q, noise)
        return slopes[symbol] / mass[symbol], slopes.T @ (slopes / mass[:, None])

    def temper(self, eta, V):
        q = self.softmax(eta)
        full = np.zeros((self.M, self.M))
        full[: self.E, : self.E] = V
        spread = np.diag(full)[:, None] + np.diag(full)[None, :] - 2 * full
        weights = np.outer(q, q) + 1e-12
        pairs = np.tril_indices(self.M, -1)
        return 1 / np.sqrt(1 + np.pi / 8 * (weights * spread)[pairs].sum() / weights[pairs].sum())

    def best(self, p):
        cost = self.loss @ p
        least = min(cost[a] for a in self.pareto)
        tied = [a for a in self.pareto if cost[a] < least + 1e-12]
        return max(tied, key=lambda a: (len(self.groups[a]), -a))

    def rivals(self, best):
        return [j if i == best else i for i, j in self.neighbors if best in (i, j)]

    def corrected(self, best, other, noise):
        difference = self.loss[other] - self.loss[best]
        return (1 - self.M * noise) * difference + noise * difference.sum()

    def curvature_to_border(self, q, noise):
        best = self.best(self.probabilities(q, noise))
        margins = []
        for other in self.rivals(best):
            terms = self.corrected(best, other, noise) * q
            if (terms > 0).any() and (terms < 0).any():
                margins.append(abs(np.log(terms[terms > 0].sum() / -terms[terms < 0].sum())))
        if not margins or min(margins) < 0.2:
            return 1.0
        h = min(30.0, *margins)
        drop = np.log(2) - np.log1p(np.exp(-h)) - h / (1 + np.exp(h))
        return 2 * drop / h**2 * (1 + np.exp(h)) * (1 + np.exp(-h))

    def predict(self, x):
        """Set what follows at a context."""
        self.Z = self.lift(self.features(x))
        self.U, self.eta = self.S @ self.Z, self.Z.T @ self.m
        self.V = self.Z.T @ self.U
        self.tau = self.temper(self.eta, self.V)
        self.q = self.softmax(self.tau * self.eta)
        self.p = self.probabilities(self.q, self.noise)

    # Refits.

    def prior(self, precision):
        return np.kron(self.kernel, np.diag(np.append(np.full(self.d, precision), 0.2)))

    def spread(self):
        m, S = self.m.reshape(self.E, self.D), np.diag(self.S).sum() / self.E
        return ((m[:, :-1] ** 2).sum() / self.E + S) * (1 + 0.16 * S)

    def due(self, t, contexts):
        seen = len(self.labels)
        if seen > self.last_seen and (seen < 60 or seen >= 1.1 * self.last_seen):
            return True
        X = contexts[:, : self.d]
        moved = (X.std(axis=0) > 2 * self.scale).any() or (abs(X.mean(axis=0) - self.mean) > X.std(axis=0)).any()
        return bool((t > 1 and t >= 2 * self.last_round) or moved)

    def refit(self, t, contexts):
        before, X = self.spread(), contexts[:, : self.d]
        self.change_units(X.mean(axis=0), np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 0.0))
        n = self.last_seen = len(self.labels)
        self.last_round = t
        block = np.kron(self.kernel, np.diag(np.append(np.ones(self.d), 0.0)))
        known = max(0.0, self.E * self.d - self.precision * np.trace(block @ self.S))
        scarcity, least = len(self.m) / (len(self.m) + n), max(1, len(self.m) / 12) ** 2 / (n + 1)
        found = (known + 0.6 * scarcity) / (self.m @ block @ self.m + 3 * scarcity)
        self.precision = max(1e-4, least, found)
        Z, taus, flips = [], [], 0.0
        for x, action, symbol in self.labels:
            self.predict(x)
            Z.append(self.Z)
            taus.append(self.tau)
            group = self.groups[action][symbol]
            flips += self.noise * (group @ (1 - self.q)) / (group @ self.p)
        if n and self.d:
            self.noise = min(0.9 / self.M, (flips + 0.5) / (n + 20.5) / self.E)
            if n >= self.next_search:
                self.next_search = 2 * n
                self.search(Z, block)
        self.m, self.S, _ = self.fit(self.m, Z, taus, self.noise, self.precision)
        if self.d:
            P = self.prior(self.precision)
            self.S = np.linalg.inv(self.derive(self.m, Z, taus, self.noise, P, to_border=True)[1])
        self.A *= np.sqrt(before / self.spread())

    def change_units(self, mean, scale):
        """Express m, S and A in new means and scales; a move of the mean only matters for m."""
        ratio = np.ones(self.D)
        for c in range(self.d):
            if self.scale[c] > 0:
                self.m[self.d :: self.D] += (mean[c] - self.mean[c]) / self.scale[c] * self.m[c :: self.D]
                ratio[c] = scale[c] / self.scale[c] if scale[c] > 0 else 1.0
        full = np.tile(ratio, self.E)
        self.m, self.S, self.A = self.m * full, self.S * np.outer(full, full), self.A / np.outer(full, full)
        self.mean, self.scale = mean, scale

    def objective(self, m, Z, taus, noise, P):
        value = 0.5 * m @ P @ m
        for z, tau, (_, action, symbol) in zip(Z, taus, self.labels, strict=True):
            mass = self.groups[action][symbol] @ self.probabilities(self.softmax(tau * (z.T @ m)), noise)
            value -= np.log(mass) / tau
        return value

    def derive(self, m, Z, taus, noise, P, to_border=False):
        gradient, F = -P @ m, P.copy()
        for z, tau, (_, action, symbol) in zip(Z, taus, self.labels, strict=True):
            q = self.softmax(tau * (z.T @ m))
            e, W = self.score_and_information(action, symbol, q, noise)
            gradient += z @ e
            F += tau * (self.curvature_to_border(q, noise) if to_border else 1.0) * z @ W @ z.T
        return gradient, F

    def fit(self, m, Z, taus, noise, precision):
        P, length, value, decrement, start = self.prior(precision), 1.0, np.inf, 0.0, m
        for _ in range(16):
            trial = self.objective(m, Z, taus, noise, P)
            gradient, F = self.derive(m, Z, taus, noise, P)
            if decrement < 1e-3 or trial <= value - 0.1 * length * decrement:
                ending = value < np.inf and decrement < 1e-3
                value, length, start = trial, 1.0, m
                step = np.linalg.solve(F, gradient)
                decrement = gradient @ step
                if ending or decrement < 1e-6:
                    break
            else:
                length /= 2
            m = start + length * step
        rate = self.E * noise
        evidence = value + np.linalg.slogdet(F)[1] / 2 - self.E * self.d * np.log(precision) / 2
        if rate:
            evidence -= 0.5 * np.log(rate) + 20 * np.log(1 - rate)
        return m, np.linalg.inv(F), evidence

    def search(self, Z, block):
        ones, size = np.ones(len(Z)), max(1e-6, self.m @ block @ self.m)
        factor, base = max(1.0, 6 / np.sqrt(size)), self.m
        self.m, _, evidence = self.fit(base, Z, ones, self.noise, self.precision)
        for rate in (0.05, 0.12, 0.22):
            if rate > self.E * self.noise:
                noise, precision = rate / self.E, self.E * self.d / (size * factor**2)
                m, _, other = self.fit(factor * base, Z, ones, noise, precision)
                if other < evidence - 1:
                    evidence, self.m, self.noise, self.precision = other, m, noise, precision

    # What a look may earn.

    def consider(self, x, t):
        """Return VOI of each action."""
        self.predict(x)
        share, z = 5.0 / (t + 4.0) if self.d else 1.0, self.features(x)
        self.A = (1 - share) * self.A + share * np.kron(
            self.weights(self.best(self.p), self.eta, self.V), np.outer(z, z)
        )
        values = np.zeros(len(self.groups))
        for a, group in enumerate(self.groups):
            if len(group) > 1:
                _, W = self.score_and_information(a, 0, self.q, self.noise)
                reduction = np.linalg.solve(np.eye(self.E) + W @ self.V, W)
                values[a] = max(0.0, np.trace(reduction @ (self.U.T @ self.A @ self.U)))
        return values

    def weights(self, best, eta, V):
        total = np.zeros((self.E, self.E))
        for other in self.rivals(best):
            c = self.corrected(best, other, self.noise)
            terms = c * self.softmax(eta)
            above, below = terms[terms > 0].sum(), -terms[terms < 0].sum()
            if above == 0 or below == 0:
                continue
            margin = np.log(above / below)
            slope = np.where(terms > 0, terms / above, terms / below)[: self.E]
            variance = slope @ V @ slope
            if margin**2 > 60 * variance:
                continue
            q = self.softmax(eta - margin / variance * V @ slope)
            g = (q * (c - c @ q))[: self.E]
            sigma = np.sqrt(g @ V @ g)
            half = np.ptp(self.loss[other] - self.loss[best]) / 2
            density = np.exp(-(margin**2) / variance / 2) / np.sqrt(2 * np.pi)
            total += density / (2 * sigma) / np.sqrt(1 + 0.64 * (sigma / half) ** 2) * np.outer(g, g)
        return total


class NaiveProspectSide:
    """Plays a game with contexts."""

    def __init__(self, game, dimension, horizon=None, caution=1.0):
        self.game, self.horizon, self.caution = game, horizon, caution
        self.linear, self.constant = NaiveBelief(game, dimension), NaiveBelief(game, 0)
        self.loss, self.looking = self.linear.loss, [len(group) > 1 for group in self.linear.groups]
        self.contexts, self.pending = [], []
        self.t = self.looks = self.bought = 0
        self.under_way, self.blind_under_way, self.odds, self.owed = 0.0, 0.0, 0.0, 0.0
        self.cost = np.zeros(game.n_actions)
        self.shown = [[np.zeros(len(group)) for group in self.linear.groups] for _ in range(2)]

    def act(self, x):
        self.t += 1
        self.contexts.append(np.array(x, float))
        self.under_way *= 1 - 0.25 / self.t
        self.blind_under_way *= 1 - 0.25 / self.t
        X = np.array(self.contexts)
        if self.constant.due(self.t, X):
            self.blind_under_way = max(0.0, self.blind_under_way - len(self.constant.labels) + self.constant.last_seen)
            self.constant.refit(self.t, X)
        if self.linear.due(self.t, X):
            self.under_way = max(0.0, self.under_way - len(self.linear.labels) + self.linear.last_seen)
            self.linear.refit(self.t, X)
        chances, values = self.constant.consider(x, self.t), self.linear.consider(x, self.t)
        w = 1 / (1 + np.exp(3 * self.odds))
        blind = self.blind_look(w * chances)
        law = w * self.constant.p + (1 - w) * self.linear.p
        expected, best = self.loss @ law, self.linear.best(law)
        self.cost += 5.0 / (self.t + 4.0) * (expected - expected[best] - self.cost)
        chosen = self.choose(w, expected, values, best) if blind is None else blind
        if blind is not None:
            self.pending.append(tuple(x))
            self.blind_under_way += 1
            self.owed = max(self.owed - 1, -3.0)
        if self.looking[chosen]:
            self.looks += 1
            self.under_way += 1
            self.bought += chosen != best
        return chosen

    def newness(self, belief, waiting):
        known = belief.last_seen + len(belief.m)
        return (known / (known + waiting)) ** 2

    def blind_look(self, values):
        known = self.horizon is not None and self.t < self.horizon
        left = self.horizon - self.t if known else self.t + 200 * np.sqrt(self.t + 10)
        rounds = self.caution * left * self.newness(self.constant, self.blind_under_way)
        gains = {a: rounds * values[a] - self.cost[a] for a, looking in enumerate(self.looking) if looking}
        best = max(gains, key=lambda a: (gains[a], -a))
        if gains[best] > -1e-9:
            return best
        return self.owed_action if self.owed >= 1 else None

    def choose(self, w, expected, values, best):
        share = self.bought / max(1, self.looks)
        rounds = (1.5 + 2 * share) * self.t
        if self.horizon is not None and self.t < self.horizon:
            early = 1.5 * self.t * np.log(self.horizon / self.t)
            rounds = (1 - share**4) * min(rounds, self.horizon - self.t) + share**4 * early
        rounds *= (1 - w) * self.caution * self.newness(self.linear, self.under_way)
        net = {a: expected[a] - rounds * values[a] for a in range(len(expected)) if self.looking[a] or a == best}
        chosen = best if net[best] < min(net.values()) + 1e-12 else min(net, key=lambda a: (net[a], a))
        if chosen != best:
            self.owed += 2 * w * (1 - w)
            self.owed_action = chosen
        return chosen

    def observe(self, x, action, symbol):
        if not self.looking[action]:
            return
        blind = tuple(x) in self.pending
        if blind:
            self.pending.remove(tuple(x))
        self.linear.predict(x)
        self.constant.predict(x)
        shown, group = self.shown[blind][action], self.linear.groups[action][symbol]
        plain = (shown[symbol] + 20 * (group @ self.constant.p)) / (shown.sum() + 20)
        n = len(self.linear.labels)
        added = np.log(0.5 + 0.5 * (group @ self.linear.p) / plain) * n / (n + len(self.linear.m))
        self.odds = self.odds * n / (n + 1) + added
        shown[symbol] += 1
        self.linear.labels.append((np.array(x, float), action, symbol))
        if blind:
            self.constant.labels.append((np.array(x, float), action, symbol))
