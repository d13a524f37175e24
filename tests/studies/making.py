"""Small studies, and strategies that behave badly."""

import textwrap

from sidelight.studies import Game, Player, Study, World, making, sources

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
        "games": (Game("apple-tasting"),),
        "worlds": (World("laws", "balanced"),),
        "players": players or (Player("Uniform"), Player("FixedAction", {"action": 0})),
        "horizons": (60,),
        "runs": 4,
        "block": 2,
    }
    return Study(name, **settings | changes)


def write_mine(folder, act=GOOD, before=""):
    """Write a strategy into a file, and forget what was known of it; return the player."""
    path = folder / "mine.py"
    path.write_text(before + textwrap.dedent(MINE.format(act=act)), encoding="utf-8")
    forget()
    return Player(f"{path}:Mine")


def forget():
    """Make this process read sources again, as a new one would."""
    read = (sources._digest, sources._source, sources._path, sources._is_local, sources._with_version)
    for cached in (*read, making._found, making._strategy):
        cached.cache_clear()
    from sidelight.studies import work

    work._player.cache_clear()


class Watcher:
    """Remembers what it is told."""

    def __init__(self):
        self.notes, self.failures, self.pending = [], [], None

    def begin(self, groups, pending):
        self.pending = len(pending)

    def advance(self, task, rounds):
        pass

    def finished(self, task, spent):
        pass

    def failed(self, task, failure):
        self.failures.append(failure)

    def note(self, text):
        self.notes.append(text)

    def end(self):
        pass
