import math
import re
from typing import get_args

import pytest
from pages import Checker

from sidelight import experiments
from sidelight._published import Pair
from sidelight.experiments import account as accounts
from sidelight.experiments import experiment
from sidelight.experiments import report_words as words
from sidelight.experiments.account import Account, Block, Cell, FigureAccount, Rerun, TableAccount, Verdict
from sidelight.experiments.reasons import Reason
from sidelight.experiments.report_markdown import to_markdown
from sidelight.experiments.report_notes import again, glossary, remarks
from sidelight.experiments.report_page import to_html
from sidelight.experiments.report_tables import agreement, comparison, differing, overview

ODD = "Rand<b>|CBP & *co*"
SVG = """<?xml version="1.0"?><!DOCTYPE svg>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
<metadata><rdf xmlns="http://purl.org/x#"/></metadata>
<defs><path id="m1" d="M0 0"/><clipPath id="c"><rect width="1"/></clipPath></defs>
<g id="axes_1" clip-path="url(#c)"><use xlink:href="#m1" x="1"/></g></svg>
"""


def cell(label, kind="ours", reason=None, **others):
    given = {
        "runs": 96,
        "round": 20000,
        "mean": 4.364,
        "std": 3.851,
        "standard_error": 0.393,
        "median": 4.4,
        "q99": 18.2,
        "max": 21.1,
        "strict_wins": 48,
        "tied_wins": 39,
        "p_two_sided": 1e-9,
        "p_one_sided": 0.25,
        "limit_ratio": None,
        "published": None if kind == "ours" else Pair(4.689, 4.07, 3, p_value=0.055, wins=82),
        "z": None if kind == "ours" else -0.57,
        "rerun": None,
    }
    return Cell(label=label, verdict=Verdict(kind, reason), **given | others)


def games(protocol):
    first = Block(
        "Apples <& pears>",
        "regret",
        "less",
        [
            cell(ODD, "digit", p_two_sided=None, p_one_sided=None, limit_ratio=0.83),
            cell("CBP", "chance", z=2.98, limit_ratio=1.7),
            cell("Frozen", "differs", "frozen", rerun=Rerun(960, 28.819, 12.0, 0.39, -4.96), mean=29.8, z=-5.1),
            cell("Constant", "differs", "frozen", z=math.inf, std=0.0, standard_error=0.0),
            cell("Unknown", "differs", None, z=-math.inf),
            cell("Slow", "open", runs=1, round=7499, std=None, standard_error=None, z=None, strict_wins=None),
            cell("New"),
            cell("Limit", is_limit=True, strict_wins=None, tied_wins=None, p_two_sided=math.nan, limit_ratio=1.0),
        ],
    )
    return TableAccount("table1", "Apples <1>", "About `code` & <apples>.", protocol, [first])


def use_case(protocol):
    f1 = {"round": None, "mean": 0.968, "median": 1.0, "q99": 1.0, "max": 1.0}
    cost = {"round": None, "mean": 84265.4, "median": 104844.0, "q99": 105090.0, "max": 105091.0}
    printed = Pair(83818, 32297, 0, median=104846)
    blocks = []
    for tolerance in ("Tolerance 0.1", "Tolerance 0.2"):
        scores = [cell("C-RandCBP", "chance", **f1), cell("Sequential", **f1)]
        costs = [cell("C-RandCBP", "differs", "draws", **cost | {"published": printed}), cell("Sequential", **cost)]
        blocks += [Block(tolerance, "f1", "greater", scores), Block(tolerance, "verifications", "less", costs)]
    return TableAccount("table4", "Watching", "About a classifier.", protocol, blocks)


def figure(name, protocol):
    return FigureAccount(name, f"{name} <title>", "About curves.", protocol, "96 runs & bands.", f"{name}-{protocol}")


