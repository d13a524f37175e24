"""The Gymnasium environments: registered for every game, sound by Gymnasium's own checker, and silent about losses."""

import subprocess
import sys
import textwrap
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import sidelight as sl
import sidelight.gym
from sidelight.environments import Replay
from sidelight.errors import SidelightError
from sidelight.gym import PartialMonitoring, identifier

NAMES = sl.games.names()


def episode(env, actions, seed=None):
    """Return what an environment says to a list of actions: observations, and infos."""
    first, info = env.reset(seed=seed)
    steps = [env.step(action) for action in actions]
    return [first, *(step[0] for step in steps)], [info, *(step[4] for step in steps)]


@pytest.mark.parametrize("name", NAMES)
def test_every_game_passes_the_checker_without_a_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(identifier(name))
        check_env(env.unwrapped)
        check_env(gymnasium.make(identifier(name), reveal_loss=True).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_observation_is_the_symbol(name):
    env = gymnasium.make(identifier(name), horizon=60, reveal_loss=True)
    inner = env.unwrapped
    game = sl.games.load(name)
    assert env.action_space.n == game.n_actions
    assert env.observation_space.n == len({s for row in game.feedback for s in row}) + 1
    rng = np.random.default_rng(3)
    actions = rng.integers(game.n_actions, size=60)
    observations, infos = episode(env, actions, seed=5)
    assert observations[0] == inner.nothing
    assert infos[0] == {}
    for action, observation, info in zip(actions, observations[1:], infos[1:], strict=True):
        assert inner.symbols[observation] == info["symbol"] == game.feedback[action][info["outcome"]]
        assert info["loss"] == float(game.loss[action][info["outcome"]])


@pytest.mark.parametrize("contexts", sl.environments.contexts_by_name.names_of_context_environments())
def test_contexts_pass_the_checker(contexts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space (min|max)imum value is -?infinity")
        check_env(gymnasium.make("sidelight/AppleTasting-v0", contexts=contexts).unwrapped)


def test_a_context_comes_before_the_action_and_its_symbol_after():
    rng = np.random.default_rng(0)
    seen, outcomes = rng.normal(size=(30, 2)), rng.integers(2, size=30)
    env = PartialMonitoring("apple-tasting", contexts=Replay(outcomes, contexts=seen), horizon=30, reveal_loss=True)
    observations, infos = episode(env, [1] * 30)
    np.testing.assert_array_equal([each["context"] for each in observations], [*seen, seen[-1]])
    assert [env.symbols[each["symbol"]] for each in observations[1:]] == [("rotten", "good")[y] for y in outcomes]
    assert observations[0]["symbol"] == env.nothing
    assert [info["outcome"] for info in infos[1:]] == outcomes.tolist()
    with pytest.raises(SidelightError, match=r"contexts is .*: give a kind of contexts"):
        PartialMonitoring("apple-tasting", contexts=Replay(outcomes))


def test_symbols_of_different_types_are_different_observations():
    env = PartialMonitoring(sl.Game([[0, 1], [1, 0]], [[1, "1"], [(1,), None]]), law=[0.5, 0.5])
    assert env.symbols == (1, "1", (1,), None)
    assert env.observation_space.n == 5
    with pytest.raises(SidelightError, match="which Python takes to be equal"):
        PartialMonitoring(sl.Game([[0, 1], [1, 0]], [[1, "1"], [True, None]]))


def test_identifiers_are_the_names_in_camel_case():
    assert identifier("apple-tasting") == "sidelight/AppleTasting-v0"
    assert identifier("three-class-label-efficient") == "sidelight/ThreeClassLabelEfficient-v0"
    assert len({identifier(name) for name in NAMES}) == len(NAMES) == 22
    assert {spec for spec in gymnasium.registry if spec.startswith("sidelight/")} == set(map(identifier, NAMES))


def test_loss_and_outcome_are_shown_on_request_only():
    env = gymnasium.make("sidelight/AppleTasting-v0", law=[0.5, 0.5])
    env.reset(seed=0)
    for action in (0, 1) * 20:
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert set(info) == {"symbol"}
    open_env = gymnasium.make("sidelight/AppleTasting-v0", law=[0.5, 0.5], reveal_loss=True)
    open_env.reset(seed=0)
    assert open_env.step(0)[1] == 0.0
    assert set(open_env.step(0)[4]) == {"symbol", "outcome", "loss"}


def test_a_seed_fixes_law_and_outcomes():
    env = gymnasium.make("sidelight/DynamicPricing-v0", prices=7, horizon=50)
    assert env.action_space.n == 7
    actions = [0, 3, 6] * 15
    first, again, other = (episode(env, actions, seed)[0] for seed in (4, 4, 5))
    assert first == again
    assert first != other
    later = [episode(env, actions)[0] for _ in range(3)]
    episode(env, actions, 5)
    assert [episode(env, actions)[0] for _ in range(3)] == later


def test_actions_do_not_change_the_outcomes():
    env = gymnasium.make("sidelight/DynamicPricing-v0", reveal_loss=True)
    outcomes = [[info["outcome"] for info in episode(env, [action] * 40, seed=1)[1][1:]] for action in range(5)]
    assert all(one == outcomes[0] for one in outcomes)


def test_each_episode_draws_a_law():
    env = PartialMonitoring("apple-tasting", law_from="imbalanced", reveal_loss=True)
    shares = [np.mean([info["outcome"] for info in episode(env, [1] * 400, seed)[1][1:]]) for seed in (0, *[None] * 11)]
    assert {share > 0.5 for share in shares} == {True, False}
    assert all(share < 0.3 or share > 0.7 for share in shares)


def test_truncated_at_the_horizon_and_not_before():
    env = gymnasium.make("sidelight/Bartok-v0", horizon=7).unwrapped
    env.reset(seed=0)
    assert [env.step(0)[2:4] for _ in range(7)] == [(False, False)] * 6 + [(False, True)]
    with pytest.raises(sl.SidelightError, match="reset"):
        env.step(0)
    env.reset()
    assert env.step(0)[3] is False


def test_steps_need_an_episode_and_a_known_action():
    env = PartialMonitoring("apple-tasting")
    with pytest.raises(sl.SidelightError, match="reset"):
        env.step(0)
    env.reset()
    for action in (2, -1, 0.5, "sell", None):
        with pytest.raises(sl.SidelightError, match="actions are numbered 0 to 1"):
            env.step(action)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"law": [0.5, 0.6]}, "sums to"),
        ({"law": [0.2, 0.3, 0.5]}, "2 probabilities"),
        ({"law_from": "balance"}, "balanced"),
        ({"law": [0.5, 0.5], "law_from": "uniform"}, "only one"),
        ({"horizon": 0}, "horizon"),
        ({"horizon": 2.5}, "horizon"),
        ({"prices": 3}, "no parameter 'prices'"),
    ],
)
def test_wrong_settings(settings, words):
    with pytest.raises(sl.SidelightError, match=words):
        gymnasium.make("sidelight/AppleTasting-v0", **settings)


