import math
import re
from typing import get_args

import pytest
from pages import Checker

from sidelight import reproduction
from sidelight.reproduction import exhibit, verdicts
from sidelight.reproduction.exhibit import Exhibit
from sidelight.reproduction.published import Pair, Reason
from sidelight.reproduction.report import wording as words
from sidelight.reproduction.report.document import reproduction_report_document
from sidelight.reproduction.report.tables import reproduction_comparison_table, reproduction_difference_text
from sidelight.reproduction.verdicts import ReproducedNumber, ReproducedPart, ReproductionAccount
from sidelight.results import Labels, Summary, TTest

ODD = "Rand<b>|CBP & *co*"
SVG = """<?xml version="1.0"?><!DOCTYPE svg>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
<metadata><rdf xmlns="http://purl.org/x#"/></metadata>
<defs><path id="m1" d="M0 0"/><clipPath id="c"><rect width="1"/></clipPath></defs>
<g id="axes_1" clip-path="url(#c)"><use xlink:href="#m1" x="1"/></g></svg>
"""


OURS = Summary(20000, 96, 4.364, 3.851, 0.393, 0.0, {50: 4.4, 99: 18.2}, 21.1, strict_wins=48, tied_wins=39)
TEST = TTest(0.677, 95.0, 1e-9, "two-sided")
SUMMARY = set(Summary._fields)
LIMIT = Labels("apple-tasting", "imbalanced", "Limit", 20_000, "BayesOptimal", limit=True)


def number(label, verdict="ours", reason=None, setting="Apples <& pears>", measure="regret", **others):
    printed = {"printed": Pair(4.689, 4.07, 3, p_value=0.055, wins=82), "z": -0.57} if verdict != "ours" else {}
    ours = OURS._replace(label=label, tests=(TEST,))._replace(**{k: v for k, v in others.items() if k in SUMMARY})
    rest = printed | {k: v for k, v in others.items() if k not in SUMMARY}
    return ReproducedNumber(setting, measure, ours, verdict=verdict, reason=reason, **rest)


def part(name, title, text, protocol, numbers=(), caption=""):
    shown = Exhibit(name, title, text, lambda profile: (), drawing="" if name.startswith("table") else "regret")
    return ReproducedPart(shown, protocol, numbers, caption)


def games(protocol):
    command_note = OURS._replace(runs=960, mean=28.819, std=12.0, standard_error=0.39)
    one_run = {"runs": 1, "round": 7499, "std": math.nan, "standard_error": math.nan}
    numbers = [
        number(ODD, "digit", tests=(), limit_ratio=0.83),
        number("CBP", "chance", z=2.98, limit_ratio=1.7),
        number("Frozen", "differs", "frozen", again=command_note, z_again=-4.96, mean=29.8, z=-5.1),
        number("Constant", "differs", "frozen", z=math.inf, std=0.0, standard_error=0.0),
        number("Unknown", "differs", None, z=-math.inf),
        number("Slow", "open", z=None, strict_wins=None, **one_run),
        number("New"),
        number("Limit", labels=LIMIT, strict_wins=None, tied_wins=None, tests=(), limit_ratio=1.0),
    ]
    return part("table1", "Apples <1>", "About `code` & <apples>.", protocol, numbers)


def use_case(protocol):
    f1 = {"round": None, "mean": 0.968, "quantiles": {50: 1.0, 99: 1.0}, "max": 1.0}
    cost = {"round": None, "mean": 84265.4, "quantiles": {50: 104844.0, 99: 105090.0}, "max": 105091.0}
    printed = Pair(83818, 32297, 0, median=104846)
    numbers = []
    for tolerance in ("Tolerance 0.1", "Tolerance 0.2"):
        scores, costs = {"setting": tolerance, "measure": "f1"}, {"setting": tolerance, "measure": "verifications"}
        numbers += [
            number("C-RandCBP", "chance", **scores, **f1),
            number("Sequential", **scores, **f1),
            number("C-RandCBP", "differs", "draws", **costs, **cost | {"printed": printed}),
            number("Sequential", **costs, **cost),
        ]
    return part("table4", "Watching", "About a classifier.", protocol, numbers)


def figure(name, protocol):
    return part(name, f"{name} <title>", "About curves.", protocol, caption="96 runs & bands.")


REASONS = {
    "draws": Reason("Two draws", "Two are drawn.", "Evidence of draws.", ["tests/draws.py"]),
    "frozen": Reason("Frozen <runs>", "Some runs freeze.", "", ["tests/frozen.py"]),
}
FACTS = {
    "exhibits": ["table1", "table4", "figure1"],
    "protocols": ["published", "described"],
    "runs": 96,
    "slow_runs": [4, 2],
    "slow_horizon": 7500,
    "seed": 7,
    "seconds": 231.4,
    "sidelight": "0.1.0",
    "numba": None,
    "code": "abc123",
}
WAYS = ("published", "described")
ACCOUNT = ReproductionAccount(
    tables=[make(way) for make in (games, use_case) for way in WAYS],
    figures=[figure(name, way) for way in WAYS for name in ("figure1", "figure2")],
    reasons=REASONS,
    facts=FACTS,
)
DRAWINGS = {figure.stem: SVG for figure in ACCOUNT.figures if figure.stem != "figure2-described"}


