"""Write docs/benchmark.md from the stored summary of the benchmark: `python docs/make_benchmark.py`.

`--from DIR` first makes that summary anew, from the folder in which `sidelight study run` keeps its runs; cases that
have not been run are left out, and the page says how many; with `--keep` they stay as they were in the former summary,
which is right if their strategies have not changed: then a copy of the study with the others is all that has to be run.
`--note TEXT` says something about that run that the page should tell, such as what else the machine did. `--short`
writes studies/benchmark-short.toml, which is made of studies/benchmark.toml.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Container, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import benchmark_tables as tables

from sidelight.recommendation import records
from sidelight.recommendation.recommendation import STORED, read_stored_benchmark
from sidelight.recommendation.records import CONTEXTS, LAWS, Benchmark
from sidelight.recommendation.scores import BenchmarkBoard, score_benchmark_players
from sidelight.studies.plan.cases import Case
from sidelight.text import count, thousands

DOCS = Path(__file__).resolve().parent
STUDY = DOCS.parent / "studies" / "benchmark.toml"
SHORT = STUDY.with_name("benchmark-short.toml")
WIDTH = 120
HEAD = """# The benchmark

<!-- Written by docs/make_benchmark.py from the summary in src/sidelight/recommendation; change those. -->

Every strategy in every globally observable game of the catalogue, in several sizes, with laws drawn in eight ways, and
in worlds with contexts: `studies/benchmark.toml`, version {version}. `sl.recommend(game)` and `sidelight recommend`
answer from these numbers which strategy to use.

{honest}

Laws are drawn anew in every run: uniformly (dirichlet), with few likely outcomes (sparse), near the middle or with one
likely outcome (balanced and imbalanced, the instances of the ICML 2024 paper; rare, near-vertex), and 5 to 30 % or 1 to
5 % from where the best action changes (near-border, near-tie). In each world all strategies meet the same outcomes.
Those called "T known" are told the horizon; the others are not.

To run it yourself (about 5 minutes for the short form and an hour for the full one, on two cores that have nothing else
to do), and to write this page:

```
sidelight study run studies/benchmark-short.toml --out short
sidelight study run studies/benchmark.toml --out benchmark
python docs/make_benchmark.py --from benchmark
```

