"""Read the docstring of a class: its first line, text, parameters and papers."""

from __future__ import annotations

import inspect
import re
from typing import Any, NamedTuple

_HEADING = re.compile(r"^(\w+)\n-+$", re.MULTILINE)


class Description(NamedTuple):
    """The parts of a docstring; parameters and papers missing from a class come from its parents."""

    line: str
    text: str
    parameters: dict[str, str]
    papers: list[str]


def describe_class_for_command(kind: type[Any]) -> Description:
    """Read the docstrings of a class and, where they say nothing, of its parents."""
    papers: list[str] = []
    parameters: dict[str, str] = {}
    for each in kind.__mro__:
        found = _docstring_sections(each)
        papers = papers or _docstring_references(found.get("References", ""))
        explained = _docstring_terms(found.get("Parameters", "")).items()
        parameters = {name: text for name, text in explained if not text.startswith("As for ")} | parameters
    paragraphs = [" ".join(part.split()) for part in _docstring_sections(kind).get("", "").split("\n\n")]
    return Description(paragraphs[0], "\n\n".join(paragraphs[1:]), parameters, papers)


def _docstring_sections(kind: type[Any]) -> dict[str, str]:
    """Return the text below each heading, and under "" the text before the first one."""
    parts = _HEADING.split(inspect.cleandoc(kind.__dict__.get("__doc__") or ""))
    return {"": parts[0].strip()} | {
        title: body.strip("\n") for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def _docstring_terms(section: str) -> dict[str, str]:
    """Read terms, separated by commas if there are several, and their indented explanations."""
    found: dict[str, str] = {}
    terms: list[str] = []
    for line in section.splitlines():
        if line and not line.startswith(" "):
            terms = [term.strip() for term in line.split(",")]
            found |= dict.fromkeys(terms, "")
        else:
            found |= {term: f"{found[term]} {line.strip()}".strip() for term in terms}
    return found


def _docstring_references(section: str) -> list[str]:
    """Read references; each ends with its year, or with the words after the year and a comma."""
    text = " ".join(section.split()).rstrip(".")
    return [f"{entry}." for entry in re.split(r"(?<=\d{4})[.;] ", text) if entry]
