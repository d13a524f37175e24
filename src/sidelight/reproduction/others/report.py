"""The report on the experiments of other papers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sidelight._storage import replacing_file
from sidelight.games import load
from sidelight.limits import lower_bound
from sidelight.report.document import Block, Contents, Document, Heading, Paragraph, Terms, split_document_code
from sidelight.reproduction.exhibit import Exhibit, Profile
from sidelight.reproduction.others.experiments import ALLOWED, CURVES, LAWS, MEANS, OtherPaperCurve
from sidelight.reproduction.report.notes import provenance_of_reproduction
from sidelight.reproduction.runs import Reproduction
from sidelight.results import ResultSet, provenance
from sidelight.table import Column, Table
from sidelight.text import count

_TITLE = "Experiments of other papers"
_NOT_PRINTED = "Values are not printed: there is nothing to compare them with, and no verdict."


class OtherPaperVerdict(NamedTuple):
    """How one way to play agrees with a printed curve."""

    curve: OtherPaperCurve
    label: str
    means: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def ratios(self) -> list[float]:
        """Return ours divided by the printed value, for each law."""
        return [ours / printed for ours, printed in zip(self.means, self.curve.printed, strict=True)]

    @property
    def within(self) -> int:
        """Return how many values are as near as is allowed."""
        return sum(abs(ratio - 1) <= ALLOWED for ratio in self.ratios)

    def __str__(self) -> str:
        ratio = sum(self.means) / sum(self.curve.printed)
        return f"{self.label}, c = {self.curve.cost}: {self.within} of 10 within 20 %, mean {ratio:.2f} of the printed"


def verdicts_on_other_paper(found: ResultSet) -> list[OtherPaperVerdict]:
    """Compare each player's mean regrets with the printed curves of figure 5."""
    return [
        OtherPaperVerdict(
            curve, player.label, *zip(*_means_of_other_paper(found, curve.game, player.label), strict=True)
        )
        for curve in CURVES
        for player in curve.players
    ]


def write_report_on_other_papers(reproduction: Reproduction, folder: Path, seconds: float | None) -> dict[str, Any]:
    """Write report.html and report.md; return what they say, as plain data."""
    profile: Profile = reproduction.profiles[0]
    results = {each.name: reproduction.results(each.studies(profile)[0]) for each in reproduction.exhibits}
    judged = verdicts_on_other_paper(results["figure5"])
    tables = {
        "figure5": [_curve_table_of_other_paper(each) for each in judged],
        "dmed": [_bound_table_of_other_paper(results["dmed"])],
        "tspm": [_mean_table_of_other_paper(results["tspm"])],
    }
    facts = {"runs": profile.runs, "seed": profile.seed, "seconds": seconds, **provenance.collect_provenance()}
    page = Document(_TITLE, list(_blocks_on_other_papers(reproduction.exhibits, tables, judged, facts)))
    for name, text in (("report.md", page.to_markdown()), ("report.html", page.to_html())):
        with replacing_file(folder / name) as draft:
            draft.write_text(text, encoding="utf-8")
    return {
        "verdicts": [{"text": str(each), "within": each.within, "ratios": each.ratios} for each in judged],
        **{name: [table.records() for table in each] for name, each in tables.items()},
        "facts": facts,
    }


def _blocks_on_other_papers(
    exhibits: Sequence[Exhibit], tables: dict[str, list[Table]], judged: list[OtherPaperVerdict], facts: dict[str, Any]
) -> Iterator[Block]:
    yield Paragraph(f"Three experiments, {count(facts['runs'], 'run')} of each strategy under each law.")
    yield Contents()
    for exhibit in exhibits:
        yield Heading(exhibit.title)
        yield Paragraph(exhibit.text)
        if exhibit.name != "figure5":
            yield Paragraph(_NOT_PRINTED, faint=True)
        yield from tables[exhibit.name]
    yield Heading("What differs from figure 5, and why")
    for curve in CURVES:
        lines = [str(each) for each in judged if each.curve == curve]
        yield Paragraph(split_document_code(f"{'; '.join(lines)}. {curve.reason}"))
    yield Heading("How this was made")
    yield Terms(provenance_of_reproduction(facts))


def _curve_table_of_other_paper(verdict: OtherPaperVerdict) -> Table:
    numbers = zip(MEANS, verdict.curve.printed, verdict.means, verdict.errors, verdict.ratios, strict=True)
    table = _table_of_other_paper([], ["mu", "printed", "ours", "standard error", "ratio"], list(numbers))
    return replace(table, title=f"{verdict.label}, c = {verdict.curve.cost}")


def _bound_table_of_other_paper(found: ResultSet) -> Table:
    """Return the table that compares mean regret with the asymptotic lower bound C*(p) log T."""
    rows = []
    for labels, one in zip(found.labels, found, strict=True):
        game, kind = labels.world.split(", ")
        bound = lower_bound(load(game), LAWS[game][kind]).value * math.log(labels.horizon)
        rows.append((labels.world, labels.label, one.summary().mean, bound, one.summary().mean / bound))
    return _table_of_other_paper(["law", "strategy"], ["mean regret", "C*(p) log T", "ratio"], rows)


def _mean_table_of_other_paper(found: ResultSet) -> Table:
    summaries = zip(found.labels, (one.summary() for one in found), strict=True)
    rows = [(labels.game, labels.label, each.mean, each.standard_error) for labels, each in summaries]
    return _table_of_other_paper(["game", "strategy"], ["mean regret", "standard error"], rows)


def _table_of_other_paper(names: list[str], numbers: list[str], rows: list[tuple[Any, ...]]) -> Table:
    columns = [*(Column(name, left=True) for name in names), *(Column(name, "{:.2f}".format) for name in numbers)]
    return Table(columns, sorted(rows))


def _means_of_other_paper(found: ResultSet, game: str, label: str) -> list[tuple[float, float]]:
    """Return the means of a player in a game and their standard errors, by mu."""
    chosen = found.filter(game=game, label=label)
    summaries = {labels.world: one.summary() for labels, one in zip(chosen.labels, chosen, strict=True)}
    return [(each.mean, each.standard_error) for each in (summaries[f"mu = {mu}"] for mu in MEANS)]