def checked(account=ACCOUNT, drawings=DRAWINGS):
    page = reproduction_report_document(account, drawings).to_html()
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    return page, checker


def unescaped(markdown):
    return re.sub(r"\\(.)", r"\1", markdown)


def test_words_are_those_of_the_account():
    assert set(words.KIND_WORDS) == set(get_args(verdicts.Kind))
    assert tuple(words.PROTOCOL_TITLES) == exhibit.PROTOCOLS
    assert len(reproduction.names()) == 10


def test_page_is_well_formed_and_loads_nothing():
    page, checker = checked()
    assert not {"script", "link", "img", "iframe", "metadata"} & {tag for tag, _ in checker.seen}
    assert "http" not in page
    ids = [attributes["id"] for _, attributes in checker.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in checker.seen:
        for name in ("href", "src", "xlink:href"):
            target = attributes.get(name)
            assert target is None or (target[0] == "#" and target[1:] in ids), target
        place = re.fullmatch(r"url\(#(.+)\)", attributes.get("clip-path") or "")
        assert place is None or place[1] in ids
    assert "<b>|" not in page
    assert "<runs>" not in page


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_everything_is_said_in_both_formats(form):
    text = (
        checked()[1].text
        if form == "html"
        else unescaped(reproduction_report_document(ACCOUNT, DRAWINGS).to_markdown())
    )
    for part in (
        ODD,
        "Table 1: Apples <1>",
        "Table 4: Watching",
        "Apples <& pears>",
        "Figure 1: figure1 <title>",
        "96 runs & bands.",
        "[1] Frozen <runs>",
        "[2] Two draws",
        "Evidence of draws.",
        "tests/frozen.py",
        "Without a known reason",
        "differs: Frozen <runs> [1]",
        "differs, for no known reason",
        "differs: Two draws [2]",
        "Tolerance 0.1, verifications",
        "960\N{NO-BREAK SPACE}runs: 28.819, z\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}−4.96",
        "1 run, after 7\N{NO-BREAK SPACE}499 rounds",
        "the limit, not a contestant",
        "The limit (Limit) is not a contestant",
        "too few runs to say",
        "not in the paper",
        "2.98",
        "−∞",
        "48 + 39",
        "<0.001",
        "84\N{NO-BREAK SPACE}265",
        "0.968",
        "The printed wins include ties",
        "F1 score",
        "abc123",
        "Matplotlib is not installed",
    ):
        assert part in text, part
    for absent in ("nan", "None", "inf,"):
        assert absent not in text.split("What the words mean")[0]
    assert text.count("About a classifier.") == len(WAYS)


def test_the_sums_of_the_summary_add_up():
    text = words.word_reproduction_verdicts(ACCOUNT, "published")
    total, *shares = map(int, re.findall(r"(?<![\d.])\d+(?= printed| is| are| differ| has| have)", text))
    assert total == sum(shares) == 10
    assert shares == [1, 3, 5, 1]
    listed = re.findall(r"<li><b>(\d+)</b>", reproduction_report_document(ACCOUNT, DRAWINGS).to_html())
    assert [int(one) for one in listed] == shares
    assert len(ACCOUNT.differences()) == 10


def test_columns_that_say_nothing_are_left_out():
    scores = use_case("published")
    scores = scores._replace(numbers=[number for number in scores.numbers if number.measure == "f1"])
    assert "99 %" in [column.title for column in reproduction_comparison_table(use_case("published")).columns]
    assert not {"99 %", "max", "× limit"} & {column.title for column in reproduction_comparison_table(scores).columns}


def test_a_second_look_comes_before_the_first_in_the_list_of_differences():
    said = reproduction_difference_text(*ACCOUNT.differences()[0])
    assert "Frozen: 28.819 ± 0.39 in 960 runs, and 4.689 in the paper (z = −4.96)" in said


def table_of(*numbers):
    return ReproductionAccount([part("table2", "T", "", "published", numbers)], [], {}, {})


def test_a_report_without_differences_says_so():
    for account in (table_of(number("CBP", "digit", z=0.0)), table_of(number("CBP", "open", runs=1, z=None))):
        for text in (checked(account, {})[1].text, reproduction_report_document(account, {}).to_markdown()):
            assert words.NO_DIFFERENCE in text
    account = ReproductionAccount([], [figure("figure1", "described")], {}, {})
    assert "What differs" not in checked(account, {})[1].text
    assert words.NOT_PRINTED in checked(account, {})[1].text
    assert "F1 score" not in dict(words.glossary_of_reproduction(account))
    assert words.remarks_on_reproduction(account)
