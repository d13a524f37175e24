"""A made-up classifier and its reviewers, the same for the same seed."""

from __future__ import annotations

import random

from sidelight.service.domain import monitors
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Prediction


class Traffic:
    """Sends predictions and answers to one monitor of a service."""

    def __init__(self, service, *, name="digits", seed=0, **settings):
        self.service, self.random = service, random.Random(seed)
        row = service.do(
            monitors.create_served_monitor(name, {"tolerance": 0.2, "confidence": 0.9} | settings, actor="key:1")
        )
        self.monitor, self.sent, self.open = row.id, 0, []

    def decide(self, size=1):
        """Decide about new predictions."""
        batch = []
        for _ in range(size):
            self.sent += 1
            batch.append(Prediction(f"p{self.sent}", self.random.choice("aaabbc")))
        found = self.service.do(decide_predictions(self.service, self.monitor, batch, actor="key:1"))
        self.open += [one.id for one in found if one.verify]
        return found

    def answer(self, most=10):
        """Answer some of what is open, in any order; some are skipped."""
        given = []
        for _ in range(min(most, len(self.open))):
            id = self.open.pop(self.random.randrange(len(self.open)))
            skipped = self.random.random() < 0.05
            given.append(AnswerTo(id, correct=None if skipped else self.random.random() < 0.85, skipped=skipped))
        return self.service.do(record_answers(self.monitor, given, actor="key:2"))

    def run(self, rounds):
        """Send so many batches of one to twenty predictions, and answers in between."""
        for _ in range(rounds):
            self.decide(self.random.choice((1, 1, 5, 20)))
            self.answer()
