"""Studies: your own experiment as a file, run here or on a cluster, resumed, reported.

A study (`model`) is read from a file (`file`) or written in Python, planned case by case (`plan`), run task by task
(`running`), kept on disk (`store`) and reported (`reporting`).
"""

from sidelight.studies.file.reading import parse, read
from sidelight.studies.model import (
    Comparison,
    FigureEntry,
    GameEntry,
    PlayerEntry,
    Study,
    StudyError,
    TableEntry,
    WorldEntry,
)
from sidelight.studies.plain_data import grid
from sidelight.studies.reporting.write import report
from sidelight.studies.running.study_run import StudyRun, opened, run

__all__ = [
    "Comparison",
    "FigureEntry",
    "GameEntry",
    "PlayerEntry",
    "Study",
    "StudyError",
    "StudyRun",
    "TableEntry",
    "WorldEntry",
    "grid",
    "opened",
    "parse",
    "read",
    "report",
    "run",
]
