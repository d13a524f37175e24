"""`sidelight play`: one run, with reasons."""

from __future__ import annotations

import re

import click
import numpy as np

from sidelight.cli import terminal
from sidelight.cli.catalogue import load_command_line_game, set_option, terminal_action_labels, terminal_game_title
from sidelight.cli.notes import warnings_as_command_notes
from sidelight.cli.numbers import COUNT, WHOLE
from sidelight.cli.research.arguments import laws, players
from sidelight.environments import IID
from sidelight.environments.base import cost, draw
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels.arrays import Floats
from sidelight.results.text import label_of_results
from sidelight.strategies import Strategy
from sidelight.text import padded_to_width, printable_line, terminal_width_of_text

_EXAMPLES = """\b
Examples:
  sidelight play apple-tasting CBP --law 0.3,0.7
  sidelight play bartok RandCBP:bins=9 --law 1/3,1/3,1/3
"""


@click.command("play", epilog=_EXAMPLES)
@click.argument("game", metavar="NAME|FILE")
@click.argument("strategy", metavar="STRATEGY")
@laws.law_option
@laws.law_from_option
@click.option("--rounds", type=COUNT, metavar="N", default=20, show_default=True, help="How many rounds to play.")
@click.option("--seed", type=WHOLE, metavar="N", default=0, show_default=True, help="The seed of all random numbers.")
@set_option
def play_command(
    game: str, strategy: str, law: str | None, law_from: str | None, rounds: int, seed: int, settings: tuple[str, ...]
) -> None:
    """Watch a strategy play a game, round by round, with its reasons.

    Takes a game and a strategy as 'sidelight simulate' does, and shows the first run of the simulation with the same
    seed. For each round it prints what the strategy estimates, which pairs of actions it has decided and in whose
    favor, which actions are still plausible, what it plays and why, and the symbol it is shown. The outcome and the
    regret are printed for you; the strategy never learns them.
    """
    known = load_command_line_game(game, settings)
    with warnings_as_command_notes():
        player = players.build_strategy_from_argument(strategy, known, rounds)
        environment = laws.environment_from_law_options(known, law, law_from)
        if player.dimension:
            raise SidelightError(
                f"{player.name} decides by contexts, and 'sidelight play' has none: use 'sidelight simulate --contexts'"
            )
        environment.check(known, 1, rounds)
        _play_rounds(known, player, environment, rounds, seed)


def _play_rounds(game: Game, player: Strategy, environment: IID, rounds: int, seed: int) -> None:
    """Play like run 0 of a simulation, and print each round."""
    own, world_rng, law = _randomness_of_play(game, environment, seed)
    world = environment.start(game, 0, world_rng)
    player = player.clone().reset(own)
    together = terminal_action_labels(game)
    _print_play(_opening_of_play(game, player, law, rounds, seed), together)
    plays, regret = [0] * game.n_actions, 0.0
    for t in range(1, rounds + 1):
        outcome = draw(world, np.zeros(0), world_rng)
        action = player.act()
        reasons = player.explain()
        symbol = game.feedback[action][outcome]
        player.observe(symbol)
        plays[action] += 1
        regret += cost(world, action, outcome)
        lines = [f"\nRound {t}", *(f"  {line}" for line in reasons.split("\n") if line.strip())]
        lines.append(f"  Plays {action} {game.actions[action]} and is shown {symbol!r}")
        lines.append(f"  (hidden: outcome {outcome} {game.outcomes[outcome]}, regret so far {regret:.6g})")
        _print_play("\n".join(lines), together)
    _print_play(_closing_of_play(game, plays, regret, law), together)


def _randomness_of_play(
    game: Game, environment: IID, seed: int
) -> tuple[np.random.SeedSequence, np.random.Generator, Floats]:
    """Return the randomness of run 0 of a simulation: the strategy's seed, the environment's generator, the law."""
    of_world, own = (np.random.SeedSequence(seed, spawn_key=(0, stream)) for stream in (0, 1))
    law = environment.law
    if callable(law):
        law = law(np.random.default_rng(of_world))
    return own, np.random.default_rng(of_world), np.asarray(law, dtype=float)


def _opening_of_play(game: Game, player: Strategy, law: Floats, rounds: int, seed: int) -> str:
    odds = ", ".join(f"{name} {value:.4g}" for name, value in zip(game.outcomes, law, strict=True))
    lines = [
        terminal_game_title(game),
        f"{label_of_results(player.describe())} plays {rounds} round{'' if rounds == 1 else 's'}, seed {seed}.",
        f"Outcome law, which it does not know: {odds}.",
    ]
    return "\n".join(lines)


def _closing_of_play(game: Game, plays: list[int], regret: float, law: Floats) -> str:
    losses = loss_matrix(game) @ law
    best = int(losses.argmin())
    labels = [f"{a} {printable_line(name)}" for a, name in enumerate(game.actions)]
    column = max(map(terminal_width_of_text, labels))
    digits = len(str(max(plays)))
    lines = [f"\nAfter {sum(plays)} round{'' if sum(plays) == 1 else 's'}"]
    for a, (label, count) in enumerate(zip(labels, plays, strict=True)):
        mark = ", the best" if a == best else ""
        noun = "time " if count == 1 else "times"
        lines.append(
            f"  {padded_to_width(label, column)}  {count:>{digits}} {noun}  expected loss {losses[a]:.4g}{mark}"
        )
    lines.append(f"  Pseudo-regret {regret:.6g}: how much more the played actions cost, on average, than the best one.")
    return "\n".join(lines)


def _print_play(text: str, together: list[str]) -> None:
    """Write a text without breaking lines before a number in parentheses or within a pair."""
    numbered = re.findall(r"(?:\d+ (?:-|beats) \d+)? \([-+\d][^()]*\)", text)
    terminal.write_wrapped(text, [*together, *dict.fromkeys(numbered)])
