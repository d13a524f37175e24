"""A server that does what a script says, one step for each request, whether that is HTTP or not."""

import contextlib
import socket
import threading


def reply_text(status, text, length=None):
    size = len(text) if length is None else length
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    return (head + text).encode()


class Scripted:
    """Listens on loopback; each request is read whole and given to the next step of the script."""

    def __init__(self, steps, keep_alive=False):
        self.steps, self.bodies, self.keep_alive = list(steps), [], keep_alive
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._lock, self._threads, self._connections = threading.Lock(), [], []

    def __enter__(self):
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            self._threads.append(threading.Thread(target=self._converse, args=(connection,)))
            self._threads[-1].start()

    def _converse(self, connection):
        with connection:
            try:
                while (body := _request(connection)) is not None:
                    with self._lock:
                        self.bodies.append(body)
                        step = self.steps.pop(0)
                    step(connection, body)
                    if not self.keep_alive:
                        return
            except OSError:
                return


def _request(connection):
    """Return the body of the next request, None at the end."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(1 << 16)
        if not part:
            return None
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while len(body) < int(lengths[0] if lengths else 0):
        body += connection.recv(1 << 16)
    return body
