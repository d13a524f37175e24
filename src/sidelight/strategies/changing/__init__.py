"""Strategies for worlds whose law changes."""
