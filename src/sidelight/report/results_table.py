"""The table of simulation results: one row per strategy, with a note that says what the numbers are."""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.results import Comparison, Results, Side, compare
from sidelight.results.text import results_game_words, results_regret_words
from sidelight.table import Column, Table
from sidelight.text import capitalized, count, number_text

SIDE: Side = "two-sided"


def report_results_table(
    results: Sequence[Results], labels: Sequence[str] | None = None, limit: float | None = None, notes: str = ""
) -> Table:
    """Return the regret of each result at the last checkpoint, over all runs; tests compare with the first result.

    `limit` is a regret to compare with, at the same round: each mean is then also given as a multiple of it. `notes`
    are added to the usual notes about the numbers.
    """
    names = make_table_labels_distinct([r.label for r in results]) if labels is None else labels
    rows = []
    tests = [Comparison(test=kind, side=SIDE) for kind in ("welch", "paired")]
    for name, one, s in zip(names, results, compare(results, comparisons=tests), strict=True):
        spread = (s.mean, s.standard_error, s.std, s.median, s.q99, s.max, s.mean / limit if limit else None)
        chances = [None if test is None else test.p_value for test in s.tests]
        rows.append((name, *spread, s.strict_wins, s.tied_wins, *chances, one.seconds))
    return Table(_COLUMNS, rows, notes=[caption_of_results_table(results) + notes])


def _p_value_in_results_table(p: float) -> str:
    return f"{p:.3g}" if p >= 1e-4 else f"{p:.0e}" if p > 0 else "0"


def _seconds_in_results_table(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


# A line that is too short for all columns is broken between groups first.
_COLUMNS = (
    Column("strategy", key="label"),
    Column("mean", number_text, group="regret"),
    Column("+-", number_text, group="regret", key="standard_error"),
    Column("std", number_text, group="regret"),
    Column("median", number_text, group="regret"),
    Column("99 %", number_text, group="regret", key="q99"),
    Column("max", number_text, group="regret"),
    Column("/ limit", "{:.3g}".format, group="regret", key="ratio"),
    Column("wins", group="comparison", key="strict_wins"),
    Column("tied", group="comparison", key="tied_wins"),
    Column("p Welch", _p_value_in_results_table, group="comparison", key="p_welch"),
    Column("p paired", _p_value_in_results_table, group="comparison", key="p_paired"),
    Column("time", _seconds_in_results_table, group="comparison", key="seconds"),
)


def caption_of_results_table(results: Sequence[Results]) -> str:
    """Describe the numbers of the table: how many runs, how long, under which protocol, and how they were tested."""
    first = results[0]
    sentences = [
        f"{capitalized(results_regret_words(first))} after {first.rounds[-1]} rounds of "
        f"{results_game_words(first)}, {count(first.n_runs, 'run')}, seed {first.seed}; "
        f"{results_table_protocol(first)}.",
        "+- is the standard error.",
    ]
    if first.n_runs == 1:
        sentences[1] = "A single run says nothing about chance."
    if len(results) > 1:
        sentences.append(
            "Run k of every strategy meets the same outcomes; wins are runs with the lowest regret, alone or (tied) "
            "with others."
        )
        if first.n_runs > 1:
            sentences.append(
                "p is two-sided, for a mean that differs from the first row's: by Welch's test, which treats all runs "
                "as independent, and by the paired t-test, which compares run with run"
                + ("." if len(results) == 2 else "; it is not corrected for the number of rows.")
            )
    if any(r.seconds is not None for r in results):
        sentences.append("Time includes compiling, if anything had to be compiled.")
    return " ".join(sentences)


def results_table_protocol(result: Results) -> str:
    """Describe where the outcomes came from."""
    environment = result.environment
    law = environment.get("law")
    if environment["name"] == "IID" and isinstance(law, str):
        return f"outcome law of each run from '{law}'"
    if environment["name"] == "IID" and isinstance(law, list) and not isinstance(law[0], list):
        return f"outcomes drawn from p = ({', '.join(f'{value:.4g}' for value in law)})"
    return {"IID": "each run has an outcome law of its own", "Replay": "recorded outcomes"}.get(
        environment["name"], f"environment {environment['name']}"
    )


def make_table_labels_distinct(texts: Sequence[str]) -> list[str]:
    """Make equal texts distinct by numbers (ignoring case, as some file systems do)."""
    found: list[str] = []
    for text in texts:
        candidate, number = text, 2
        while candidate.lower() in (each.lower() for each in found):
            candidate, number = f"{text} #{number}", number + 1
        found.append(candidate)
    return found
