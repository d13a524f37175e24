"""Studies: your own experiment as a file, run here or on a cluster, resumed, reported.

A study (`study`) is read from a file (`reading`) or written in Python, planned cell by cell, run task by task, kept on
disk and reported.
"""

from sidelight.studies.parameters import grid
from sidelight.studies.reading import parse, read
from sidelight.studies.reports import report
from sidelight.studies.running import Progress, opened, run
from sidelight.studies.study import Comparison, Figure, Game, Player, Study, StudyError, Table, World

__all__ = [
    "Comparison",
    "Figure",
    "Game",
    "Player",
    "Progress",
    "Study",
    "StudyError",
    "Table",
    "World",
    "grid",
    "opened",
    "parse",
    "read",
    "report",
    "run",
]
