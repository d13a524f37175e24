"""A server of next to nothing, for the tests of processes: `python trivial.py SUPERVISE|ALONE PROCESSES GRACE`.

GET / answers with the process id; /die ends the process without a word; /wait/FOLDER leaves a file in the folder and
answers once there is a file `go`.
"""

import asyncio
import contextlib
import os
import sys
import uuid
from pathlib import Path

from sidelight.service.server.listener import address_of, listen


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
    if scope["path"] == "/die":
        os._exit(9)
    if scope["path"].startswith("/wait"):
        folder = Path(scope["path"].removeprefix("/wait"))
        (folder / uuid.uuid4().hex).touch()
        while not (folder / "go").exists():
            await asyncio.sleep(0.02)
    body = str(os.getpid()).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@contextlib.contextmanager
def build(options):
    if options.get("broken"):
        from sidelight.errors import SidelightError

        raise SidelightError("the database is gone")
    yield app


def main(role, *arguments):
    if role == "worker":
        from sidelight.service.server.worker import run

        return run(build, list(arguments))
    processes, grace, broken = int(arguments[0]), float(arguments[1]), "broken" in arguments
    listener = listen("127.0.0.1", 0)
    print(address_of(listener), flush=True)  # noqa: T201
    if role == "alone":
        from sidelight.service.server.uvicorn_server import serve

        serve(app, listener, grace=grace)
        return 0
    from sidelight.service.server.supervisor import Supervisor

    options = {"grace": grace, "proxies": "", "broken": broken}
    return Supervisor(listener, processes, options, [sys.executable, __file__, "worker"]).run()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
