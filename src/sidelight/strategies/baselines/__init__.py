"""Plain strategies to compare with."""
