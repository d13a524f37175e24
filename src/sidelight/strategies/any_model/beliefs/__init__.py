"""Beliefs of ProspectModel: what models say about outcomes at a context."""
