"""`sidelight serve --demo`: made-up classifiers and reviewers, so that every page shows live data.

At the start, a day of predictions and reviews is made with the same jobs that requests use; then a thread continues.
All pictures and texts are made here: nothing is downloaded.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.service.auth import passwords, reviewers
from sidelight.service.auth.keys import create_key
from sidelight.service.demo.worlds import DemoWorld, make_demo_worlds
from sidelight.service.domain import monitors
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import Prediction
from sidelight.service.domain.queue import MOST_CLAIMED, claim_verifications
from sidelight.service.domain.reviews import Said, give_review
from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.problems import Problem
from sidelight.service.server.app import make_app
from sidelight.service.server.run import address_of_socket, open_service_to_serve
from sidelight.service.server.uvicorn_server import serve_with_uvicorn
from sidelight.service.writer.unit import Job, WriterUnit, writer_job

NAME = "demo"
_PEOPLE = ("Mira Lang", "Jonas Weber", "Aiko Sato")
_ACTOR = "system"
_HOURS = 22
_A_ROUND = 110
_LEFT_OPEN = 14
"""Verifications that the made-up reviewers leave for the visitor of the demonstration."""
_MISTAKES, _SKIPS = 0.006, 0.01
_PAUSE = 0.8


@writer_job
def _add_demo_people(work: WriterUnit, password: str) -> list[str]:
    """Add the administrator of the demonstration and the made-up reviewers, who cannot sign in."""
    reviewers.insert_reviewer(work, NAME, password, reviewers.ADMINISTRATOR)
    people = [reviewers.insert_reviewer(work, one, None, ("answer", "settle", "report")) for one in _PEOPLE]
    return [one.actor for one in people]


class Demo:
    """The made-up world of one server, whose database is empty."""

    def __init__(self, service: Service, seed: int = 7) -> None:
        self.service = service
        self.password = secrets.token_urlsafe(9)
        self._rng = np.random.default_rng(seed)
        self._worlds = make_demo_worlds()
        self._ids: dict[str, str] = {}
        self._people: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sidelight-demo", daemon=True)

    def prepare(self) -> None:
        """Create monitors, people, and the predictions and reviews of the last day."""
        service = self.service
        self._people = service.do(_add_demo_people(passwords.hash_password(self.password)))
        for world in self._worlds:
            row = service.do(monitors.create_served_monitor(world.name, world.settings, actor=_ACTOR))
            self._ids[world.name] = row.id
            service.do(create_key(_ACTOR, f"{world.name} in production", ["decide"], [world.name]))
        asyncio.run(self._play_last_day())

    def start(self) -> None:
        """Start the live predictions and reviews."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the live predictions and reviews."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(10.0)

    async def _play_last_day(self) -> None:
        with self.service.read() as tx:
            now = tx.now()
        for hour in range(_HOURS, -1, -1):
            for world in self._worlds:
                await self._send_predictions(world, _A_ROUND, now - 3600.0 * hour)
                await self._answer_waiting(world, _A_ROUND if hour else 30)

    async def _send_predictions(self, world: DemoWorld, size: int, until: float | None = None) -> None:
        """Send predictions with times in the hour before `until`, or with the current time."""
        times: Sequence[float | None] = [None] * size
        if until is not None:
            times = sorted(until - 3600.0 * self._rng.random(size))
        rows = []
        for time in times:
            id, said, real = world.predict(self._rng)
            world.truth[id] = real
            phone = self._rng.random() < (0.7 if said != real else 0.3)  # there is more to mistake in what phones send
            segment = {"source": "phone" if phone else "scanner"}
            rows.append(Prediction(id, said, time, world.show(real, self._rng), segment=segment))
        decisions = await self.service.submit(
            decide_predictions(self.service, self._ids[world.name], rows, actor=_ACTOR)
        )
        for one in decisions:
            if not one.verify:
                del world.truth[str(one.id)]

    async def _answer_waiting(self, world: DemoWorld, most: int) -> None:
        """Let the reviewers answer the waiting verifications, except for the last few."""
        spare = min(most, len(world.truth) - _LEFT_OPEN)
        monitor, jobs, skips, answered = self._ids[world.name], list[Job[Any]](), list[Job[Any]](), list[str]()
        if spare < 1:
            return
        for who in self._people[: world.settings.get("reviews", 1)]:
            found = await self.service.submit(
                claim_verifications(monitor, who, count=min(spare, MOST_CLAIMED), settle=True)
            )
            for verification in [one.verification for one in found]:
                said = self._draw_review(world, verification)
                jobs.append(give_review(monitor, who, verification.number, said, settles=True))
                if said.skipped:  # by someone else, too; or the visitor would get it
                    skips.append(give_review(monitor, self._people[-1], verification.number, said, settles=True))
                answered.append(verification.id)
        await asyncio.gather(*(self.service.submit(one) for one in jobs + skips))
        for id in answered:
            world.truth.pop(id, None)

    def _draw_review(self, world: DemoWorld, verification: Any) -> Said:
        real = world.truth.get(verification.id, str(verification.prediction))
        u = self._rng.random()
        if u < _MISTAKES:
            real = world.mistaken[real]
        return Said(skipped=True) if u > 1.0 - _SKIPS else Said(label=real)

    def _run(self) -> None:
        asyncio.run(self._play_live())

    async def _play_live(self) -> None:
        turn = 0
        while not self._stop.wait(_PAUSE):
            world = self._worlds[turn % len(self._worlds)]
            turn += 1
            if turn == 60:  # something to notice after a while: threes get worse
                self._worlds[0].errors["3"] = 0.3
            try:
                await self._send_predictions(world, 12)
                await self._answer_waiting(world, 6)
            except Problem:  # the visitor may have archived or settled something
                continue


def run_demo(options: Options, listener: socket.socket, say: Callable[[str, str], object], **serving: Any) -> None:
    """Serve made-up monitors, from a folder that is deleted at the end; `serving` is for `serve`.

    `say(address, password)` is called once every page has something to show.
    """
    with (
        tempfile.TemporaryDirectory(prefix="sidelight-demo-") as folder,
        open_service_to_serve(str(Path(folder, "demo.db")), options) as service,
    ):
        demo = Demo(service)
        demo.prepare()
        demo.start()
        try:
            ready = partial(say, options.url or address_of_socket(listener), demo.password)
            serve_with_uvicorn(make_app(service), listener, ready=ready, **serving)
        finally:
            demo.stop()
