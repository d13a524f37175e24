"""What readers of a reproduction need to know: the paper's statistics, a glossary, and how the numbers were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidelight.reproduction.exhibit import RUNS
from sidelight.reproduction.report.account import Account
from sidelight.reproduction.report.wording import name
from sidelight.reproduction.verdicts import Part
from sidelight.text import grouped, joined

_GAMES = frozenset({"table1", "table2", "table3"})
_REMARKS: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        _GAMES,
        "The printed p-values are two-sided",
        "The text says that they come from a one-sided Welch test, but the printed ones are two-sided. Here both are "
        "given. Where RandCBP does better, the one-sided value is half of the other: CBP on balanced apple tasting has "
        "0.055 in print, which is 0.028 one-sided, and so below the usual 0.05.",
    ),
    (
        _GAMES,
        "The printed wins include ties",
        "A run in which two strategies share the lowest regret is a win for both in print. In Table 1 the printed "
        "wins add up to 163 and 107, of 96 runs each. Here sole and shared wins are counted separately; compare their "
        "sum with the print.",
    ),
    (
        frozenset({"figure1", "figure2", "figure4", "figure5"}),
        "The printed bands are ten times too narrow",
        "The bands in the paper's figures are called 99 % confidence intervals. They are 2.575 standard deviations "
        "divided by the number of runs n, where the square root of n belongs: for 96 runs they are 9.8 times too "
        "narrow. Bands here have the right width.",
    ),
    (
        frozenset({"table3"}),
        "The contextual table is one round early",
        "The last entry of the authors' contextual runs is empty, so the printed numbers of Table 3 belong to "
        "round 19 999 (7 499 for PG-IDS and PG-TS), not to round 20 000 (7 500) as it says. In the runs behind the "
        "printed numbers the same round is read here.",
    ),
    (
        frozenset({"table3"}),
        "Strategies that were stopped early have no wins",
        "PG-IDS and PG-TS end at round 7 500, the others at 20 000, and the print gives them no wins, although at the "
        "round where they end their regret is far below that of the others. Here wins are counted only among the "
        "paper's strategies that ended at the same round after as many runs, and a p-value compares with the first row "
        "at the same round.",
    ),
    (
        _GAMES,
        "96 runs hide rare disasters",
        "A strategy that is now and then sure of the wrong action has a mean regret that few very bad runs decide, and "
        "96 runs may hold none of them. The columns “99 %” and “max” give an idea; `sidelight reproduce table1 table2 "
        "--runs 4000` shows the tails themselves.",
    ),
)

_ALL = 10  # tables and figures
_ALWAYS, _REGRET, _USE_CASE, _LIMIT, _OPEN = "always", "regret", "f1", "limit", "open"
_GLOSSARY = (
    (
        _ALWAYS,
        "protocol",
        "Which way of making the runs: the one that led to the printed numbers (`published`), or the one that the "
        "paper's text describes (`described`). They are not the same, so there are two parts.",
    ),
    (_ALWAYS, "run", "One simulation from the first round to the last. Run k of every strategy meets the same world."),
    (
        _REGRET,
        "regret",
        "What was lost up to a round, beyond the loss of the best action (with contexts: of the best action in each "
        "round). Less is better.",
    ),
    (
        _USE_CASE,
        "verification",
        "A person says whether a prediction of the classifier was right. Fewer are cheaper.",
    ),
    (
        _USE_CASE,
        "tolerance",
        "The error rate above which the predictions of a class are to be reported.",
    ),
    (
        _USE_CASE,
        "F1 score",
        "How well the classes above the tolerance were told from the others: 1 if all of them, 0 if none. It is the "
        "mean of the F1 scores of both sides (macro F1), each the harmonic mean of precision and recall.",
    ),
    (
        _ALWAYS,
        "mean ± standard error, std",
        "The standard deviation (std) says how far single runs lie from their mean. The standard error, std / √runs, "
        "says how far the mean itself may lie from what infinitely many runs would give: rarely more than twice this.",
    ),
    (
        _ALWAYS,
        "z",
        "The difference between the mean here and the printed mean, in units of its own standard error: "
        "(here − paper) / √(std² / runs + printed std² / 96). Beyond −3 to 3 it is hardly chance: one in 370. With "
        "fewer than ten runs the larger of both standard deviations is used.",
    ),
    (
        _ALWAYS,
        "same to the digit",
        "Mean and standard deviation, rounded as in print, are the printed ones.",
    ),
    (
        _ALWAYS,
        "same within chance",
        "|z| < 3. Where |z| is 2 or more, there is a second look, and 960 runs decide. Their mean and z then stand "
        "below the verdict; the other columns keep to the first runs.",
    ),
    (
        _ALWAYS,
        "differs",
        "|z| ≥ 3, with 960 runs or more; |z| ≥ 10 for slow strategies, which get no second look. Numbers in brackets "
        "refer to the reasons.",
    ),
    (
        _OPEN,
        "too few runs to say",
        "A single run, or a slow strategy with fewer than 96 runs and |z| from 3 to 10, which gets no second look.",
    ),
    (
        _ALWAYS,
        "median, 99 %, max",
        "Half of the runs lie below the median, 99 of 100 below the 99 % quantile, none above max.",
    ),
    (
        _LIMIT,
        "× limit",
        "The mean as a multiple of the limit's: the regret of Bayes-optimal play, which assumes that all laws are "
        "equally likely and makes the best of it. No strategy has less regret on average over all laws; on a selection "
        "of them, as here, one can.",
    ),
    (
        _ALWAYS,
        "wins",
        "Runs in which a row is the best of the paper's: alone + shared with others.",
    ),
    (
        _ALWAYS,
        "p",
        "Welch's test against the first row of the same setting: how likely a difference of means this large would be "
        "if there were none. Two-sided: in either direction. One-sided: with the first row the better one; near 1 "
        "if the first row is the worse one. Not corrected for the number of rows.",
    ),
)


def remarks(account: Account) -> list[tuple[str, str]]:
    """Return remarks on the paper's statistics that concern what is shown, each as title and text."""
    shown = {part.name for part in (*account.tables, *account.figures)}
    return [(title, text) for names, title, text in _REMARKS if shown & names]


