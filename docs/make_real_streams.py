"""Write docs/real-streams.md from the stored results of the arena: `python docs/make_real_streams.py`.

`--from DIR ...` first stores the results in folders in which `sidelight study run` keeps the report of
real-streams.toml, or of some of its players, in the place of those known before; `--note TEXT` says something about
that run that the page should tell.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

from pyarrow import parquet

from sidelight.table import Column, Table
from sidelight.text import count, thousands

DOCS = Path(__file__).resolve().parent
STORED, PAGE = DOCS / "real-streams.json", DOCS / "real-streams.md"
LEAST = 5.0  # regret below it counts as this much: two or three mistakes more or less are chance
NEAR, NEAR_WORST = 1.1, 1.5
MODELS = ("forest", "kernel", "logistic")
AUTO = "ProspectModel, auto"
OUR_NAMES = (AUTO, *(f"Prospect(model={model})" for model in MODELS))
RULES = {
    "Greedy": "never looks again",
    "Epsilon": "looks in round t with the probability t^(-1/3) / 4",
    "Threshold": "looks where the two best actions cost nearly the same: uncertainty sampling",
    "LabelFirst": "looks in the first 50 rounds, and then never again",
    "Committee": "looks where members of a bootstrapped committee disagree",
    "Thompson": "does what a member of the committee says, another one in each round",
    "InverseGap": "draws actions by how much worse they seem (SquareCB)",
}
HEAD = """# Real data

<!-- Written by docs/make_real_streams.py from real-streams.json; change those, not this page. -->

What does it cost to decide under partial feedback with the model that one has? Here {streams} streams of real and made
data are played in apple tasting (outcomes are shown only where one acts), label-efficient prediction (labels are
bought, at the price of a mistake or a quarter of it) and dynamic pricing (with 3 to 5 prices): {pairs} pairs of a
stream and a game, {runs} each, of {rounds} rounds. Every run has the rows in another order.

Regret is what was lost beyond the best of four offline models (logistic regression, forest, boosting, kernel features),
which were cross-fitted to all labels. "Auto" is `ProspectModel` as it comes, with its own linear, kernel and tree
models. Other players are around a given model: a forest of 16 trees, logistic regression, and logistic regression on
100 random Fourier features ("kernel"). The rules that people use today fit their model again when symbols have grown by
a quarter, and play what costs least by it, but for looks:

{rules}

**NeuralCBP** (Heuillet et al., UAI 2024) is an external reference, written anew after its authors' public code; its
docstring in `studies/real_streams/neural_cbp.py` says what is unexpected there. It plays apple tasting and
label-efficient prediction only.

The constant of each rule is the best of four on six other streams (`studies/real-streams-constants.toml`).
`ProspectModel` and the linear strategies have their defaults. Those of `ProspectModel` were chosen on the same six and
on fifteen further ones, but earlier arenas had shown where to look. It did badly on *hastie*, a ball, so squares of
features joined its kernel model, and were tried on another ball; and with prices, because waves fitted few labels too
well, and the bound on that was chosen on other streams. How many splits its trees try, and how many rounds it expects,
was chosen last, on the same six and on fifteen streams that are in neither half (orders from other seeds). Four of
those are near relatives of reported ones: three are made by other rules of the generator of *agrawal-6* and *drift*,
and one has the images of *digits-38* with other digits to be found. `ProspectModel` alone was run again after that.

```
pip install ".[data]"
sidelight study run studies/real-streams-short.toml --out short
sidelight study run studies/real-streams.toml --out arena
python docs/make_real_streams.py --from arena
```

{note}"""
GOAL = """
## Is it as good as it should be?

The goal was: the lowest mean regret or within 10 % of it on at least 80 % of the pairs, and never above 1.5 times the
lowest. A regret below {least:g} counts as {least:g}.

**Around the same model**, among {rules} rules and `ProspectModel`:

{same}

**Among all players**, {players} with auto as our only one, auto has

{all}
Without hastie and prices, see above, that is {rest}.

