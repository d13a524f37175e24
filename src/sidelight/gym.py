"""The catalogue as Gymnasium environments: `import sidelight.gym`, then `gymnasium.make("sidelight/AppleTasting-v0")`.

An observation is the symbol that the last action showed and nothing else. The reward is always 0, because in partial
monitoring the loss is hidden; to score an agent, ask for the loss in `info`.

Importing this module registers the environments. Gymnasium can also import it by itself:
`gymnasium.make("sidelight.gym:sidelight/AppleTasting-v0")`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sidelight import games
from sidelight.environments import IID, laws
from sidelight.environments.base import draw
from sidelight.errors import SidelightError
from sidelight.game import Game, Symbol

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise ImportError("sidelight.gym needs Gymnasium; try: pip install 'sidelight[gym]'") from error

NAMESPACE = "sidelight"
_NO_CONTEXT = np.zeros(0)


class PartialMonitoring(gymnasium.Env):  # type: ignore[misc, unused-ignore]
    """A game of partial monitoring, played for `horizon` rounds against outcomes that are drawn independently.

    Parameters
    ----------
    game
        The name of a game in the catalogue, or a `Game`.
    law
        Probabilities of the outcomes. By default, each episode draws its own law.
    law_from
        How laws are drawn: "dirichlet" (the default), and for games of two outcomes "uniform", "balanced" or
        "imbalanced"; see `sidelight.environments.laws`.
    horizon
        The number of rounds after which an episode is truncated; episodes never terminate.
    reveal_loss
        Put "outcome" and "loss" into `info`. The reward stays 0.
    parameters
        Parameters of the catalogue game, such as `prices=12`.

    Notes
    -----
    The observation is the index of the symbol in `symbols`, which lists all symbols of the game by first appearance, or
    `nothing` before the first round. `info["symbol"]` holds the symbol itself.

    Examples
    --------
    >>> import gymnasium, sidelight.gym
    >>> env = gymnasium.make("sidelight/AppleTasting-v0", law=[0.2, 0.8], horizon=100)
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> info["symbol"], reward
    ('good', 0.0)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        game: str | Game,
        law: Any = None,
        law_from: str | None = None,
        horizon: int = 20_000,
        reveal_loss: bool = False,
        **parameters: Any,
    ) -> None:
        if isinstance(game, Game) and parameters:
            raise SidelightError(f"{', '.join(parameters)}: parameters are for games named by their catalogue name")
        if law is not None and law_from is not None:
            raise SidelightError("give a law or law_from, how to draw one, but not both")
        if isinstance(horizon, bool) or not isinstance(horizon, int | np.integer) or horizon < 1:
            raise SidelightError(f"horizon is {horizon!r}: give a whole number of at least 1")
        self.game = game if isinstance(game, Game) else games.load(game, **parameters)
        self.horizon = int(horizon)
        self.reveal_loss = bool(reveal_loss)
        self.symbols: tuple[Symbol, ...] = tuple(dict.fromkeys(s for row in self.game.feedback for s in row))
        self.nothing = len(self.symbols)
        """The observation before the first round."""
        self.action_space = spaces.Discrete(self.game.n_actions)
        self.observation_space = spaces.Discrete(len(self.symbols) + 1)
        self._outcomes = IID(laws.load(law_from or "dirichlet", self.game) if law is None else law)
        self._outcomes.check(self.game, 1, self.horizon)
        places = {symbol: place for place, symbol in enumerate(self.symbols)}
        self._shown = [[places[symbol] for symbol in row] for row in self.game.feedback]
        self._world: Any = None
        self._round = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Start an episode, from a new seed if one is given."""
        super().reset(seed=seed)
        self._world = self._outcomes.start(self.game, 0, self.np_random)
        self._round = 0
        return self.nothing, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Play one round."""
        if self._world is None or self._round >= self.horizon:
            raise SidelightError("no episode is under way: call reset first")
        if not self.action_space.contains(action):
            raise SidelightError(f"there is no action {action!r}: actions are numbered 0 to {self.game.n_actions - 1}")
        outcome = int(draw(self._world, _NO_CONTEXT, self.np_random))
        observation = self._shown[action][outcome]
        self._round += 1
        info: dict[str, Any] = {"symbol": self.symbols[observation]}
        if self.reveal_loss:
            info |= {"outcome": outcome, "loss": float(self.game.loss[action][outcome])}
        return observation, 0.0, False, self._round >= self.horizon, info


def identifier(name: str) -> str:
    """Return the Gymnasium identifier of a catalogue game: "apple-tasting" is "sidelight/AppleTasting-v0"."""
    return f"{NAMESPACE}/{''.join(word.capitalize() for word in games.describe(name).name.split('-'))}-v0"


def register() -> None:
    """Register every catalogue game that is not registered yet; importing this module does so already."""
    for name in games.names():
        if identifier(name) not in gymnasium.registry:
            gymnasium.register(identifier(name), entry_point="sidelight.gym:PartialMonitoring", kwargs={"game": name})


register()
