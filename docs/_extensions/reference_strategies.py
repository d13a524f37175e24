"""One page per strategy: what it needs, what is proved, how it works, what it costs, and how it did."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from dataclasses import replace
from pathlib import Path

import benchmark_tables
import name_examples
from typeset import typeset

import sidelight as sl
from sidelight.cli.research.docstrings import describe_class_for_command
from sidelight.recommendation.recommendation import read_stored_benchmark
from sidelight.recommendation.records import CONTEXTS, LAWS
from sidelight.recommendation.scores import score_benchmark_players
from sidelight.simulation.players import signature_of_player
from sidelight.table import Table
from sidelight.text import break_line, thousands

TRANSCRIPTS = Path(__file__).parents[2] / "tests" / "transcripts"
_ROUNDS = 5
"""How many lines of a transcript are shown, of twenty rounds each."""
_UNRANKED = {
    "BayesOptimal": "It is what the [benchmark](../../benchmark.md) measures the others against where it says"
    " “relative to Bayes”."
}
_WIDTH = 56
"""Longer lists of arguments have a line for each: code beside two columns of links has no more room."""


def pages() -> dict[str, str]:
    """Return the pages by path."""
    names = sl.strategies.names()
    found = {f"strategies/{name}.md": _page(name) for name in names}
    rows = "\n".join(
        f"| [{name}]({name}.md) | {describe_class_for_command(getattr(sl.strategies, name)).line} |" for name in names
    )
    listed = "\n".join(names)
    found["strategies/index.md"] = (
        "# Strategies\n\n`sl.strategies.NAME(game, ...)` in Python, `NAME:parameter=value,...` on the command line. "
        "[Which strategy should I use?](../../choose/strategy.md)\n\n"
        f"| strategy | in one line |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return found


def _page(name: str) -> str:
    kind = getattr(sl.strategies, name)
    said = describe_class_for_command(kind)
    takes = "\n".join(
        f"- `{parameter.name}`{_default(parameter)}: {_explained(said.parameters[parameter.name])}"
        for parameter in signature_of_player(kind).values()
        if parameter.name not in ("game", "seed")
    )
    parts = [
        f"# {name}",
        typeset(said.line),
        typeset(said.text),
        _facts(kind),
        f"```python\nsl.strategies.{name}{_shown(kind)}\n```",
        f"## Parameters\n\n{takes}" if takes else "",
        _how(kind),
        "## References\n\n" + "\n".join(f"- {paper}" for paper in said.papers) if said.papers else "",
        _example(name, kind),
        _transcript(name),
        _measured(name),
        "Every strategy has the methods of "
        "[`Strategy`](../python/strategies.md): `act`, `observe`, `explain`, `save`, `clone`, `reset`.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(kind: type) -> str:
    """Return what one has to know before using a strategy, in a table without titles."""
    games = describe_class_for_command(kind).parameters["game"]
    contexts = "dimension" in signature_of_player(kind) or "contexts" in signature_of_player(kind)
    rows = {
        "games": re.sub("^The game; ", "Any; ", games),
        "contexts": "Needed: a vector of numbers before each round." if contexts else "Not used.",
        "guarantee": f"{kind.guarantee[0].upper()}{kind.guarantee[1:]}." if kind.guarantee else "None is proved.",
        "cost": _cost(kind.__name__),
    }
    written = "\n".join(f"| {title} | {typeset(text)} |" for title, text in rows.items() if text)
    return f"| | |\n|---|---|\n{written}"


def _cost(name: str) -> str:
    """Return what a round costs, as the benchmark measured it on average over its games."""
    found = [row for _, table in _results(name) for row in table.rows]
    if not found:
        return ""
    nanoseconds = float(found[0][-1])
    amount = f"{nanoseconds:.0f} ns" if nanoseconds < 1000 else f"{nanoseconds / 1000:.3g} µs"
    return f"About {amount} a round, compiled, on average over the games of the benchmark."


def _how(kind: type) -> str:
    """Return the sections about the algorithm and about what print says otherwise, from the module's docstring."""
    folder = Path(sys.modules[kind.__module__].__file__ or "")
    paragraphs = _module(kind).split("\n\n")
    differs = [each for each in paragraphs if re.match("The published |On apple tasting, ", each)]
    text = "\n\n".join(each for each in paragraphs if each not in differs)
    own = f"`src/sidelight/{folder.parent.name}/{folder.name}`"
    text = f"## How it works\n\n{_files(text, folder)}\n\nThe code is in {own}; other files named here are beside it."
    if differs:
        text += "\n\n## What was published\n\n" + "\n\n".join(_files(each, folder) for each in differs)
    return text