The lowest of so many players in {runs} has been lucky, too. Judged without that luck, beside the player that was lowest
in the other runs, auto is within 10 % of it, or better, on {fair} pairs, and has {worst} times its regret at worst.
Nobody knows beforehand which player that is. Beside any single one of the others, auto is better or within 10 % on at
least {single}.
"""
LATE = """
## Late symbols

Symbols that arrive 500 rounds late, or together after every 50 rounds: the geometric mean of regret relative to the
best of these players (rules around forests; late, one run).
"""
RANKS = """
## All players

Regret relative to the lowest one of each pair (the geometric mean, how often it is within 10 %, and the worst), the
same among players around the same model, the share of rounds in which an action was played that shows something, and
the median time of a round.
"""
PAIRS = """
## Pair by pair

Mean regret and standard error of ours, of the linear strategies, and of the rule that did best there.
"""


class Case(NamedTuple):
    """A player on a stream in a game: regret of each run, the share of rounds with looks, and microseconds a round."""

    game: str
    stream: str
    player: str
    rounds: int
    regrets: Sequence[float]
    looks: float
    microseconds: float

    @property
    def regret(self) -> float:
        """The mean."""
        return mean(self.regrets)

    @property
    def pair(self) -> tuple[str, str]:
        """The stream and the game."""
        return self.stream, self.game

    @property
    def model(self) -> str:
        """The model that the player is around; empty if it brings its own."""
        found = re.search(r"model=(\w+)", self.player)
        return found[1] if found else ""


def cases_in(folder: Path) -> list[Case]:
    """Return the results of a study's folder."""
    tables = {table["title"]: table["rows"] for table in json.loads((folder / "tables.json").read_text())["tables"]}
    looks = {
        (row["setting"], row["player"]): row["mean ± standard error"] for row in tables["Verifications at the end"]
    }
    runs = parquet.read_table(folder / "runs.parquet", filters=[("measure", "=", "regret")]).to_pylist()
    regrets: dict[tuple[str, ...], dict[int, float]] = defaultdict(dict)
    for row in sorted(runs, key=lambda row: (row["run"], row["round"])):
        regrets[row["game"], row["world"], row["player"]][row["run"]] = round(row["value"], 1)  # the last one stays
    found = []
    for row in tables["Regret at the end"]:
        game, stream, length = row["setting"].rsplit(", ", 2)
        rounds = int(re.sub(r"\D", "", length))
        share = looks[row["setting"], row["player"]] / rounds
        own = list(regrets[game, stream, row["player"]].values())
        found.append(Case(game, stream, row["player"], rounds, own, round(share, 3), round(row["µs per round"], 1)))
    return found


def complete(cases: Sequence[Case]) -> list[Case]:
    """Return the cases of pairs that everybody has played who plays that game; a study may have been interrupted."""
    played = Counter(case.pair for case in cases if not is_late(case.player))
    most = {game: max(number for pair, number in played.items() if pair[1] == game) for _, game in played}
    return [case for case in cases if played[case.pair] == most.get(case.game, 0)]


def is_late(player: str) -> bool:
    """Say whether a player's symbols are late."""
    return "(player=" in player


def shown(player: str) -> str:
    """Return what a player is called on the page."""
    name = re.sub(r"^Prospect\(", "ProspectModel(", player)
    return re.sub(r"\(model=(\w+)\)", r", \1", name)


def ratios(cases: Iterable[Case]) -> dict[str, dict[tuple[str, str], float]]:
    """Return, for each player and pair, the regret relative to the lowest one."""
    kept = list(cases)
    best: dict[tuple[str, str], float] = {}
    for case in kept:
        best[case.pair] = min(best.get(case.pair, math.inf), max(LEAST, case.regret))
    found: dict[str, dict[tuple[str, str], float]] = {}
    for case in kept:
        found.setdefault(case.player, {})[case.pair] = max(LEAST, case.regret) / best[case.pair]
    return found


