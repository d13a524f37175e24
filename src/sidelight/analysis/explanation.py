"""An analysis in words, and as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sidelight.analysis.linear_algebra import primitive_row
from sidelight.game import Symbol, printable_symbols

if TYPE_CHECKING:
    from sidelight.analysis.analysis import Analysis

# Longer lists are abbreviated and longer numbers rounded.
_MOST_PAIRS = 12
_MOST_ENTRIES = 8
_MOST_TERMS = 6
_MOST_BITS = 40
_ROUGHLY = "~"

_MEANING = {
    "trivial": "One action is optimal whatever the outcomes: play it; the regret is zero.",
    "easy": "Every pair of neighbors is locally observable: the minimax regret grows like sqrt(T), up to logarithms.",
    "hard": (
        "Every pair of neighbors is observable, but some only with the help of actions that are not optimal where the "
        "two tie: exploring costs, and the minimax regret grows like T^(2/3)."
    ),
    "hopeless": "Some neighbors look the same under every action: no strategy can avoid regret that grows like T.",
}
_LOCAL, _GLOBAL, _NOT = "locally observable", "observable only with others", "not observable"


def explain_analysis(analysis: Analysis) -> str:
    """Explain the analysis with its proofs, in words and formulas."""
    game = analysis.game
    law = "p = (" + ", ".join(f"p[{name}]" for name in _shorten_list_in_analysis(game.outcomes)) + ")"
    blocks = [
        [f"{game.name or 'The game'} is {analysis.kind}.", _MEANING[analysis.kind]],
        [
            f"Actions, for the unknown law {law} of the outcomes",
            *(_explain_action_status(analysis, i) for i in range(game.n_actions)),
        ],
    ]
    if analysis.duplicates:
        groups = "; ".join(" = ".join(_analysis_label(analysis, i) for i in group) for group in analysis.duplicates)
        blocks.append([f"Duplicates (equal losses): {groups}"])
    blocks += [_explain_neighbors(analysis), _explain_game_class(analysis)]
    if any(f"{_ROUGHLY}{sign}" in line for block in blocks[1:] for line in block for sign in "0123456789-"):
        blocks.append([f"Numbers after {_ROUGHLY} are rounded; the plain data (to_dict, --json) has them exactly."])
    return "\n\n".join("\n".join(block) for block in blocks)


def _explain_action_status(analysis: Analysis, i: int) -> str:
    status, point, mixture = analysis.action_certificate(i)
    width = max(len(_analysis_label(analysis, k)) for k in range(analysis.game.n_actions))
    head = f"  {_analysis_label(analysis, i).ljust(width)}  "
    if status == "pareto":
        return f"{head}Pareto-optimal: strictly best at p = {_analysis_vector(point or ())}"
    mixed = _explain_dominating_mixture(analysis, mixture or {})
    if status == "degenerate":
        return f"{head}degenerate: optimal at p = {_analysis_vector(point or ())}, yet {mixed} never costs more"
    return f"{head}dominated: {mixed} costs less at every outcome"


def _explain_dominating_mixture(analysis: Analysis, weights: Mapping[int, Fraction]) -> str:
    if len(weights) == 1:
        return _analysis_label(analysis, next(iter(weights)))
    return " + ".join(
        _shorten_list_in_analysis(
            [f"{_value_in_analysis(w)} x [{_analysis_label(analysis, k)}]" for k, w in weights.items()]
        )
    )


def _explain_neighbors(analysis: Analysis) -> list[str]:
    """Count the pairs of neighbors by how they can be observed; describe each pair if there are few."""
    if not analysis.neighbors:
        return ["Neighbors: none; a single cell fills the simplex."]
    groups: dict[str, list[str]] = {_LOCAL: [], _GLOBAL: [], _NOT: []}
    for i, j in analysis.neighbors:
        groups[_explain_observability(analysis, i, j)].append(f"({i}, {j})")
    found = {key: pairs for key, pairs in groups.items() if pairs}
    total = len(analysis.neighbors)
    summary = ", ".join(f"{len(pairs)} {key}" for key, pairs in found.items())
    if len(found) == 1 and total > 1:
        summary = "none is observable" if groups[_NOT] else f"all are {next(iter(found))}"
    lines = [f"Neighbors: {total} pair{'s' * (total > 1)} of cells with a common border; {summary}."]
    if total > _MOST_PAIRS:
        return lines + [
            f"  {key}: {', '.join(_shorten_list_in_analysis(pairs, 2 * _MOST_PAIRS))}" for key, pairs in found.items()
        ]
    if groups[_LOCAL] or groups[_GLOBAL]:
        lines.append("At each outcome L[i] - L[j] adds up weights of the symbols shown (action: weight [symbol]).")
    symbols = _symbols_in_analysis(analysis)
    return lines + [line for pair in analysis.neighbors for line in _explain_neighbor_pair(analysis, *pair, symbols)]


def _explain_observability(analysis: Analysis, i: int, j: int) -> str:
    if analysis.locally_observable(i, j):
        return _LOCAL
    return _GLOBAL if analysis.globally_observable(i, j) else _NOT


def _explain_neighbor_pair(analysis: Analysis, i: int, j: int, symbols: Mapping[Symbol, str]) -> list[str]:
    point = analysis.neighbor_certificate(i, j).point or ()
    tie = _explain_observer_equation(analysis, i, j)
    lines = [
        f"  {_analysis_label(analysis, i)} | {_analysis_label(analysis, j)}: tie {tie}for instance at p = "
        f"{_analysis_vector(point)}"
    ]
    inner = analysis.neighborhood(i, j)
    if len(inner) > 2:
        others = [_analysis_label(analysis, k) for k in inner if k not in (i, j)]
        lines.append(f"    also optimal there: {', '.join(_shorten_list_in_analysis(others))}")
    seen = _explain_observability(analysis, i, j)
    if seen == _NOT:
        null = analysis.observability_certificate(i, j, scope="global").null or ()
        return [
            *lines,
            f"    {seen}: moving p along {_analysis_vector(null)} changes the difference by 1 and no symbol's law",
        ]
    return [*lines, f"    {seen}: L[{i}] - L[{j}] = {_explain_observer_vectors(analysis, i, j, symbols)}"]


def _explain_observer_equation(analysis: Analysis, i: int, j: int) -> str:
    terms = primitive_row(analysis.cells.difference(i, j))
    if sum(map(bool, terms)) > _MOST_TERMS:
        return ""
    if next(value for value in terms if value) < 0:
        terms = tuple(-value for value in terms)
    sides: dict[bool, list[str]] = {True: [], False: []}
    for value, name in zip(terms, analysis.game.outcomes, strict=True):
        if value:
            sides[value > 0].append(f"p[{name}]" if abs(value) == 1 else f"{_value_in_analysis(abs(value))} p[{name}]")
    return f"where {' + '.join(sides[True])} = {' + '.join(sides[False]) or '0'}, "


def _explain_observer_vectors(analysis: Analysis, i: int, j: int, symbols: Mapping[Symbol, str]) -> str:
    """Write the minimum-norm observer vectors as weights of symbols."""
    parts = []
    for action, vector in analysis.observer_vectors(i, j).items():
        shown = zip(vector, analysis.game.symbols(action), strict=True)
        weights = [f"{_value_in_analysis(value)} [{symbols[symbol]}]" for value, symbol in shown if value]
        if weights:
            parts.append(f"{_analysis_label(analysis, action)}: {', '.join(_shorten_list_in_analysis(weights))}")
    return "; ".join(_shorten_list_in_analysis(parts))


def _explain_game_class(analysis: Analysis) -> list[str]:
    if analysis.kind == "trivial":
        return [f"Hence the game is trivial: always play {_analysis_label(analysis, analysis.pareto[0])}."]
    if analysis.kind == "easy":
        return ["Hence the game is easy: all pairs of neighbors are locally observable."]
    if analysis.kind == "hard":
        i, j = next(pair for pair in analysis.neighbors if not analysis.locally_observable(*pair))
        null = analysis.observability_certificate(i, j).null or ()
        inner = ", ".join(_shorten_list_in_analysis([str(k) for k in analysis.neighborhood(i, j)]))
        return [
            f"Hence the game is hard: {_both_analyzed_actions(analysis, i, j)} are observable, but not locally. Moving "
            f"p along {_analysis_vector(null)} changes their difference by 1 and the law of no symbol that {inner} "
            "show."
        ]
    pair = analysis.unobservable or (0, 0)
    return [f"Hence the game is hopeless: {_both_analyzed_actions(analysis, *pair)} cannot be told apart."]


def _both_analyzed_actions(analysis: Analysis, i: int, j: int) -> str:
    return f"{_analysis_label(analysis, i)} and {_analysis_label(analysis, j)}"


def _analysis_label(analysis: Analysis, i: int) -> str:
    name = analysis.game.actions[i]
    return f"action {i}" if name == str(i) else f"{i} {name}"


def _symbols_in_analysis(analysis: Analysis) -> dict[Symbol, str]:
    """Return how each symbol is written, in the same way as when the game is printed."""
    feedback = analysis.game.feedback
    texts = [text for row in printable_symbols(feedback) for text in row]
    return dict(zip((symbol for row in feedback for symbol in row), texts, strict=True))


def _analysis_vector(values: Sequence[Fraction]) -> str:
    return "(" + ", ".join(_shorten_list_in_analysis([_value_in_analysis(value) for value in values])) + ")"


def _value_in_analysis(value: Fraction | int) -> str:
    """Return a number as it is, or rounded if it is too long to read."""
    above, below = value.as_integer_ratio()
    if above.bit_length() + (below.bit_length() if below > 1 else 0) <= _MOST_BITS:
        return str(value)
    return f"{_ROUGHLY}{Context(prec=4).divide(Decimal(above), Decimal(below)):.4g}"


def _shorten_list_in_analysis(items: Sequence[str], most: int = _MOST_ENTRIES) -> list[str]:
    return list(items) if len(items) <= most else [*items[: most - 1], f"... ({len(items) - most + 1} more)"]


def analysis_to_dict(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis as plain data; the keys and their order are stable."""
    game = analysis.game
    return {
        "format": "sidelight-analysis-1",
        "name": game.name,
        "actions": list(game.actions),
        "outcomes": list(game.outcomes),
        "loss": [[_exact_number_data_of_analysis(value) for value in row] for row in game.loss],
        "feedback": [[_symbol_data_of_analysis(value) for value in row] for row in game.feedback],
        "kind": analysis.kind,
        "pareto": list(analysis.pareto),
        "degenerate": list(analysis.degenerate),
        "dominated": list(analysis.dominated),
        "duplicates": [list(group) for group in analysis.duplicates],
        "action_certificates": [_action_data_of_analysis(analysis, i) for i in range(game.n_actions)],
        "neighbors": [_pair_data_of_analysis(analysis, i, j) for i, j in analysis.neighbors],
        "not_neighbors": [
            _observability_data_of_analysis(analysis, i, j)
            for n, i in enumerate(analysis.cells.pareto)
            for j in analysis.cells.pareto[n + 1 :]
            if not analysis.neighbor_certificate(i, j).neighbors
        ],
    }


