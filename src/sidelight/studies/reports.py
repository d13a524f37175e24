"""The report of a study from Python."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.studies.report_page import Report
    from sidelight.studies.running import Progress


def report(of: Progress | str | os.PathLike[str]) -> Report:
    """Write the report of a study into its folder (report.html, report.md, figures, runs.parquet); return what it says.

    Parameters
    ----------
    of
        What `run` returned, or the folder.
    """
    from sidelight.studies import output
    from sidelight.studies.running import Progress, opened, prepared
    from sidelight.studies.work import refresh

    if isinstance(of, Progress):
        progress = of
    else:
        refresh()
        progress = prepared(opened(of), Path(of), stored=True)
    return output.write(progress, lambda text: warnings.warn(text, stacklevel=4))
