"""The catalogue of known games: list them, read their stories, load them with your own parameters.

>>> from sidelight import games
>>> games.names()[:3]
('apple-tasting', 'label-efficient', 'spam-filtering')
>>> games.describe("apple-tasting").kind
'easy'
>>> games.load("tau-detection", tau=0.05).loss[1][0]
Fraction(20, 1)
"""

# Importing a module of games enters them into the catalogue.
from sidelight.games import bandits, labels, pricing, textbook  # noqa: F401
from sidelight.games._catalogue import Entry, Kind, describe, load, names, parse_parameters

__all__ = ["Entry", "Kind", "describe", "load", "names", "parse_parameters"]