def _files(text: str, module: Path) -> str:
    """Typeset a text, and write the modules beside its own as the files that they are."""

    def named(found: re.Match[str]) -> str:
        return f"`{found[1]}.py`" if module.with_name(f"{found[1]}.py").exists() else found[0]

    return re.sub(r"`(\w+)`", named, typeset(text))


def _example(name: str, kind: type) -> str:
    """Return a session with the strategy: that of its docstring, or the one that was written for this page."""
    shown = name_examples.own_example(kind) or name_examples.block(name_examples.sessions("sidelight.strategies")[name])
    return f"## Example\n\n{shown}"


def _shown(kind: type) -> str:
    """Return the arguments of a strategy as they are written in Python."""
    parameters = [
        each.replace(annotation=inspect.Parameter.empty) for each in inspect.signature(kind).parameters.values()
    ]
    written = _short(str(inspect.Signature(parameters)))
    if len(written) <= _WIDTH:
        return written
    lines = "".join(f"    {each},\n" for each in _separated(parameters))
    return f"(\n{lines})"


def _separated(parameters: list[inspect.Parameter]) -> list[str]:
    """Return each parameter as it is written, with the star after which names are needed."""
    written = [_short(str(each)) for each in parameters]
    named = [each.kind is inspect.Parameter.KEYWORD_ONLY for each in parameters]
    if any(named):
        written.insert(named.index(True), "*")
    return written


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is parameter.empty else f" (`{_short(repr(parameter.default))}` by default)"


def _explained(parameter: str) -> str:
    return typeset(parameter.replace("see the module's text", "see below"))


def _short(written: str) -> str:
    """Write a third as one."""
    return written.replace(repr(1 / 3), "1/3")


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
    head = "\n".join(break_line(head.splitlines()[0], 80, "    ") + head.splitlines()[1:])
    return (
        "## At play\n\nThe first hundred rounds of one run. Each entry is the number of an action and the symbol that"
        " it showed.\n\n"
        f"```text\n{head}\n\n{text}\n```"
    )


def _measured(name: str) -> str:
    """Return what the benchmark says of a strategy: a table with a column for each setting of its parameters."""
    found = _results(name)
    if not found:
        return f"## How it did\n\n{_UNRANKED.get(name, 'The [benchmark](../../benchmark.md) has no numbers for it.')}"
    head = "## How it did\n\nIn the [benchmark](../../benchmark.md), which says what the lines mean."
    return "\n\n".join([head, *(_turned(horizon, table) for horizon, table in found)])


def _turned(horizon: int, table: Table) -> str:
    """Write the rows of a ranking as columns, so that they fit on a page."""
    written = [line[2:-2].split(" | ") for line in table.to_markdown().splitlines() if line.startswith("|")]
    titles, rows = written[0], written[2:]
    columns = [[titles[0], *(row[0] for row in rows)], ["---"] * (len(rows) + 1)]
    columns += [[title, *(row[n].strip() or "-" for row in rows)] for n, title in enumerate(titles) if n]
    shown = "\n".join(f"| {' | '.join(column)} |" for column in columns)
    return f"After {thousands(horizon)} rounds, beside all other strategies:\n\n{shown}"


def _results(name: str) -> list[tuple[int, Table]]:
    """Return how a strategy did without contexts and with them, after the longest horizon that it was run for."""
    found = []
    for group in (LAWS, CONTEXTS):
        tables_of = (
            (horizon, _rows_of(name, _ranking(horizon, group)))
            for horizon in sorted(read_stored_benchmark().horizons)[::-1]
        )
        found += [(horizon, table) for horizon, table in tables_of if table.rows][:1]
    return found


def _rows_of(name: str, table: Table) -> Table:
    """Return the rows of a ranking that are about one strategy, whatever its parameters."""
    return replace(table, rows=[row for row in table.rows if re.split(r"[(,]", str(row[0]))[0] == name])


@functools.cache
def _ranking(horizon: int, group: str) -> Table:
    """Return how all players did."""
    return benchmark_tables.ranking(score_benchmark_players(read_stored_benchmark(), horizon, group))
