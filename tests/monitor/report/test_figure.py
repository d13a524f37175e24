"""The figures and the page: everything on them, nothing over anything else, the same bytes every time."""

import random

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from pages import Checker

from sidelight.monitor import ClassifierMonitor, replay
from sidelight.monitor.io.labeled_data import LabeledData
from sidelight.monitor.replays.page import draw_replay_figure, replay_page
from sidelight.monitor.report.figure import draw_class_figure_of_report
from sidelight.report.figures.saving import save_figure

NAMES = ["cat", "dog <b>&", "a class whose name is much too long for any label", "$x_1$", "tab\there"]


def done(count=3000, classes=5):
    draws = random.Random(1)
    names = [NAMES[k % 5] + (f" {k}" if k >= 5 else "") for k in range(classes)]
    predictions = [draws.choice(names) for _ in range(count)]
    truths = [one if draws.random() >= 0.02 * (1 + names.index(one)) else "other" for one in predictions]
    return replay(predictions, truths, 0.05, confidence=0.95)


def texts(figure):
    found = []
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    shown = figure.findobj(lambda one: isinstance(one, Text) and one.get_text().strip() and one.get_visible())
    for artist in {id(one): one for one in shown}.values():
        box = artist.get_window_extent(renderer)
        found.append((artist.get_text(), box))
    return found, figure.bbox


@pytest.mark.parametrize("classes", [1, 4, 30])
def test_everything_is_on_the_paper_and_apart(classes):
    one = done(classes=classes)
    for figure in (draw_replay_figure(one, "sequential"), draw_class_figure_of_report(one["randcbp"].report)):
        found, page = texts(figure)
        for text, box in found:
            assert box.x0 >= -1, text
            assert box.x1 <= page.width + 1, text
            assert box.y0 >= -1, text
            assert box.y1 <= page.height + 1, text
        words = [(text, box) for text, box in found if not text.replace(".", "").replace("−", "").isdigit()]
        for place, (text, box) in enumerate(words):
            for other, area in words[place + 1 :]:
                assert not box.padded(-1).overlaps(area.padded(-1)), (text, other)


ODD = [
    "日本語のクラス名はとても長いので切る",
    "new\nline\r\nx",
    "\x1b[31mred",
    "<script>alert(1)</script>",
    "$x$ \\frac{1}",
    "W" * 5000,
    "עברית",
    "a\u0301e\u0301",
    "",
    " ",
    "a|b",
    "\ud800",
    "\u202etfel",
    "\N{GRINNING FACE} face",
]


def test_odd_names_break_nothing():
    draws = random.Random(2)
    predictions = [draws.choice(ODD) for _ in range(1000)]
    one = replay(
        predictions, ["\ufdfd" if draws.random() < 0.2 else name for name in predictions], 0.05, ["sequential"]
    )
    report = one["sequential"].report
    for figure in (draw_replay_figure(one, "sequential"), draw_class_figure_of_report(report)):
        found, page = texts(figure)
        for text, box in found:
            assert -1 <= box.x0 <= box.x1 <= page.width + 1, text
    text = str(report)
    assert len(text.splitlines()) == len(ODD) + 6
    assert max(map(len, text.splitlines()[:-1])) < 160
    assert "''" in text
    assert "\x1b" not in text
    page = replay_page(one, "sequential", source="log\n.csv")
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert "script" not in {tag for tag, _ in checker.seen}
    assert "W" * 60 not in page
    page.encode("utf-8")


def test_of_many_classes_the_most_important_ones_are_drawn():
    draws = random.Random(3)
    names = [f"class {k}" for k in range(1000)]
    predictions = names + draws.choices(names, [1 / (k + 1) for k in range(1000)], k=8000)
    truths = ["other" if draws.random() < (0.5 if one == "class 9" else 0.01) else one for one in predictions]
    done = replay(predictions, truths, 0.05, ["sequential"])
    report = done["sequential"].report
    assert report["class 9"].verdict == "above"
    for figure, shown in ((draw_class_figure_of_report(report), 40), (draw_replay_figure(done, "sequential"), 12)):
        found, page = texts(figure)
        assert page.height / figure.dpi < 14
        words = [text for text, _ in found]
        assert "class 9" in words
        assert sum(one.startswith("class ") for one in words) == shown
        assert any(f"the {shown} of 1\xa0000 classes that matter most" in one for one in words)


def test_figures_say_verdict_and_counts():
    one = done()
    found = " ".join(text for text, _ in texts(draw_replay_figure(one, "sequential"))[0])
    assert "sequential" in found
    assert "certain from here" in found
    report = one["sequential"].report
    found = " ".join(text for text, _ in texts(draw_class_figure_of_report(report))[0])
    for row in report.classes:
        assert f"{row.errors} / {row.verified}".replace(",", "") in found.replace("\xa0", "")


def test_same_bytes(tmp_path):
    one = done(800)
    for name in ("a.svg", "b.svg"):
        save_figure(draw_replay_figure(one, "cbp"), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert replay_page(one, "cbp", source="x") == replay_page(one, "cbp", source="x")


def test_page_is_well_formed_and_loads_nothing():
    one = done()
    data = LabeledData(malformed=25, complaints=["line 3: 'a' <is> empty"])
    page = replay_page(one, "randcbp", source="log <x>.csv", data=data)
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in checker.seen}
    for _, attributes in checker.seen:
        for name in ("href", "src", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    assert "<b>&" not in page.replace("&lt;b&gt;&amp;", "")
    for part in ("log <x>.csv", "25 lines", "line 3: 'a' <is> empty", "and 24 more", "randcbp", "dog <b>&"):
        assert part in checker.text


def test_the_page_of_a_monitor(tmp_path):
    report = done()["sequential"].report
    page = report.to_html(tmp_path / "page.html", title="Pets <today>")
    assert (tmp_path / "page.html").read_text() == page == report.to_html(title="Pets <today>")
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in checker.seen}
    for part in ("Pets <today>", "dog <b>&", "classes above tolerance", report.guarantee, "still needed"):
        assert part in checker.text
    assert "not known yet" in ClassifierMonitor(0.05).report().to_html()
