"""An analysis in words, and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sidelight.analysis.linear_algebra import primitive

if TYPE_CHECKING:
    from sidelight.analysis.analysis import Analysis

# Beyond these a board would be too small: longer lists are given in short form.
_MOST_PAIRS = 12
_MOST_ENTRIES = 8
_MOST_TERMS = 6

_MEANING = {
    "trivial": "One action is optimal whatever the outcomes: play it; the regret is zero.",
    "easy": "Every pair of neighbors is locally observable: the minimax regret grows like sqrt(T), up to logarithms.",
    "hard": (
        "Every pair of neighbors is observable, but some only with the help of actions that are not optimal where the "
        "two tie: exploring costs, and the minimax regret grows like T^(2/3)."
    ),
    "hopeless": "Some neighbors look the same under every action: no strategy can avoid regret that grows like T.",
}


def explain(analysis: Analysis) -> str:
    """Say what was found and why, as on a lecturer's board."""
    game = analysis.game
    title = f"{game.name or 'The game'} is {analysis.kind}."
    law = "p = (" + ", ".join(f"p[{name}]" for name in _short(game.outcomes)) + ")"
    blocks = [
        [title, _MEANING[analysis.kind]],
        [f"Actions, for the unknown law {law} of the outcomes"],
        [line for i in range(game.n_actions) for line in _action(analysis, i)],
    ]
    if analysis.duplicates:
        groups = "; ".join(" = ".join(_label(analysis, i) for i in group) for group in analysis.duplicates)
        blocks.append([f"Duplicates (equal losses): {groups}"])
    blocks += _neighbors(analysis)
    blocks.append(_verdict(analysis))
    return "\n\n".join("\n".join(block) for block in _joined(blocks)) + "\n"


def _joined(blocks: list[list[str]]) -> Iterable[list[str]]:
    """Put a heading (a block of one line that ends without a full stop) onto the block it heads."""
    heading: list[str] = []
    for block in blocks:
        if len(block) == 1 and not block[0].endswith(".") and not block[0].startswith("Duplicates"):
            heading = block
        else:
            yield heading + block
            heading = []


def _action(analysis: Analysis, i: int) -> list[str]:
    status, point, mixture = analysis.action_certificate(i)
    width = max(len(_label(analysis, k)) for k in range(analysis.game.n_actions))
    head = f"  {_label(analysis, i).ljust(width)}  "
    if status == "pareto":
        assert point is not None
        return [f"{head}Pareto-optimal: strictly best at p = {_vector(point)}"]
    assert mixture is not None
    if status == "degenerate":
        assert point is not None
        reason = f"degenerate: optimal at p = {_vector(point)}, yet {_mixture(analysis, mixture)} never costs more"
    else:
        reason = f"dominated: {_mixture(analysis, mixture)} costs less at every outcome"
    return [head + reason]


def _mixture(analysis: Analysis, weights: Mapping[int, Fraction]) -> str:
    parts = [_label(analysis, k) if w == 1 else f"{w} {_label(analysis, k)}" for k, w in weights.items()]
    return _short(parts)[0] if len(parts) == 1 else "the mixture " + " + ".join(_short(parts))


def _neighbors(analysis: Analysis) -> list[list[str]]:
    pairs = analysis.neighbors
    if not pairs:
        return [["Neighbors: none; a single cell fills the simplex."]]
    if len(pairs) > _MOST_PAIRS:
        return [[f"Neighbors: {len(pairs)} pairs"], _by_observability(analysis)]
    return [["Neighbors, pairs of actions whose cells share a border"], [x for p in pairs for x in _pair(analysis, *p)]]


def _by_observability(analysis: Analysis) -> list[str]:
    groups: dict[str, list[str]] = {"locally observable": [], "observable only with others": [], "not observable": []}
    for i, j in analysis.neighbors:
        local, everywhere = analysis.locally_observable(i, j), analysis.globally_observable(i, j)
        key = "locally observable" if local else "observable only with others" if everywhere else "not observable"
        groups[key].append(f"({i}, {j})")
    return [
        f"  {len(members)} {key}: {', '.join(_short(members, 2 * _MOST_PAIRS))}"
        for key, members in groups.items()
        if members
    ]


def _pair(analysis: Analysis, i: int, j: int) -> list[str]:
    point = analysis.neighbor_certificate(i, j).point
    assert point is not None
    tie = _equation(analysis, i, j)
    lines = [f"  {_label(analysis, i)} | {_label(analysis, j)}: tie {tie}for instance at p = {_vector(point)}"]
    inner = analysis.neighborhood(i, j)
    if len(inner) > 2:
        lines.append(f"    also optimal there: {', '.join(_label(analysis, k) for k in inner if k not in (i, j))}")
    if analysis.globally_observable(i, j):
        scope = "locally observable" if analysis.locally_observable(i, j) else "observable only with others"
        lines.append(f"    {scope}: L[{i}] - L[{j}] = {_combination(analysis, i, j)}")
    else:
        null = analysis.observability_certificate(i, j, scope="global").null
        assert null is not None
        lines.append(
            f"    not observable: moving p along {_vector(null)} changes the difference by 1 and no symbol's law"
        )
    return lines


