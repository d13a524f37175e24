"""What the description says can be asked next can be asked next."""

import pytest

from service.api.conftest import SQLITE

pytestmark = SQLITE


@pytest.fixture
def operations(app):
    """Return all operations by their ids."""
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, methods in app.openapi()["paths"].items()
        for method, operation in methods.items()
    }


def meant(expression, monitor, reply):
    """Return the value of an expression of a link."""
    if expression == "$request.path.monitor":
        return monitor
    return reply.json()[expression.removeprefix("$response.body#/")]


def test_links_lead_on(operations, everyone):
    assert len(operations) > 10
    followed = set()

    def follow(name, monitor, body):
        method, path, operation = operations[name]
        reply = everyone(method, path.replace("{monitor}", monitor), body)
        assert reply.is_success, (name, reply.text)
        followed.add(name)
        for link in operation["responses"][str(reply.status_code)].get("links", {}).values():
            given = {key: meant(value, monitor, reply) for key, value in link.get("requestBody", {}).items()}
            target = meant(link["parameters"]["monitor"], monitor, reply)
            follow(link["operationId"], target, given or bodies.get(link["operationId"]))

    bodies = {"decisions.decide": {"id": "a", "prediction": "7"}}
    follow("monitors.create", "", {"name": "digits", "settings": {"tolerance": 0.05}})
    assert {"decisions.decide", "answers.take", "monitors.report", "journal.read"} <= followed
