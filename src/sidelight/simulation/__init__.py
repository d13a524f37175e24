"""Many runs of a strategy in an environment."""

from sidelight.simulation.runs import simulate

__all__ = ["simulate"]
