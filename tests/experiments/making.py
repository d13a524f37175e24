"""Small experiments, and somebody who watches them without a word."""

from sidelight.experiments.experiment import Experiment, GameSetting, Section
from sidelight.experiments.plan import Profile
from sidelight.experiments.reproduction import Choice

APPLES = GameSetting("apple-tasting", "imbalanced", "Apple tasting, imbalanced")


class Silent:
    """Hears how the work goes; remembers notes and how many tasks there were to do."""

    notes = ()
    pending = None

    def begin(self, experiments, pending):
        self.pending = len(pending)

    def advance(self, task, rounds):
        pass

    def finished(self, task):
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
    conditions = dict.fromkeys(task.condition for task in reproduction.choice.tasks())
    found = [reproduction.arrays(condition) for condition in conditions]
    return [arrays[name] for arrays in found for name in sorted(arrays)]
