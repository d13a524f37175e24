"""Pure pieces of work, done on the cores of this machine, on a cluster, or share by share.

What a task does is its own affair: this package knows how long it takes, what has to be compiled for it, and how to
perform it, and nothing else.
"""

from sidelight.tasks.local import cores, run_here
from sidelight.tasks.processes import DiedError
from sidelight.tasks.shares import Share
from sidelight.tasks.task import Advancing, Task, TaskError, Where

__all__ = ["Advancing", "DiedError", "Share", "Task", "TaskError", "Where", "cores", "run_here"]