def _action_data_of_analysis(analysis: Analysis, i: int) -> dict[str, Any]:
    status, point, mixture = analysis.action_certificate(i)
    return {
        "action": i,
        "status": status,
        "point": None if point is None else [_exact_number_data_of_analysis(value) for value in point],
        "mixture": None if mixture is None else _weights_data_of_analysis(mixture),
    }


def _pair_data_of_analysis(analysis: Analysis, i: int, j: int) -> dict[str, Any]:
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
        "point": [_exact_number_data_of_analysis(value) for value in point],
        "neighborhood": list(analysis.neighborhood(i, j)),
        "locally_observable": local,
        "globally_observable": everywhere,
        "observers": list(analysis.observers(i, j)) if everywhere else [],
        "observer_vectors": {
            str(a): [_exact_number_data_of_analysis(value) for value in v] for a, v in vectors.items()
        },
        **{key: [_exact_number_data_of_analysis(value) for value in null or ()] for key, null in proofs.items()},
    }


def _observability_data_of_analysis(analysis: Analysis, i: int, j: int) -> dict[str, Any]:
    proof = analysis.neighbor_certificate(i, j)
    return {
        "pair": [i, j],
        "actions": _weights_data_of_analysis(proof.actions or {}),
        "outcomes": _weights_data_of_analysis(proof.outcomes or {}),
        "difference": _exact_number_data_of_analysis(proof.difference or Fraction(0)),
    }


def _weights_data_of_analysis(weights: Mapping[int, Fraction]) -> dict[str, int | str]:
    return {str(key): _exact_number_data_of_analysis(value) for key, value in weights.items()}


def _exact_number_data_of_analysis(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else str(value)


def _symbol_data_of_analysis(value: Any) -> Any:
    """Return a symbol as JSON can hold it: tuples as lists, values unknown to JSON as Python writes them."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, tuple):
        return [_symbol_data_of_analysis(part) for part in value]
    return repr(value)
