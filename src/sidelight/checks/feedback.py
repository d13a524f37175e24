"""How a strategy handles feedback: in time, late, never, or wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sidelight.checks.report import checks_in, ensure, is_same_checked_data
from sidelight.checks.stage import ROUNDS, Stage
from sidelight.errors import SidelightError
from sidelight.strategies.base import Strategy
from sidelight.strategies.saved import plain_parameter

_BATCH = 3


def plays_valid_actions(stage: Stage) -> None:
    """Check every action in all conditions: random outcomes, and each outcome forever."""
    made = stage.make()
    for outcome in (None, *range(stage.game.n_outcomes)):
        made.reset(3)
        for t in range(ROUNDS):
            action = _play_valid_action(made, stage.context(t))
            made.observe(stage.game.feedback[action][stage.outcomes[0, t] if outcome is None else outcome])


def takes_late_feedback(stage: Stage) -> None:
    """Check feedback that comes in batches and backwards."""
    one, other = stage.make(), stage.make()
    ensure(
        _play_with_late_feedback(stage, one) == _play_with_late_feedback(stage, other),
        "with late feedback the same seed leads to different play",
    )
    for t in range(ROUNDS):  # nothing may still be under way
        action = _play_valid_action(one, stage.context(t))
        one.observe(stage.symbol(action, t))


def needs_no_feedback(stage: Stage) -> None:
    """Check that feedback may never come."""
    made = stage.make()
    for t in range(ROUNDS):
        _play_valid_action(made, stage.context(t))


def refuses_wrong_order(stage: Stage) -> None:
    """Check that feedback without an action is an error and changes nothing."""
    made = stage.make()
    shown = stage.game.feedback[0][0]
    _check_refusal("feedback before the first action", made, made.observe, shown)
    action = made.act(stage.context(0))
    symbol = stage.symbol(action, 0)
    for wrong in (-1, stage.game.n_actions):
        _check_refusal(f"feedback of the action {wrong}", made, made.observe, symbol, action=wrong)
    for other in range(stage.game.n_actions):
        if other != action:
            seen = stage.game.feedback[other][0]
            _check_refusal("feedback of an action not played", made, made.observe, seen, action=other)
    made.observe(symbol)
    _check_refusal("feedback twice", made, made.observe, symbol)
    pair = [made.act(stage.context(t)) for t in (1, 2)]
    _check_refusal("feedback that names none of two actions", made, made.observe, stage.symbol(pair[0], 1))
    for t, waiting in enumerate(pair, start=1):
        made.observe(stage.symbol(waiting, t), action=waiting, context=stage.context(t))
    _check_going_on(stage, made)


def refuses_unknown_symbols(stage: Stage) -> None:
    """Check that a symbol which the action cannot show is an error and changes nothing."""
    made = stage.make()
    everything = {symbol for row in stage.game.feedback for symbol in row}
    for t in range(3):
        action = made.act(stage.context(t))
        foreign: list[Any] = [object(), [], None, "a symbol that no action shows"]
        foreign += sorted(everything - set(stage.game.symbols(action)), key=repr)
        for symbol in foreign:
            if isinstance(symbol, list) or symbol not in stage.game.symbols(action):
                _check_refusal(f"the symbol {symbol!r}, which the action cannot show,", made, made.observe, symbol)
        made.observe(stage.symbol(action, t))
    _check_going_on(stage, made)


def refuses_wrong_contexts(stage: Stage) -> str | None:
    """Check that a context of the wrong shape, or not finite, is an error and changes nothing."""
    made = stage.make()
    if not stage.dimension:
        return "the strategy sees no contexts"
    if made.any_context:  # the first one shows what they are like
        made.observe(stage.symbol(made.act(stage.context(0)), 0))
    for t in range(3):
        for what, wrong in _wrong_contexts(stage.context(t)):
            _check_refusal(f"to act on {what}", made, made.act, wrong)
        action = made.act(stage.context(t))
        symbol = stage.symbol(action, t)
        for what, wrong in _wrong_contexts(stage.context(t)):
            if wrong is not None:  # which is the context of the last action
                _check_refusal(f"to observe with {what}", made, made.observe, symbol, context=wrong)
        made.observe(symbol)
    _check_going_on(stage, made)
    return None


def changes_no_input(stage: Stage) -> None:
    """Check that neither the game, nor the parameters, nor contexts are changed or kept by reference."""
    made, other = stage.make(), stage.make()
    game, parameters = repr(made.game), copy.deepcopy(plain_parameter(made.parameters()))
    for t in range(ROUNDS):
        x = stage.context(t)
        action = made.act(x)
        if x is not None:
            ensure(is_same_checked_data(x, stage.context(t)), "act changes the context it is given")
            x[:] = -17.0  # a caller may use its array again
        ensure(other.act(stage.context(t)) == action, "the strategy keeps the caller's context instead of a copy")
        made.observe(stage.symbol(action, t))
        other.observe(stage.symbol(action, t))
    ensure(repr(made.game) == game, "play changes the game")
    ensure(
        is_same_checked_data(plain_parameter(made.parameters()), parameters), "play changes the strategy's parameters"
    )


def _play_valid_action(strategy: Strategy, context: Any) -> int:
    action = strategy.act(context)
    ensure(type(action) is int, f"act returned {action!r} of type {type(action).__name__}, which is not an int")
    last = strategy.game.n_actions - 1
    ensure(0 <= action <= last, f"act returned {action}, but actions are numbered 0 to {last}")
    return action


def _play_with_late_feedback(stage: Stage, strategy: Strategy) -> list[int]:
    played = []
    for first in range(0, ROUNDS - _BATCH, _BATCH):
        waiting = [(t, _play_valid_action(strategy, stage.context(t))) for t in range(first, first + _BATCH)]
        played += [action for _, action in waiting]
        for t, action in reversed(waiting[1:]):
            strategy.observe(stage.symbol(action, t), action=action, context=stage.context(t))
        t, action = waiting[0]
        strategy.observe(stage.symbol(action, t), context=stage.context(t))  # the only one left needs no name
    return played


def _wrong_contexts(right: Any) -> Iterator[tuple[str, Any]]:
    yield "no context", None
    yield "a context that is too long", np.append(right, 0.0)
    yield "a context with two axes", right[None, :]
    yield "a context of text", ["x"] * len(right)
    for value in (np.nan, np.inf, -np.inf):
        wrong = right.copy()
        wrong[-1] = value
        yield f"a context with {value}", wrong


def _check_refusal(what: str, strategy: Strategy, method: Callable[..., Any], *args: Any, **keywords: Any) -> None:
    before = strategy.save()
    try:
        method(*args, **keywords)
    except SidelightError as error:
        ensure(str(error), f"the error about {what} says nothing")
    except Exception as error:
        raise AssertionError(f"{what} raises {type(error).__name__} ({error}) and not a SidelightError") from error
    else:
        raise AssertionError(f"{what} is not refused")
    ensure(is_same_checked_data(strategy.save(), before), f"{what} is refused, but it changes the strategy")


def _check_going_on(stage: Stage, disturbed: Strategy) -> None:
    """Compare with a strategy that played the same three rounds undisturbed (in the same order of calls)."""
    fresh = type(disturbed).load(disturbed.save())
    ensure(stage.play(disturbed, 3) == stage.play(fresh, 3), "calls that were refused change what is played later")


CHECKS = checks_in(globals())
