"""Convert what callers pass to a monitor to plain values: labels, ids, moments, columns."""

from __future__ import annotations

import math
import re
import sys
import uuid
from collections.abc import Mapping, Set
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.types import Id, Label

# Not eight digits: 20260131 is a date.
_SECONDS = re.compile(r"\s*-?(?!\d{8}\s*$)\d+(\.\d*)?([eE]\+?\d+)?\s*")
_MILLISECONDS = 1e11
_MOST_BITS = 2048
_MOST_KEYS, _LONGEST_VALUE = 8, 200


def plain_label(value: Any) -> Label:
    """Return a class as plain text or number; NumPy's numbers become Python's."""
    plain = _python_value_of_input(value)
    if isinstance(plain, str) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    if isinstance(plain, int):  # True and False, too
        return _check_writable_input_number(plain)
    raise SidelightError(f"{value!r} is not a class: give text or a number")


def is_same_label(prediction: Label, true: Label) -> bool:
    """Return whether a prediction is right; refuse values that cannot be compared, which would all count as wrong.

    Numbers that are equal are the same class, as in Python: 1, 1.0 and True.
    """
    if prediction == true:
        return True
    kinds = _kind_of_label(prediction), _kind_of_label(true)
    if kinds[0] == kinds[1] or (_TEXT not in kinds and {prediction, true} <= {0, 1}):
        return False
    remedy = "give both as text, with str(...), or both as numbers"
    if isinstance(true, bool):
        remedy = "give the true class as label, or say correct=True or False"
    raise SidelightError(
        f"the prediction {prediction!r} is {kinds[0]} and the label {true!r} is {kinds[1]}: {remedy}; nothing changed"
    )


_TEXT = "text"


def _kind_of_label(name: Label) -> str:
    return _TEXT if isinstance(name, str) else "True or False" if isinstance(name, bool) else "a number"


def check_label_spelling(name: Label, spelled: Mapping[str, Label]) -> None:
    """Refuse a new class that is written like a known one of another type, such as "7" and 7: they must be the same."""
    other = spelled.get(str(name))
    if other is not None and isinstance(name, str) != isinstance(other, str):
        raise SidelightError(
            f"the class {name!r} is {_kind_of_label(name)} and the known class {other!r} is {_kind_of_label(other)}: "
            "give all classes as text, with str(...), or all as numbers"
        )


def monitor_input_flag(name: str, value: Any) -> bool:
    """Return True or False (1 and 0 and NumPy's booleans are accepted, too)."""
    plain = _python_value_of_input(value)
    if isinstance(plain, bool | int | float) and plain in (0, 1):
        return bool(plain)
    raise SidelightError(f"{name} is {value!r}: give True or False; nothing changed")


def monitor_input_answer(prediction: Label, correct: Any, true: Any, skipped: Any) -> bool | None:
    """Return whether an answer says that a prediction is right; None if it is skipped."""
    if skipped is False and true is None and isinstance(correct, bool):
        return correct
    skip = monitor_input_flag("skipped", skipped)
    if (correct is not None) + (true is not None) + skip != 1:
        raise SidelightError("an answer is one of correct=True or False, label=..., or skipped=True; nothing changed")
    if skip:
        return None
    return monitor_input_flag("correct", correct) if true is None else is_same_label(prediction, plain_label(true))


def monitor_input_score(value: Any, sign: float = 1.0) -> float:
    """Return a score, larger for predictions that are more likely wrong; NaN if it is missing (None or NaN)."""
    plain = plain_input_number(value)
    if plain is None:
        return math.nan
    if isinstance(plain, int | float) and not isinstance(plain, bool):
        try:
            # An infinite score, say the logarithm of 0, becomes the largest that files can hold.
            return max(-sys.float_info.max, min(sys.float_info.max, sign * plain)) if plain == plain else math.nan
        except OverflowError:
            return math.copysign(sys.float_info.max, sign * (1 if plain > 0 else -1))
    raise SidelightError(f"score is {value!r}: give a number, or None where there is none; nothing changed")


def monitor_input_versions(others: Any, segment: tuple[tuple[str, str], ...]) -> tuple[tuple[str, Label], ...]:
    """Return the predictions of other versions of the model about the same item, sorted by version."""
    if others is None:
        return ()
    if not isinstance(others, Mapping) or not all(isinstance(key, str) for key in others):
        raise SidelightError(f"others is {others!r}: give a mapping of versions to their predictions; nothing changed")
    own = dict(segment).get("version")
    if own is None or own in others:
        raise SidelightError("others needs a version of the prediction itself, and it must be another; nothing changed")
    return tuple((key, plain_label(others[key])) for key in sorted(others))


