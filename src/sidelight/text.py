"""Words and numbers for people, on one line or wrapped to a width."""

from __future__ import annotations

import difflib
import re
import textwrap
import unicodedata
from collections.abc import Sequence

STAY = "\N{NO-BREAK SPACE}"
# Short parentheses and brackets, with what precedes them: lines do not break inside.
_TOGETHER = (r"(\w = )?\([^()\n]{,50}\)", r"([-/\d]+ (x )?)?p?\[[^][\n]{,40}\]")


def printable_line(text: str) -> str:
    """Return a text on one line, with invisible characters (line ends, control characters, lone surrogates) escaped."""
    return "".join(c if c.isprintable() or unicodedata.category(c) == "Zs" else repr(c)[1:-1] for c in text)


def capitalized(text: str) -> str:
    """Return a text whose first letter is a capital."""
    return text[:1].upper() + text[1:]


def one_line(text: str) -> str:
    """Return a text with all its white space, line ends included, as single spaces."""
    return " ".join(text.split())


def terminal_width_of_text(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for wide characters, none for combining ones."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def padded_to_width(text: str, width: int, left: bool = True) -> str:
    """Return a text with spaces after it, or before it, up to a width."""
    spaces = " " * (width - terminal_width_of_text(text))
    return text + spaces if left else spaces + text


def break_line(text: str, width: float, indent: str = "") -> list[str]:
    """Break a line into lines of at most this width; words break only if they must.

    All lines begin with the same spaces as the text, and all but the first with `indent` more.
    """
    found: list[str] = []
    line = text[: len(text) - len(text.lstrip(" "))]
    indent = line + indent
    empty = True
    for word in text.lstrip(" ").split(" "):
        candidate = line + word if empty else f"{line} {word}"
        if terminal_width_of_text(candidate) > width and not empty:
            found.append(line)
            candidate = indent + word
        while (cut := max(fitting_characters(candidate, width), len(indent) * bool(found) + 1)) < len(candidate):
            found.append(candidate[:cut])
            candidate = indent + candidate[cut:]
        line, empty = candidate, False
    return [*found, line]


def fitting_characters(text: str, width: float) -> int:
    """Return how many characters of a text fit into a width."""
    used = 0
    for index, character in enumerate(text):
        used += terminal_width_of_text(character)
        if used > width:
            return index
    return len(text)


def wrapped_lines(text: str, width: int, together: Sequence[str] = ()) -> str:
    """Wrap each line of a text; the rest of a broken indented line is indented under it.

    Lines do not break inside short parentheses or brackets, nor inside the phrases in `together`.
    """
    for phrase in together:
        text = text.replace(phrase, phrase.replace(" ", STAY))
    for pattern in _TOGETHER:
        text = re.sub(pattern, lambda found: found[0].replace(" ", STAY), text)
    lines: list[str] = []
    for line in text.split("\n"):
        margin = len(line) - len(line.lstrip())
        lines += wrapped_with_indents(line.strip(), width, margin, margin + (4 if margin else 0)) or [""]
    return "\n".join(lines).replace(STAY, " ")


def wrapped_with_indents(text: str, width: int, first: int, further: int) -> list[str]:
    """Wrap a text into lines, the first indented by `first` spaces and those after it by `further`."""
    return textwrap.wrap(
        text, width, initial_indent=" " * first, subsequent_indent=" " * further, break_on_hyphens=False
    )


def count(size: int, noun: str) -> str:
    """Return a count with its noun, such as "1 run", "3 runs", "2 policies" or "0 classes"."""
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{size} {noun if size == 1 else several}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters; three dots stand for what was cut."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def and_list(words: Sequence[str]) -> str:
    """Return "a, b and c"."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def list_some(words: Sequence[str], most: int = 8) -> str:
    """Return the first words joined by commas, and how many more there are: "a, b and 3 more"."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more} more" if more > 0 else "")


def thousands(value: int) -> str:
    """Write a whole number with separated thousands."""
    return f"{value:,}".replace(",", STAY)


def number_text(value: float) -> str:
    """Write a regret: three decimals as in publications, fewer where they are noise."""
    size = abs(value)
    if 0 < size < 0.01:
        return f"{value:.2g}"
    return f"{value:.{3 if size < 1e3 else 1 if size < 1e5 else 0}f}"


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Suggest the known name that begins with `name`, contains it or is like it: "did you mean 'CBP'? ", or nothing."""
    plain = {_squeeze_name_to_compare(each): each for each in known}
    typed = _squeeze_name_to_compare(name)[:80]
    beginnings = {each[: len(typed) + 1]: each for each in reversed(plain)}
    near = [
        *(each for each in plain if each.startswith(typed)),
        *(each for each in plain if typed in each),
        *difflib.get_close_matches(typed, plain, n=1, cutoff=0.6),
        *(beginnings[each] for each in difflib.get_close_matches(typed, beginnings, n=1, cutoff=0.6)),
    ]
    return f"did you mean {plain[near[0]]!r}? " if near and typed else ""


def _squeeze_name_to_compare(name: str) -> str:
    return re.sub(r"[-_\s]", "", name.lower())
