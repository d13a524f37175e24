"""The catalogue as Gymnasium environments: `import sidelight.gym`, then `gymnasium.make("sidelight/AppleTasting-v0")`.

An observation is the symbol that the last action showed and, with `contexts=`, the context of the round to come. The
reward is always 0, because in partial monitoring the loss is hidden; to score an agent, ask for the loss in `info`.

Importing this module registers the environments. Gymnasium can also import it by itself:
`gymnasium.make("sidelight.gym:sidelight/AppleTasting-v0")`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sidelight import games
from sidelight.environments import IID, Environment, contexts_by_name, laws
from sidelight.environments.base import draw
from sidelight.errors import SidelightError
from sidelight.game import Game, Symbol

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise ImportError("sidelight.gym needs Gymnasium; try: pip install gymnasium") from error

NAMESPACE = "sidelight"
Observation = int | dict[str, Any]


class PartialMonitoring(gymnasium.Env):  # type: ignore[misc, unused-ignore]
    """A game of partial monitoring, played for `horizon` rounds, with contexts or without.

    Parameters
    ----------
    game
        The name of a game in the catalogue, or a `Game`.
    law
        Probabilities of the outcomes. By default, each episode draws its own law.
    law_from
        How laws are drawn: "dirichlet" (the default), and for games of two outcomes "uniform", "balanced" or
        "imbalanced"; see `sidelight.environments.laws`.
    contexts
        Where contexts and outcomes come from instead: a kind of contexts such as "linear" or "checkers", or any
        `sidelight.environments.Environment`, such as a `Replay` of your own data.
    horizon
        The number of rounds after which an episode is truncated; episodes never terminate.
    reveal_loss
        Put "outcome" and "loss" into `info`. The reward stays 0.
    parameters
        Parameters of the catalogue game, such as `prices=12`.

    Notes
    -----
    The observation is the index of the symbol in `symbols`, which lists all symbols of the game by first appearance, or
    `nothing` before the first round. `info["symbol"]` holds the symbol itself. With contexts, the observation is a
    dictionary of the "context", to be decided by in the next step, and the "symbol". After the last round there is no
    context to come, and the last one is repeated.

    Examples
    --------
    >>> import gymnasium, sidelight.gym
    >>> env = gymnasium.make("sidelight/AppleTasting-v0", law=[0.2, 0.8], horizon=100)
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> info["symbol"], reward
    ('good', 0.0)
    >>> env = gymnasium.make("sidelight/AppleTasting-v0", contexts="linear", horizon=100)
    >>> observation, info = env.reset(seed=1)
    >>> observation["context"].shape, int(observation["symbol"])
    ((10,), 3)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        game: str | Game,
        law: Any = None,
        law_from: str | None = None,
        contexts: str | Environment | None = None,
        horizon: int = 20_000,
        reveal_loss: bool = False,
        **parameters: Any,
    ) -> None:
        if isinstance(game, Game) and parameters:
            raise SidelightError(f"{', '.join(parameters)}: parameters are for games named by their catalogue name")
        if sum(each is not None for each in (law, law_from, contexts)) > 1:
            raise SidelightError("give a law, law_from, how to draw one, or contexts, but only one of them")
        if isinstance(horizon, bool) or not isinstance(horizon, int | np.integer) or horizon < 1:
            raise SidelightError(f"horizon is {horizon!r}: give a whole number of at least 1")
        self.game = game if isinstance(game, Game) else games.load(game, **parameters)
        self.horizon = int(horizon)
        self.reveal_loss = bool(reveal_loss)
        self.symbols: tuple[Symbol, ...] = tuple(dict.fromkeys(s for row in self.game.feedback for s in row))
        self.nothing = len(self.symbols)
        """The observation before the first round."""
        self.action_space = spaces.Discrete(self.game.n_actions)
        self._outcomes = self._source(law, law_from, contexts)
        self._outcomes.check(self.game, 1, self.horizon)
        self.observation_space = spaces.Discrete(len(self.symbols) + 1)
        if self._outcomes.dimension:
            numbers = spaces.Box(-np.inf, np.inf, (self._outcomes.dimension,), np.float64)
            self.observation_space = spaces.Dict({"context": numbers, "symbol": self.observation_space})
        places = {symbol: place for place, symbol in enumerate(self.symbols)}
        self._shown = [[places[symbol] for symbol in row] for row in self.game.feedback]
        self._world: Any = None
        self._round = 0
        self._context, self._outcome = np.zeros(self._outcomes.dimension), 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode, from a new seed if one is given."""
        super().reset(seed=seed)
        self._world = self._outcomes.start(self.game, 0, self.np_random)
        self._round = 0
        return self._observation(self.nothing), {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one round."""
        if self._world is None or self._round >= self.horizon:
            raise SidelightError("no episode is under way: call reset first")
        if not self.action_space.contains(action):
            raise SidelightError(f"there is no action {action!r}: actions are numbered 0 to {self.game.n_actions - 1}")
        shown, outcome = self._shown[action][self._outcome], self._outcome
        self._round += 1
        info: dict[str, Any] = {"symbol": self.symbols[shown]}
        if self.reveal_loss:
            info |= {"outcome": outcome, "loss": float(self.game.loss[action][outcome])}
        return self._observation(shown), 0.0, False, self._round >= self.horizon, info

    def _source(self, law: Any, law_from: str | None, contexts: str | Environment | None) -> Environment:
        """Return where contexts and outcomes come from."""
        if contexts is None:
            return IID(laws.load(law_from or "dirichlet", self.game) if law is None else law)
        found = (
            contexts_by_name.load_context_environment(contexts, self.game) if isinstance(contexts, str) else contexts
        )
        if not isinstance(found, Environment) or not found.dimension:
            raise SidelightError(f"contexts is {contexts!r}: give a kind of contexts or an environment that has some")
        return found

    def _observation(self, symbol: int) -> Observation:
        """Draw the context and the outcome of the round to come, if there is one; return what the agent sees."""
        if self._round < self.horizon:
            self._outcome = int(draw(self._world, self._context, self.np_random))
        return {"context": self._context.copy(), "symbol": symbol} if len(self._context) else symbol


def identifier(name: str) -> str:
    """Return the Gymnasium identifier of a catalogue game: "apple-tasting" is "sidelight/AppleTasting-v0"."""
    return f"{NAMESPACE}/{''.join(word.capitalize() for word in games.describe(name).name.split('-'))}-v0"


def register() -> None:
    """Register every catalogue game that is not registered yet; importing this module does so already."""
    for name in games.names():
        if identifier(name) not in gymnasium.registry:
            gymnasium.register(identifier(name), entry_point="sidelight.gym:PartialMonitoring", kwargs={"game": name})


register()
