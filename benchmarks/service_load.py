"""Load on a server: many connections, each with one request at a time, for so many seconds."""

import asyncio
import statistics
import time
from typing import NamedTuple


class Load(NamedTuple):
    """What came back."""

    replies: int
    seconds: float
    latencies: list
    errors: int

    @property
    def rate(self):
        """Replies a second."""
        return self.replies / self.seconds

    @property
    def median(self):
        """Of the time from request to reply, in milliseconds."""
        return 1000 * statistics.median(self.latencies)


class _Caller(asyncio.Protocol):
    """One connection: writes a request, waits for the whole reply, writes the next."""

    def __init__(self, requests, end, done):
        self.requests, self.end, self.done = requests, end, done
        self.data, self.needed, self.latencies, self.errors = b"", None, [], 0

    def connection_made(self, transport):
        self.transport = transport
        self.ask()

    def ask(self):
        self.begin = time.perf_counter()
        request = next(self.requests, None)
        if request is None or self.begin >= self.end:
            self.transport.close()
        else:
            self.transport.write(request)

    def data_received(self, data):
        self.data += data
        if self.needed is None:
            head, found, _ = self.data.partition(b"\r\n\r\n")
            if not found:
                return
            lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            self.needed = len(head) + 4 + int(lengths[0].split(b":")[1])
        if len(self.data) >= self.needed:
            self.latencies.append(time.perf_counter() - self.begin)
            self.errors += not self.data.startswith(b"HTTP/1.1 200")
            self.data, self.needed = b"", None
            self.ask()

    def connection_lost(self, error):
        if not self.done.done():
            self.done.set_result(None)


async def _run(addresses, clients, make_requests, seconds):
    loop = asyncio.get_running_loop()
    begin = time.perf_counter()
    callers = []
    for number in range(clients):
        done = loop.create_future()
        requests = make_requests(number)
        host, port = addresses[number % len(addresses)]
        _, caller = await loop.create_connection(lambda r=requests, d=done: _Caller(r, begin + seconds, d), host, port)
        callers.append(caller)
    await asyncio.wait([caller.done for caller in callers], timeout=seconds + 60)
    took = time.perf_counter() - begin
    latencies = [one for caller in callers for one in caller.latencies]
    return Load(len(latencies), took, latencies, sum(caller.errors for caller in callers))


def load(urls, clients, make_requests, seconds):
    """Let so many clients ask for so many seconds at most; `make_requests(number)` yields the requests of one."""
    addresses = [url.removeprefix("http://").split(":") for url in urls]
    found = asyncio.run(_run(addresses, clients, make_requests, seconds))
    if found.errors:
        raise SystemExit(f"{found.errors} of {found.replies} replies were not 200")
    return found


def post(path, key, body):
    """Return a request as bytes."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
