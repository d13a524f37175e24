"""`sidelight strategies`: the ways to play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sidelight import strategies
from sidelight.cli import terminal
from sidelight.cli.research.docstrings import describe_class_for_command
from sidelight.errors import SidelightError
from sidelight.simulation import players
from sidelight.strategies import plugins
from sidelight.table import Cell, Column, Table

if TYPE_CHECKING:
    from sidelight.strategies import Strategy

_COLUMN = 12
# Parameters that every strategy has, and those that mark a contextual strategy.
_COMMON, _CONTEXTUAL = ("game", "seed"), ("dimension", "contexts")
_CONTEXTS = {True: "yes", False: "no", None: "?"}


@click.command("strategies")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def strategies_command(name: str | None, as_json: bool) -> None:
    """List the strategies, or describe one of them.

    Without NAME, lists every strategy: whether it uses contexts, what it does, for which games a regret bound is known,
    and where it was published. With NAME, explains a strategy and its parameters.

    Strategies of other installed packages (entry points of the group sidelight.strategies) come last, with their
    package and its version.
    """
    if name is None:
        found = [_strategy_as_data(getattr(strategies, each)) for each in strategies.names()]
        external = plugins.find_strategy_plugins()
        found += [_external_strategy_as_data(plugin) for plugin in external if not plugin.problem]
        if as_json:
            terminal.write_terminal_json(found)
        else:
            terminal.write_to_terminal(_table_of_strategies(found).to_text(terminal.terminal_width()))
        for plugin in external:
            if plugin.problem:
                click.echo(f"sidelight: note: {plugin.problem}", err=True)
        return
    if name not in strategies.names(published=True) and plugins.find_strategy_plugin(name) is None:
        raise SidelightError(f"{players.unknown_player_message(name)}'sidelight strategies' lists them")
    data = _strategy_as_data(players.find_player_class(name))
    if as_json:
        terminal.write_terminal_json(data)
    else:
        _print_strategy(data)


def _external_strategy_as_data(plugin: plugins.StrategyPlugin) -> dict[str, Any]:
    """Describe a strategy of another package, even an unusable one."""
    source = {"name": plugin.name, "external": _source_of_strategy(plugin)}
    try:
        return _strategy_as_data(plugin.load()) | source
    except SidelightError as error:
        return source | {"error": str(error)}


def _source_of_strategy(plugin: plugins.StrategyPlugin) -> dict[str, str]:
    return {"package": plugin.package, "version": plugin.version}


def _table_of_strategies(found: list[dict[str, Any]]) -> Table:
    """Return the name of each strategy and whether it uses contexts; below, what it does, its guarantee and papers."""
    rows = []
    for data in found:
        note = [f"External: {' '.join(data['external'].values()).strip()}."] if data["external"] else []
        if "error" in data:
            note.append(f"Cannot be used; 'sidelight strategies {data['name']}' says why.")
        else:
            note += [*filter(None, [data["line"]]), f"Guarantee: {data['guarantee']}.", *data["papers"]]
        rows.append((Cell(data["name"], note="\n".join(note)), _CONTEXTS[data.get("contexts")]))
    return Table([Column("name"), Column("contexts", left=True)], rows)


def _print_strategy(data: dict[str, Any]) -> None:
    """Write everything about one strategy."""
    click.echo(click.style(terminal.wrap_to_terminal(data["name"]), bold=True))
    click.echo(f"\n{terminal.wrap_to_terminal(data['line'])}\n")
    for paragraph in [part for part in data["text"].split("\n\n") if part]:
        click.echo(f"{terminal.wrap_to_terminal(paragraph)}\n")
    entries = [("external", " ".join(data["external"].values()).strip())] if data["external"] else []
    entries += [("guarantee", data["guarantee"]), ("contexts", _CONTEXTS[data["contexts"]])]
    entries += zip(["published", *[""] * len(data["papers"])], data["papers"], strict=False)
    for term, text in entries:
        click.echo(terminal.terminal_entry(term, text, _COLUMN))
    if data["parameters"]:
        click.echo("\nParameters")
    for name, parameter in data["parameters"].items():
        default = "needed" if parameter["required"] else f"{parameter['default']} by default"
        click.echo(terminal.terminal_entry("", f"{name} ({default})", 2))
        click.echo(terminal.terminal_entry("", parameter["meaning"] or "see its docstring", 6))


def _strategy_as_data(kind: type[Strategy]) -> dict[str, Any]:
    """Describe a strategy as plain data."""
    said = describe_class_for_command(kind)
    plugin = plugins.plugin_of_strategy_class(kind)
    takes = {name: each for name, each in players.signature_of_player(kind).items() if name not in _COMMON}
    return {
        "name": kind.__name__,
        "line": said.line,
        "text": said.text,
        "contexts": any(name in takes for name in _CONTEXTUAL),
        "external": None if plugin is None else _source_of_strategy(plugin),
        "guarantee": kind.guarantee or "none is known",
        "papers": said.papers,
        "parameters": {
            name: {
                "required": each.default is each.empty,
                "default": None if each.default is each.empty else each.default,
                "meaning": said.parameters.get(name, ""),
            }
            for name, each in takes.items()
        },
    }
