"""How fast one core can play: CBP and RandCBP for two games, each typed out by hand with nothing general left.

What the engine costs per round is measured as a ratio to these loops (see `loop.py`), and the distribution of its
regret is compared with theirs (see the tests of the simulation), since they share no line with it.

Both games come down to one number, the difference of the two frequencies that the informative action has shown, and
to whether it is further from 0 than the width z / sqrt(n). `law` is the probability of outcome 0.
"""

import math

from numba import njit

ALPHA, SIGMA, BINS, TAIL = 1.01, 1.0, 5, 1e-7


@njit(nogil=True)
def width(bound, bins, rng):
    """Draw Z from an even grid on [0, bound]: the bound with probability TAIL, the other points like a Gaussian."""
    gap = bound / (bins - 1)
    mass = 0.0
    for k in range(bins - 1):
        mass += math.exp(-0.5 * (k * gap / SIGMA) ** 2)
    left = rng.random() * mass / (1.0 - TAIL)
    for k in range(bins - 1):
        left -= math.exp(-0.5 * (k * gap / SIGMA) ** 2)
        if left < 0.0:
            return k * gap
    return bound


@njit(nogil=True)
def apple_tasting(law, horizon, bins, rng):
    """Return the regret: action 1 shows the outcome and is right for outcome 0, action 0 is blind and right for 1."""
    shown = firsts = regret = 0.0
    gap = abs(2.0 * law - 1.0)
    best = 1 if law > 0.5 else 0
    for t in range(horizon):
        action = t
        if t >= 2:
            z = math.sqrt(ALPHA * math.log(t))
            if bins > 1:
                z = width(z, bins, rng)
            # Sold untasted only when outcome 1 is surely the more frequent one.
            delta = (2.0 * firsts - shown) / shown
            action = 0 if delta < 0.0 and -delta >= z / math.sqrt(shown) else 1
        first = rng.random() < law
        if action != best:
            regret += gap
        if action == 1:
            shown += 1.0
            firsts += first
    return regret


@njit(nogil=True)
def label_efficient(law, horizon, bins, rng):
    """Return the regret: action 0 costs 1 and shows the outcome; action 1 is right for outcome 1, action 2 for 0."""
    shown = firsts = regret = 0.0
    least = min(law, 1.0 - law)
    for t in range(horizon):
        action = t
        if t >= 3:
            z = math.sqrt(ALPHA * math.log(t))
            if bins > 1:
                z = width(z, bins, rng)
            delta = (2.0 * firsts - shown) / shown
            if abs(delta) >= z / math.sqrt(shown) and delta != 0.0:
                action = 2 if delta > 0.0 else 1
            else:
                # Undecided: ask, unless action 0 has been asked often enough for now.
                action = 0 if shown <= (ALPHA * t * t * math.log(t)) ** (1 / 3) else 1
        first = rng.random() < law
        regret += (1.0 if action == 0 else law if action == 1 else 1.0 - law) - least
        if action == 0:
            shown += 1.0
            firsts += first
    return regret


GAMES = {"apple-tasting": apple_tasting, "label-efficient": label_efficient}
