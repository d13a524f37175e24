"""`sidelight play`, and the explanations of CBP and RandCBP that it prints."""

import re

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import linprog

import sidelight as sl
from sidelight.cli import main

LAWS = {
    "apple-tasting": [0.45, 0.55],
    "label-efficient": [0.4, 0.6],
    "bartok": [0.3, 0.3, 0.4],
    "degenerate-informative": [0.5, 0.5],
    "blind-degenerate": [0.5, 0.5],
    "dynamic-pricing": [0.1, 0.2, 0.4, 0.2, 0.1],
    "dueling-bandit": [0.125] * 8,
    "three-class-label-efficient": [0.3, 0.3, 0.4],
}
STRATEGIES = (sl.strategies.CBP, sl.strategies.RandCBP)

EXPECTED = """\
apple-tasting: 2 actions and 2 outcomes
CBP plays 4 rounds, seed 0.
Outcome law, which it does not know: rotten 0.3, good 0.7.

Round 1
  Opening: each action is played once, and now it is the turn of 0 sell.
  Plays 0 sell and is shown 'nothing'
  (hidden: outcome 1 good, regret so far 0)

Round 2
  Opening: each action is played once, and now it is the turn of 1 taste.
  Plays 1 taste and is shown 'good'
  (hidden: outcome 1 good, regret so far 0.4)

Round 3
  Loss differences, estimate +- confidence width:
    0 - 1  -1.000 +- 0.837  decided: 0 sell is better
  Plausible: 0 sell
  Chosen: 0 sell, the only action left
  Plays 0 sell and is shown 'nothing'
  (hidden: outcome 1 good, regret so far 0.4)

Round 4
  Loss differences, estimate +- confidence width:
    0 - 1  -1.000 +- 1.053  open: 0 sell or 1 taste
  Plausible: 0 sell, 1 taste
  Chosen: 1 taste, whose W^2/n is largest: 1 taste (1), 0 sell (0)
  Plays 1 taste and is shown 'good'
  (hidden: outcome 1 good, regret so far 0.8)

After 4 rounds
  0 sell   2 times  expected loss 0.3, the best
  1 taste  2 times  expected loss 0.7
  Pseudo-regret 0.8: how much more the played actions cost, on average, than the
      best one.
"""


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_JIT", "0")


def invoke(*arguments, columns=80):
    return CliRunner().invoke(main, ["play", *map(str, arguments)], env={"COLUMNS": str(columns)})


def played(name, strategy, rounds, seed=0):
    """Play a game; yield the strategy after each `act`, with the action and the explanation."""
    game = sl.games.load(name)
    player = strategy(game, seed=seed)
    rng = np.random.default_rng(seed)
    for t in range(rounds):
        action = player.act()
        yield t, player, action, player.explain()
        outcome = rng.choice(game.n_outcomes, p=LAWS[name])
        player.observe(game.feedback[action][outcome])


def plausible(player):
    """Ask a solver for every action whether some law in its cell has the decided signs with room to spare."""
    loss = np.array(player.game.loss, dtype=float)
    signs = player.state.differences.signs
    pairs = [pair for pair, sign in zip(player.analysis.neighbors, signs, strict=True) if sign]
    strict = [-s * (loss[i] - loss[j]) for (i, j), s in zip(pairs, signs[signs != 0], strict=True)]
    found = []
    for a in player.analysis.pareto:
        rows = [[*row, 1.0] for row in strict] + [[*(loss[a] - loss[k]), 0.0] for k in range(len(loss))]
        # The slack is at most 1; with nothing decided it is free, and the cell itself is never empty.
        answer = linprog(
            [*np.zeros(loss.shape[1]), -1.0],
            np.array(rows),
            np.zeros(len(rows)),
            [[*np.ones(loss.shape[1]), 0.0]],
            [1.0],
            bounds=[(0, 1)] * loss.shape[1] + [(None, 1)],
        )
        if answer.status == 0 and answer.x[-1] > 1e-7:
            found.append(a)
    return found


def named(line):
    """Return the numbers of the actions that a line lists."""
    return [int(part.split()[0]) for part in line.partition(": ")[2].split(", ")]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", LAWS)
def test_explanations_are_true(name, strategy):
    game = sl.games.load(name)
    for t, player, action, text in played(name, strategy, 120):
        lines = text.split("\n")
        label = f"{action} {game.actions[action]}"
        if t < game.n_actions:
            assert text == f"Opening: each action is played once, and now it is the turn of {label}."
            continue
        assert lines[-1].startswith(f"Chosen: {label}, ")
        check_pairs(player, text)
        (line,) = (line for line in lines if line.startswith("Plausible: "))
        if t % 7 == 0:
            assert named(line) == plausible(player)
        check_reason(player, action, lines)


