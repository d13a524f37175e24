"""Readable transcripts: what a strategy plays, and what it is shown, round by round."""

import contextlib
import warnings
from pathlib import Path
from string import ascii_lowercase

import numpy as np

import sidelight as sl
from common.players import DIMENSION, make
from sidelight.environments import Replay
from sidelight.game_arrays import signal_indices
from sidelight.simulation.loop import CHECKPOINT, ROWS, Runs, play
from sidelight.simulation.worker import no_restart
from sidelight.strategies import KernelStrategy

FOLDER = Path(__file__).parent.parent / "transcripts"
ROUNDS = 200
PER_LINE = 20
WANTED = 4
# What they play is said by their names.
PLAIN = ("Uniform", "FixedAction")
# In the order of preference: a strategy is shown on the first four that it accepts.
STAGES = {
    "apple-tasting": (sl.games.load("apple-tasting"), [0.4, 0.6]),
    "label-efficient": (sl.games.load("label-efficient"), [0.3, 0.7]),
    "dynamic-pricing-3": (sl.games.load("dynamic-pricing", prices=3), [0.5, 0.3, 0.2]),
    "bartok": (sl.games.load("bartok"), [0.5, 0.3, 0.2]),
    "tau-detection": (sl.games.load("tau-detection"), [0.1, 0.9]),
    "full-information": (sl.games.load("full-information"), [0.5, 0.3, 0.2]),
    "bernoulli-bandit": (sl.games.load("bernoulli-bandit"), [0.1, 0.2, 0.3, 0.4]),
    "spam-filtering": (sl.games.load("spam-filtering"), [0.3, 0.7]),
    "matching-pennies": (sl.games.load("matching-pennies"), [0.3, 0.7]),
    "degenerate-informative": (sl.games.load("degenerate-informative"), [0.3, 0.7]),
    "blind-degenerate": (sl.games.load("blind-degenerate"), [0.3, 0.7]),
}


def stages(name):
    """Return the games that a strategy is shown on."""
    accepted = []
    for key, (game, _) in STAGES.items():
        with contextlib.suppress(sl.SidelightError), warnings.catch_warnings(action="ignore"):
            make(name, game)
            accepted.append(key)
    return accepted[:WANTED]


def file(name, key):
    return FOLDER / f"{name}-{key}.txt"


def expected():
    """Return (strategy, game) for every transcript that there should be."""
    return [(name, key) for name in sl.strategies.names() if name not in PLAIN for key in stages(name)]


def outcomes_of(key):
    game, law = STAGES[key]
    return np.random.default_rng(2024).choice(game.n_outcomes, p=law, size=ROUNDS)


def contexts_of(strategy):
    size = DIMENSION if strategy.any_context else strategy.dimension
    return np.random.default_rng(2025).uniform(-1.0, 1.0, size=(ROUNDS, size))


def by_hand(strategy, outcomes):
    """Return the actions of a strategy that is stepped as an object."""
    contexts = contexts_of(strategy)
    for t, outcome in enumerate(outcomes):
        action = strategy.act(contexts[t])
        strategy.observe(strategy.game.feedback[action][outcome])
        yield action


def by_loop(strategy, outcomes):
    """Return the actions of a strategy in the simulation's loop, entered anew for every round."""
    game = strategy.game
    contexts = contexts_of(strategy) if strategy.dimension else None
    world_rng, rng = np.random.default_rng(0), np.random.default_rng(strategy.seed)
    world = Replay(outcomes, contexts=contexts).start(game, 0, world_rng)
    plays = np.zeros((1, game.n_actions), np.int64)
    progress = np.zeros(CHECKPOINT + 1, np.int64)
    progress[ROWS] = 1
    rounds, regret, spent = np.array([len(outcomes)]), np.zeros((1, 1)), np.zeros(1)
    run = Runs(signal_indices(game), rounds, regret, plays, progress, spent, no_restart())
    context = np.zeros(strategy.dimension)
    parameters, state = strategy.compiled_parameters, strategy._start()
    for t in range(len(outcomes)):
        before = plays.copy()
        while play(parameters, state, world, run, context, rng, world_rng, t + 1):
            parameters, state = strategy._resume(parameters, state)
        yield int(np.argmax(plays - before))


def is_compiled(name, key):
    return isinstance(make(name, STAGES[key][0]), KernelStrategy)


def transcript(name, key, way):
    """Return the transcript of a strategy on a game, played "by hand", which is interpreted, or "compiled"."""
    game, law = STAGES[key]
    strategy, outcomes = make(name, game), outcomes_of(key)
    with np.errstate(all="raise", under="ignore"):
        actions = list((by_loop if way == "compiled" else by_hand)(strategy, outcomes))
    return write(strategy, law, outcomes, actions)


def write(strategy, law, outcomes, actions):
    """Return the text of a transcript: each round as the action's number and the symbol's letter, twenty to a line."""
    game, letters = strategy.game, {}
    for symbol in (symbol for row in game.feedback for symbol in row):
        if symbol not in letters:
            letters[symbol] = next(c for c in f"{symbol}{ascii_lowercase}" if c not in letters.values())
    plays = np.bincount(actions, minlength=game.n_actions)
    lines = [
        repr(strategy),
        f"outcomes: {', '.join(game.outcomes)}, with probabilities {law}",
        f"actions:  {', '.join(f'{a} {name}' for a, name in enumerate(game.actions))}",
        f"symbols:  {', '.join(f'{letter} {symbol}' for symbol, letter in letters.items())}",
        f"plays:    {', '.join(f'{name} {count}' for name, count in zip(game.actions, plays, strict=True))}",
        "",
    ]
    rounds = [f"{a}{letters[game.feedback[a][j]]}" for a, j in zip(actions, outcomes, strict=True)]
    for t in range(0, len(rounds), PER_LINE):
        lines.append(f"{t + 1:3}  {' '.join(rounds[t : t + PER_LINE])}")
    return "\n".join(lines) + "\n"


def check_compiled(names=None):
    """Compare every transcript of these (or all) compiled strategies with its file; return how many there were."""
    found = 0
    for name, key in expected():
        if (names is None or name in names) and is_compiled(name, key):
            text = transcript(name, key, "compiled")
            assert text == file(name, key).read_text(encoding="utf-8"), f"{name} on {key}"
            found += 1
    return found