REASONS = {
    "draws": Reason("Two draws", "Two are drawn.", "Evidence of draws.", "tests/draws.py"),
    "frozen": Reason("Frozen <runs>", "Some runs freeze.", "", "tests/frozen.py"),
}
FACTS = {
    "experiments": ["table1", "table4", "figure1"],
    "protocols": ["published", "described"],
    "runs": 96,
    "slow_runs": {"published": 4, "described": 2},
    "slow_horizon": 7500,
    "seed": 7,
    "seconds": 231.4,
    "sidelight": "0.1.0",
    "numba": None,
    "code": "abc123",
}
WAYS = ("published", "described")
ACCOUNT = Account(
    tables=[make(way) for make in (games, use_case) for way in WAYS],
    figures=[figure(name, way) for way in WAYS for name in ("figure1", "figure2")],
    reasons=REASONS,
    facts=FACTS,
)
DRAWINGS = {figure.stem: SVG for figure in ACCOUNT.figures if figure.stem != "figure2-described"}


def checked(account=ACCOUNT, drawings=DRAWINGS):
    page = to_html(account, drawings)
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    return page, checker


def unescaped(markdown):
    return re.sub(r"\\(.)", r"\1", markdown)


def test_words_are_those_of_the_account():
    assert set(words.KIND_WORDS) == set(words.SHORT_WORDS) == set(get_args(accounts.Kind))
    assert tuple(words.PROTOCOL_TITLES) == experiment.PROTOCOLS
    assert len(experiments.names()) == 10


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


def test_every_row_of_a_page_is_as_wide_as_its_head():
    _, checker = checked()
    assert [tag for tag, _ in checker.seen].count("table") == 1 + 3 + 2 * 2 * 2
    tables = []
    for tag, attributes in checker.seen:
        if tag == "table":
            tables.append([])
        elif tag == "tr":
            tables[-1].append(0)
        elif tag in ("td", "th"):
            tables[-1][-1] += int(attributes.get("colspan", 1))
    assert all(len(set(widths)) == 1 for widths in tables)


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_everything_is_said_in_both_formats(form):
    text = checked()[1].text if form == "html" else unescaped(to_markdown(ACCOUNT))
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
        "differs [2]",
        "960\N{NO-BREAK SPACE}runs: 28.819, z\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}−5.0",
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
        "sidelight reproduce table1 table4 figure1 --seed 7",
        "3 min 51 s",
        "96 of each (slow strategies: 4 or 2, 7\N{NO-BREAK SPACE}500 rounds)",
        "abc123",
        "Matplotlib is not installed" if form == "html" else "figures/figure2-described.png",
    ):
        assert part in text, part
    for absent in ("nan", "None", "inf,"):
        assert absent not in text.split("What the words mean")[0]
    assert text.count("About a classifier.") == 1


def test_the_sums_of_the_summary_add_up():
    text = words.summary(ACCOUNT, "published")
    total, *shares = map(int, re.findall(r"(?<![\d.])\d+(?= printed| is| are| differ| has| have)", text))
    assert total == sum(shares) == 10
    assert shares == [1, 3, 5, 1]
    assert "in Tables 1 and 4" in text
    assert "5 differ (1 of them for no known reason)" in text
    listed = re.findall(r"<li><b>(\d+)</b>", to_html(ACCOUNT, DRAWINGS))
    assert [int(one) for one in listed] == shares
    rows = [row for group in overview(ACCOUNT).groups for row in group.rows]
    for k, share in enumerate(shares):
        assert sum(int(row[1 + k].text) for row in rows) == share
    assert len(words.differences(ACCOUNT)) == 10


def test_summary_says_whether_all_reasons_are_known():
    known = Account([use_case("published")], [], REASONS, {})
    assert words.summary(known, "published").endswith("2 differ (for a reason given below).")
    unknown = Account([use_case("published")], [], {}, {})
    assert words.summary(unknown, "published").endswith("2 differ (for no known reason).")


def test_markdown_tables_have_equally_long_rows():
    tables = re.findall(r"(?:^\|.*\|\n?)+", to_markdown(ACCOUNT), re.MULTILINE)
    assert len(tables) == 1 + 3 + 2 * 2 * 2
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def test_columns_that_say_nothing_are_left_out():
    titles = [head.alone or head.title for head in comparison(use_case("published")).heads]
    assert "verifications: 99 %" in titles
    assert not {"F1 score: 99 %", "F1 score: max", "F1 score: × limit"} & set(titles)
    assert len(agreement(use_case("published"), ACCOUNT).heads) == 13


