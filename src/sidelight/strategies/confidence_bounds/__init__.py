"""Strategies that eliminate actions by confidence bounds: CBP, RandCBP, and both with contexts."""
