"""One page per game of the catalogue: its story, matrices, figure and analysis."""

from __future__ import annotations

import sidelight as sl
from sidelight.games._parameters import write_game_parameter

_DRAWN = 8
"""Games of more actions are not drawn: their figures would be black."""


def pages() -> dict[str, str]:
    """Return the pages by path."""
    names = sl.games.names()
    found = {f"games/{name}.md": _page(name) for name in names}
    rows = "\n".join(_row(name) for name in names)
    listed = "\n".join(names)
    found["games/index.md"] = (
        "# Games\n\nThe catalogue. `sl.games.load(name, **parameters)` loads a game in Python; on the command line it"
        " is `NAME`, with `--set parameter=value`. The class is that of the default parameters.\n\n"
        f"| game | actions | outcomes | class | in one line |\n|---|---|---|---|---|\n{rows}\n\n"
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return found


def _row(name: str) -> str:
    entry, game = sl.games.describe(name), sl.games.load(name)
    kind = sl.analyze(game).kind
    return f"| [{name}]({name}.md) | {game.n_actions} | {game.n_outcomes} | {kind} | {entry.line} |"


def _page(name: str) -> str:
    entry, game = sl.games.describe(name), sl.games.load(name)
    takes = "\n".join(
        f"- `{parameter}` (`{write_game_parameter(default)}` by default): {entry.allowed[parameter]}"
        for parameter, default in entry.parameters.items()
    )
    parts = [
        f"# {entry.title}",
        f"`{name}`: {entry.line}",
        entry.story,
        _figure(name) if game.n_actions <= _DRAWN else "",
        "## The matrices",
        f"```text\n{game}\n```",
        f"## Parameters\n\n{takes}" if takes else "",
        "## What kind of problem it is",
        f"```{{code-block}} text\n:class: prose\n\n{sl.analyze(game).explain()}\n```",
        f"## Source\n\n{entry.source}.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _figure(name: str) -> str:
    code = f'import sidelight as sl\n\nsl.games.load("{name}").plot()'
    return f"```{{drawing}} The cells of {name}, or its graph of neighbors.\n{code}\n```"
