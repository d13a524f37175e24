"""Which classes get verifications when open classes could use more of them than there are.

**The rule.** Labels go where a verdict costs the fewest of them, for the most verdicts in all (with `weights`: the most
weight of verdicts). A class is asked about if more verifications are left, today and in total, than open classes with a
smaller index will need. The index is the verifications per verdict of `stats.prospects` over the weight of the class.
The others are expected to ask, today, for their usual traffic in the rest of the day, and in total for as many
predictions as they have had so far; for no class more than its index minus the answers under way. Indices within 9 % of
each other count as equal, and then the first to come is served.

**Traffic.** The usual traffic of a class is its mean per day, over the first eight days and then with weights that fall
by an eighth each day, so a class that stops coming is soon forgotten; a class that comes more often today than usual
counts with today's traffic. How much of the day is left follows from the predictions of all classes so far, and their
number on the same day of the week before, or else on an average day. On the first day, as many predictions are expected
as have already come.

**Hopeless classes.** Except for spot checks, a class is not asked about while even the best of its 15 plausible rates
needs more verifications than its foreseeable traffic, which is twice the predictions it has had. It is asked about
again once it has had enough predictions. Each class may first use ten times the verifications that a verdict takes at
best.

**Spot checks** take what open classes leave, and a tenth of the verifications of a day if that is more.

**Why verdicts stay valid.** All of this is a function of counts: of predictions, of verifications, and of answers that
have come. Whether a prediction is verified is decided before anybody knows whether it is wrong, so the evidence of
`sidelight.monitor.stats.evidence` remains a martingale and every guarantee holds; only the time of a verdict changes.
"""

from __future__ import annotations

import math
from datetime import date
from typing import Any

from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.ledger import VerificationLedger
from sidelight.monitor.settings import Settings
from sidelight.monitor.stats.prospects import Prospects, expected_labels_to_verdict
from sidelight.monitor.stats.randomness import uniform_number_of_key
from sidelight.monitor.types import Reason

_STEPS = 8
_BUCKETS = 40 * _STEPS
_UNIT = 256
_MEMORY = 8
_FORESEEN = 2
_FIRST_LABELS = 10
_SPOT_SHARE = 0.1


class Claim:
    """What one class is expected to ask for: whole numbers all, so that sums do not depend on the order of events."""

    __slots__ = ("bucket", "e", "first", "index", "least", "n", "today", "today_share", "total_share", "usual")

    def __init__(self, first: float) -> None:
        self.first = math.ceil(first)
        """The verifications that a verdict takes at best when nothing is known."""
        self.n, self.e = -1, 0
        """The answers, and errors among them, after which `index` and `least` were computed."""
        self.index = self.least = self.bucket = 0
        self.usual = self.today = 0
        """The mean of its predictions per day in units of 1/256, and the predictions of this day."""
        self.today_share = self.total_share = 0
        """What it adds to the sums of its bucket."""