Your own strategy joins as an entry of `studies/benchmark.toml`, named as everywhere: `file.py:Class`,
`package.module:Class`, or the name that a plug-in gives it. To run nothing else, run a copy of the study with your
entry alone, and write the page with `--keep`.
"""


def page(summary: Benchmark) -> str:
    """Return the page."""
    parts = [HEAD.format(version=summary.facts["study"]["version"], honest=honest(summary))]
    groups = (("Without contexts", LAWS), ("With contexts", CONTEXTS))
    for title, group in groups:
        whole = [score_benchmark_players(summary, horizon, group) for horizon in reversed(summary.horizons)]
        whole = [each for each in whole if each.scores()]
        if whole:
            parts.append(f"## {title}\n")
            parts += [f"{textwrap.fill(line, WIDTH)}\n" for line in tables.about() if group == LAWS]
            parts += [section(each) for each in whole]
    return "\n".join(parts)


def section(played: BenchmarkBoard) -> str:
    """Return the tables of one horizon."""
    shown = {
        f"After {thousands(played.horizon)} rounds": tables.ranking(played),
        f"Relative regret, game by game, after {thousands(played.horizon)} rounds": tables.matrix(played),
        f"99 % quantiles of regret after {thousands(played.horizon)} rounds": tables.tails(played),
        f"Runs with linear regret after {thousands(played.horizon)} rounds": tables.linear(played),
    }
    return "\n".join(
        f"### {title}\n\n{table.to_markdown()}\n" for title, table in shown.items() if len(table.columns) > 1
    )


def honest(summary: Benchmark) -> str:
    """Say what was run, when and with what."""
    facts = summary.facts
    made = facts["made"]
    versions = ", ".join(f"{name} {made[name]}" for name in ("sidelight", "python", "numpy", "numba") if made.get(name))
    part = f"All {thousands(facts['cases_planned'])} cases were run, {thousands(facts['runs_played'])} runs"
    if facts["cases_run"] != facts["cases_planned"]:
        part = (
            f"**{thousands(facts['cases_run'])} of {thousands(facts['cases_planned'])} cases were run in full, "
            f"{thousands(facts['runs_played'])} of {thousands(facts['runs_planned'])} runs**; the others have "
            "fewer runs, as the tables say, or none"
        )
    calls = facts["calls"]
    took = f"{sum(call['minutes'] for call in calls):.0f} min in {count(len(calls), 'call')}"
    where = f"{count(facts['cores'], 'core')}, {made['platform']}"
    days = " to ".join(dict.fromkeys(each(call["ended"][:10] for call in calls) for each in (min, max)))
    text = (
        f"{part}: {days}, {versions}; {where}. `sidelight study run` took {took}. {facts['note']} Runs per world "
        "are in the tables; the slowest strategies have fewer."
    )
    return textwrap.fill(" ".join(text.split()), WIDTH)


def _ended(call: dict[str, Any]) -> str:
    return str(call.get("ended", call["created"]))


def summarized(folder: Path, note: str = "", former: Benchmark | None = None) -> Benchmark:
    """Return the summary of the runs in a folder, with what a former summary has more of, if one is given."""
    from benchmark_summary import summarize

    from sidelight.studies import read
    from sidelight.studies.plan import cases as plan
    from sidelight.studies.plan.tasks import split_cases_into_tasks
    from sidelight.studies.running.study_run import plan_study_run
    from sidelight.studies.store.store import State
    from sidelight.tasks import cores

    progress = plan_study_run(plan.settle_study_before_planning(read(STUDY)), folder)

    def gather(cell: Any) -> Any:
        states = progress.store.states(split_cases_into_tasks(cell))
        done = [task for task, state in states.items() if state is State.READY]
        return progress.store.gather(done) if done else None

    calls = sorted(
        (
            {"ended": _ended(call), "minutes": round(call["seconds"] / 60, 1), "pieces": call["ran"]}
            for call in progress.record.calls()
            if call.get("ran") is not None
        ),
        key=lambda call: datetime.fromisoformat(call["ended"]) - timedelta(minutes=call["minutes"]),
    )
    more = {"calls": calls, "cores": cores(), "note": note}
    found = summarize(progress.study, progress.playable, gather)
    found = replace(found, facts={**found.facts, **more})
    return found if former is None else kept(found, former, progress.playable)


def kept(found: Benchmark, former: Benchmark, planned: Iterable[Case]) -> Benchmark:
    """Return a summary with what the former one has more of: planned cases missing here, and pools of more runs."""
    from benchmark_summary import label_of

    cells = {(cell.game.label, cell.world.label, label_of(cell.player), cell.horizon): cell for cell in planned}
    places = {each[:3] for each in cells}
    cases = {each[:4]: each for each in former.cases if each[:3] in places} | {each[:4]: each for each in found.cases}
    pairs = {(game, player) for game, _, player in places}
    pools = {each[:4]: each for each in former.pools if (each.game, each.player) in pairs}
    pools |= {each[:4]: each for each in found.pools if each[:4] not in pools or each.runs >= pools[each[:4]].runs}
    runs = {place: cases[place].runs for place in cells if place in cases}
    calls = found.facts["calls"]
    facts = {
        **found.facts,
        "cases_run": sum(number >= cells[place].runs for place, number in runs.items()),
        "runs_played": sum(runs.values()),
        "calls": [*(call for call in former.facts["calls"] if call not in calls), *calls],
    }
    return Benchmark(
        facts,
        games=_both(former.games, found.games, {each[0] for each in cells}),
        worlds=_both(former.worlds, found.worlds, {each[1] for each in cells}),
        players=_both(former.players, found.players, {each[2] for each in cells}),
        cases=tuple(cases.values()),
        pools=tuple(pools.values()),
    )


def _both(former: Iterable[Any], found: Iterable[Any], planned: Container[str]) -> tuple[Any, ...]:
    """Return what either summary says about planned games, worlds or players, the new one overruling the former."""
    rows = {each.label: each for each in former} | {each.label: each for each in found}
    return tuple(each for label, each in rows.items() if label in planned)


def short(text: str) -> str:
    """Return the short form of the study: 1 000 rounds, half the runs, and nobody who is told of 20 000 rounds."""
    entries = re.split(r"\n(?=\[\[)", text)
    kept = [entry for entry in entries if "T = 20000 known" not in entry]
    found = "\n".join(kept)
    for full, brief in (
        ("horizons = [20_000]", "horizons = [1_000]"),
        ("horizons = [1_000, 20_000]", "horizons = [1_000]"),
        ("checkpoints = [500, 1_000, 10_000, 20_000]   # the horizons 1 000 and 20 000, and half of each",
         "checkpoints = [500, 1_000]"),
        ('name = "benchmark"', 'name = "benchmark-short"'),
        ('title = "A benchmark of partial monitoring"', 'title = "A benchmark of partial monitoring, short form"'),
    ):  # fmt: skip
        if full not in found:
            raise ValueError(f"{STUDY} has no {full!r} any more")
        found = found.replace(full, brief)
    found = re.sub(r"^runs = (\d+)$", lambda runs: f"runs = {max(1, int(runs[1]) // 2)}", found, flags=re.MULTILINE)
    head = (
        "# The short form of benchmark.toml: 1 000 rounds and half the runs, in about 5 minutes on two cores.\n"
        "# Written by docs/make_benchmark.py --short.\n"
    )
    return head + re.sub(r"\A(#.*\n)*", "", found)


def main() -> None:
    """Write the page, and before that the summary or the short form if that is wanted."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--from", dest="folder", type=Path, help="the folder of a study's run")
    options.add_argument(
        "--keep", action="store_true", help="with --from: keep former numbers of cases that are not in it"
    )
    options.add_argument("--note", default="", metavar="TEXT", help="with --from: what to know about that run")
    options.add_argument("--short", action="store_true", help="write the short form of the study")
    given = options.parse_args()
    if given.short:
        SHORT.write_text(short(STUDY.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
        return
    if given.folder is not None:
        records.write_benchmark(
            STORED, summarized(given.folder, given.note, records.read_benchmark(STORED) if given.keep else None)
        )
    (DOCS / "benchmark.md").write_text(page(read_stored_benchmark()), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
