"""Simulated classifiers, and the policies of the monitor that watch them."""
