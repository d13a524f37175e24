"""Formulas as MathML, made while the site is built: every current browser shows them without a script or a font."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx


def _converted(formula: str, display: str) -> str:
    """Return a formula as MathML, with the gaps beside log that the converter leaves out."""
    spaced = re.sub(r"(\\log)\s*(?=[A-Za-z\\])(?!\\l[ev]|\\left|\\,)", r"\1\\,", formula)
    spaced = re.sub(r"(?<=[\w}])\s*(?=\\log)", r"\\,", spaced)
    return convert(spaced, display=display)


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(_converted(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    # A box of its own scrolls on a phone, where a wide formula does not fit.
    writer.body.append(f'<div class="formula">{_converted(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
