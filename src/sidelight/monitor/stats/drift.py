"""Whether the error rate of a class has changed: Shiryaev-Roberts with Bayes factors, in both directions.

After n answers since the restart, of which e_n were errors, and with e_(j:n) errors among those after the j-th,

    R_n = sum over j = n - W, ..., n - 1 of
          B(a + e_j, b + j - e_j) B(a + e_(j:n), b + n - j - e_(j:n)) / [B(a, b) B(a + e_n, b + n - e_n)]

with (a, b) = (1/2, 4) and W = 600. Each term is the evidence that the rate changed after the j-th answer, from one rate
to another, both unknown with the law Beta(a, b), against one rate throughout. While the rate does not change, R_n - n
does not rise on average over that law, so that R_n first reaches A after A answers or more on average: A says how rare
false alarms are (Shiryaev 1963; Roberts 1966; Pollak 1985 for mixtures). With one more answer each term is multiplied
by the ratio of two predictive probabilities.
"""

from __future__ import annotations

import math

import numpy as np

WINDOW = 600
_A, _B = 0.5, 4.0
_LOG_BETA = math.lgamma(_A) + math.lgamma(_B) - math.lgamma(_A + _B)
_SMALLEST = 16
_MOST_SCALED = 1e100
# 1 / (a + b + k), k answers after j: the view from W - p on has them for the places of a ring whose newest is p.
_SHARES = 1.0 / (_A + _B + np.arange(2 * WINDOW, 0, -1) % WINDOW)


def log_marginal_likelihood(n: float, e: float) -> float:
    """Return log [B(a + e, b + n - e) / B(a, b)]: how likely n answers with e errors are; counts need not be whole."""
    return math.lgamma(_A + e) + math.lgamma(_B + n - e) - math.lgamma(_A + _B + n) - _LOG_BETA


class DriftStatistic:
    """R_n of one class, updated answer by answer."""

    __slots__ = ("_factors", "_kinds", "_scale", "_terms", "e", "n", "value")

    def __init__(self) -> None:
        self._begin(0, 0, _SMALLEST)

    def _begin(self, n: int, e: int, size: int) -> None:
        self.n, self.e, self.value = n, e, 0.0
        # The term of j has the place j modulo W and is to be multiplied by the scale; those without a j are 0.
        self._terms, self._scale, self._factors = np.zeros(size), 1.0, np.empty(size)
        # b + right answers, and a + errors, after the j-th answer.
        self._kinds = (np.full(size, _B), np.full(size, _A))

    def add(self, wrong: bool) -> float:
        """Add one more answer; return R_n."""
        n, e, place = self.n, self.e, self.n % WINDOW
        if place == len(self._terms):
            self._grow()
        terms, factors, (rights, errors) = self._terms, self._factors, self._kinds
        terms[place], rights[place], errors[place] = 1.0 / self._scale, _B, _A
        same = errors if wrong else rights
        np.multiply(same, _SHARES[WINDOW - place : WINDOW - place + len(terms)], factors)
        np.multiply(terms, factors, terms)
        same += 1.0
        self._scale *= (_A + _B + n) / (_A + e if wrong else _B + n - e)
        if self._scale > _MOST_SCALED:
            terms *= self._scale
            self._scale = 1.0
        self.n, self.e = n + 1, e + wrong
        self.value = self._scale * float(np.add.reduce(terms))
        return self.value

    def renew(self, n: int, e: int, latest: bytes) -> float:
        """Recompute R_n from both counts and the last W answers, 1 for wrong; return it.

        Going from j + 1 to j moves one answer from before the change to after it: two predictive probabilities.
        """
        m = len(latest)
        self._begin(n, e, min(WINDOW, max(_SMALLEST, 1 << (m - 1).bit_length())))
        wrong = np.frombuffer(latest, np.uint8).astype(float)
        j = np.arange(n - m, n)
        later = np.cumsum(wrong[::-1])[::-1]  # errors after the j-th answer
        before, after = e - later, later - wrong
        to = np.where(wrong > 0.0, _A + after, _B + n - j - 1 - after) / (_A + _B + n - j - 1)
        out = np.where(wrong > 0.0, _A + before, _B + j - before) / (_A + _B + j)
        places = j % WINDOW
        self._terms[places] = np.cumprod((to / out)[::-1])[::-1]
        self._kinds[0][places], self._kinds[1][places] = _B + n - j - later, _A + later
        self.value = float(np.add.reduce(self._terms))
        return self.value

    def since_change(self) -> int:
        """Return the number of answers since the most likely place of a change, assuming that there was one."""
        return (self.n - int(np.argmax(self._terms)) - 1) % WINDOW + 1

    def _grow(self) -> None:
        more = np.zeros(min(WINDOW, 2 * len(self._terms)) - len(self._terms))
        self._terms, self._factors, *kinds = (
            np.append(one, more) for one in (self._terms, self._factors, *self._kinds)
        )
        self._kinds = kinds[0], kinds[1]
