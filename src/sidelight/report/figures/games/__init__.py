"""The figure of a game: its cells, or the graph of neighbors."""
