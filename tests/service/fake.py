"""A service without a network: what the client is told by a real monitor, in the words of the HTTP interface."""

import json

import httpx

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.types import UnknownIdError
from sidelight.service.problems import MEDIA_TYPE, Problem, problem_place

KEY = "sl_key"


def problem(one):
    return httpx.Response(one.status, json=one.to_dict(), headers={"content-type": MEDIA_TYPE, **one.headers})


class Fake:
    """Answers requests; `faults` says what happens to the next ones instead, and `seen` is what has come."""

    def __init__(self, **settings):
        self.monitors, self.seen, self.faults, self.passed = {}, [], [], {"passed"}
        self.monitors["digits"] = ClassifierMonitor(**{"tolerance": 0.05} | settings)

    def __call__(self, request):
        body = json.loads(request.content) if request.content else None
        self.seen.append((request.method, request.url.path, body))
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, Exception):
            raise fault
        if isinstance(fault, httpx.Response):
            return httpx.Response(fault.status_code, content=fault.content, headers=fault.headers)
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return problem(Problem("unauthorized", "give a key"))
        reply = self.answer(request, body)
        return reply if fault is None else fault(reply)

    def answer(self, request, body):
        if request.url.path == "/v1/monitors":
            self.monitors[body["name"]] = ClassifierMonitor(**body["settings"])
            return httpx.Response(201, json={"name": body["name"]})
        _, _, _, name, what = request.url.path.split("/")
        if name not in self.monitors:
            return problem(Problem("not-found", f"there is no monitor {name!r}"))
        monitor = self.monitors[name]
        if what == "report":
            return httpx.Response(200, json=monitor.report().to_dict())
        if what == "pending":
            after = int(request.url.params["after"])
            found = [one._asdict() | {"asked_at": 1.5e9} for one in monitor.pending() if one.number > after]
            page = found[: int(request.url.params["limit"])]
            return httpx.Response(200, json={"pending": [{k: v for k, v in one.items() if k != "age"} for one in page]})
        many = "predictions" if what == "decisions" else "answers"
        single = many not in body
        rows = [body] if single else body[many]
        found = self.decisions(monitor, rows) if what == "decisions" else self.answers(monitor, rows)
        if isinstance(found, httpx.Response):
            return found
        if single and found[0].get("status") == "unknown":
            return problem(Problem("not-found", "this id was never decided"))
        return httpx.Response(200, json=found[0] if single else {what: found})

    def decisions(self, monitor, rows):
        wrong = [
            problem_place(["predictions", n], "too bad") for n, row in enumerate(rows) if row["prediction"] == "bad"
        ]
        if len(rows) > 1000 or wrong:
            return problem(Problem("invalid", "some predictions are wrong", places=wrong))
        try:
            found = monitor.decide_many([row["prediction"] for row in rows], [row["id"] for row in rows])
        except SidelightError as error:
            return problem(Problem("conflict", str(error)))
        return [one._asdict() for one in found]

    def answers(self, monitor, rows):
        found = []
        for row in rows:
            said = {key: row[key] for key in ("correct", "label", "skipped") if key in row}
            try:
                one = monitor.answer(row["id"], **said)
                found.append({"id": row["id"], "status": one.status, "verdict": one.verdict})
            except UnknownIdError:
                status = "not chosen" if row["id"] in self.passed else "unknown"
                found.append({"id": row["id"], "status": status, "verdict": None, "detail": "nothing changed"})
        return found
