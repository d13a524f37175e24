"""Figures from computed results: regrets over time, quartiles, games."""
