"""Draw the picture of the README, for light and for dark pages: `python docs/make_readme_picture.py`.

It shows the example of the README, with CBP and RandCBP beside it. The dark one is the same file in the colors of a
dark page.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

import sidelight as sl

FOLDER = Path(__file__).parent / "images"
# Light page -> dark page: the paper, text, lesser text, lines, and text in the color of a curve.
DARK = {
    "#ffffff": "#0d1117",
    "#1a1a1a": "#e6edf3",
    "#000000": "#e6edf3",
    "#6b6b6b": "#9aa4af",
    "#b4b4b4": "#4b535d",
    "#e6e6e6": "#21262d",
    "#0072b2": "#4aa8e0",
    "#005b8e": "#7cc0ea",
    "#aa4b00": "#f0935a",
    "#007e5c": "#4fd1a8",
    "#a36186": "#e3a6c6",
}


def main() -> None:
    """Play, draw, and write both files."""
    game = sl.games.load("label-efficient")
    env = sl.environments.IID(sl.environments.laws.load("balanced", outcomes=2))
    players = (sl.strategies.CBP(game), sl.strategies.RandCBP(game), sl.strategies.Prospect(game))
    first, *others = (sl.simulate(player, env, horizon=20_000, runs=200, seed=0) for player in players)
    FOLDER.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "sidelight"}):
        first.plot(others=others).savefig(FOLDER / "regret.svg", metadata={"Date": None}, bbox_inches="tight")
    text = (FOLDER / "regret.svg").read_text(encoding="utf-8")
    for light, dark in DARK.items():
        text = text.replace(light, dark)
    (FOLDER / "regret-dark.svg").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
