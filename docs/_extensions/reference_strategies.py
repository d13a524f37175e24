"""One page per strategy: what it needs, what is proved, how it works, what it costs, and how it did."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from dataclasses import replace
from pathlib import Path

from sidelight.benchmark import tables
from sidelight.benchmark.recommendation import stored
from sidelight.benchmark.records import CONTEXTS, LAWS
from sidelight.benchmark.scores import board
from sidelight.cli._docstrings import describe
from sidelight.simulation.players import known, known_names, signature
from sidelight.table import Table

TRANSCRIPTS = Path(__file__).parents[2] / "tests" / "transcripts"
_ROUNDS = 5
"""How many lines of a transcript are shown, of twenty rounds each."""
_WIDTH = 56
"""Longer lists of arguments have a line for each: code beside two columns of links has no more room."""


def pages() -> dict[str, str]:
    """Return the pages by path."""
    names = known_names()
    found = {f"strategies/{name}.md": _page(name) for name in names}
    rows = "\n".join(f"| [{name}]({name}.md) | {describe(known(name)).line} |" for name in names)
    listed = "\n".join(names)
    found["strategies/index.md"] = (
        "# Strategies\n\n`sl.strategies.NAME(game, ...)` in Python, `NAME:parameter=value,...` on the command line; "
        "`BayesOptimal` is in `sl.limits`. [Which strategy should I use?](../../choose/strategy.md)\n\n"
        f"| strategy | in one line |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return found


def _page(name: str) -> str:
    kind = known(name)
    said = describe(kind)
    takes = "\n".join(
        f"- `{parameter.name}`{_default(parameter)}: {said.parameters[parameter.name]}"
        for parameter in signature(kind).values()
        if parameter.name not in ("game", "seed")
    )
    contexts = "dimension" in signature(kind)
    needs = "contexts, each a vector of numbers" if contexts else "no contexts"
    home = "limits" if kind.__module__.startswith("sidelight.limits") else "strategies"
    parts = [
        f"# {name}",
        said.line,
        said.text,
        f"| | |\n|---|---|\n| needs | {needs} |\n| guarantee | {kind.guarantee or 'none is proved'} |",
        f"```python\nsl.{home}.{name}{_shown(kind)}\n```",
        f"## Parameters\n\n{takes}" if takes else "",
        f"## How it works\n\n{_module(kind)}",
        "## References\n\n" + "\n".join(f"- {paper}" for paper in said.papers) if said.papers else "",
        _transcript(name),
        _measured(name),
        "Every strategy has the methods of "
        "[`Strategy`](../python/strategies.md): `act`, `observe`, `explain`, `save`, `clone`, `reset`.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shown(kind: type) -> str:
    """Return the arguments of a strategy as they are written in Python."""
    parameters = [
        each.replace(annotation=inspect.Parameter.empty) for each in inspect.signature(kind).parameters.values()
    ]
    written = str(inspect.Signature(parameters))
    if len(written) <= _WIDTH:
        return written
    lines = "".join(f"    {each},\n" for each in _separated(parameters))
    return f"(\n{lines})"


def _separated(parameters: list[inspect.Parameter]) -> list[str]:
    """Return each parameter as it is written, with the star after which names are needed."""
    written = [str(each) for each in parameters]
    named = [each.kind is inspect.Parameter.KEYWORD_ONLY for each in parameters]
    if any(named):
        written.insert(named.index(True), "*")
    return written


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is parameter.empty else f" (`{parameter.default!r}` by default)"


def _module(kind: type) -> str:
    """Return the docstring of a strategy's module: it has the formulas, and what print says otherwise."""
    return inspect.cleandoc(sys.modules[kind.__module__].__doc__ or "")


def _transcript(name: str) -> str:
    """Return the beginning of a stored transcript of the strategy at play."""
    files = sorted(TRANSCRIPTS.glob(f"{name}-*.txt"))
    if not files:
        return ""
    chosen = next((each for each in files if each.stem.endswith("-label-efficient")), files[0])
    head, _, rounds = chosen.read_text(encoding="utf-8").partition("\n\n")
    text = "\n".join(rounds.splitlines()[:_ROUNDS])
    return (
        "## At play\n\nThe first hundred rounds of one run. Each entry is the number of an action and the symbol that"
        " it showed.\n\n"
        f"```text\n{head}\n\n{text}\n```"
    )


def _measured(name: str) -> str:
    """Return what the benchmark says of a strategy."""
    shown = [_rows_of(name, table) for table in _rankings()]
    found = "\n\n".join(table.to_markdown() for table in shown if table.rows)
    if not found:
        return ""
    return (
        "## How it did\n\nIn the [benchmark](../../benchmark.md), after its longest horizon, beside all other"
        f" strategies; that page says what the columns mean.\n\n{found}"
    )


def _rows_of(name: str, table: Table) -> Table:
    """Return the rows of a ranking that are about one strategy, whatever its parameters."""
    return replace(table, rows=[row for row in table.rows if re.split(r"[(,]", str(row[0]))[0] == name])


@functools.cache
def _rankings() -> list[Table]:
    """Return how all players did after the longest horizon, without contexts and with them."""
    summary = stored()
    return [tables.ranking(board(summary, max(summary.horizons), group)) for group in (LAWS, CONTEXTS)]
