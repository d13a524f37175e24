"""The one writer of tables: golden texts, and names that try to break out of them."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import Checker

from sidelight.table import Cell, Column, Row, Table, plain_table_value
from sidelight.text import break_line, terminal_width_of_text

TABLE = Table(
    [
        Column("strategy", key="label"),
        Column("mean", "{:.3f}".format, group="here", alone="here, mean"),
        Column("std", "{:.1f}".format, group="here", alone="here, std"),
        Column("verdict", left=True, group="agreement", look="verdict"),
    ],
    [
        Row([Cell("CBP", link="cbp"), Cell(4.6891, after="± 0.4"), 4.0, "same"], "Apples"),
        Row([Cell("Slow", note="4 runs"), 29.8, math.nan, Cell("differs", note="960 runs", reference=1)], "Apples"),
        Row(["Limit", 1.0, None, "-"], "Pears", "limit"),
    ],
    title="Table 1",
    notes=["Less is better."],
)
HOSTILE = [
    "a\nb",
    "a|b",
    "<b>&amp;</b>",
    "`*_[x](y)_*`",
    "\x1b[31m",
    "\u202egnorw",
    "\udc80",
    "漢字",
    "e\u0301",
    "",
    "x" * 300,
]


def test_text():
    assert TABLE.to_text().split("\n") == [
        "Table 1",
        "strategy   here, mean  here, std  verdict",
        "Apples",
        "CBP       4.689 ± 0.4        4.0  same",
        "Slow           29.800          -  differs [1] (960 runs)",
        "  4 runs",
        "Pears",
        "Limit           1.000          -  -",
        "",
        "Less is better.",
    ]


def test_narrow_text_breaks_between_groups_of_columns_first():
    blocks = TABLE.to_text(40).split("\n\n")
    assert blocks[0].split("\n")[1].split("  ")[0] == "strategy"
    assert [re.split(r"\s{2,}", block.split("\n")[-1])[0] for block in blocks[:2]] == ["Limit", "Limit"]
    assert "verdict" not in blocks[0]
    assert blocks[1].startswith("strategy  verdict")
    assert blocks[0].count("4 runs") == 1
    assert "4 runs" not in blocks[1]


def test_markdown():
    assert TABLE.to_markdown().split("\n") == [
        "**Table 1**",
        "",
        "| strategy | here, mean | here, std | verdict |",
        "| --- | ---: | ---: | --- |",
        "| **Apples** |  |  |  |",
        "| CBP | 4.689 ± 0.4 | 4.0 | same |",
        "| Slow (4 runs) | 29.800 | - | differs [1] (960 runs) |",
        "| **Pears** |  |  |  |",
        "| *Limit* | 1.000 | - | - |",
        "",
        "Less is better.",
    ]


def test_latex():
    assert TABLE.to_latex().split("\n") == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Table 1. Less is better.}",
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r"strategy & here, mean & here, std & verdict \\",
        r"\midrule",
        r"\multicolumn{4}{l}{\textit{Apples}} \\",
        r"CBP & 4.689 $\pm$ 0.4 & 4.0 & same \\",
        r"Slow (4 runs) & 29.800 & - & differs (960 runs) \\",
        r"\multicolumn{4}{l}{\textit{Pears}} \\",
        r"Limit & 1.000 & - & - \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    assert Table([Column("50 % & a_b")], [["x^2 <\\> {y}"]]).to_latex().count(r"\caption") == 0
    assert r"x\textasciicircum{}2 \textless{}\textbackslash{}\textgreater{} \{y\}" in (
        Table([Column("a")], [["x^2 <\\> {y}"]]).to_latex()
    )


def test_html():
    assert TABLE.to_html() == (
        '<div class="scroll" tabindex="0"><table class="grid"><caption>Table 1</caption><thead>'
        '<tr><th colspan=1></th><th class="over start" colspan=2>here</th>'
        '<th class="over start" colspan=1>agreement</th></tr>'
        '<tr><th class="left">strategy</th><th class="start">mean</th><th>std</th>'
        '<th class="left start">verdict</th></tr></thead>'
        '<tbody><tr class="group"><th colspan=4 scope="rowgroup"><span>Apples</span></th></tr>'
        '<tr><td class="left label"><a href="#cbp">CBP</a></td>'
        '<td class="start">4.689<span class="after">± 0.4</span></td>'
        '<td>4.0</td><td class="left start verdict">same</td></tr>'
        '<tr><td class="left label">Slow <span class="note">4 runs</span></td><td class="start">29.800</td>'
        '<td>-</td><td class="left start verdict">differs <a href="#reason-1">[1]</a> '
        '<span class="note">960 runs</span></td></tr></tbody>'
        '<tbody><tr class="group"><th colspan=4 scope="rowgroup"><span>Pears</span></th></tr>'
        '<tr class="limit"><td class="left label">Limit</td><td class="start">1.000</td>'
        '<td>-</td><td class="left start verdict">-</td></tr></tbody></table></div>'
        '<p class="faint">Less is better.</p>'
    )


def test_records_are_plain_values():
    records = TABLE.records()
    assert records[0] == {"label": "CBP", "mean": 4.6891, "std": 4.0, "verdict": "same"}
    assert records[1]["std"] is None
    values = [np.float64("nan"), np.int64(3), np.array([1.0, math.inf]), (True, None), {"a": -math.inf}, "text"]
    assert plain_table_value(values) == [None, 3, [1.0, None], [True, None], {"a": None}, "text"]
    json.dumps(records + plain_table_value(values), allow_nan=False)


def test_columns_without_values_are_left_out():
    table = Table([Column("a"), Column("b"), Column("c")], [(1, None, Cell(None)), (2, math.nan, 3)])
    assert [column.title for column in table.useful().columns] == ["a", "c"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", [40, 80])
def test_no_name_breaks_a_format(name, width):
    table = Table(
        [Column(name or "a"), Column(name, left=True), Column("n")],
        [Row([Cell(name, note=name), Cell(name, note=name), 1], name or "one"), Row(["b", name, 2], "other")],
        title=name,
    )
    text = table.to_text(width)
    assert all(c.isprintable() or c == "\n" for c in text)
    assert max(map(terminal_width_of_text, text.split("\n"))) <= width
    lines = table.to_markdown().partition("| ---")[2].split("\n")
    assert len(lines) == 5
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines[1:]} == {4}
    page = table.to_html()
    page.encode()
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert {tag for tag, _ in checker.seen} <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "span"}


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text(), st.floats()), min_size=1, max_size=4), st.integers(30, 90))
def test_every_text_fits_and_keeps_all_rows(rows, width):
    text = Table([Column("name"), Column("other", left=True), Column("value", "{:.4g}".format)], rows).to_text(width)
    assert max(map(terminal_width_of_text, text.split("\n"))) <= width
    assert len(text.split("\n")) > len(rows)


@settings(deadline=None)
@given(st.text(st.characters(categories=["L", "N", "P"])), st.integers(4, 20))
def test_breaking_loses_nothing(text, width):
    lines = break_line(text, width, "  ")
    assert max(map(terminal_width_of_text, lines)) <= width
    assert "".join(line.strip() for line in lines) == text


def test_what_is_broken_stands_under_itself():
    table = Table([Column("game"), Column("loss")], [(Cell("  a long name of an action", note="a long note on it"), 1)])
    assert table.to_text(26).split("\n") == [
        "game                  loss",
        "  a long name of an      1",
        "    action",
        "  a long note on it",
    ]
    assert break_line("  one two three", 8, "  ") == ["  one", "    two", "    thre", "    e"]


def test_a_table_without_rows_or_numbers_is_written():
    for table in (Table([Column("a"), Column("b")], []), Table([Column("a")], [["x"]])):
        assert table.to_text().startswith("a")
        assert table.to_markdown().startswith("| a ")
        assert "<th" in table.to_html()


def test_a_note_may_have_several_lines():
    table = Table([Column("name"), Column("x")], [(Cell("a", note="one two\nthree"), 1)])
    assert table.to_text(10).split("\n")[-2:] == ["  one two", "  three"]
