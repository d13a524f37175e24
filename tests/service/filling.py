"""Databases with something in them."""

from sidelight.service.domain import monitors
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Payload, Prediction

ODD = "\u00e4\u6f22 \U0001f600 'quotes\" \\ ; DROP TABLE verifications; --"


def fill(service, decisions=300, name="digits", batch=100, **settings):
    """Make a monitor, decide about predictions, answer most of what is to be verified; return the monitor's id."""
    settings = {"tolerance": 0.2, "confidence": 0.9, "policy": "sequential"} | settings
    monitor = service.do(monitors.create_served_monitor(name, settings, actor="key:1")).id
    for start in range(0, decisions, batch):
        rows = [
            Prediction(
                f"{name} {n} {ODD}", "abc"[n % 3] if n % 50 else ODD, payload=Payload("text/plain", b"\0\xff%d" % n)
            )
            for n in range(start, min(start + batch, decisions))
        ]
        asked = [one for one in service.do(decide_predictions(service, monitor, rows, actor="key:1")) if one.verify]
        given = [AnswerTo(one.id, label="a" if n % 3 else one.prediction) for n, one in enumerate(asked) if n % 5]
        service.do(record_answers(monitor, given, actor="reviewer:1"))
    return monitor
