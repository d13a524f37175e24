"""Changing the settings of a monitor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.settings import LIMITS
from sidelight.service import journal
from sidelight.service.domain.monitors import MonitorRow, refuse_archived, stored
from sidelight.service.domain.reviews import settle_reviewed
from sidelight.service.journal import audit
from sidelight.service.problems import Problem, place
from sidelight.service.settings import changeable, from_json, make_review, review_plain
from sidelight.service.writer.unit import Job, Work


class _Change:
    """Changes settings of a monitor."""

    def __init__(self, monitor: str, settings: Mapping[str, Any], actor: str) -> None:
        self.monitors: Sequence[str] = (monitor,)
        self.settings, self.actor = dict(settings), actor
        changeable(settings)

    def run(self, work: Work) -> MonitorRow:
        """Check all settings, then change the monitor."""
        (id,) = self.monitors
        held = work.held(id)
        refuse_archived(held)
        limits = {name: self.settings[name] for name in self.settings if name in LIMITS}
        review = {name: self.settings[name] for name in self.settings if name not in LIMITS}
        before, new = held.review, make_review(review, held.review)
        if limits:
            try:
                held.monitor.change(**{name: from_json(name, value) for name, value in limits.items()})
            except SidelightError as error:
                name = next((one for one in limits if one in str(error)), next(iter(limits)))
                places = [place(["settings", name], str(error))]
                raise Problem("invalid", "some settings are not allowed", places=places) from None
        held.review = new
        body = {"limits": limits, "review": {name: review_plain(new)[name] for name in review}}
        work.append(id, journal.SETTINGS, body, actor=self.actor)
        row = stored(work.tx, id)
        settings = row.settings | limits | body["review"]
        work.tx.run("UPDATE monitors SET settings = ? WHERE id = ?", journal.text_of(settings), id)
        audit.write(work.tx, self.actor, "monitor changed", row.name, settings=sorted(self.settings))
        if new.reviews < before.reviews:
            settle_reviewed(work, id)
        return row._replace(settings=settings, last=held.number)


def change(monitor: str, settings: Mapping[str, Any], *, actor: str) -> Job[MonitorRow]:
    """Change caps, pending limits, patience and settings of the queue; other changes need a new monitor."""
    return _Change(monitor, settings, actor)