def monitor_input_score_from_text(value: Any) -> float | None:
    """Return a score from a file, where it may be text, and is None if the cell is empty."""
    if value is None or value == "":
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SidelightError(f"the score {value!r} is not a number: give a number, or leave it empty") from None


def monitor_input_segment(segment: Any, version: Any = None) -> tuple[tuple[str, str], ...]:
    """Return keys and values of a segment as text, sorted by key; the version of the model is one more."""
    if segment is None and version is None:
        return ()
    given = {} if segment is None else segment
    if not isinstance(given, Mapping) or len(given) > _MOST_KEYS or not all(isinstance(key, str) for key in given):
        raise SidelightError(
            f"segment is {segment!r}: give a mapping of at most {_MOST_KEYS} names to values; nothing changed"
        )
    if version is not None and "version" in given:
        raise SidelightError("the segment has a version and there is one besides: give one of them; nothing changed")
    whole = given if version is None else {**given, "version": version}
    return tuple((key, str(plain_label(whole[key]))[:_LONGEST_VALUE]) for key in sorted(whole))


def monitor_input_id(value: Any) -> Id:
    """Return an id as plain text or whole number; a UUID becomes its text."""
    plain = _python_value_of_input(value)
    if isinstance(plain, str):
        return plain
    if isinstance(plain, int) and not isinstance(plain, bool):
        return _check_writable_input_number(plain)
    if isinstance(plain, uuid.UUID):
        return str(plain)
    raise SidelightError(f"{value!r} is not an id: give text, a whole number or a UUID")


def _check_writable_input_number(number: int) -> int:
    """Refuse a number that Python may not be able to write down, see sys.set_int_max_str_digits."""
    if number.bit_length() > _MOST_BITS:
        raise SidelightError(
            f"a whole number of {number.bit_length()} bits is too long for a class or an id: give text"
        )
    return number


def plain_input_number(value: Any) -> Any:
    """Return a number of NumPy, or a fraction, as a plain integer or float; anything else as it is."""
    plain = _python_value_of_input(value)
    if not isinstance(plain, Fraction):
        return plain
    try:
        return plain.numerator if plain.denominator == 1 else float(plain)
    except OverflowError:  # a fraction beyond all floats
        return plain


def _python_value_of_input(value: Any) -> Any:
    """Return the Python value of a NumPy scalar; anything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


def monitor_input_moment(time: Any) -> datetime:
    """Return a moment in UTC; one without a time zone is taken as UTC, and None is now.

    Numbers, as text too, are seconds since 1970.
    """
    moment: Any = datetime.now(UTC) if time is None else time
    if hasattr(moment, "astype") and getattr(moment, "dtype", None) is not None and moment.dtype.kind == "M":
        moment = moment.astype("datetime64[us]").item()
    moment = _python_value_of_input(moment)
    try:
        if isinstance(moment, str) and _SECONDS.fullmatch(moment):
            moment = float(moment)
        if isinstance(moment, str):
            moment = datetime.fromisoformat(moment.strip())
        elif isinstance(moment, int | float) and not isinstance(moment, bool):
            moment = datetime.fromtimestamp(moment, UTC)
        if moment != moment:
            moment = None  # pandas' NaT is a datetime, too
        if isinstance(moment, datetime):
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        if isinstance(moment, date):
            return datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    late = isinstance(moment, int | float) and abs(moment) >= _MILLISECONDS
    remedy = "; divide milliseconds by 1000" if late else ""
    raise SidelightError(f"time is {time!r}: give a datetime, a date, ISO text or seconds since 1970{remedy}")


def monitor_input_seconds(time: Any) -> float:
    """Return a moment in seconds since 1970."""
    return monitor_input_moment(math.nan if time is None else time).timestamp()


def monitor_input_list(values: Any, name: str = "predictions", single: str = "decide") -> list[Any]:
    """Return a list, of plain values if the column can make them; errors suggest `single` for one value."""
    if isinstance(values, str | bytes | Mapping | Set) or len(getattr(values, "shape", ())) > 1:
        raise SidelightError(
            f"{name} is a {type(values).__name__}: give a list or a single column; `{single}` takes a single value"
        )
    for method in ("to_list", "tolist", "to_pylist"):
        if hasattr(values, method):
            plain = getattr(values, method)()
            return plain if isinstance(plain, list) else [plain]
    try:
        return list(values)
    except TypeError:
        raise SidelightError(f"{name} is {values!r}: give a list or a column; `{single}` takes a single one") from None


def monitor_input_column(
    name: str, values: Any, length: int, of: str = "predictions", single: str = "decide"
) -> list[Any]:
    """Return as many values as there are predictions or ids; Nones if no values are given."""
    if values is None:
        return [None] * length
    found = monitor_input_list(values, name, single)
    if len(found) != length:
        raise SidelightError(f"there are {length} {of} and {len(found)} {name}: give one for each")
    return found
