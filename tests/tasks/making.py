"""Small tasks that need no simulation."""

import os
import sys
import time
import warnings
from dataclasses import dataclass


@dataclass(frozen=True)
class Squaring:
    """Squares a number, slowly if that is wanted."""

    number: int
    pause: float = 0.0
    fails: bool = False
    where: str = "anywhere"
    patience: float = 60.0

    @property
    def title(self):
        return f"the square of {self.number}"

    def perform(self, progress=False):
        for _ in range(4):
            time.sleep(self.pause / 4)
            if progress:
                progress.advance(1)
        if self.fails:
            raise ZeroDivisionError("no square today")
        return self.number**2


@dataclass(frozen=True)
class Doing(Squaring):
    """Does something else than squaring."""

    what: str = ""

    def perform(self, progress=False):
        return eval(self.what, {"os": os, "sys": sys, "time": time, "warnings": warnings, "progress": progress})
