"""Progress of long work on a terminal."""