class VerificationRationing:
    """Distributes the verifications of one monitor."""

    def __init__(self, settings: Settings, ledger: VerificationLedger) -> None:
        self.settings, self.ledger = settings, ledger
        weights = settings.weights or {}
        self.heaviest = max([*weights.values(), *([] if None in weights else [1.0])])
        self.claims: dict[ClassState, Claim] = {}
        self.today_sums, self.total_sums = [0] * _BUCKETS, [0] * _BUCKETS
        self.day = ""
        self.days = self.arrived = self.usual = 0
        """Days that are over, predictions of this day, and their mean per day in units of 1/256."""
        self.weekdays: list[int | None] = [None] * 7
        """Predictions on the last Monday, Tuesday, ..."""

    def arrive(self, state: ClassState, day: str | None) -> None:
        """Count a prediction of a class, and update its claim."""
        if day is not None and day > self.day:
            self._begin_day(day)
        claim = self.claims.get(state)
        if claim is None:
            claim = self.claims[state] = Claim(expected_labels_to_verdict(state.test, 0, 0).least)
        self.arrived += 1
        claim.today += 1
        self._renew(state, claim)

    def refusal(self, state: ClassState, day: str | None) -> Reason | None:
        """Explain why a class that the policy wants to ask about must leave it to others, or return None."""
        claim = self.claims[state]
        if state.verdict != "unknown":
            return None if self._spare(_BUCKETS, day) else Reason.RATIONED
        if _is_hopeless_to_ration(state, claim):
            return Reason.HOPELESS
        return None if self._spare(claim.bucket, day) else Reason.RATIONED

    def spares_spot_check(self, state: ClassState, day: str | None) -> bool:
        """Return whether a spot check may be made: open classes leave one, or it is within its share of the day."""
        most = self.settings.daily_cap
        if (
            most is not None
            and uniform_number_of_key(state.spot_checks.key, state.predictions) * self._expected() < _SPOT_SHARE * most
        ):
            return True
        return self._spare(_BUCKETS, day)

    def hopeless(self, state: ClassState) -> bool:
        """Return whether a class cannot be decided with its foreseeable traffic."""
        claim = self.claims.get(state)
        return claim is not None and state.verdict == "unknown" and _is_hopeless_to_ration(state, claim)

    def _spare(self, bucket: int, day: str | None) -> bool:
        """Return whether more is left than smaller buckets will ask for; if nothing is left, caps say so."""
        settings = self.settings
        if settings.cap is not None and 0 < settings.cap - self.ledger.clock.asked <= sum(self.total_sums[:bucket]):
            return False
        if settings.daily_cap is None:
            return True
        left = settings.daily_cap - self.ledger.days.get(day or "", 0)
        rest, usual = (
            (self._expected() - self.arrived, self.usual) if self.days else (self.arrived, self.arrived * _UNIT)
        )
        return left <= 0 or rest <= 0 or left * usual > sum(self.today_sums[:bucket]) * rest

    def _expected(self) -> int:
        """Return how many predictions a day like this one has."""
        if not self.days:
            return self.arrived
        before = self.weekdays[date.fromisoformat(self.day).weekday()]
        return before if before is not None else self.usual // _UNIT

    def _begin_day(self, day: str) -> None:
        if self.day:
            self.days += 1
            self.weekdays[date.fromisoformat(self.day).weekday()] = self.arrived
            self.usual = self._mean(self.usual, self.arrived)
            for claim in self.claims.values():
                claim.usual = self._mean(claim.usual, claim.today) if claim.usual else claim.today * _UNIT
                claim.today = 0
        self.day, self.arrived = day, 0
        for state, claim in self.claims.items():
            self._renew(state, claim)

    def _mean(self, mean: int, today: int) -> int:
        return mean + (today * _UNIT - mean) // min(self.days, _MEMORY)

    def _renew(self, state: ClassState, claim: Claim) -> None:
        """Update the claim of a class from its counts."""
        n, e = state.n, state.e_fair
        # A few more answers, compared with many, change nothing that matters.
        if claim.n < 0 or abs(n - claim.n) > claim.n >> 4 or abs(e - claim.e) > claim.e >> 3:
            self._share(claim, 0, 0)
            found = self.prospects_of(state)
            claim.n, claim.e, claim.index, claim.least = n, e, math.ceil(found.per_verdict), math.ceil(found.least)
            claim.bucket = _rationing_bucket_of_index(
                found.per_verdict * self.heaviest / self.settings.weight_of(state.name)
            )
        needed = claim.index - int(self.ledger.expected(state))
        if needed <= 0 or state.verdict != "unknown" or self._full(state) or _is_hopeless_to_ration(state, claim):
            self._share(claim, 0, 0)
        else:
            usual = max(claim.usual, claim.today * _UNIT)
            self._share(claim, min(usual, needed * _UNIT), min(state.predictions, needed))

    def prospects_of(self, state: ClassState) -> Prospects:
        """Return the expected number of labels until a verdict on a class."""
        return expected_labels_to_verdict(state.test, state.e_fair, state.n)

    def _full(self, state: ClassState) -> bool:
        """Return whether a class gets no more verifications, regardless of its verdict."""
        verifications, predictions = self.settings.class_cap, self.settings.class_predictions
        return (verifications is not None and state.verified + state.pending >= verifications) or (
            predictions is not None and state.predictions >= predictions
        )

    def _share(self, claim: Claim, today: int, total: int) -> None:
        """Replace the share of a class in the sums of its bucket."""
        self.today_sums[claim.bucket] += today - claim.today_share
        self.total_sums[claim.bucket] += total - claim.total_share
        claim.today_share, claim.total_share = today, total

    def plain(self, places: dict[ClassState, int]) -> dict[str, Any]:
        """Return everything as JSON can hold it; `places` numbers the classes."""
        return {
            **{name: getattr(self, name) for name in _SAVED},
            "claims": [
                [places[state], *(getattr(claim, name) for name in _SAVED_CLAIM)]
                for state, claim in self.claims.items()
            ],
        }

    def restore(self, data: dict[str, Any], states: list[ClassState]) -> None:
        """Restore saved values."""
        for name in _SAVED:
            setattr(self, name, data[name])
        for place, *values in data["claims"]:
            state = states[place]
            claim = self.claims[state] = Claim(expected_labels_to_verdict(state.test, 0, 0).least)
            for name, value in zip(_SAVED_CLAIM, values, strict=True):
                setattr(claim, name, value)
            self.today_sums[claim.bucket] += claim.today_share
            self.total_sums[claim.bucket] += claim.total_share


_SAVED = ("day", "days", "arrived", "usual", "weekdays")
_SAVED_CLAIM = ("n", "e", "index", "least", "bucket", "usual", "today", "today_share", "total_share")


def _is_hopeless_to_ration(state: ClassState, claim: Claim) -> bool:
    return claim.least > _FORESEEN * state.predictions and state.n + state.pending >= _FIRST_LABELS * claim.first


def _rationing_bucket_of_index(index: float) -> int:
    """Return the place of an index among steps of 9 %."""
    return min(_BUCKETS - 1, math.floor(_STEPS * math.log2(index)))
