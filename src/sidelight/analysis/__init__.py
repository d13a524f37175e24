"""What kind of problem a game is: exact geometry, worked out once per game."""

from sidelight.analysis.analysis import Analysis, analyze
from sidelight.analysis.cells import ActionCertificate, NeighborCertificate
from sidelight.analysis.observability import ObservabilityCertificate

__all__ = ["ActionCertificate", "Analysis", "NeighborCertificate", "ObservabilityCertificate", "analyze"]
