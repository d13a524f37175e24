"""Figures that are drawn while the site is built, on pages (the directive `drawing`) and in the gallery.

The body of the directive is Python; its figure is the last expression, or the variable `figure`:

    ```{drawing} What a reader who cannot see it should know.
    import sidelight as sl

    sl.games.load("bartok").plot()
    ```

The library returns figures without opening windows, so Matplotlib's own directive, which asks pyplot for open ones,
does not see them. A figure is drawn again only when its code or the version of the package changes.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import textwrap
from pathlib import Path
from typing import Any
from unittest import mock

import matplotlib

matplotlib.use("agg")

from docutils import nodes
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx_gallery.scrapers import figure_rst, matplotlib_scraper

import sidelight as sl
from sidelight import __version__
from sidelight.simulation import simulate

_STYLE = {"svg.hashsalt": "sidelight", "savefig.bbox": "tight", "savefig.facecolor": "white"}
_ORDER = (
    "own_game",
    "own_strategy",
    "own_environment",
    "compare_strategies",
    "tails_of_regret",
    "sensitivity",
    "limits_of_play",
    "delayed_feedback",
    "contexts",
    "large_game",
    "certificates",
    "gymnasium_agent",
    "replay_a_file",
    "monitor_with_drift",
    "rationed_labels",
    "parquet_and_polars",
    "cluster",
    "reproduce_the_paper",
)
"""The gallery, from first steps to whole experiments."""
_LAST = "_value_of_the_last_line"
_SEEN: dict[str, set[int]] = {}


class Drawing(SphinxDirective):
    """A figure, described for people who cannot see it, and the code that draws it."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Draw the figure unless it was drawn before, and show it."""
        code = "\n".join(self.content)
        name = hashlib.sha256(f"{__version__}\0{code}".encode()).hexdigest()[:16]
        folder = Path(self.env.srcdir) / "_drawings"
        path = folder / f"{name}.svg"
        if not path.exists():
            folder.mkdir(exist_ok=True)
            with matplotlib.rc_context(_STYLE):
                draw(code, quickly=self.config.plot_gallery in (False, "0")).savefig(path, metadata={"Date": None})
        image = nodes.image(uri=f"/_drawings/{name}.svg", alt=self.arguments[0], classes=["drawing"])
        self.set_source_info(image)
        return [nodes.figure("", image)]


def draw(code: str, quickly: bool = False) -> Figure:
    """Run code and return its figure: the value of the last line, or what is called `figure`.

    To draw `quickly` is enough to see that the code works: its simulations are shorter and have few runs.
    """
    tree = ast.parse(code)
    names: dict[str, Any] = {"__name__": "__drawing__"}
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Assign([ast.Name(_LAST, ast.Store())], last.value), last)
        ast.fix_missing_locations(tree)
    with mock.patch.object(sl, "simulate", _short_simulation) if quickly else contextlib.nullcontext():
        exec(compile(tree, "<drawing>", "exec"), names)
    for found in (names.get(_LAST), names.get("figure")):
        if isinstance(found, Figure):
            return found
    raise TypeError("this code draws no figure: end with an expression that is one, or call it `figure`")


def _short_simulation(strategy: Any, environment: Any, horizon: int = 500, runs: int = 4, **options: Any) -> sl.Results:
    return simulate(strategy, environment, min(horizon, 500), min(runs, 4), **options)


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Keep the figures that a block of an example has made: those of pyplot, and those that are values."""
    shown = matplotlib_scraper(block, block_vars, gallery_conf)
    seen = _SEEN.setdefault(block_vars["src_file"], set())
    paths = []
    for value in list(block_vars["example_globals"].values()):
        # pyplot numbers its figures, and the scraper of Matplotlib has kept those.
        if isinstance(value, Figure) and not hasattr(value, "number") and id(value) not in seen:
            seen.add(id(value))
            path = next(block_vars["image_path_iterator"])
            value.savefig(path, dpi=120, facecolor="white", bbox_inches="tight")
            paths.append(path)
    shown += figure_rst(paths, gallery_conf["src_dir"]) if paths else ""
    # A box of its own scrolls on a phone.
    return f".. container:: picture\n\n{textwrap.indent(shown, '    ')}\n" if shown.strip() else ""


def order(filename: str) -> tuple[int, str]:
    """Return the place of an example in the gallery; new ones stand at the end."""
    name = Path(filename).stem
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def drop_aliases(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Leave out what Python says of the fields of every named tuple."""
    if any(line.strip().startswith("Alias for field number") for line in lines):
        lines.clear()


def compile_first(app: Sphinx) -> None:
    """Compile the largest strategy before the gallery is made, so that no example waits for it."""
    if not (Path(app.srcdir) / "gallery" / "contexts.rst").exists() and app.config.plot_gallery not in (False, "0"):
        game, env = sl.games.load("apple-tasting"), sl.environments.HalfspaceContexts(dimension=5)
        sl.simulate(sl.strategies.ProspectSide(game, dimension=5), env, horizon=10, runs=1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("drawing", Drawing)
    app.connect("builder-inited", compile_first, priority=100)
    app.connect("autodoc-process-docstring", drop_aliases, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
