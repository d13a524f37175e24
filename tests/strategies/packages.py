"""Tiny installed packages that bring strategies, written by hand as an installer would."""

from pathlib import Path
from textwrap import dedent

MODULE = '''
from sidelight.strategies import Strategy


class Cycle(Strategy):
    """Play the actions in turn, `step` at a time.

    Parameters
    ----------
    step
        How far to go.
    """

    def __init__(self, game, step: int = 1, seed=0):
        super().__init__(game, seed=seed)
        self.step = step

    def _start(self):
        return {"clock": 0}

    def _act(self, context):
        self.state["clock"] += self.step
        return self.state["clock"] % self.game.n_actions

    def _observe(self, action, symbol, context):
        pass


class Unfinished(Strategy):
    pass


value = 3
'''


def install(folder, name, points, module=MODULE, version="0.3"):
    """Write an installed package into a folder: one module, its metadata and its entry points."""
    folder = Path(folder)
    (folder / f"{name.replace('-', '_')}.py").write_text(dedent(module))
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    text = "\n".join(f"{key} = {value}" for key, value in points.items())
    (info / "entry_points.txt").write_text(f"[sidelight.strategies]\n{text}\n")
