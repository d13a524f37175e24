"""`sidelight games`: the catalogue."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from sidelight.cli import terminal
from sidelight.table import Cell, Column, Table

if TYPE_CHECKING:
    from sidelight.game import Game
    from sidelight.games import Entry

_COLUMN = 12


@click.command("games")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def games_command(name: str | None, as_json: bool) -> None:
    """List the catalogue of games, or describe one of them.

    Without NAME, lists every game with its parameters and their defaults, its size (actions x outcomes), its class, and
    what you do in it. With NAME, prints the story of a game, its source, parameters and matrices.
    """
    from sidelight import games
    from sidelight.cli import catalogue

    if name is None:
        entries = [games.describe(each) for each in games.names()]
        if as_json:
            terminal.write_terminal_json([_json_data_of_games_command(each) for each in entries])
        else:
            terminal.write_to_terminal(_table_of_games_command(entries).to_text(terminal.terminal_width()))
        return
    entry = catalogue.find_command_line_game(name)
    if as_json:
        terminal.write_terminal_json(_json_data_of_games_command(entry) | _matrix_data_of_games_command(entry.build()))
    else:
        _print_description_of_games_command(entry, entry.build())


def _table_of_games_command(entries: list[Entry]) -> Table:
    """Return the name, size and class of each game, and below them what you do in it."""
    columns = [Column("name (parameters and defaults)"), Column("size", left=True), Column("class", left=True)]
    rows = [
        (Cell(_heading_of_games_command(each), note=each.line), _size_in_games_command(each), each.kind or "unknown")
        for each in entries
    ]
    return Table(columns, rows)


def _print_description_of_games_command(entry: Entry, game: Game) -> None:
    """Write everything about one game."""
    click.echo(click.style(terminal.wrap_to_terminal(f"{entry.title} ({entry.name})"), bold=True))
    click.echo(f"\n{terminal.wrap_to_terminal(entry.story)}\n")
    click.echo(terminal.terminal_entry("class", entry.kind or "unknown", _COLUMN))
    click.echo(terminal.terminal_entry("size", f"{game.n_actions} actions, {game.n_outcomes} outcomes", _COLUMN))
    click.echo(terminal.terminal_entry("source", entry.source, _COLUMN))
    term = "parameters"
    for parameter, value in entry.parameters.items():
        allowed = entry.allowed[parameter]
        click.echo(
            terminal.terminal_entry(
                term, f"{parameter}={_format_parameter_of_games_command(value)} by default; {allowed}", _COLUMN
            )
        )
        term = ""
    terminal.write_to_terminal(f"\n{terminal.write_matrices_for_terminal(game)}\n")


def _heading_of_games_command(entry: Entry) -> str:
    return f"{entry.name} {_parameters_in_games_command(entry)}".rstrip()


def _parameters_in_games_command(entry: Entry) -> str:
    return " ".join(
        shlex.quote(f"{key}={_format_parameter_of_games_command(value)}") for key, value in entry.parameters.items()
    )


def _size_in_games_command(entry: Entry) -> str:
    game = entry.build()
    return f"{game.n_actions} x {game.n_outcomes}"


def _json_data_of_games_command(entry: Entry) -> dict[str, Any]:
    game = entry.build()
    return {
        "name": entry.name,
        "title": entry.title,
        "line": entry.line,
        "story": entry.story,
        "source": entry.source,
        "kind": entry.kind,
        "parameters": {key: _plain_number_of_games_command(value) for key, value in entry.parameters.items()},
        "allowed": entry.allowed,
        "n_actions": game.n_actions,
        "n_outcomes": game.n_outcomes,
    }


def _matrix_data_of_games_command(game: Game) -> dict[str, Any]:
    return {
        "actions": game.actions,
        "outcomes": game.outcomes,
        "loss": [[_plain_number_of_games_command(value) for value in row] for row in game.loss],
        "feedback": game.feedback,
    }


def _plain_number_of_games_command(value: Any) -> Any:
    """Return a parameter or a loss as JSON stores it: integers as numbers, other fractions as text."""
    if isinstance(value, tuple):
        return [_plain_number_of_games_command(part) for part in value]
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    return value


def _format_parameter_of_games_command(value: Any) -> str:
    """Return a parameter as it is written on a command line."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
