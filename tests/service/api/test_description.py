"""schemathesis asks everything that the description allows, and much that it does not, of a real server.

`SIDELIGHT_EXAMPLES=2000` makes it ask longer.
"""

import dataclasses
import itertools
import os

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import positive_data_acceptance
from schemathesis.generation import GenerationMode

from service.conftest import DATABASES
from service.running import running
from sidelight.service.auth.keys import SCOPES, create_key
from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.server.app import make_app
from sidelight.service.store import open_storage

EXAMPLES = settings(
    max_examples=int(os.environ.get("SIDELIGHT_EXAMPLES", "20")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module", params=DATABASES)
def api(request, tmp_path_factory):
    """The description of a server that knows a monitor and its predictions, with a key for everything."""
    if request.param == "sqlite":
        database = str(tmp_path_factory.mktemp("described") / "test.db")
    else:
        database = request.getfixturevalue("postgres_server").create()
    service = Service(open_storage(database))
    service.options = dataclasses.replace(Options(), requests_per_second=1e9)
    key = service.do(create_key("test", "all", SCOPES)).key
    with running(make_app(service)) as url:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=url, headers=headers) as client:
            raw = client.get("/openapi.json").json()
            made = client.post("/v1/monitors", json={"name": "digits", "settings": {"tolerance": 0.05}})
            assert made.status_code == 201
            rows = [{"id": str(i), "prediction": "7"} for i in range(20)]
            assert client.post("/v1/monitors/digits/decisions", json={"predictions": rows}).status_code == 200
        for methods in raw["paths"].values():
            for operation in methods.values():
                del operation["security"]  # keys have tests of their own
        schema = schemathesis.openapi.from_dict(raw)
        schema.config.update(base_url=url)
        schema.headers = headers
        yield schema
    service.close()


def test_every_answer_is_as_described(api):
    seen = {}
    for found in api.get_all_operations():
        operation = found.ok()
        if operation.path.endswith("/archive"):  # the others need their monitor
            seeds = [{}]
        else:
            seeds = [{}, {"path_parameters": {"monitor": "digits"}}] if "{monitor}" in operation.path else [{}]
        cases = [
            operation.as_strategy(generation_mode=mode, **seed)
            for mode, seed in itertools.product(GenerationMode, seeds)
        ]

        @EXAMPLES
        @given(case=st.one_of(cases))
        def ask(case):
            # Whether values go together, like a window and drift, no schema says.
            reply = case.call_and_validate(headers=api.headers, excluded_checks=[positive_data_acceptance])
            seen.setdefault(case.operation.label, set()).add(reply.status_code)

        ask()
    assert len(seen) == sum(len(methods) for methods in api.raw_schema["paths"].values())
    # Which examples are drawn depends on the constants of all modules that the process has imported.
    assert set().union(*seen.values()) >= {200, 404, 422}
    assert not {500, 401, 403} & set().union(*seen.values())
