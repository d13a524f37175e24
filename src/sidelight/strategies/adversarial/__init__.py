"""Strategies with a bound against any sequence of outcomes: FeedExp3, BOBW, BOBWLocal, NeighborhoodWatch2 and ExpPM."""
