"""Strategies for bandits, for comparison."""
