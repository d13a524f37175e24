"""The program of ExpPM: which law p over actions, and which estimates of losses, go with given weights q.

With losses scaled to a range of 1, L_x the losses at the outcome x, and y(a, s) the vector of estimates that follow the
symbol s of action a, the practical program is

    min over p, y   max_x  <p - q, L_x> / eta + sum_a p_a <q, y(a, Phi[a, x])^2>,       eta y >= -1,

where the estimates have the right mean at every outcome, up to a constant that all actions share. Two ways to solve it
need no solver. Both keep q's center: the estimates have mean 0 under q.

1. One action r shows the outcome and all others show nothing: y(r, x) = (L_x - <q, L_x>) / p_r, p = (1 - u) q + u e_r.
   What is left is convex in the one number u.
2. Else least squares: y(a, s) = z M(p)^-1 S_a' e_s, z_b = L_b - <q, L> and M(p) = sum_a p_a S_a' S_a. Of

       max_x <p - q, L_x> / eta + sum_b q_b z_b' M(p)^-1 z_b,

   which is convex in p and bounds the program's value from above, some exponentiated gradient steps are made from the
   p of the round before. Where outcomes tie, as at p = q, no single gradient leads down: steps to a soft maximum,
   (h / eta) log sum_x exp(<p - q, L_x> / h) with h = 0.02, come first and count if they make the bound itself smaller.

Everything is done in an orthonormal basis of the span of all signal matrices, where M(p) can be inverted.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple, TypeVar

import numpy as np

from sidelight.analysis import Analysis
from sidelight.game_arrays import first_places, float_rows, signals
from sidelight.kernels import kernel, large_kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays
from sidelight.kernels.linear_algebra import add_outer, copy, dot, fill, invert, multiply
from sidelight.optimization.geometry import loss_range

T = TypeVar("T")

_STEPS = 12  # exponentiated gradient steps, for each of both maxima
_HALVINGS = 40  # of the interval for u
_SOFTNESS = 0.02  # h
_MOST_MIXED = 0.5


class Program(NamedTuple):
    """What the program knows of the game."""

    revealing: int  # r of the first way, or -1
    loss: Floats  # (actions, outcomes), scaled, relative to those of one action
    members: Integers  # the actions that q weighs
    shown: Integers  # (actions, outcomes): the place of the symbol in the list of all symbols
    first: Integers  # where the symbols of each action begin in it, and the end
    rows: Floats  # (symbols, rank): the rows of the signal matrices in the basis
    differences: Floats  # (members, rank): the losses of `members`, relative to the first, in the basis


class Workspace(NamedTuple):
    """What every round works out anew."""

    weights: Annotated[Floats, "members"]  # q
    excess: Annotated[Floats, "outcomes"]
    center: Annotated[Floats, "members", "rank"]  # z
    covariance: Annotated[Floats, "rank", "rank"]  # sum_b q_b z_b z_b', full
    matrix: Annotated[Floats, "rank", "rank"]  # M(p), its lower half
    inverse: Annotated[Floats, "rank", "rank"]
    product: Annotated[Floats, "rank", "rank"]  # M^-1 covariance
    sandwich: Annotated[Floats, "rank", "rank"]  # M^-1 covariance M^-1
    row: Annotated[Floats, "rank"]
    trial: Annotated[Floats, "actions"]  # p after the next step
    other: Annotated[Floats, "actions"]  # another p
    slope: Annotated[Floats, "actions"]


def new_program(analysis: Analysis) -> Program:
    """Return a game as the arrays that the exploration program works with."""
    game, members = analysis.game, list(analysis.cells.pareto)
    base = game.loss[members[0]]
    loss = float_rows([x - y for x, y in zip(row, base, strict=True)] for row in game.loss) / loss_range(game)
    stacked = float_rows(row for a in range(game.n_actions) for row in game.signal(a))
    _, values, basis = np.linalg.svd(stacked, full_matrices=False)
    basis = basis[values > 1e-9 * values[0]]
    informative = [a for a in range(game.n_actions) if game.informative(a)]
    alone = len(informative) == 1 and len(game.symbols(informative[0])) == game.n_outcomes
    return Program(
        revealing=informative[0] if alone else -1,
        loss=loss,
        members=np.array(members, np.int64),
        shown=signals(game).shown,
        first=first_places(game),
        rows=np.ascontiguousarray(stacked @ basis.T),
        differences=np.ascontiguousarray(loss[members] @ basis.T),
    )


def new_program_arrays(kind: type[T], program: Program) -> T:
    """Return a named tuple of arrays in the sizes of a program, such as the `Workspace` that it is solved in."""
    symbols, (actions, outcomes), (members, rank) = len(program.rows), program.loss.shape, program.differences.shape
    return new_arrays(kind, symbols=symbols, actions=actions, outcomes=outcomes, members=members, rank=rank)


@kernel
def solve_program(program: Program, room: Workspace, eta: float, least: float, p: Floats, table: Floats) -> float:
    """Set p, given the former one, and the table of estimates (symbols, members) for room.weights; return the value.

    No action has less than `least` times its weight q.
    """
    if program.revealing >= 0:
        reveal(program, room, eta, least, p, table)
    else:
        center_losses(program, room)
        descend(program, room, eta, p)
        if least > 0.0:
            for a in range(p.shape[0]):
                p[a] *= 1.0 - least
            for b in range(program.members.shape[0]):
                p[program.members[b]] += least * room.weights[b]
        set_estimates(program, room, p, table)
        mixed = 0.25 * eta * p.shape[0]
        while least_estimate(table) * eta < -1.0 and mixed <= _MOST_MIXED:
            for a in range(p.shape[0]):
                p[a] = (1.0 - mixed) * p[a] + mixed / p.shape[0]
            set_estimates(program, room, p, table)
            mixed *= 2.0
    return value_of(program, room, eta, p, table)


@kernel
def set_exploration_excess(program: Program, room: Workspace, p: Floats, eta: float) -> float:
    """Set <p - q, L_x> / eta for each outcome, and return the largest."""
    largest = -math.inf
    for x in range(room.excess.shape[0]):
        total = 0.0
        for a in range(p.shape[0]):
            total += p[a] * program.loss[a, x]
        for b in range(program.members.shape[0]):
            total -= room.weights[b] * program.loss[program.members[b], x]
        room.excess[x] = total / eta
        largest = max(largest, room.excess[x])
    return largest


@large_kernel
def value_of(program: Program, room: Workspace, eta: float, p: Floats, table: Floats) -> float:
    """Return the value of the practical program at p and the table of estimates."""
    set_exploration_excess(program, room, p, eta)
    largest = -math.inf
    for x in range(room.excess.shape[0]):
        total = room.excess[x]
        for a in range(p.shape[0]):
            square = 0.0
            for b in range(room.weights.shape[0]):
                estimate = table[program.shown[a, x], b]
                square += room.weights[b] * estimate * estimate
            total += p[a] * square
        largest = max(largest, total)
    return largest


@kernel
def reveal(program: Program, room: Workspace, eta: float, share: float, p: Floats, table: Floats) -> None:
    """Solve the program the first way; no action has less than `share` times its weight."""
    r, members, weights = program.revealing, program.members, room.weights
    own = 0.0  # q_r
    least = 0.0  # of all estimates times p_r
    for b in range(members.shape[0]):
        if members[b] == r:
            own = weights[b]
    for x in range(room.excess.shape[0]):
        mean = 0.0
        for b in range(members.shape[0]):
            mean += weights[b] * program.loss[members[b], x]
        square = 0.0
        for b in range(members.shape[0]):
            gap = program.loss[members[b], x] - mean
            table[program.shown[r, x], b] = gap
            square += weights[b] * gap * gap
            least = min(least, gap)
        room.excess[x] = mean
        room.row[x] = square
    high = 1.0 - share
    low = min(high, max(1e-12, (-eta * least - own) / max(1.0 - own, 1e-12)))
    for _ in range(_HALVINGS):  # by thirds
        third, other = low + (high - low) / 3.0, high - (high - low) / 3.0
        if revealed_value(program, room, eta, own, third) <= revealed_value(program, room, eta, own, other):
            high = other
        else:
            low = third
    fill(p, 0.0)
    for b in range(members.shape[0]):
        p[members[b]] = (1.0 - low) * weights[b]
    p[r] += low
    for x in range(room.excess.shape[0]):
        for b in range(members.shape[0]):
            table[program.shown[r, x], b] /= p[r]


@kernel
def revealed_value(program: Program, room: Workspace, eta: float, own: float, u: float) -> float:
    """Return max_x u (L[r, x] - <q, L_x>) / eta + Var_q(L_x) / p_r for p_r = q_r + (1 - q_r) u."""
    largest = -math.inf
    for x in range(room.excess.shape[0]):
        cost = u * (program.loss[program.revealing, x] - room.excess[x]) / eta
        largest = max(largest, cost + room.row[x] / (own + (1.0 - own) * u))
    return largest


@kernel
def center_losses(program: Program, room: Workspace) -> None:
    """Set z and its covariance under q."""
    members, rank = room.center.shape
    for i in range(rank):
        mean = 0.0
        for b in range(members):
            mean += room.weights[b] * program.differences[b, i]
        for b in range(members):
            room.center[b, i] = program.differences[b, i] - mean
    for i in range(rank):
        for j in range(rank):
            total = 0.0
            for b in range(members):
                total += room.weights[b] * room.center[b, i] * room.center[b, j]
            room.covariance[i, j] = total


@large_kernel
def set_inverse(program: Program, room: Workspace, p: Floats) -> float:
    """Set M(p)^-1 and M(p)^-1 covariance, and return the trace of the latter."""
    rank = room.row.shape[0]
    for i in range(rank):
        for j in range(i + 1):
            room.matrix[i, j] = 0.0
    for a in range(p.shape[0]):
        for s in range(program.first[a], program.first[a + 1]):
            add_outer(room.matrix, p[a], program.rows[s])
    invert(room.matrix, room.inverse, room.row)
    trace = 0.0
    for i in range(rank):
        for j in range(rank):
            room.product[i, j] = dot(room.inverse[i], room.covariance[j])
        trace += room.product[i, i]
    return trace


@kernel
def keep_above_floor(p: Floats, floor: float) -> None:
    """Raise what is below the floor, and normalize."""
    total = 0.0
    for a in range(p.shape[0]):
        p[a] = max(p[a], floor)
        total += p[a]
    for a in range(p.shape[0]):
        p[a] /= total


@kernel
def descend(program: Program, room: Workspace, eta: float, p: Floats) -> None:
    """Improve p, from the former p or from q or by way of the soft maximum, whichever is best."""
    floor = min(eta * eta, 0.5 / p.shape[0])
    other = room.other
    fill(other, 0.0)
    for b in range(room.weights.shape[0]):
        other[program.members[b]] = room.weights[b]
    keep_above_floor(other, floor)
    keep_above_floor(p, floor)
    take_better(program, room, eta, p)
    copy(p, other)
    take_steps(program, room, eta, _SOFTNESS, floor, other)
    take_better(program, room, eta, p)
    take_steps(program, room, eta, 0.0, floor, p)


@kernel
def take_better(program: Program, room: Workspace, eta: float, p: Floats) -> None:
    """Replace p by the other one if that is better."""
    if bound(program, room, eta, 0.0, room.other) < bound(program, room, eta, 0.0, p):
        copy(room.other, p)


@large_kernel
def take_steps(program: Program, room: Workspace, eta: float, softness: float, floor: float, p: Floats) -> None:
    """Improve p by exponentiated gradient steps."""
    value, step = bound(program, room, eta, softness, p), 1.0
    for _ in range(_STEPS):
        set_slope(program, room, eta, p)
        for a in range(p.shape[0]):
            room.trial[a] = p[a] * math.exp(-step * room.slope[a])
        keep_above_floor(room.trial, floor)
        here = bound(program, room, eta, softness, room.trial)
        if here < value:
            value = here
            step *= 1.5
            for a in range(p.shape[0]):
                p[a] = room.trial[a]
        else:
            step *= 0.4


@kernel
def bound(program: Program, room: Workspace, eta: float, softness: float, p: Floats) -> float:
    """Return what is minimized, with the soft maximum if `softness` is not 0."""
    value = set_inverse(program, room, p) + set_exploration_excess(program, room, p, eta)
    if softness > 0.0:
        value += softness / eta * math.log(weigh_outcomes(room, eta))
    return value


@kernel
def weigh_outcomes(room: Workspace, eta: float) -> float:
    """Replace each outcome's excess by its weight in the soft maximum, at most 1, and return the sum of weights."""
    largest, total = -math.inf, 0.0
    for x in range(room.excess.shape[0]):
        largest = max(largest, room.excess[x])
    for x in range(room.excess.shape[0]):
        room.excess[x] = math.exp(max(-600.0, (room.excess[x] - largest) * eta / _SOFTNESS))
        total += room.excess[x]
    return total


