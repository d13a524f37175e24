"""Labels of games, worlds and players, and names of studies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sidelight.studies.plain_data import Parameters, freeze_plain_data
from sidelight.text import did_you_mean, shortened

_LONGEST = 60  # characters of a value in a label


def label_with_parameters(name: str, parameters: Mapping[str, Any] | Parameters) -> str:
    """Return a name with its parameters, as tables show them: "RandCBP(bins=10)"."""
    given = ", ".join(
        f"{key}={_shorten_study_label(freeze_plain_data(value))}" for key, value in dict(parameters).items()
    )
    return f"{name}({given})" if given else name


def file_stem_as_study_label(path: str) -> str:
    """Return the name of a file without folder and suffix; the path may be of any system."""
    return re.split(r"[\\/]", path)[-1].rpartition(".")[0] or path


def make_valid_study_name(name: str) -> str:
    """Turn any text into a valid name of a study."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "study"


def is_valid_study_name(name: str) -> bool:
    """Return whether this is a valid name of a study, which also names its folder."""
    return re.fullmatch(r"[\w][\w.-]*", name) is not None


def unknown_study_label(name: str, known: Sequence[str]) -> str:
    """Return the end of a message about an unknown label."""
    return (
        f"but there is none: {did_you_mean(name, known)}there are {', '.join(map(repr, dict.fromkeys(known)))}"
        if known
        else "but there are none at all"
    )


def _shorten_study_label(value: Any) -> str:
    text = str(value) if not isinstance(value, tuple) else f"[{', '.join(map(_shorten_study_label, value))}]"
    return shortened(text, _LONGEST)
