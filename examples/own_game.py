"""
A game of your own
==================

Two matrices describe a game. The analysis says what kind of problem it is, and proves it.
"""

# %%
# A blood bank tests donations for a rare infection. It can release a donation untested, run a cheap test that tells
# only "clean" from "suspicious", or run the full test. Losses may be integers, fractions or decimals; they stay exact.

from pathlib import Path
from tempfile import mkdtemp

import sidelight as sl

game = sl.Game(
    loss=[
        [0, 6, 10],  # release
        [1, 2, 3],  # cheap test
        [2, 2, 2],  # full test
    ],
    feedback=[
        ["nothing", "nothing", "nothing"],
        ["clean", "suspicious", "suspicious"],
        ["clean", "old infection", "new infection"],
    ],
    name="blood bank",
    actions=["release", "cheap test", "full test"],
    outcomes=["clean", "old infection", "new infection"],
)
print(game)

# %%
# The class of the game says how the regret of the best strategy grows.

analysis = sl.analyze(game)
print(analysis.explain())

# %%
# With three outcomes, laws are points of a triangle, and each action is best in a part of it.

figure = game.plot()

# %%
# A game can be kept in a file that people can read, and used on the command line:
# ``sidelight analyze blood-bank.toml``.

path = Path(mkdtemp()) / "blood-bank.toml"
game.save(path)
print(path.read_text())