def _equation(analysis: Analysis, i: int, j: int) -> str:
    terms = primitive(analysis.cells.difference(i, j))
    if sum(map(bool, terms)) > _MOST_TERMS:
        return ""
    if next(value for value in terms if value) < 0:
        terms = tuple(-value for value in terms)
    sides: dict[bool, list[str]] = {True: [], False: []}
    for value, name in zip(terms, analysis.game.outcomes, strict=True):
        if value:
            sides[value > 0].append(f"p[{name}]" if abs(value) == 1 else f"{abs(value)} p[{name}]")
    return f"where {' + '.join(sides[True])} = {' + '.join(sides[False]) or '0'}, "


def _combination(analysis: Analysis, i: int, j: int) -> str:
    """Write the minimum-norm observer vectors as weights of symbols."""
    parts = []
    for action, vector in analysis.observer_vectors(i, j).items():
        weights = [f"{v} [{s}]" for v, s in zip(vector, analysis.game.symbols(action), strict=True) if v]
        if weights:
            parts.append(f"{_label(analysis, action)}: {', '.join(_short(weights))}")
    return "; ".join(_short(parts)) + "  (weight [symbol])"


def _verdict(analysis: Analysis) -> list[str]:
    if analysis.kind == "trivial":
        best = next(i for i in analysis.pareto)
        return [f"Hence the game is trivial: always play {_label(analysis, best)}."]
    if analysis.kind == "easy":
        return ["Hence the game is easy: all pairs of neighbors are locally observable."]
    if analysis.kind == "hard":
        pair = next(pair for pair in analysis.neighbors if not analysis.locally_observable(*pair))
        return [f"Hence the game is hard: {_both(analysis, *pair)} are observable, but not locally."]
    pair = analysis.unobservable or (0, 0)
    return [f"Hence the game is hopeless: {_both(analysis, *pair)} cannot be told apart."]


def _both(analysis: Analysis, i: int, j: int) -> str:
    return f"{_label(analysis, i)} and {_label(analysis, j)}"


def _label(analysis: Analysis, i: int) -> str:
    name = analysis.game.actions[i]
    return f"action {i}" if name == str(i) else f"{i} {name}"


def _vector(values: Sequence[Fraction]) -> str:
    return "(" + ", ".join(_short([str(value) for value in values])) + ")"


def _short(items: Sequence[str], most: int = _MOST_ENTRIES) -> list[str]:
    return list(items) if len(items) <= most else [*items[: most - 1], f"... ({len(items) - most + 1} more)"]


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis as plain data; the keys and their order are stable."""
    game = analysis.game
    return {
        "format": "sidelight-analysis-1",
        "name": game.name,
        "actions": list(game.actions),
        "outcomes": list(game.outcomes),
        "loss": [[_number(value) for value in row] for row in game.loss],
        "feedback": [[_symbol(value) for value in row] for row in game.feedback],
        "kind": analysis.kind,
        "pareto": list(analysis.pareto),
        "degenerate": list(analysis.degenerate),
        "dominated": list(analysis.dominated),
        "duplicates": [list(group) for group in analysis.duplicates],
        "action_certificates": [_action_data(analysis, i) for i in range(game.n_actions)],
        "neighbors": [_pair_data(analysis, i, j) for i, j in analysis.neighbors],
        "not_neighbors": [
            _apart_data(analysis, i, j)
            for n, i in enumerate(analysis.cells.pareto)
            for j in analysis.cells.pareto[n + 1 :]
            if not analysis.neighbor_certificate(i, j).neighbors
        ],
    }


def _action_data(analysis: Analysis, i: int) -> dict[str, Any]:
    status, point, mixture = analysis.action_certificate(i)
    return {
        "action": i,
        "status": status,
        "point": None if point is None else [_number(value) for value in point],
        "mixture": None if mixture is None else _weights(mixture),
    }


def _pair_data(analysis: Analysis, i: int, j: int) -> dict[str, Any]:
    local, everywhere = analysis.locally_observable(i, j), analysis.globally_observable(i, j)
    point = analysis.neighbor_certificate(i, j).point or ()
    vectors = analysis.observer_vectors(i, j) if everywhere else {}
    proofs = {
        f"{scope}_null_vector": analysis.observability_certificate(i, j, scope).null  # type: ignore[arg-type]
        for scope, seen in (("local", local), ("global", everywhere))
        if not seen
    }
    return {
        "pair": [i, j],
        "point": [_number(value) for value in point],
        "neighborhood": list(analysis.neighborhood(i, j)),
        "locally_observable": local,
        "globally_observable": everywhere,
        "observers": list(analysis.observers(i, j)) if everywhere else [],
        "observer_vectors": {str(a): [_number(value) for value in v] for a, v in vectors.items()},
        **{key: [_number(value) for value in null or ()] for key, null in proofs.items()},
    }


def _apart_data(analysis: Analysis, i: int, j: int) -> dict[str, Any]:
    proof = analysis.neighbor_certificate(i, j)
    return {
        "pair": [i, j],
        "actions": _weights(proof.actions or {}),
        "outcomes": _weights(proof.outcomes or {}),
        "difference": _number(proof.difference or Fraction(0)),
    }


def _weights(weights: Mapping[int, Fraction]) -> dict[str, int | str]:
    return {str(key): _number(value) for key, value in weights.items()}


def _number(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else str(value)


def _symbol(value: Any) -> Any:
    """Return a symbol as JSON can hold it: tuples as lists, whatever JSON does not know as its text."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, tuple):
        return [_symbol(part) for part in value]
    return str(value)
