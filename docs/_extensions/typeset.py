"""Typesets the formulas of docstrings, which write them in ASCII so that they can be read in an editor.

Indented lines are formulas, and wide gaps in them begin new ones. In running text a formula is whatever hangs together
by operators and has a subscript, a power, a root or a Greek letter in it. Code in backticks is left alone.
"""

from __future__ import annotations

import re

_GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "lambda", "mu", "nu", "pi", "rho", "sigma", "tau"),
    *("theta", "Delta", "Lambda", "Psi", "Theta"),
)
_FUNCTIONS = ("log", "exp", "min", "max", "det")
_SYMBOLS = ("mean", "width", "loss", "scale", "exponent", "radius", "caution", "offset", "VOI", "KL")
_SIGNS = {
    "<=": r"\le ",
    ">=": r"\ge ",
    "->": r"\to ",
    "...": r"\dots ",
    "~": r"\sim ",
    "+=": r"\mathrel{+}= ",
    "in": r"\in ",
}
_UNITED = {"u": r"\cup ", "n": r"\cap "}

_INDEXED = "sum|prod|min|max|argmin|mean|width|cost|VOI"
_GROUP = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_WORD = rf"(?!(?:{'|'.join((*_GREEK, *_FUNCTIONS, 'sqrt', 'mean', 'width'))})\b)[a-z]{{3,}}"
_TERM = rf"(?!\([^()]*(?<![A-Za-z]){_WORD}){_GROUP}"
"""A group in brackets that is not a remark."""
_INDEX = r"(?:_(?:\{[^}]*\}|\w+))?"
_POWER = rf"(?:\^(?:{_GROUP}|-?\w+))?'?"
_STRONG = "|".join(
    (
        rf"(?<!\w)(?:sqrt|kl|KL|Beta){_GROUP}",
        r"(?<![\w`])caution(?= [(\d])",
        rf"\|[^|\n`]{{1,24}}\|{_INDEX}{_POWER}(?!\w)",
        rf"(?<!\w)(?:hat )?(?:[A-Za-z]|{_INDEXED})_(?:\{{[^}}]*\}}|\w+){_POWER}(?:{_GROUP})?",
        rf"(?<![\w-])(?:hat )?(?:{'|'.join(_GREEK)})(?![a-zA-Z-]){_INDEX}{_POWER}(?:{_GROUP})?",
        rf"(?<![\w)])[A-Za-z]\^(?:{_GROUP}|-?\d|[a-z]+(?!\w)){_INDEX}(?:\[\w\])?",
        r"(?<![\w)])[A-Za-z]\^[a-z]_\w(?:\[\w\])?",
        rf"{_TERM}(?:\^(?:{_GROUP}|-?\w+)|_\+)",
    )
)
_WEAK = "|".join(
    (
        rf"(?:{'|'.join(_FUNCTIONS)})(?: (?=\w)|(?=[(|]))",
        rf"[A-Z][A-Za-z]?{_GROUP}{_POWER}",
        r"\d+(?:\.\d+)?(?:/\d+)?",
        rf"(?<!\w)[A-Zb-z](?![\w'])(?:{_GROUP})?",
        r"(?<=[=/] )a(?!\w)",
        _TERM,
    )
)
_GAP = r"(?: |\n(?!\n|- )\s*)"
_SIGN = rf"{_GAP}(?:<=|>=|\+=|[-=<>+/.~]){_GAP}"
_RUN = re.compile(rf"(?:{_STRONG}|{_WEAK})(?:(?:{_SIGN}|{_GAP}|)(?:{_STRONG}|{_WEAK}))*")
_CODE = re.compile(r"(`+[^`]*`+|\"[^\"\n]*\"|^    .*(?:\n    .*)*|^- \"[^\"]*\")", re.MULTILINE)


def typeset(text: str) -> str:
    """Return Markdown in which formulas are written for TeX."""
    parts = _CODE.split(text)
    parts[::2] = [_RUN.sub(_inline, part) for part in parts[::2]]
    parts[1::2] = [_block(part) if part.startswith("    ") else part for part in parts[1::2]]
    return "".join(parts)


def _inline(found: re.Match[str]) -> str:
    written = found.group()
    return f"${_tex(' '.join(written.split()))}$" if re.search(_STRONG, written) else written


def _block(lines: str) -> str:
    """Write formulas, between which there are wide gaps, one below the other."""
    pieces = [piece.strip(" ") for line in lines.splitlines() for piece in re.split(" {3,}", line)]
    rows = [_tex(piece) for piece in pieces if piece]
    if len(rows) == 1:
        return f"$$\n{rows[0]}\n$$"
    return "$$\n\\begin{array}{l}\n" + " \\\\\n".join(rows) + "\n\\end{array}\n$$"


