"""Partial monitoring: decide well when the world never tells you the loss, only a symbol that says something about it.

>>> import sidelight as sl
>>> sl.analyze(sl.games.load("apple-tasting")).kind
'easy'

The public names are imported when they are first used, so that `import sidelight` costs almost nothing.
"""

from sidelight._lazy import homes_of_lazy_names, importer_of_lazy_names
from sidelight._version import __version__ as __version__

__all__ = list(homes_of_lazy_names("sidelight"))
__getattr__ = importer_of_lazy_names("sidelight")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
