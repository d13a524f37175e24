"""The exact program of exploration by optimization, by a general solver: slow, and meant for small games."""

import numpy as np
from scipy.optimize import minimize


def exact_terms(loss, shown, members, q, eta, p, G):
    """Return, for each outcome and each c in Pi, the quantity whose largest value the exact program minimizes."""
    weights = np.zeros(len(loss))
    weights[members] = q
    found = []
    for x in range(loss.shape[1]):
        estimates = G[shown[:, x]]  # (actions, members)
        z = eta * estimates / np.maximum(p, 1e-12)[:, None]
        cost = (p * ((np.exp(np.minimum(-z, 50)) + z - 1) @ q)).sum() / eta**2
        shift = q @ (loss[members, x] - estimates.sum(axis=0))
        bias = estimates.sum(axis=0) - loss[members, x]
        found.append(((p - weights) @ loss[:, x] + shift + bias) / eta + cost)
    return np.array(found)


def exact_value(loss, shown, members, q, eta, p, G):
    """Return the exact program's objective at p and G."""
    return exact_terms(loss, shown, members, q, eta, p, G).max()


def solve_exactly(loss, shown, members, q, eta, p, G):
    """Return value, p and G of the exact program, from a feasible start; symbols without an estimate keep none."""
    actions, free = len(loss), np.flatnonzero(G.any(axis=1))

    def parts(v):
        estimates = np.zeros_like(G)
        estimates[free] = v[actions:-1].reshape(len(free), -1)
        return v[:actions], estimates

    def slack(v):
        return (v[-1] - exact_terms(loss, shown, members, q, eta, *parts(v)).ravel()) / scale

    start = np.concatenate([p, G[free].ravel(), [exact_value(loss, shown, members, q, eta, p, G)]])
    scale = max(1.0, abs(start[-1]))
    constraints = [{"type": "eq", "fun": lambda v: v[:actions].sum() - 1}, {"type": "ineq", "fun": slack}]
    least = np.where(np.isin(shown, free).any(axis=1), 1e-3, 0.0)
    bounds = [*((low, 1) for low in least), *[(-2, 2)] * (len(start) - actions - 1), (None, None)]
    options = {"maxiter": 1000, "ftol": 1e-12}
    found = minimize(lambda v: v[-1] / scale, start, bounds=bounds, constraints=constraints, options=options)
    return exact_value(loss, shown, members, q, eta, *parts(found.x)), *parts(found.x)
