"""Scores of predictions: what they say about errors, what to verify, and evidence that stays valid."""