@kernel
def set_slope(program: Program, room: Workspace, eta: float, p: Floats) -> None:
    """Set the gradient at p, centered and scaled to a largest entry of 1."""
    bound(program, room, eta, 0.0, p)
    total = weigh_outcomes(room, eta)
    rank = room.row.shape[0]
    for i in range(rank):
        for j in range(rank):
            room.sandwich[i, j] = dot(room.product[i], room.inverse[j])
    mean = 0.0
    for a in range(p.shape[0]):
        slope = dot(room.excess, program.loss[a]) / (total * eta)
        for s in range(program.first[a], program.first[a + 1]):
            multiply(room.sandwich, program.rows[s], room.row)
            slope -= dot(room.row, program.rows[s])
        room.slope[a] = slope
        mean += p[a] * slope
    most = 1e-300
    for a in range(p.shape[0]):
        room.slope[a] -= mean
        most = max(most, abs(room.slope[a]))
    for a in range(p.shape[0]):
        room.slope[a] /= most


@kernel
def set_estimates(program: Program, room: Workspace, p: Floats, table: Floats) -> None:
    """Set the least squares estimates of all members for each symbol."""
    set_inverse(program, room, p)
    for s in range(table.shape[0]):
        multiply(room.inverse, program.rows[s], room.row)
        for b in range(table.shape[1]):
            table[s, b] = dot(room.center[b], room.row)


@kernel
def least_estimate(table: Floats) -> float:
    """Return the least entry."""
    least = 0.0
    for s in range(table.shape[0]):
        for b in range(table.shape[1]):
            least = min(least, table[s, b])
    return least
