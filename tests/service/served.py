"""A real `sidelight serve` in a process of its own, on loopback and a port that the system chooses."""

import contextlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import httpx
import psutil

PATIENCE = 60.0


class Served:
    """A server; `url` is where it is and `link` what the first start has printed."""

    def __init__(self, database, *options, folder=None, ready=True):
        stored = [] if database is None else ["--database", str(database)]
        command = [sys.executable, "-m", "sidelight", "serve", *stored, "--port", "0", *options]
        self.database = str(database)
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115, closed with the server
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._log, text=True, cwd=folder, start_new_session=True
        )
        self.said = ""
        if ready:
            self.said = self.process.stdout.readline()
            found = re.search(r" at (http\S+)", self.said)
            assert found, self.said + self.end()[2]
            self.url = found[1]

    def wait(self):
        """Wait until requests are answered."""
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/readyz", trust_env=False, timeout=PATIENCE).status_code == 200:
                    return
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)

    def stop(self, number=signal.SIGTERM):
        """Tell it to stop; return exit code, the rest of its output, and its log."""
        self.process.send_signal(number)
        return self.end()

    def end(self):
        """Wait for its end."""
        code = self.process.wait(timeout=PATIENCE)
        self._log.seek(0)
        return code, self.process.stdout.read(), self._log.read()

    def close(self):
        """End everything that is left."""
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self.process.pid).children(recursive=True):
                child.kill()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self._log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
