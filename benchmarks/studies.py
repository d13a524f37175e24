"""How long it takes to start and to resume a finished study of 10 000 cells, as a person at the shell waits for it."""

import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import missed, report, seconds

CELLS = 10_000
STUDY = """
horizons = [2]
runs = 1
checkpoints = [2]

[[games]]
name = "label-efficient"
cost = {costs}

{worlds}
[[strategies]]
name = "EpsilonGreedy"
scale = {scales}
"""


def written(folder):
    """Write a study of ten games, ten worlds and a hundred players that take no time; return its file."""
    tenths = range(1, 11)
    text = STUDY.format(
        costs=[f"{k}/10" for k in tenths],
        worlds="".join(f"[[worlds]]\nlaw = [{k / 20}, {1 - k / 20}]\n\n" for k in tenths),
        scales=[round(0.01 * k, 2) for k in range(1, 101)],
    )
    path = folder / "many.toml"
    path.write_text(text.replace("'", '"'), encoding="utf-8")
    return path


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [
            sys.executable,
            "-m",
            "sidelight",
            "study",
            "run",
            str(written(folder)),
            "--out",
            str(folder / "out"),
        ]
        said = []

        def run():
            said.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

        report(f"running a study of {CELLS} cells", seconds(run), unit="s")
        again = min(seconds(run) for _ in range(3))
        assert said[-1].startswith(f"Nothing to do: {CELLS} of {CELLS} cells are finished"), said[-1]
        report(f"resuming it when all {CELLS} cells are finished", again, most=3.0, unit="s")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
