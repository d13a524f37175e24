"""Pure pieces of work, done on the cores of this machine, on a cluster, or share by share.

What a task does is its own affair: this package knows where it can be performed, and nothing else.
"""

from sidelight.tasks.local import cores, run_here
from sidelight.tasks.shares import Share
from sidelight.tasks.task import Advancing, Failure, Task, TaskError, Where

__all__ = ["Advancing", "Failure", "Share", "Task", "TaskError", "Where", "cores", "run_here"]
