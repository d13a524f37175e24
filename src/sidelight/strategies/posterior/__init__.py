"""Strategies that draw laws from a posterior: TSPM and BPM."""