def glossary(account: Account) -> list[tuple[str, str]]:
    """Return the words that tables use and what they mean."""
    numbers = [number for table in account.tables for number in table.numbers]
    used = {_ALWAYS, *(number.measure for number in numbers)}
    used |= {_LIMIT for number in numbers if number.ours.limit_ratio is not None}
    used |= {_OPEN for number in numbers if number.verdict == "open"}
    if any("regret" in figure.exhibit.title.lower() for figure in account.figures):
        used.add(_REGRET)
    return [(term, text) for when, term, text in _GLOSSARY if when in used]


def limit_note(table: Part) -> str:
    """Say what the limit in a table is, if it has one."""
    labels = {number.label for number in table.numbers if number.is_limit}
    if not labels:
        return ""
    return (
        f"The limit ({joined(sorted(labels))}) is not a contestant: it has the least possible regret on average if all "
        "laws are equally likely. On a selection of laws, as here, a strategy can lie below."
    )


def making(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say how the numbers were made: name and value."""
    versions = [f"{key} {facts[key]}" for key in ("sidelight", "python", "numpy", "numba") if facts.get(key)]
    ways = facts.get("protocols", ())
    found = [
        ("what", ", ".join(map(name, facts.get("exhibits", ())))),
        ("protocol", ways[0] if len(ways) == 1 else ""),
        ("tolerances", ", ".join(map(str, facts.get("tolerances", ())))),
        ("policies", ", ".join(facts.get("policies", ()))),
        ("confidence of verdicts", _shown(facts.get("confidence"))),
        ("runs", _runs(facts)),
        ("seed", _shown(facts.get("seed"))),
        ("computed for", _duration(facts["seconds"]) if facts.get("seconds") is not None else ""),
        ("versions", ", ".join(versions)),
        ("platform", _shown(facts.get("platform"))),
        ("made", _shown(facts.get("created"))),
        ("digest of the code", _shown(facts.get("code"))),
    ]
    return [(key, value) for key, value in found if value]


def again(facts: Mapping[str, Any]) -> str:
    """Say which command makes the report again, and which ones show more."""
    return (
        f"`{_command(facts)}` makes this report again, in another folder with `--out DIR`; every number follows from "
        "the seed. More runs, such as `--runs 4000`, show rare disasters, and `--full` gives also PG-IDS and PG-TS as "
        "many runs as the others."
    )


def _command(facts: Mapping[str, Any]) -> str:
    names, ways = list(facts.get("exhibits", ())), list(facts.get("protocols", ()))
    runs, seed = facts.get("runs", RUNS), facts.get("seed", 0)
    words = ["sidelight reproduce", *(names if len(names) < _ALL else ())]
    words += [f"--tolerance {rate}" for rate in facts.get("tolerances", ())]
    words += [f"--policy {policy}" for policy in facts.get("policies", ())]
    words += [f"--confidence {facts['confidence']}"] if facts.get("confidence") else []
    words += [f"--runs {runs}"] if runs != RUNS else []
    words += [f"--seed {seed}"] if seed else []
    words += [f"--protocol {ways[0]}"] if len(ways) == 1 else []
    words += [f"--{facts['slow']}"] if facts.get("slow", "few") != "few" else []
    return " ".join(words)


def _runs(facts: Mapping[str, Any]) -> str:
    if facts.get("runs") is None:
        return ""
    slow = facts.get("slow_runs", ())
    few = [count for count in slow if count != facts["runs"]]
    horizon = facts.get("slow_horizon")
    end = f", {grouped(horizon)} rounds" if slow and horizon else ""
    counts = " or ".join(grouped(count) for count in few) or grouped(facts["runs"])
    return f"{grouped(facts['runs'])} of each" + (f" (slow strategies: {counts}{end})" if few or end else "")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if not hours and not minutes:
        return f"{seconds:.1f} s"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _shown(value: object) -> str:
    return "" if value is None else str(value)
