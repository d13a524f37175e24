"""`sidelight games`: the catalogue."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from sidelight._game_file import plain_fraction_in_game_file
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
            terminal.write_terminal_json([_game_as_data(each, matrices=False) for each in entries])
        else:
            terminal.write_to_terminal(_table_of_games(entries).to_text(terminal.terminal_width()))
        return
    entry = catalogue.find_command_line_game(name)
    if as_json:
        terminal.write_terminal_json(_game_as_data(entry, matrices=True))
    else:
        _print_game(entry, entry.build())


def _table_of_games(entries: list[Entry]) -> Table:
    """Return the name, size and class of each game, and below them what you do in it."""
    rows = []
    for each in entries:
        game = each.build()
        given = (shlex.quote(f"{key}={_parameter_as_typed(value)}") for key, value in each.parameters.items())
        name = Cell(" ".join([each.name, *given]), note=each.line)
        rows.append((name, f"{game.n_actions} x {game.n_outcomes}", each.kind or "unknown"))
    columns = [Column("name (parameters and defaults)"), Column("size", left=True), Column("class", left=True)]
    return Table(columns, rows)


def _print_game(entry: Entry, game: Game) -> None:
    """Write everything about one game."""
    click.echo(click.style(terminal.wrap_to_terminal(f"{entry.title} ({entry.name})"), bold=True))
    click.echo(f"\n{terminal.wrap_to_terminal(entry.story)}\n")
    parameters = [
        f"{name}={_parameter_as_typed(value)} by default; {entry.allowed[name]}"
        for name, value in entry.parameters.items()
    ]
    for term, text in (
        ("class", entry.kind or "unknown"),
        ("size", f"{game.n_actions} actions, {game.n_outcomes} outcomes"),
        ("source", entry.source),
        *zip(["parameters", *[""] * len(parameters)], parameters, strict=False),
    ):
        click.echo(terminal.terminal_entry(term, text, _COLUMN))
    terminal.write_to_terminal(f"\n{terminal.write_matrices_for_terminal(game)}\n")


def _game_as_data(entry: Entry, matrices: bool) -> dict[str, Any]:
    game = entry.build()
    data: dict[str, Any] = {
        "name": entry.name,
        "title": entry.title,
        "line": entry.line,
        "story": entry.story,
        "source": entry.source,
        "kind": entry.kind,
        "parameters": {key: _plain_numbers(value) for key, value in entry.parameters.items()},
        "allowed": entry.allowed,
        "n_actions": game.n_actions,
        "n_outcomes": game.n_outcomes,
    }
    loss = _plain_numbers(game.loss)
    found = {"actions": game.actions, "outcomes": game.outcomes, "loss": loss, "feedback": game.feedback}
    return data | found if matrices else data


def _plain_numbers(value: Any) -> Any:
    """Return a parameter or losses as JSON stores them: integers as numbers, other fractions as text."""
    if isinstance(value, tuple):
        return [_plain_numbers(part) for part in value]
    return plain_fraction_in_game_file(value) if isinstance(value, Fraction) else value


def _parameter_as_typed(value: Any) -> str:
    """Return a parameter as it is written on a command line."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
