"""Changing the settings of a monitor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidelight.errors import ParameterError
from sidelight.monitor.settings import LIMITS
from sidelight.service.domain.monitors import MonitorRow, refuse_archived, stored_monitor
from sidelight.service.domain.reviews import settle_reviewed
from sidelight.service.journal import audit
from sidelight.service.journal import entry as journal
from sidelight.service.problems import Problem, place
from sidelight.service.settings import check_changeable, from_json, make_review, review_plain
from sidelight.service.writer.unit import Work, monitor_job


@monitor_job
def change_settings(work: Work, monitor: str, settings: Mapping[str, Any], *, actor: str) -> MonitorRow:
    """Change what can be changed of the monitor and of its queue, all or none; the rest needs a new monitor."""
    check_changeable(settings)
    replica = work.replica(monitor)
    refuse_archived(replica)
    limits = {name: settings[name] for name in settings if name in LIMITS}
    review = {name: settings[name] for name in settings if name not in LIMITS}
    before, new = replica.review, make_review(review, replica.review)
    if limits:
        try:
            replica.monitor.change(**{name: from_json(name, value) for name, value in limits.items()})
        except ParameterError as error:
            places = [place(["settings", error.name], str(error))]
            raise Problem("invalid", "some settings are not allowed", places=places) from None
    replica.review = new
    body = {"limits": limits, "review": {name: review_plain(new)[name] for name in review}}
    work.append(monitor, journal.SETTINGS, body, actor=actor)
    row = stored_monitor(work.reading, monitor)
    after = row.settings | limits | body["review"]
    work.writing().run("UPDATE monitors SET settings = ? WHERE id = ?", journal.text_of(after), monitor)
    audit.write_audit(work.writing(), actor, "monitor changed", row.name, settings=sorted(settings))
    if new.reviews < before.reviews:
        settle_reviewed(work, monitor)
    return row._replace(settings=after, last=replica.number)
