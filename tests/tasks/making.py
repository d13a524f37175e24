"""Small tasks that need no simulation."""

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Squaring:
    """Squares a number, slowly if that is wanted."""

    number: int
    seconds: float = 1.0
    kernel: str = "square"
    kind: str = "square"
    pause: float = 0.0
    fails: bool = False
    where: str = "anywhere"

    @property
    def title(self):
        return f"the square of {self.number}"

    @property
    def rounds(self):
        return 4

    def perform(self, progress=False):
        for _ in range(4):
            time.sleep(self.pause / 4)
            if progress:
                progress.advance(1)
        if self.fails:
            raise ZeroDivisionError("no square today")
        return self.number**2
