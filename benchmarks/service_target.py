"""The service with two routes more, as a process of its own: one that does nothing, one that counts groups.

`/v1/monitors/{monitor}/nothing` checks the key and the body as `/decisions` does, and answers at once: what is left of
its speed by `/decisions` is what deciding and storing cost.
"""

import os
import sys
import time
from typing import Annotated

from fastapi import Response

from sidelight.service.api.requests import ApiCall, api_monitor_scope
from sidelight.service.api.routes.decisions import Predictions
from sidelight.service.api.routing import make_api_router
from sidelight.service.domain.inputs import Prediction
from sidelight.service.domain.service import Service
from sidelight.service.http.guards import http_reply
from sidelight.service.http.logs import write_json_access_logs
from sidelight.service.options import Options
from sidelight.service.server.app import make_app
from sidelight.service.server.run import address_of_socket, bind_server_socket
from sidelight.service.server.uvicorn_server import serve_with_uvicorn
from sidelight.service.store import open_storage

router = make_api_router("benchmark")


@router.post("/v1/monitors/{monitor}/nothing")
async def nothing(body: Predictions, call: Annotated[ApiCall, api_monitor_scope("decide")]) -> Response:
    """Answer as if a prediction had been let pass."""
    if isinstance(body, Prediction):
        return http_reply({"id": body.id, "verify": False, "reason": "none", "prediction": body.prediction})
    rows = [{"id": one.id, "verify": False, "reason": "none", "prediction": one.prediction} for one in body.predictions]
    return http_reply({"decisions": rows})


@router.post("/v1/monitors/{monitor}/groups")
async def groups(call: Annotated[ApiCall, api_monitor_scope("report")]) -> Response:
    """Return how many jobs there were, in how many groups; memory and processor time of the process."""
    writer = call.service.writer
    with open("/proc/self/statm") as file:
        memory = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    counts = {"jobs": writer.jobs, "groups": writer.groups}
    return http_reply(counts | {"memory": memory, "seconds": time.process_time()})


def main(database):
    write_json_access_logs(40)
    listener = bind_server_socket("127.0.0.1", 0)
    print(address_of_socket(listener), flush=True)
    service = Service(open_storage(database), options=Options(requests_per_second=1e9))
    app = make_app(service)
    app.include_router(router)
    serve_with_uvicorn(app, listener)
    service.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