def check_pairs(player, text):
    """Compare what is said about each pair with the state."""
    game, state = player.game, player.state.differences
    for e, (i, j) in enumerate(player.analysis.neighbors):
        better, worse = (j, i) if state.signs[e] > 0 else (i, j)
        number = f"{state.delta[e]:+.3f} +- {state.width[e]:.3f}"
        if len(player.analysis.neighbors) <= 6:
            (line,) = re.findall(rf"^  {i} - {j}  (.*)$", text, re.MULTILINE)
            assert line.startswith(f"{number}  ")
            if state.signs[e]:
                assert line.endswith(f"  decided: {better} {game.actions[better]} is better")
            else:
                assert line.endswith(
                    (f"open: {i} {game.actions[i]} or {j} {game.actions[j]}", "contradicts the others")
                )
        elif state.signs[e]:
            size = f"{abs(state.delta[e]):.3f} +- {state.width[e]:.3f}"
            assert f"{better} beats {worse} ({size})" in text.partition("Open")[0]
        else:
            assert f"{i} - {j} ({number})" in text


def check_reason(player, action, lines):
    """Compare the reason with W^2 / n, n counting earlier plays only."""
    before = player.state.plays.copy()
    before[action] -= 1
    if lines[-1].endswith("the only action left"):
        return
    scores = {int(a): float(s) for a, s in re.findall(r"(\d+) [^(),]+ \(([-.e\d]+)\)", lines[-1].partition(": ")[2])}
    assert max(scores.values()) == scores[action]
    for a, score in scores.items():
        assert score == pytest.approx(player.compiled_parameters.weight[a] / before[a], rel=1e-3)
    for line in lines:
        if line.startswith("Observer: "):
            a, verdict = int(line.split()[1]), "explored up to" in line
            assert verdict == (a in scores)


def test_observers_under_exploration_are_named():
    said = [text for *_, text in played("label-efficient", sl.strategies.CBP, 400)]
    assert any("Observer: 0 ask, played once, explored up to" in text for text in said)
    assert any("Chosen: 0 ask, whose W^2/n is largest: 0 ask (" in text for text in said)


def test_special_cases_are_explained():
    trivial = sl.strategies.CBP(sl.games.load("trivial"))
    assert trivial.explain() == ""
    action = trivial.act()
    assert trivial.explain() == (
        f"The game is trivial: no action is ever better than {action} {trivial.game.actions[action]}."
    )
    late = sl.strategies.CBP(sl.games.load("apple-tasting"))
    for _ in range(6):
        late.act()
        assert late.explain()
    assert "feedback of an observer is still missing" in late.explain()


@pytest.mark.parametrize("strategy", ["CBP", "RandCBP"])
@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", LAWS)
def test_a_transcript_fits_and_is_run_0_of_a_simulation(name, columns, strategy):
    law = ",".join(map(str, LAWS[name]))
    result = invoke(name, strategy, "--law", law, "--rounds", 15, "--seed", 3, columns=columns)
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= columns
    assert result.output.count("\nRound ") == 15
    game = sl.games.load(name)
    player = getattr(sl.strategies, strategy)(game)
    expected = sl.simulate(player, sl.environments.IID(LAWS[name]), 15, 1, seed=3)
    flat = " ".join(result.output.split())
    assert f"Pseudo-regret {expected.final[0]:.6g}: " in flat
    closing = result.output.partition("After 15 rounds")[2]
    for a, count in enumerate(expected.plays[0]):
        assert re.search(rf"^  {a} {re.escape(game.actions[a])} +{count} time", closing, re.MULTILINE)


def test_a_transcript_reads_well():
    assert invoke("apple-tasting", "CBP", "--law", "0.3,0.7", "--rounds", 4).output == EXPECTED


def test_drawn_laws_are_those_of_the_simulation():
    result = invoke("bartok", "RandCBP:bins=3", "--rounds", 30)
    assert result.exit_code == 0
    game = sl.games.load("bartok")
    sampler = sl.environments.laws.load("dirichlet", 3)
    simulated = sl.simulate(sl.strategies.RandCBP(game, bins=3), sl.environments.IID(sampler), 30, 1)
    assert f"Pseudo-regret {simulated.final[0]:.6g}: " in " ".join(result.output.split())
    assert "RandCBP(bins=3) plays 30 rounds, seed 0." in result.output


def test_strategies_with_nothing_to_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "silent_one.py").write_text(
        "from sidelight.strategies import Strategy\n"
        "class Silent(Strategy):\n"
        "    def _start(self): return {}\n"
        "    def _act(self, context): return 1\n"
        "    def _observe(self, action, symbol, context): pass\n"
    )
    result = invoke("apple-tasting", "silent_one:Silent", "--law", "1,0", "--rounds", 1)
    assert "Round 1\n  Plays 1 taste and is shown 'rotten'\n" in result.output
    assert "After 1 round\n" in result.output


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["apple-tasting", "CPB"], "did you mean 'CBP'?"),
        (["aple-tasting", "CBP"], "did you mean 'apple-tasting'?"),
        (["apple-tasting"], "missing argument 'STRATEGY'"),
    ],
)
def test_mistakes_are_explained(arguments, part):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert part in result.output