def test_a_game_of_ones_own():
    game = sl.Game([[1, 0], [0, 1]], [[None, None], [("a", 1), ("b", 2)]])
    env = PartialMonitoring(game, law=[0.5, 0.5])
    check_env(env, skip_render_check=True)
    assert env.symbols == (None, ("a", 1), ("b", 2))
    with pytest.raises(sl.SidelightError, match="prices"):
        PartialMonitoring(game, prices=3)


@pytest.mark.parametrize("name", ["apple-tasting", "label-efficient", "dynamic-pricing"])
def test_a_strategy_plays_and_meets_what_a_simulation_shows(name):
    game = sl.games.load(name)
    env = gymnasium.make(identifier(name), horizon=400, reveal_loss=True)
    strategy = sl.strategies.RandCBP(game)
    strategy.reset(np.random.SeedSequence(0, spawn_key=(0, 1)))
    env.reset(seed=2)
    outcomes, actions, truncated = [], [], False
    while not truncated:
        action = strategy.act()
        *_, truncated, info = env.step(action)
        strategy.observe(info["symbol"])
        actions.append(action)
        outcomes.append(info["outcome"])
    results = sl.simulate(sl.strategies.RandCBP(game), Replay(outcomes), horizon=400, runs=1)
    assert results.plays[0].tolist() == np.bincount(actions, minlength=game.n_actions).tolist()


def python(script):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60)


def test_gymnasium_imports_the_module_by_itself():
    done = python("""
        import gymnasium
        env = gymnasium.make("sidelight.gym:sidelight/AppleTasting-v0", law=[0.2, 0.8])
        print(env.spec.id, env.reset(seed=0)[0])
    """)
    assert done.stdout.split() == ["sidelight/AppleTasting-v0", "3"], done.stderr


def test_without_gymnasium_the_error_says_what_to_install():
    done = python("""
        import sys
        sys.modules["gymnasium"] = None
        import sidelight
        import sidelight.gym
    """)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("ImportError: sidelight.gym needs Gymnasium; try: pip install gymnasium")
