"""One document in two formats: everything is said in both, as it was given."""

import re

from pages import Checker

from sidelight.report.document import (
    Bullets,
    Cards,
    Code,
    Contents,
    Details,
    Document,
    Figure,
    Heading,
    Paragraph,
    Strong,
    Terms,
    first_items_and_rest,
    split_document_code,
)
from sidelight.table import Column, Table

ODD = "<b>|x & *y*"
SVG = '<?xml version="1.0"?><svg xmlns="http://x"><metadata>m</metadata><g id="a"/><use href="#a"/></svg>'
BLOCKS = [
    Paragraph(f"- {ODD}\nsecond line"),
    Cards([("7", "cards")]),
    Contents(),
    Heading("First"),
    Heading("Part 1: one", level=3, anchor="one", entry="Part 1"),
    Paragraph(["See ", Strong("now"), " or ", Code("a_b"), "."], faint=True),
    Terms([("term", split_document_code("is `co_de`"))]),
    Bullets(first_items_and_rest(["i", "j", "k"], 2)),
    Table([Column("name")], [(ODD,)]),
    Figure("Drawn", SVG, "A caption.", "figures/drawn.svg"),
    Figure("Drawn again", SVG),
    Details([Strong("Failed")], f"```\n{ODD}"),
]


def test_a_page_is_well_formed_and_loads_nothing():
    page = Document(ODD, BLOCKS).to_html()
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    ids = [attributes["id"] for _, attributes in checker.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [attributes["href"] for _, attributes in checker.seen if "href" in attributes]
    assert all(target[1:] in ids for target in targets)
    assert targets[:2] == ["#first", "#one"]
    assert not re.search("http|<script|<b>\\||metadata>", page)
    for words in (ODD, "second line", "cards", "Part 1: one", "co_de", "and 1 more", "A caption.", "Failed"):
        assert words in checker.text


def test_markdown_shows_everything_as_it_is():
    parts = Document(ODD, BLOCKS).to_markdown().split("\n\n")
    assert parts == [
        r"# \<b\>\|x & \*y\*",
        r"\- \<b\>\|x &amp; \*y\* second line",
        "## First",
        "### Part 1: one",
        "See **now** or `a_b`.",
        "- **term**: is `co_de`",
        "- i\n- j\n- and 1 more",
        "| name |\n| --- |\n" + r"| \<b\>\|x & \*y\* |",
        "![Drawn](<figures/drawn.svg>)",
        "A caption.",
        "**Failed**",
        f"````\n```\n{ODD}\n````\n",
    ]
