"""Many runs of a strategy in an environment."""

from sidelight.simulation.simulate import simulate

__all__ = ["simulate"]
