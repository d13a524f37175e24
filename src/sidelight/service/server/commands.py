"""The commands of `sidelight service` that change a database, directly or through the running server.

Commands take and return plain data, because they may go through the control socket.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sidelight.errors import SidelightError
from sidelight.service.auth import keys, links, reviewers, sessions
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.domain import monitors, retention
from sidelight.service.domain.service import Service
from sidelight.service.journal import audit
from sidelight.service.maintenance.prune import prune
from sidelight.service.problems import Problem
from sidelight.service.server.control import ask, ask_if_served
from sidelight.service.store import file_of, open_storage
from sidelight.service.store.sqlite import InUseError
from sidelight.service.writer.unit import Work

ACTOR = "command"
_DAY = 86_400.0


def call(database: str, base: str, name: str, arguments: dict[str, Any]) -> Any:
    """Run a command on a database, in this process or in the one that serves it; links start with `base`."""
    try:
        storage = open_storage(database)
    except InUseError:
        path = file_of(database)
        assert path is not None
        return ask(path, name, arguments)
    service = Service(storage)
    try:
        return run_command(service, base, name, arguments)
    finally:
        service.close()


def note(database: str, action: str, subject: str, detail: dict[str, Any]) -> None:
    """Note in the audit log that data left a database in use.

    A file that nobody serves, such as a backup, stays as it is: whoever can read it can also copy it.
    """
    arguments = {"action": action, "subject": subject, "detail": detail}
    path = file_of(database)
    if path is None:
        call(database, "", "note", arguments)
    else:
        ask_if_served(path, "note", arguments)


def run_command(service: Service, base: str, name: str, arguments: dict[str, Any]) -> Any:
    """Run a command in this process."""
    command = _COMMANDS.get(name)
    if command is None:
        raise SidelightError(f"there is no command {name!r}: use the same version of sidelight as the server")
    try:
        return command(service, base, **arguments)
    except Problem as problem:
        places = [str(one["detail"]) for one in problem.places]
        raise SidelightError("; ".join([problem.detail, *places])) from None


def _create_key(
    service: Service, base: str, name: str, scopes: Collection[str], only: Collection[str] | None, days: float | None
) -> str:
    seconds = None if days is None else days * _DAY
    return service.do(keys.CreateKey(ACTOR, name, scopes, only, seconds)).text


def _rotate_key(service: Service, base: str, key: str, hours: float) -> str:
    return service.do(keys.RotateKey(ACTOR, _key_id(service, key), 3600.0 * hours)).text


def _revoke_key(service: Service, base: str, key: str) -> None:
    service.do(keys.RevokeKey(ACTOR, _key_id(service, key)))


def _key_id(service: Service, key: str) -> str:
    """Return the id of a key, given its id, its prefix or the whole key."""
    with service.read() as tx:
        found = keys.find(tx, key) or next((one for one in keys.listed(tx) if key in (one.id, one.prefix)), None)
    if found is None:
        raise SidelightError("there is no such key: list the keys with `sidelight service key list`")
    return found.id


def _invite(service: Service, base: str, name: str, scopes: Collection[str], only: Collection[str] | None) -> str:
    return links.address(base, service.do(reviewers.InviteReviewer(ACTOR, name, scopes, only)).code)


def _new_link(service: Service, base: str, name: str) -> str:
    return links.address(base, service.do(reviewers.RenewLink(ACTOR, _reviewer(service, name).id)).code)


def _disable(service: Service, base: str, name: str) -> None:
    service.do(reviewers.DisableReviewer(ACTOR, _reviewer(service, name).id))


def _enable(service: Service, base: str, name: str) -> None:
    service.do(reviewers.EnableReviewer(ACTOR, _reviewer(service, name).id))


def _reviewer(service: Service, name: str) -> Reviewer:
    with service.read() as tx:
        found = next((one for one in reviewers.listed(tx) if reviewers.spelled(name) in (one.name, one.id)), None)
    if found is None:
        raise SidelightError(f"there is no reviewer {name!r}: list them with `sidelight service reviewer list`")
    return found


def _recover(service: Service, base: str) -> str:
    code = service.do(sessions.MakeFirstLink(only_first=False))
    assert code is not None
    return links.address(base, code)


def _prune(service: Service, base: str, days: float | None) -> dict[str, int]:
    with service.read() as tx:
        found = monitors.every(tx)
    deleted, failed = {}, []
    for one in found:
        try:
            deleted[one.name] = prune(service, one.id, days=days)
        except SidelightError as error:  # prune the others anyway
            failed.append(f"{one.name}: {error}")
    if failed:
        raise SidelightError(f"some monitors could not be pruned ({len(deleted)} others were): {'; '.join(failed)}")
    return deleted


def _erase(service: Service, base: str, monitor: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    with service.read() as tx:
        id = monitors.find(tx, monitor).id
    return [one._asdict() for one in service.do(retention.erase(id, ids, actor=ACTOR))]


@dataclass(frozen=True)
class _Note:
    """Note something that a command did without changing anything."""

    action: str
    subject: str
    detail: dict[str, Any]
    monitors: Sequence[str] = ()

    def run(self, work: Work) -> None:
        """Write the note."""
        audit.write(work.tx, ACTOR, self.action, self.subject, **self.detail)


def _note(service: Service, base: str, action: str, subject: str, detail: dict[str, Any]) -> None:
    service.do(_Note(action, subject, detail))


_COMMANDS: dict[str, Callable[..., Any]] = {
    "key create": _create_key,
    "key rotate": _rotate_key,
    "key revoke": _revoke_key,
    "reviewer invite": _invite,
    "reviewer link": _new_link,
    "reviewer disable": _disable,
    "reviewer enable": _enable,
    "recover": _recover,
    "prune": _prune,
    "erase": _erase,
    "note": _note,
}
