"""What must hold after whatever happened to the servers of a database."""

from __future__ import annotations

import json

from service.durability.load import Client
from sidelight.monitor import Reason
from sidelight.monitor.report.make import make_monitor_report
from sidelight.monitor.report.records import Report
from sidelight.service.domain.monitors import served_monitor_of_id
from sidelight.service.maintenance.check import check_database, replay_and_check_journal
from sidelight.service.store import open_storage


def losses(database: str, monitor: str, clients: list[Client], cap: int | None = None) -> list[str]:
    """Return what was acknowledged and is not there once, as it was said; and what else is wrong."""
    storage = open_storage(database, readonly=True)
    try:
        wrong = [text for one in clients for text in one.wrong] + [str(one) for one in check_database(storage)]
        with storage.read() as tx:
            bodies = [json.loads(row[0]) for row in tx.all("SELECT body FROM journal WHERE kind = 'decided'")]
            answers = dict(tx.all("SELECT id, correct FROM verifications WHERE state = 'answered'"))
        decided = {body["id"]: (body["class"], bool(body["verify"]), Reason.of(body["reason"])) for body in bodies}
        if len(decided) != len(bodies):
            wrong.append("a prediction was decided about twice")
        for one in clients:
            wrong += [f"{id}: {said} was lost" for id, said in one.decided.items() if decided.get(id) != said]
            wrong += [f"{id}: {said} was lost" for id, said in one.answered.items() if answers.get(id) != said]
        asked = sum(verify for _, verify, _ in decided.values())
        if cap is not None and asked > cap:
            wrong.append(f"{asked} verifications were asked for, more than the cap of {cap}")
        return wrong
    finally:
        storage.close()


def replayed(database: str, monitor: str) -> Report:
    """Return the report of the monitor that follows from the journal."""
    storage = open_storage(database, readonly=True)
    try:
        with storage.read() as tx:
            whole = served_monitor_of_id(tx, monitor)
        return make_monitor_report(replay_and_check_journal(storage, whole, whole.last, anew=True).monitor)
    finally:
        storage.close()