def mean_of(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def near(values: Iterable[float]) -> int:
    """Count ratios that are at most 10 % above the lowest."""
    return sum(value <= NEAR + 1e-9 for value in values)


def number(value: float) -> str:
    """Return a ratio as text."""
    return f"{value:.2f}"


def ranking(cases: Sequence[Case]) -> Table:
    """Return how all players did, the best first, also among those around the same model."""
    overall, within = ratios(cases), {}
    for model in MODELS:
        within |= ratios(case for case in cases if case.model == model)
    columns = (
        "player",
        "mean",
        "within 10 %",
        "worst",
        "same model: mean",
        "within 10 %",
        "worst",
        "looks",
        "µs a round",
    )
    rows = []
    for player, found in sorted(overall.items(), key=lambda each: mean_of(each[1].values())):
        own = [case for case in cases if case.player == player]
        same = within.get(player, {}).values()
        looks = sum(case.looks for case in own) / len(own)
        speed = sorted(case.microseconds for case in own)[len(own) // 2]
        numbers = (f"{100 * looks:.0f} %", thousands(round(speed)))
        rows.append([shown(player), *_summary(found.values()), *(_summary(same) if same else ("",) * 3), *numbers])
    return Table([Column(name) for name in columns], rows)


def _summary(found: Iterable[float]) -> tuple[str, str, str]:
    values = list(found)
    return number(mean_of(values)), f"{near(values)} of {len(values)}", number(max(values))


def pairs_table(cases: Sequence[Case]) -> Table:
    """Return the regret of ours and of the best rule, pair by pair."""
    ours = [*OUR_NAMES, "ProspectSide", "RandCBPSide"]
    columns = ("stream, game", *map(shown, ours), "best rule")
    rows = []
    for pair in dict.fromkeys(case.pair for case in cases):
        found = {case.player: case for case in cases if case.pair == pair}
        rule = min((case for name, case in found.items() if name.split("(")[0] in RULES), key=lambda case: case.regret)
        title = f"{pair[0]}, {pair[1]}, T = {thousands(rule.rounds)}"
        numbers = [with_error(found[name]) if name in found else "" for name in ours]
        rows.append([title, *numbers, f"{with_error(rule)}, {shown(rule.player)}"])
    return Table([Column(name) for name in columns], rows)


def with_error(case: Case) -> str:
    """Return the mean regret and its standard error."""
    runs = len(case.regrets)
    return f"{case.regret:.0f}" + (f" ± {stdev(case.regrets) / math.sqrt(runs):.0f}" if runs > 1 else "")


def late_table(cases: Sequence[Case]) -> Table:
    """Return how players do when symbols are late, relative to the best of those who are tried that way."""
    late = [case for case in cases if is_late(case.player)]
    pairs = {case.pair for case in late}
    kinds = list(dict.fromkeys(case.player.split(" (")[0] for case in late))
    names = list(dict.fromkeys(re.search(r"player=(\w+)", case.player)[1] for case in late))
    at_once = {"ProspectModel": AUTO, "ProspectSide": "ProspectSide", "RandCBPSide": "RandCBPSide"}
    prompt = {name: at_once.get(name, f"{name}(model=forest)") for name in names}
    columns = [ratios(case for case in cases if case.player in prompt.values() and case.pair in pairs)]
    columns += [ratios(case for case in late if case.player.startswith(kind)) for kind in kinds]
    rows = []
    for name in names:
        title = at_once.get(name, shown(f"{name}(model=forest)"))
        keys = [prompt[name], *(f"{kind} (player={name})" for kind in kinds)]
        means = [number(mean_of(found[key].values())) for found, key in zip(columns, keys, strict=True)]
        rows.append([title, *means])
    return Table([Column(name) for name in ("player", "at once", *kinds)], rows)


def reached(found: Iterable[float]) -> str:
    """Say how far the goal is reached."""
    values = list(found)
    verdict = "reached" if near(values) >= 0.8 * len(values) and max(values) <= NEAR_WORST else "**not** reached"
    return f"{near(values)} of {len(values)} pairs, and {max(values):.1f} times at worst: {verdict}"


def verdict(cases: Sequence[Case]) -> str:
    """Say how far the goal is reached among players around one model, and among all with auto as our only one."""
    same = []
    for model in MODELS:
        name = f"Prospect(model={model})"
        own = ratios(case for case in cases if case.model == model)[name]
        same.append(f"- {shown(name)}: {reached(own.values())};")
    rivals = [case for case in cases if case.player not in OUR_NAMES[1:]]
    own, fair = ratios(rivals)[AUTO], fair_ratios(rivals)
    others = [ratio for (stream, game), ratio in own.items() if stream != "hastie" and "pricing" not in game]
    return GOAL.format(
        least=LEAST,
        rules=len(RULES),
        same="\n".join(same)[:-1] + ".",
        players=len({case.player for case in rivals}),
        all=f"{reached(own.values())}.",
        rest=f"{near(others)} of {len(others)} pairs",
        runs=count(len(rivals[0].regrets), "run"),
        fair=f"{near(fair.values())} of {len(fair)}",
        worst=f"{max(fair.values()):.1f}",
        single=against_one(rivals),
    )


def fair_ratios(cases: Sequence[Case]) -> dict[tuple[str, str], float]:
    """Return auto's regret on each pair relative to that of the player that was the lowest in the other runs."""
    found = {}
    for pair in dict.fromkeys(case.pair for case in cases):
        here = {case.player: case.regrets for case in cases if case.pair == pair}
        own, judged = here.pop(AUTO), []
        for run in range(len(own)):
            rest = {name: mean([*each[:run], *each[run + 1 :]]) for name, each in here.items()}
            judged.append(here[min(rest, key=rest.__getitem__)][run])
        found[pair] = max(LEAST, mean(own)) / max(LEAST, mean(judged))
    return found


def against_one(cases: Sequence[Case]) -> str:
    """Say how auto compares with the player that somebody should have named beforehand."""
    found = ratios(cases)
    own = found.pop(AUTO)
    beaten = {name: near(own[pair] / ratio[pair] for pair in ratio) / len(ratio) for name, ratio in found.items()}
    hardest = min(beaten, key=beaten.__getitem__)
    worst = max(own[pair] / ratio for pair, ratio in found[hardest].items())
    share = f"{100 * beaten[hardest]:.0f} % of the pairs"
    return f"{share}; that is beside {shown(hardest)}, with {worst:.1f} times its regret at worst"


def page(stored: dict[str, Any]) -> str:
    """Return the page."""
    everything = [Case(*row) for row in stored["cases"]]
    cases = [case for case in everything if not is_late(case.player)]
    lengths = sorted({case.rounds for case in cases})
    head = HEAD.format(
        streams=len({case.stream for case in cases}),
        pairs=len({case.pair for case in cases}),
        runs=count(stored["runs"], "run"),
        rounds=f"{thousands(lengths[0])} to {thousands(lengths[-1])}",
        rules="\n".join(f"- **{name}** {text};" for name, text in RULES.items())[:-1] + ".",
        note=f"{stored['note']}\n" if stored["note"] else "",
    )
    parts = [head, verdict(cases), RANKS, ranking(cases).to_markdown(), PAIRS, pairs_table(cases).to_markdown()]
    if any(is_late(case.player) for case in everything):
        parts += [LATE, late_table(everything).to_markdown()]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def main() -> None:
    """Store results if asked to, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="folders", type=Path, nargs="+")
    parser.add_argument("--note", default="")
    given = parser.parse_args()
    if given.folders:
        facts = [json.loads((folder / "tables.json").read_text())["facts"] for folder in given.folders]
        stored = {"runs": min(each["study"]["runs"] for each in facts), "note": given.note}
        found = [Case(*row) for row in json.loads(STORED.read_text(encoding="utf-8"))["cases"]]
        for folder in given.folders:
            found += complete(cases_in(folder))
        known = {case[:3]: case for case in found}
        lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in known.values())
        STORED.write_text(f'{json.dumps(stored)[:-1]}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")
    PAGE.write_text(page(json.loads(STORED.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
