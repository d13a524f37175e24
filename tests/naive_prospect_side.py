"""ProspectSide as its documentation describes it, with matrices and refits that are made at once: slow and obvious."""

import numpy as np

from sidelight.analysis import analyze


class NaiveProspectSide:
    """Plays a game with contexts; at most a thousand symbols, since it keeps all of them."""

    def __init__(self, game, dimension, horizon=None, caution=1.0):
        self.game, self.d, self.horizon, self.caution = game, dimension, horizon, caution
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
        self.contexts, self.labels, self.waiting = [], [], []
        self.looks = self.bought = self.t = self.last_seen = self.last_round = 0
        self.under_way = 0.0
        self.next_search = 64
        self.precision, self.noise = 0.2, 0.5 / 20.5 / self.E
        self.mean, self.scale = np.zeros(dimension), np.zeros(dimension)
        self.m, self.S = np.zeros(self.E * self.D), np.linalg.inv(np.kron(self.kernel, 0.2 * np.eye(self.D)))
        self.A = np.zeros_like(self.S)

    # The model.

    def features(self, x):
        with np.errstate(all="ignore"):
            z = np.where(self.scale > 0, (x - self.mean) / self.scale, 0.0)
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

    def best(self, q, noise):
        cost = self.loss @ self.probabilities(q, noise)
        least = min(cost[a] for a in self.pareto)
        tied = [a for a in self.pareto if cost[a] < least + 1e-12]
        return max(tied, key=lambda a: (len(self.groups[a]), -a))

    def rivals(self, best):
        return [j if i == best else i for i, j in self.neighbors if best in (i, j)]

    def corrected(self, best, other, noise):
        difference = self.loss[other] - self.loss[best]
        return (1 - self.M * noise) * difference + noise * difference.sum()

    def local_weight(self, q, noise):
        best = self.best(q, noise)
        margins = []
        for other in self.rivals(best):
            terms = self.corrected(best, other, noise) * q
            if (terms > 0).any() and (terms < 0).any():
                margins.append(abs(np.log(terms[terms > 0].sum() / -terms[terms < 0].sum())))
        return 1 / (1 + (min(margins) / 3) ** 2) if margins else 1.0

    # One symbol.

    def learn(self, x, action, symbol, seen):
        Z = self.lift(self.features(x))
        U, a = self.S @ Z, Z.T @ self.m
        V = Z.T @ U
        b, r, after, weight, length = a.copy(), np.zeros(self.E), V, 1.0, np.inf
        for step in range(12):
            tau = self.temper(b, after)
            q = self.softmax(tau * b)
            if step == 0 and seen >= 100:
                weight = self.local_weight(q, self.noise)
            e, W = self.score_and_information(action, symbol, q, self.noise)
            W = W * weight * tau
            if length < 1e-2:
                break
            target = np.linalg.solve(np.eye(self.E) + W @ V, weight * e + W @ (b - a))
            move = a + V @ target - b
            length = tau * abs(move).max()
            share = min(1.0, 2.0 / length) if length > 0 else 1.0
            b, r = b + share * move, r + share * (target - r)
            after = np.linalg.solve(np.eye(self.E) + V @ W, V)
        self.m = self.m + U @ r
        self.S = self.S - U @ np.linalg.solve(np.eye(self.E) + W @ V, W) @ U.T

    # Refits.

    def prior(self, precision):
        return np.kron(self.kernel, np.diag(np.append(np.full(self.d, precision), 0.2)))

    def spread(self):
        m, S = self.m.reshape(self.E, self.D), np.diag(self.S).sum() / self.E
        return ((m[:, :-1] ** 2).sum() / self.E + S) * (1 + 0.16 * S)

    def due(self):
        seen = len(self.labels)
        if seen > self.last_seen and (seen < 60 or seen >= 1.1 * self.last_seen):
            return True
        if self.t >= 2 * self.last_round:
            return self.t > 1
        X = np.array(self.contexts)
        return bool((X.std(axis=0) > 2 * self.scale).any() or (abs(X.mean(axis=0) - self.mean) > X.std(axis=0)).any())

    def refit(self):
        X = np.array(self.contexts)
        before = self.spread()
        self.change_units(X.mean(axis=0), np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 0.0))
        n = self.last_seen = len(self.labels)
        self.last_round = self.t
        block = np.kron(self.kernel, np.diag(np.append(np.ones(self.d), 0.0)))
        known = max(0.0, self.E * self.d - self.precision * np.trace(block @ self.S))
        self.precision = max(1e-4, 1 / (n + 1), (known + 0.04) / (self.m @ block @ self.m + 0.2))
        Z = [self.lift(self.features(x)) for x, _, _ in self.labels]
        taus, weights, flips = [], [], 0.0
        for z, (_, action, symbol) in zip(Z, self.labels, strict=True):
            taus.append(self.temper(z.T @ self.m, z.T @ self.S @ z))
            q = self.softmax(taus[-1] * (z.T @ self.m))
            weights.append(self.local_weight(q, self.noise) if n > 100 else 1.0)
            group = self.groups[action][symbol]
            flips += self.noise * (group @ (1 - q)) / (group @ self.probabilities(q, self.noise))
        if n:
            self.noise = min(0.9 / self.M, (flips + 0.5) / (n + 20.5) / self.E)
        self.m, self.S, _ = self.fit(self.m, Z, taus, weights, self.noise, self.precision)
        if n >= self.next_search:
            self.next_search = 2 * n if 2 * n < 1000 else 1000
            self.search(Z, weights, block)
        self.A *= np.sqrt(before / self.spread())

    def change_units(self, mean, scale):
        """Express m and S in new means and scales: theta_new = T theta_old."""
        T, unknown = np.eye(self.D), np.zeros(self.D)
        back = np.eye(self.D)  # z_new = back z_old
        for c in range(self.d):
            ratio = scale[c] / self.scale[c] if self.scale[c] > 0 else 0.0
            T[c, c] = ratio
            back[c, c] = 1 / ratio if ratio else 0.0
            back[c, -1] = -(mean[c] - self.mean[c]) / scale[c] if scale[c] > 0 else 0.0
            unknown[c] = 0.0 if ratio else 1 / self.precision
            T[-1, c] = (mean[c] - self.mean[c]) / scale[c] * ratio if scale[c] > 0 else 0.0
        back = np.kron(np.eye(self.E), back)
        self.A = back @ self.A @ back.T
        T = np.kron(np.eye(self.E), T)
        self.m = T @ self.m
        lonely = np.kron(np.eye(self.E), np.diag(unknown))
        shift = np.kron(np.eye(self.E), np.eye(self.D))
        for k in range(self.E):
            for c in range(self.d):
                if scale[c] > 0:
                    shift[k * self.D + self.d, k * self.D + c] = (mean[c] - self.mean[c]) / scale[c]
        self.S = T @ self.S @ T.T + shift @ lonely @ shift.T
        self.mean, self.scale = mean, scale

    def objective(self, m, Z, taus, weights, noise, P):
        value = 0.5 * m @ P @ m
        for z, tau, weight, (_, action, symbol) in zip(Z, taus, weights, self.labels, strict=True):
            mass = self.groups[action][symbol] @ self.probabilities(self.softmax(tau * (z.T @ m)), noise)
            value -= weight * np.log(mass) / tau
        return value

    def fit(self, m, Z, taus, weights, noise, precision):
        P = self.prior(precision)
        for _ in range(10):
            value = self.objective(m, Z, taus, weights, noise, P)
            gradient, F = -P @ m, P.copy()
            for z, tau, weight, (_, action, symbol) in zip(Z, taus, weights, self.labels, strict=True):
                e, W = self.score_and_information(action, symbol, self.softmax(tau * (z.T @ m)), noise)
                gradient += weight * z @ e
                F += weight * tau * z @ W @ z.T
            step = np.linalg.solve(F, gradient)
            decrement = gradient @ step
            if decrement < 1e-6:
                break
            length, found = 1.0, False
            for _ in range(12):
                trial = self.objective(m + length * step, Z, taus, weights, noise, P)
                if decrement < 1e-3 or trial <= value - 0.1 * length * decrement:
                    m, value, found = m + length * step, trial, True
                    break
                length /= 2
            if not found or decrement < 1e-3:
                break
        rate = self.E * noise
        evidence = value + np.linalg.slogdet(F)[1] / 2 - self.E * self.d * np.log(precision) / 2
        return m, np.linalg.inv(F), evidence - 0.5 * np.log(rate) - 20 * np.log(1 - rate)

    def search(self, Z, weights, block):
        ones = np.ones(len(Z))
        *_, evidence = self.fit(self.m, Z, ones, weights, self.noise, self.precision)
        size = max(1e-6, self.m @ block @ self.m)
        factor = max(1.0, 6 / np.sqrt(size))
        found = None
        for rate in (0.05, 0.12, 0.22):
            if rate > self.E * self.noise:
                noise, precision = rate / self.E, self.E * self.d / (size * factor**2)
                m, _, other = self.fit(factor * self.m, Z, ones, weights, noise, precision)
                if other < evidence - 1:
                    evidence, found = other, (m, noise, precision)
        if found:
            m, self.noise, self.precision = found
            self.m, self.S, _ = self.fit(m, Z, ones, weights, self.noise, self.precision)

    # A round.

    def act(self, x):
        self.t += 1
        self.contexts.append(np.array(x, float))
        if self.t == 1:
            self.mean = self.contexts[0]
        for one in self.waiting:
            self.learn(*one, len(self.labels))
        self.waiting = []
        if self.due():
            self.refit()
        z = self.features(x)
        Z = self.lift(z)
        U, eta = self.S @ Z, Z.T @ self.m
        V = Z.T @ U
        q = self.softmax(self.temper(eta, V) * eta)
        best = self.best(q, self.noise)
        share = 5.0 / (self.t - 1 + 5.0)
        self.A = (1 - share) * self.A + share * np.kron(self.weights(best, eta, V), np.outer(z, z))
        chosen = self.choose(best, q, V, U.T @ self.A @ U)
        self.under_way *= 1 - 0.25 / self.t
        if len(self.groups[chosen]) > 1:
            self.looks += 1
            self.under_way += 1
            self.bought += chosen != best
        return chosen

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

    def choose(self, best, q, V, C):
        share = self.bought / max(1, self.looks)
        rounds = (1.5 + 2 * share) * self.t
        if self.horizon is not None and self.t < self.horizon:
            early = 1.5 * self.t * np.log(self.horizon / self.t)
            rounds = (1 - share**4) * min(rounds, self.horizon - self.t) + share**4 * early
        known = len(self.labels) + self.E * self.D
        rounds *= self.caution * (known / (known + self.under_way)) ** 2
        cost = self.loss @ self.probabilities(q, self.noise)
        net = {best: cost[best]}
        for a, group in enumerate(self.groups):
            if len(group) > 1:
                _, W = self.score_and_information(a, 0, q, self.noise)
                net[a] = cost[a] - rounds * max(0.0, np.trace(np.linalg.solve(np.eye(self.E) + W @ V, W) @ C))
        least = min(net.values())
        return best if net[best] < least + 1e-12 else min(net, key=lambda a: (net[a], a))

    def observe(self, x, action, symbol):
        if len(self.groups[action]) > 1:
            self.labels.append((np.array(x, float), action, symbol))
            self.waiting.append(self.labels[-1])
            self.under_way = max(0.0, self.under_way - 1)
