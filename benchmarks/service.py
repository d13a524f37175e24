"""What the service costs, as ratios of runs that are adjacent in time, for disks and machines drift within minutes.

python benchmarks/service.py [--seconds S] [--rounds N] [--million] [--only sqlite|postgres]

- 64 clients that decide one prediction at a time, against a route that only checks key and body;
- 8 clients with batches of 100, against plain rows in commits of 100;
- one client, against the sum of a plain commit and that route, and what it waits for /healthz on an open connection;
- PostgreSQL with 2 processes, against pgbench with the same statements, on one monitor and on 100;
- with --million, a million decisions in batches: memory, the report, the dashboard.

Everything is on loopback and ends after a time that follows from --seconds and --rounds.
"""

import argparse
import contextlib
import hashlib
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from measuring import missed, report
from service_load import load, post

from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Prediction
from sidelight.service.journal import entry as journal

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))
NAMES = [f"class {n}" for n in range(20)]


class Target:
    """A server of `service_target.py`, with a key and monitors."""

    def __init__(self, database, processes=1, monitors=1):
        from sidelight.service.auth import keys, passwords, sessions
        from sidelight.service.domain.monitors import create_served_monitor
        from sidelight.service.domain.service import Service
        from sidelight.service.store import open_storage

        service = Service(open_storage(database))
        self.key = service.do(keys.create_key("benchmark", "benchmark", keys.SCOPES)).key
        self.monitors = [f"m{n}-{random.randrange(1 << 40):x}" for n in range(monitors)]
        for name in self.monitors:
            settle(
                service,
                service.do(create_served_monitor(name, {"tolerance": 0.3, "cap": 20_000}, actor="benchmark")).id,
            )
        code = service.do(sessions.make_administrator_link())
        if code is not None:
            password = passwords.hash_password("of the benchmark")
            self.cookie = f"sidelight={service.do(sessions.follow_password_link(code, 'benchmark', password))}"
        service.close()
        command = [sys.executable, str(HERE / "service_target.py"), database]
        self.processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
        self.urls = [process.stdout.readline().strip() for process in self.processes]
        self.run = itertools.count()
        self.ask(f"/v1/monitors/{self.monitors[0]}/groups")

    def requests(self, route, batch=1, names=NAMES):
        """Return what makes the requests of one client."""
        run = next(self.run)

        def make(client):
            draws = random.Random(client)
            for n in itertools.count():
                ids = [f"{run}-{client}-{n}-{m}" for m in range(batch)]
                rows = [{"id": id, "prediction": draws.choice(names)} for id in ids]
                body = json.dumps(rows[0] if batch == 1 else {"predictions": rows}).encode()
                yield post(f"/v1/monitors/{self.monitors[(client + n) % len(self.monitors)]}/{route}", self.key, body)

        return make

    def load(self, route, clients, seconds, batch=1):
        """Let clients ask a route for so many seconds."""
        return load(self.urls, clients, self.requests(route, batch), seconds)

    def ask(self, path, method="POST"):
        """Return a reply's JSON; a server that starts is waited for."""
        headers = {"Authorization": f"Bearer {self.key}", "Cookie": self.cookie}
        request = urllib.request.Request(self.urls[0] + path, method=method, headers=headers)
        end = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(request, timeout=120) as reply:
                    return reply.read()
            except (ConnectionError, urllib.error.URLError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def groups(self):
        """Return how many jobs there were, in how many groups, and the memory of the process."""
        return json.loads(self.ask(f"/v1/monitors/{self.monitors[0]}/groups"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
            process.wait(60)
            process.stdout.close()


def settle(service, monitor):
    """Answer until all classes have their verdicts: most predictions pass, as in a monitor that is in use."""
    for n in range(100):
        rows = [Prediction(f"first {n} {name}", name) for name in NAMES]
        asked = [
            one.id for one in service.do(decide_predictions(service, monitor, rows, actor="benchmark")) if one.verify
        ]
        service.do(record_answers(monitor, [AnswerTo(id, correct=True) for id in asked], actor="benchmark"))
        if n > 20 and not asked:
            return
    raise RuntimeError("the classes of the benchmark are not settled")


class PlainRows:
    """The journal's rows, keys and indexes, written with nothing around: what the disk and the database allow."""

    def __init__(self, storage):
        self.storage = storage
        self.number = itertools.count()
        with storage.write() as tx:
            blob, whole = ("BYTEA", "") if storage.kind == "postgres" else ("BLOB", " WITHOUT ROWID")
            kinds = (  # as in the schema
                "monitor TEXT, number BIGINT, kind TEXT, key {0}, at DOUBLE PRECISION, actor TEXT, body TEXT, chain {0}"
            )
            tx.run(f"CREATE TABLE plain ({kinds.format(blob)}, PRIMARY KEY (monitor, number)){whole}")
            tx.run("CREATE UNIQUE INDEX plain_key ON plain (key)")

    def commit(self, rows):
        """Store some rows."""
        body = json.dumps({"id": "0-00-0000-00", "class": "class 7", "time": 1.7e9, "verify": 0, "reason": 3})
        some = []
        for number in itertools.islice(self.number, rows):
            key, chain = journal.journal_key_of_prediction("m", str(number)), hashlib.sha256(b"%d" % number).digest()
            some.append(("m", number, "decided", key, 1.7e9, "key:benchmark", body, chain))
        with self.storage.write() as tx:
            tx.insert("plain", journal.COLUMNS, some)
        self.storage.tidy()

    def rate(self, rows, seconds):
        """Return rows a second and the median commit in milliseconds."""
        begin, times = time.perf_counter(), []
        while (start := time.perf_counter()) < begin + seconds:
            self.commit(rows)
            times.append(time.perf_counter() - start)
        return rows * len(times) / (time.perf_counter() - begin), 1000 * statistics.median(times)


def ratios(rounds, measure):
    """Return the medians of what `measure` returns, over so many rounds."""
    return [statistics.median(values) for values in zip(*(measure() for _ in range(rounds)), strict=True)]


def one_process(name, database, plain, spare, seconds, rounds):
    """Measure a server of one process against what it can be compared with, each time side by side."""
    with Target(database) as target:
        for route in ("nothing", "decisions"):
            target.load(route, 64, 1.0)  # which does not count

        def many():
            free, before = target.load("nothing", 64, seconds), target.groups()
            decided, after = target.load("decisions", 64, seconds), target.groups()
            group = (after["jobs"] - before["jobs"]) / max(1, after["groups"] - before["groups"])
            cost = 1e3 * (after["seconds"] - before["seconds"]) / decided.replies
            return decided.rate / free.rate, decided.rate, free.rate, group, cost

        ratio, rate, free, group, cost = ratios(rounds, many)
        report(
            f"{name}: 64 clients, decisions / route that does nothing",
            ratio,
            least=0.7,
            note=f"{rate:.0f} / {free:.0f} a second",
        )
        report(f"{name}: requests in a group, mean", group, least=8)
        report(f"{name}: processor time of the server for a decision", cost, unit="ms")

        def batches():
            before = target.groups()
            decided, after = target.load("decisions", 8, seconds, batch=100), target.groups()
            rows, _ = plain.rate(100, seconds)
            cost = 1e3 * (after["seconds"] - before["seconds"]) / (100 * decided.replies)
            return 100 * decided.rate / rows, 100 * decided.rate, rows, cost

        ratio, rate, rows, cost = ratios(rounds, batches)
        report(f"{name}: the same in batches of 100", cost, unit="ms")
        report(
            f"{name}: 8 clients x 100, decisions / plain rows",
            ratio,
            least=0.25,
            note=f"{rate:.0f} / {rows:.0f} a second",
        )

        healthz = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        waited = load(target.urls, 1, lambda client: itertools.repeat(healthz), seconds).median
        report(f"{name}: /healthz on an open connection, median wait", waited, most=5.0, unit="ms")

        def single():
            free, decided = target.load("nothing", 1, seconds), target.load("decisions", 1, seconds)
            _, commit = plain.rate(1, seconds)
            return decided.median - commit - free.median, decided.median, commit, free.median

        extra, whole, commit, free = ratios(rounds, single)
        note = f"{whole:.2f} = {commit:.2f} plain commit + {free:.2f} nothing + rest"
        report(f"{name}: one client, median beyond a plain commit and nothing", extra, most=spare, unit="ms", note=note)


BENCH = """\\set m random(1, {monitors})
\\set k random(1, 1000000000000)
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL synchronous_commit = on;
SELECT last FROM bench_monitors WHERE id = :m FOR NO KEY UPDATE \\gset
SELECT body FROM bench_journal WHERE k = :k;
INSERT INTO bench_journal VALUES (:m, :last + 1, 'decided', :k, 1.7e9, 'key:benchmark', '{body}', '{chain}');
UPDATE bench_monitors SET last = :last + 1 WHERE id = :m;
COMMIT;
"""


def pgbench(server, database, monitors, seconds):
    """Return transactions a second of the same statements, one prediction to each, from 16 clients."""
    folder = Path(tempfile.mkdtemp(prefix="sidelight-bench-", dir=server.folder))
    script = folder / "decide.sql"
    script.write_text(BENCH.format(monitors=monitors, body="x" * 100, chain="0" * 64))
    os.chmod(folder, 0o755)
    url = server.url(database)
    command = [str(server.programs / "pgbench"), "-n", "-c", "16", "-j", "1", "-T", str(max(1, round(seconds)))]
    found = subprocess.run([*command, "-f", str(script), url], capture_output=True, text=True, check=True)
    line = next(line for line in found.stdout.splitlines() if line.startswith("tps = "))
    return float(line.split()[2])


def prepare_pgbench(server, database):
    import psycopg

    with psycopg.connect(server.url(database), autocommit=True) as connection:
        connection.execute("CREATE TABLE bench_monitors (id BIGINT PRIMARY KEY, last BIGINT NOT NULL)")
        connection.execute("INSERT INTO bench_monitors SELECT n, 0 FROM generate_series(1, 100) n")
        connection.execute(
            "CREATE TABLE bench_journal (m BIGINT, number BIGINT, kind TEXT, k BIGINT, at DOUBLE PRECISION, "
            "actor TEXT, body TEXT, chain TEXT, PRIMARY KEY (m, number))"
        )
        connection.execute("CREATE INDEX bench_k ON bench_journal (k)")


def two_processes(server, seconds, rounds):
    """Measure two processes on PostgreSQL against pgbench."""
    for monitors, least in ((1, 3.0), (100, 0.5)):
        database = server.create().partition("?")[0].rpartition("/")[2]
        prepare_pgbench(server, database)
        with Target(server.url(database), processes=2, monitors=monitors) as target:
            target.load("decisions", 64, 1.0)

            def both(target=target, database=database, monitors=monitors):
                before = processor_times(target, server)
                decided, after = target.load("decisions", 64, seconds), processor_times(target, server)
                plain = pgbench(server, database, monitors, seconds)
                costs = [1e3 * (b - a) / decided.replies for a, b in zip(before, after, strict=True)]
                return decided.rate / plain, decided.rate, plain, *costs

            ratio, rate, plain, *costs = ratios(rounds, both)
        which = "one hot monitor" if monitors == 1 else f"{monitors} monitors"
        report(
            f"postgres, 2 processes: {which}, decisions / pgbench",
            ratio,
            least=least,
            note=f"{rate:.0f} / {plain:.0f} a second",
        )
        parts = " + ".join(
            f"{cost:.2f} {who}" for cost, who in zip(costs, ("servers", "database", "clients"), strict=True)
        )
        busy = f"{rate * sum(costs) / 1e3:.2f} of {os.cpu_count()} cores busy"
        report(f"postgres, 2 processes: {which}, processor time", sum(costs), unit="ms", note=f"{parts}; {busy}")


def processor_times(target, server):
    """Return the processor time so far of the servers, of PostgreSQL and of the clients, in seconds."""
    postmaster = int(Path(server.data, "postmaster.pid").read_text().split()[0])
    return [sum(tree_seconds(one.pid) for one in target.processes), tree_seconds(postmaster), time.process_time()]


def tree_seconds(root):
    """Return the processor time of a process and all its descendants, from /proc."""
    parents, times = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = stat.read_text().rpartition(")")[2].split()
            pid = int(stat.parent.name)
            parents[pid], times[pid] = int(fields[1]), sum(map(int, fields[11:13]))
    found = [root]
    for one in found:
        found += [pid for pid, parent in parents.items() if parent == one]
    return sum(times.get(pid, 0) for pid in found) / os.sysconf("SC_CLK_TCK")


def million(folder, decisions=1_000_000):
    """Decide about a million predictions of 1 000 classes; say what memory does, and how long reports take."""
    with Target(str(folder / "million.db")) as target:
        make = target.requests("decisions", batch=1000, names=[f"class {n}" for n in range(1000)])
        sizes, begin = [], time.perf_counter()
        for part in range(10):
            load(target.urls, 1, lambda number, part=part: itertools.islice(make(part), decisions // 10_000), 600.0)
            sizes.append(target.groups()["memory"] / 1e6)
        rate = decisions / (time.perf_counter() - begin)
        memory = " ".join(f"{one:.0f}" for one in sizes)
        report("a million decisions in batches of 1 000", rate, unit="/s", note=f"memory {memory} MB")
        monitor = target.monitors[0]
        for what, path, most in (("report", f"/v1/monitors/{monitor}/report", 100.0), ("page", f"/m/{monitor}", 300.0)):
            times = []
            for _ in range(5):
                load(target.urls, 1, lambda number: itertools.islice(target.requests("decisions")(number), 1), 60.0)
                start = time.perf_counter()
                target.ask(path, "GET")
                times.append(1000 * (time.perf_counter() - start))
            report(f"{what} of 1 000 classes after a decision", statistics.median(times), most=most, unit="ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=3, help="of adjacent runs; the median counts")
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--million", action="store_true", help="also decide about a million predictions")
    options = parser.parse_args()
    from service.conftest import PostgresServer, postgres_programs

    from sidelight.service.store import open_storage

    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sidelight-bench-")))
        if options.only != "postgres":
            storage = open_storage(str(folder / "plain.db"))
            one_process("sqlite", str(folder / "service.db"), PlainRows(storage), 0.5, options.seconds, options.rounds)
            storage.close()
        if options.only != "sqlite":
            server = PostgresServer(postgres_programs(), fsync=True)
            stack.callback(server.close)
            storage = open_storage(server.create())
            one_process("postgres", server.create(), PlainRows(storage), 1.0, options.seconds, options.rounds)
            storage.close()
            two_processes(server, options.seconds, options.rounds)
        if options.million:
            million(folder)
    if missed:
        print("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
