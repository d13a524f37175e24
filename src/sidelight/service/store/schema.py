"""The schema: one file, `schema.sql`, for both databases, and a number that says which one a database has.

Earlier versions were never released, so there is nothing to migrate from: another number is refused.
"""

from __future__ import annotations

import re
from importlib import resources

from sidelight.service.store.base import Reader, StorageError, Transaction

VERSION = 2
_ONLY = re.compile(r"^(.*)-- (sqlite|postgres)$")
_TABLE = re.compile(r"CREATE TABLE (\w+)")


def read_database_schema() -> str:
    """Return the statements for both databases."""
    return (resources.files("sidelight.service.store") / "schema.sql").read_text(encoding="ascii")


def check_database_schema(tx: Reader) -> None:
    """Refuse a database without data of sidelight, or with another schema version."""
    if tx.columns("schema_version") != ["version"]:
        raise StorageError("this database contains no data of sidelight: check its name")
    row = tx.one("SELECT max(version) FROM schema_version")
    if row is None or row[0] != VERSION:
        raise StorageError(
            f"the database has schema version {None if row is None else row[0]}, but this sidelight knows only "
            f"{VERSION}: use the version of sidelight that made it, or install a newer one"
        )


def is_new_database(tx: Reader) -> bool:
    """Say whether a database has none of our tables; refuse one in which another program has tables of their names."""
    if tx.columns("schema_version") == ["version"]:
        return False
    taken = [name for name in _TABLE.findall(read_database_schema()) if tx.columns(name)]
    if taken:
        raise StorageError(
            f"this database belongs to another program that has tables with the same names ({', '.join(taken)}): "
            "give the service its own database"
        )
    return True


def create_database_schema(tx: Transaction, kind: str) -> None:
    """Create the tables in a new database; the caller has locked out other processes."""
    if not is_new_database(tx):
        return
    for statement in schema_statements_of_database(read_database_schema(), kind):
        tx.run(statement)
    tx.run("INSERT INTO schema_version (version) VALUES (?)", VERSION)


def schema_statements_of_database(text: str, kind: str) -> list[str]:
    """Return the statements for one database."""
    lines = []
    for line in text.splitlines():
        only = _ONLY.match(line)
        if only is None or only[2] == kind:
            lines.append((line if only is None else only[1]).partition("--")[0].rstrip())
    found = "\n".join(lines).replace(" BLOB", " BYTEA" if kind == "postgres" else " BLOB")
    return [one.strip() for one in found.split(";") if one.strip()]
