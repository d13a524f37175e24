"""The schema: numbered files that are applied in order, once each, and never undone."""

from __future__ import annotations

import re
from importlib import resources

from sidelight.service.store.base import Reader, StorageError, Transaction

_FILE = re.compile(r"(\d{4})\.sql")
_ONLY = re.compile(r"^(.*)-- (sqlite|postgres)$")
_TABLE = re.compile(r"CREATE TABLE (\w+)")
VERSION_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)"


def migrations() -> dict[int, str]:
    """Return the text of each migration by its number."""
    files = (resources.files("sidelight.service.store") / "schema").iterdir()
    found = {int(match[1]): file for file in files if (match := _FILE.fullmatch(file.name))}
    return {number: found[number].read_text(encoding="ascii") for number in sorted(found)}


def latest() -> int:
    """Return the schema version that this version of sidelight uses."""
    return max(migrations())


def version_of(tx: Reader) -> int:
    """Return the schema version of a database; 0 for a new one whose version table is empty."""
    row = tx.one("SELECT max(version) FROM schema_version")
    return 0 if row is None or row[0] is None else int(row[0])


def check_ours(tx: Reader) -> None:
    """Refuse a database without data of sidelight, or with another schema version."""
    if tx.columns("schema_version") != ["version"]:
        raise StorageError("this database contains no data of sidelight: check its name")
    check_version(version_of(tx))


def refuse_foreign(tx: Reader) -> None:
    """Refuse a database in which another program has tables with our names, before anything is changed."""
    if tx.columns("schema_version") != ["version"]:
        names = ["schema_version", *(name for text in migrations().values() for name in _TABLE.findall(text))]
        taken = [name for name in names if tx.columns(name)]
        if taken:
            raise StorageError(
                f"this database belongs to another program that has tables with the same names ({', '.join(taken)}): "
                "give the service its own database"
            )


def check_version(version: int) -> None:
    """Refuse a schema that is newer, or that is older and cannot be upgraded now."""
    if version > latest():
        raise StorageError(
            f"the database has schema version {version}, but this sidelight knows versions only up to {latest()}: "
            "run pip install --upgrade sidelight"
        )
    if version < latest():
        raise StorageError(
            f"the database has schema version {version}, but this sidelight needs {latest()}: start `sidelight serve` "
            "with it once to bring it up to date"
        )


def migrate(tx: Transaction, kind: str) -> None:
    """Bring a database up to date; the caller has locked out other processes."""
    version = version_of(tx)
    for number, text in migrations().items():
        if number > version:
            for statement in statements(text, kind):
                tx.run(statement)
            tx.run("INSERT INTO schema_version (version) VALUES (?)", number)
    check_version(version_of(tx))


def statements(text: str, kind: str) -> list[str]:
    """Return the statements of a migration for one database."""
    lines = []
    for line in text.splitlines():
        only = _ONLY.match(line)
        if only is None or only[2] == kind:
            lines.append((line if only is None else only[1]).partition("--")[0].rstrip())
    return [one.strip() for one in "\n".join(lines).split(";") if one.strip()]
