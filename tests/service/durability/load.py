"""Clients that send predictions and answers, remember what was acknowledged, and repeat what was not."""

from __future__ import annotations

import http.client
import random
import threading

from service.durability.servers import Caller

_SIZES = (1, 1, 1, 3, 10)


class Client:
    """One client: a request that got no reply is repeated with the same ids until it gets one."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.random = name, random.Random(seed)
        self.sent = self.replies = 0
        self.decided: dict[str, tuple[str, bool, str]] = {}
        self.answered: dict[str, bool] = {}
        self.unanswered: list[str] = []
        self.open: tuple[str, dict] | None = None
        """The request whose outcome is not known."""
        self.wrong: list[str] = []
        """What a server should not have said."""

    def run(self, caller: Caller, most: int) -> None:
        """Send requests until the server is gone."""
        try:
            for _ in range(most):
                if self.open is None:
                    self.open = self._next()
                what, body = self.open
                status, reply = caller.post(what, body)
                self.replies += status == 200
                if status == 200:
                    self.open = None
                    (self._note_decisions if what == "decisions" else self._note_answers)(body, reply)
                elif status != 503:
                    self.wrong.append(f"{status} {reply}")
                    self.open = None
        except (OSError, http.client.HTTPException, ValueError):  # killed before, or within, the reply
            pass
        finally:
            caller.close()

    def _next(self) -> tuple[str, dict]:
        if self.unanswered and self.random.random() < 0.5:
            id = self.unanswered.pop(self.random.randrange(len(self.unanswered)))
            return "answers", {"answers": [{"id": id, "correct": self.random.random() < 0.85}]}
        if self.decided and self.random.random() < 0.1:
            id = self.random.choice(list(self.decided))
            return "decisions", {"predictions": [{"id": id, "prediction": self.decided[id][0]}]}
        rows = []
        for _ in range(self.random.choice(_SIZES)):
            self.sent += 1
            rows.append({"id": f"{self.name}-{self.sent}", "prediction": self.random.choice("aaabbc")})
        return "decisions", {"predictions": rows}

    def _note_decisions(self, body: dict, reply: dict) -> None:
        for row, found in zip(body["predictions"], reply["decisions"], strict=True):
            decision = row["prediction"], found["verify"], found["reason"]
            before = self.decided.setdefault(row["id"], decision)
            if found["id"] != row["id"] or before != decision:
                self.wrong.append(f"{row['id']} was {before} and is {decision}")
            elif found["verify"] and row["id"] not in self.answered and row["id"] not in self.unanswered:
                self.unanswered.append(row["id"])

    def _note_answers(self, body: dict, reply: dict) -> None:
        for row, found in zip(body["answers"], reply["answers"], strict=True):
            if found["status"] in ("recorded", "unchanged"):
                self.answered[row["id"]] = row["correct"]
            elif found["status"] != "gone":
                self.wrong.append(f"{row} gave {found}")


def run_all(clients: list[Client], port: int, key: str, most: int = 10**9) -> list[threading.Thread]:
    """Let all clients work at once, each in a thread; they end with the server or after `most` requests."""
    threads = [threading.Thread(target=one.run, args=(Caller(port, key), most)) for one in clients]
    for thread in threads:
        thread.start()
    return threads
