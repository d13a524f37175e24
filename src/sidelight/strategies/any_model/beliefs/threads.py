"""One thread for the small matrices of ProspectModel: on a busy machine, more of them mostly wait for each other."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Return a block in which linear algebra uses one thread, if threadpoolctl (scikit-learn has it) is installed."""
    controller = _controller()
    return nullcontext() if controller is None else controller.limit(limits=1, user_api="blas")


@functools.cache
def _controller() -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()
