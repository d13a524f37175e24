"""Where outcomes (and contexts) come from."""

from sidelight.environments import laws
from sidelight.environments.base import Environment
from sidelight.environments.iid import IID
from sidelight.environments.replay import Replay

__all__ = ["IID", "Environment", "Replay", "laws"]
