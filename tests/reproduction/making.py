"""Small tables, and somebody who watches them being made without a word."""

from sidelight.reproduction.exhibit import Exhibit, Profile, exhibit_study_of_game
from sidelight.reproduction.runs import Reproduction
from sidelight.studies.running.study_run import crew_of
from sidelight.studies.store.store import Store
from sidelight.tasks.display import Display

HERE = crew_of(cluster=None, workers=None)


class Silent(Display):
    """Remembers notes and how many tasks there were to do."""

    notes = ()
    pending = None

    def begin(self, title, total, pending):
        self.pending = pending

    def note(self, text):
        self.notes = (*self.notes, text)


def table_of(*players, reasons=None):
    """Return a table of some players on imbalanced apple tasting."""

    def studies(profile):
        return (exhibit_study_of_game("apple-tasting", "imbalanced", players, profile),)

    return Exhibit("table1", "A small table", "", studies, reasons or {})


def reproduction_of(folder, *players, runs=96):
    """Return a reproduction of such a table under the published protocol."""
    return Reproduction([table_of(*players)], [Profile(runs=runs)], Store(folder))


def every_array(reproduction):
    """Return all arrays of a reproduction, in a fixed order."""
    found = reproduction.results_of(reproduction.cases())
    return [getattr(results, name) for results in found for name in ("rounds", "regret", "plays")]
