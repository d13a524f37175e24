"""The features of a context: its numbers, and a constant 1 behind them if the model has an intercept."""

from __future__ import annotations

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.strategies.base import Context


@kernel
def set_context_features(x: Floats, context: Context, intercept: int) -> None:
    """Copy a context, with a constant 1 behind it if there is an intercept."""
    for k in range(context.shape[0]):
        x[k] = context[k]
    if intercept == 1:
        x[context.shape[0]] = 1.0