def test_a_second_look_comes_before_the_first_in_the_list_of_differences():
    rows = differing(words.differences(ACCOUNT)).groups[0].rows
    assert [piece.text for piece in rows[0][2:6]] == ["28.819", "4.689", "−5.0", "960"]


@pytest.mark.parametrize(
    ("z", "text"),
    [(None, "–"), (math.nan, "–"), (-1e-9, "0.0"), (0.44, "0.4"), (2.98, "2.98"), (-2.9996, "−2.9996"), (-3.0, "−3.0")],
)
def test_z_is_written_on_its_side_of_three(z, text):
    assert words.z_text(z) == text


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["Table 2"], "Table 2"),
        (["Table 1", "Table 2"], "Tables 1 and 2"),
        (["Table 1", "Table 2", "Table 4"], "Tables 1, 2 and 4"),
        (["Table 1", "Table 2", "Table 3"], "Tables 1 to 3"),
        (["Table 1", "Figure 2"], "Table 1 and Figure 2"),
    ],
)
def test_names_are_put_together(names, text):
    assert words.together(names) == text


@pytest.mark.parametrize(
    ("facts", "command"),
    [
        ({"experiments": list(experiments.names()), "protocols": list(WAYS), "runs": 96}, "sidelight reproduce"),
        ({"protocols": ["described"], "runs": 960}, "sidelight reproduce --runs 960 --protocol described"),
        ({"runs": 96, "slow": "full"}, "sidelight reproduce --full"),
        ({"runs": 96, "slow": "beyond"}, "sidelight reproduce --beyond"),
        ({"runs": 2, "slow": "few"}, "sidelight reproduce --runs 2"),
    ],
)
def test_the_command_that_makes_the_report_again(facts, command):
    assert again(facts).startswith(f"`{command}` ")


def test_figures_alone_make_a_report():
    account = Account([], [figure("figure1", "described")], {}, {})
    text = checked(account, {})[1].text
    for form in (text, to_markdown(account)):
        assert words.NOTHING in form
        assert "What differs" not in form
    assert [title for title, _ in remarks(account)] == ["The printed bands are ten times too narrow"]


def test_nothing_differs():
    same = Block("A", "regret", "less", [cell("CBP", "digit", z=0.0)])
    account = Account([TableAccount("table2", "T", "", "published", [same])], [], {}, {"seed": 0})
    for form in (checked(account, {})[1].text, to_markdown(account)):
        assert "Of 1 printed pair of mean and standard deviation in Table 2, 1 is the same to the digit." in form
        assert words.NO_DIFFERENCE in form
    assert "F1 score" not in dict(glossary(account))


def test_too_few_runs_are_no_agreement():
    block = Block("Apples", "regret", "less", [cell("CBP", "open", runs=1, z=None)])
    account = Account([TableAccount("table1", "t", "", "published", [block])], [], {}, FACTS)
    for text in (to_markdown(account), to_html(account, {})):
        assert words.UNDECIDED in text
        assert words.NO_DIFFERENCE not in text


@pytest.mark.parametrize(
    ("p", "said"), [(0.8, "RandCBP (mean 61.800, 99 % 1057.300, at most 3972.800) is not shown"), (0.01, ") is better")]
)
def test_many_runs_say_what_few_hide(p, said):
    first = cell("RandCBP", "chance", p_one_sided=None, mean=61.8, q99=1057.3, max=3972.8)
    block = Block("Apples, balanced", "regret", "less", [first, cell("CBP", "chance", p_one_sided=p)])
    tables = [TableAccount("table1", "t", "", "published", [block])]
    few, many = (dict(remarks(Account(tables, [], {}, FACTS | {"runs": runs}))) for runs in (96, 4_000))
    assert "--runs 4000" in few["96 runs hide rare disasters"]
    text = many["96 runs hide rare disasters"]
    assert "With 4\N{NO-BREAK SPACE}000 runs: on apples, balanced, RandCBP" in text
    assert said.replace("1057.300", "1057.3").replace("3972.800", "3972.8") in text
