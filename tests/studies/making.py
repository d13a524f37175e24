"""Small studies, and strategies that behave badly."""

import shutil
import textwrap

from sidelight.studies import GameEntry, PlayerEntry, Study, WorldEntry
from sidelight.studies.store.record import StudyRecord

MINE = """
    import time
    from sidelight.strategies import Strategy

    class Mine(Strategy):
        def _start(self):
            return {{}}

        def _act(self, context):
            {act}

        def _observe(self, action, symbol, context):
            pass
"""
GOOD = "return 0"


def small(*players, name="small", **changes):
    settings = {
        "games": (GameEntry("apple-tasting"),),
        "worlds": (WorldEntry("laws", "balanced"),),
        "players": players or (PlayerEntry("Uniform"), PlayerEntry("FixedAction", {"action": 0})),
        "horizons": (60,),
        "runs": 4,
        "block": 2,
    }
    return Study(name, **settings | changes)


def write_mine(folder, act=GOOD, before=""):
    """Write a strategy into a file; return the player."""
    path = folder / "mine.py"
    path.write_text(text_of_mine(act, before), encoding="utf-8")
    # Python takes an edit of the same length within a second for none if it keeps compiled files.
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    return PlayerEntry(f"{path}:Mine")


def text_of_mine(act=GOOD, before=""):
    """Return the source of a strategy."""
    return before + textwrap.dedent(MINE.format(act=act))


class Watcher:
    """Remembers what it is told."""

    def __init__(self):
        self.notes, self.failures, self.pending = [], [], None

    def begin(self, title, total, pending):
        self.pending = pending

    def finished(self, task):
        pass

    def failed(self, task, failure):
        self.failures.append(failure)

    def note(self, text):
        self.notes.append(text)

    def end(self):
        pass


def calls(folder):
    """Return what each call did."""
    return StudyRecord(folder).calls()


def failures(folder):
    """Return what failed."""
    return StudyRecord(folder).failures()