def _tex(formula: str) -> str:
    """Write one formula for TeX."""
    tokens = re.findall(r"\.\.\.|<=|>=|->|\+=|N\+|\d+(?:\.\d+)?|[A-Za-z]+_hat|[A-Za-z]+|\s+|.", formula)
    written: list[str] = []
    place = 0
    while place < len(tokens):
        place = _token(tokens, place, written)
    joined = re.sub(r"\\text\{[^}]*\}(?: \\text\{[^}]*\})+", _sentence, "".join(written))
    return re.sub(r"(^| )\\text\{([^}]*)\}( |$|(?=[.,]))", _remark, joined).strip()


def _sentence(found: re.Match[str]) -> str:
    """Make one text of several words."""
    return r"\text{" + " ".join(re.findall(r"\{([^}]*)\}", found.group())) + "}"


def _remark(found: re.Match[str]) -> str:
    """Keep the gaps beside words between formulas, which TeX would drop."""
    before, words, after = found.groups()
    if words in _SYMBOLS:
        return rf"{before}\text{{{words}}}{after and chr(92) + ', '}"
    return rf"\text{{{before and chr(0xA0)}{words}{after and chr(0xA0)}}}"


def _token(tokens: list[str], place: int, written: list[str]) -> int:
    """Write the token at a place, with what belongs to it, and return the place of the next one."""
    token = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else ""
    if token in "_^" and following:
        end, inner = _operand(tokens, place + 1, token == "_")
        written.append(f"{token}{{{inner}}}")
        return end
    if token == "sqrt" and following == "(":
        end, inner = _operand(tokens, place + 1, False)
        written.append(rf"\sqrt{{{inner}}}")
        return end
    if token == "hat" and following == " ":
        written.append(rf"\hat{{{_name(tokens[place + 2])}}}")
        return place + 3
    written.append(_sign(tokens, place))
    return place + 1


def _operand(tokens: list[str], place: int, index: bool) -> tuple[int, str]:
    """Return what stands below, above or under a root, and where it ends; brackets around it are not shown."""
    first = tokens[place]
    if first in "({":
        depth, end = 0, place
        while end < len(tokens):
            depth += (tokens[end] in "({") - (tokens[end] in ")}")
            end += 1
            if not depth:
                break
        inner = _tex("".join(tokens[place + 1 : end - 1]))
        return end, inner.replace(r"^{\top}", "'") if first == "{" else inner
    end = place + 1 + (first == "-")
    if not index and first in _GREEK and tokens[end : end + 1] == ["_"]:
        last, below = _operand(tokens, end + 1, True)
        return last, f"{_name(first)}_{{{below}}}"
    while index and end < len(tokens) and re.fullmatch(r"\d+|[A-Za-z]+", tokens[end]):
        end += 1
    inner = "".join(tokens[place:end])
    return end, _name(inner) if inner in _GREEK or not index or len(inner) > 3 else inner


def _sign(tokens: list[str], place: int) -> str:
    token = tokens[place]
    before = "".join(tokens[:place]).rstrip()
    if token in _UNITED and before.endswith(")") and place + 1 < len(tokens) and tokens[place + 1] == " ":
        return _UNITED[token]
    if token in _SIGNS:
        return _SIGNS[token]
    if token == "'":
        return r"^{\top}"
    if token in "{}":
        return rf"\{token}"
    if token == "|":
        return _bar(tokens, place)
    if token == "N+":
        return "N^{+}"
    if token == "." and 0 < place < len(tokens) - 1 and tokens[place - 1] == tokens[place + 1] == " ":
        return r"\cdot "
    if token.isspace():
        return " "
    return _name(token) if token[0].isalpha() else token


def _bar(tokens: list[str], place: int) -> str:
    """Write a bar: one of a pair around a norm, or the one before what is given."""
    if tokens.count("|") % 2:
        return r"\mid "
    return r"\rvert " if tokens[:place].count("|") % 2 else r"\lvert "


def _name(name: str) -> str:
    """Write a name: Greek letters as such, functions upright, words as text."""
    base, _, hat = name.partition("_")
    if hat:
        return rf"\hat{{{_name(base)}}}"
    if name in _GREEK or name in ("sum", "prod"):
        return rf"\{name} "
    if name in _FUNCTIONS:
        return rf"\{name} "
    if len(name) > 1 and name.isalpha():
        return rf"\text{{{name}}}"
    return name
