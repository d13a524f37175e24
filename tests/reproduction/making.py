"""Small experiments, and somebody who watches them without a word."""

import functools

from sidelight.reproduction.experiment import Experiment, GameSetting, Section
from sidelight.reproduction.plan import Profile, conditions
from sidelight.reproduction.reproduction import Choice
from sidelight.studies.execution import Crew
from sidelight.tasks import run_here

APPLES = GameSetting("apple-tasting", "imbalanced", "Apple tasting, imbalanced")


HERE = Crew(run_here, here=True)


def threads(count):
    """Return so many threads of this process."""
    return Crew(functools.partial(run_here, workers=count), here=True)


class Silent:
    """Hears how the work goes; remembers notes and how many tasks there were to do."""

    notes = ()
    pending = None

    def begin(self, experiments, pending):
        self.pending = len(pending)

    def advance(self, task, rounds):
        pass

    def finished(self, task, seconds):
        pass

    def dropped(self, task):
        pass

    def failed(self, task, failure):
        pass

    def note(self, text):
        self.notes = (*self.notes, text)

    def end(self):
        pass


def choice_of(*players, runs=96, protocols=("published",), seed=0):
    """Choose a table of some players on imbalanced apple tasting."""
    experiment = Experiment("table1", "A small table", "", (Section("imbalanced", APPLES, players),))
    return Choice([experiment], protocols, Profile(runs=runs, seed=seed))


def every_array(reproduction):
    """Return all arrays of a reproduction, in a fixed order."""
    choice = reproduction.choice
    found = [reproduction.results(each) for each in conditions(choice.experiments, choice.protocols, choice.profile)]
    return [getattr(results, name) for results in found for name in ("rounds", "regret", "plays")]
