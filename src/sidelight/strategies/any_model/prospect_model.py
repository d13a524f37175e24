"""ProspectModel: play what the model says, and look while looking may still pay for itself.

Every round the members of the beliefs (see `belief`) predict the outcome at the context. A belief that ignores contexts
(see `context_free`) has the weight w, by how well all predicted symbols before they came (see `mixture`). With l_a the
mean loss of action a under all of them and VOI_a what a look with it would save per round (see `value`), it plays

    argmin_a  l_a - (1 - w) H VOI_a,   H = caution max((1 + b) t, .3 (t + 200 sqrt(t + 10))),

b the share of looks that were bought, that is taken although another action was cheaper: play is expected to last as
long again, longer in games in which looks cost something, and some hundred rounds at first. With a known horizon T, H
is at most T - t where looks are free, and 1.5 t log(T / t) where they are bought. The beliefs are fitted anew as labels
grow by the factor `refit`.

Looks that are chosen by their contexts say little about the other contexts, and a model may be wrong, and sure, about
those. So some looks are *blind*, decided before the context is seen, as in `ProspectSide`: if w H' times what a look
saves under the belief without contexts exceeds what the action costs on average, H' being caution (t + 200 sqrt(t+10))
or the rounds that are left; and after every 1 / (2 w (1 - w)) looks that a model bought.

To find out whether contexts matter takes labels, and no factor on the regret of ignoring them can hold where that is a
few looks. T rounds can show each of (M - 1)(d + 1) coefficients to log2(T) / 2 bits, and a label of two symbols brings
at most one: so many labels more than the best of Prospect, "linear" and RandCBPSide may be needed, and a tenth more.
"""

from __future__ import annotations

import copy
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sidelight.analysis import analyze
from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game, Symbol
from sidelight.kernels.arrays import Floats
from sidelight.strategies import saved
from sidelight.strategies.any_model import models
from sidelight.strategies.any_model.context_free import ContextFree
from sidelight.strategies.any_model.course import Course, Task
from sidelight.strategies.any_model.mixture import Mixture
from sidelight.strategies.any_model.rows import from_plain, numeric_row, row_of, rows_of, stacked_rows, to_plain
from sidelight.strategies.any_model.stakes import Stakes, stakes_of
from sidelight.strategies.base import Seed, Strategy, check_flag, check_number, check_parameter, check_whole
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action

_LONGEST = 10**15
_MOST_CAUTIOUS = 1e12
_MOST_MEMBERS = 1000
_EARLY = 0.3  # of the rounds that Prospect expects


class Decision(NamedTuple):
    """What was weighed in a round; costs and values are in units of the largest difference between losses."""

    law: Floats
    costs: Floats
    best: int
    chosen: int
    blind: bool  # was the action chosen before the context was seen
    rounds: float  # H (1 - w)
    values: dict[int, float]  # VOI of the looks that were weighed


class ProspectModel(Strategy):
    """Look while looking may still pay for itself, by what any classifier says about the context.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    model
        What predicts the outcome from the context: "linear", "kernel", "trees" or "auto" (all three), which need
        nothing else; a classifier with scikit-learn's `fit` and `predict_proba`, or a function that makes one; a
        `Belief` of your own with `fit` and `predict`; or a list of these, weighted by how well each predicts. A belief
        that ignores contexts is always among them. Contexts are rows of numbers for the built-in models, and otherwise
        what the model accepts: numbers, some of them missing, a list with texts and categories, a mapping, a text, or a
        row of a data frame. A classifier is told outcomes; where no action reveals them, it is told symbols, and the
        number of the action is a further feature (or each action has a classifier of its own, if rows are not just
        numbers).
    horizon
        How many rounds will be played, if known. Play may continue after them.
    caution
        Factor on the rounds to come: with 2 it looks as if there were twice as many.
    members
        How many clones of a classifier are fitted; they differ where little is known.
    refit
        The factor by which labels grow between two fits; by default 1.1 for the built-in models and 1.2 for others.
    memory
        For how many rounds a label counts, if the world changes; by default for ever.
    background
        Fit in another thread and meanwhile act by the last fit, for models that take long. Play then depends on how
        long fits take; without, the same seed gives the same play.
    seed
        Where the randomness of the members starts.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.ProspectModel(sl.games.load("apple-tasting"), model="linear")
    >>> s.act([0.3, -1.2]), s.observe("good"), s.act([0.1, 0.4])
    (1, None, 1)
    """

    any_context: ClassVar[bool] = True
    bounded_memory: ClassVar[bool] = False

    def __init__(
        self,
        game: Game,
        model: Any = models.AUTO,
        horizon: int | None = None,
        caution: float = 1.0,
        members: int = 16,
        refit: float | None = None,
        memory: int | None = None,
        background: bool = False,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, seed=seed)
        self.model, self.horizon, self.caution, self.members = model, horizon, caution, members
        self.refit, self.memory, self.background = refit, memory, background
        self._parts = models.models_to_weigh(model)
        for name, value in (("horizon", horizon), ("memory", memory)):
            if value is not None:
                check_whole(name, value, least=1, most=_LONGEST)
        check_number("caution", caution, above=0)
        check_parameter("caution", caution, caution <= _MOST_CAUTIOUS, f"a number of at most {_MOST_CAUTIOUS:g}")
        check_whole("members", members, least=2, most=_MOST_MEMBERS)
        if refit is not None:
            check_number("refit", refit, above=1)
        check_flag("background", background)
        self.analysis = analyze(game)
        refuse_hopeless(self.analysis)
        self._stakes: Stakes = stakes_of(self.analysis)
        self._settled = settled_action(self.analysis)
        built_in = all(isinstance(part, str) for part in self._parts)
        self._growth = refit if refit is not None else 1.1 if built_in else 1.2
        self._often = 60 if built_in else 8  # labels up to which each one is fitted at once
        self._fitting: Future[Mixture] | None = None
        self._decision: Decision | None = None

    def act_many(self, contexts: Any) -> list[int]:
        """Choose an action for each of several contexts, knowing of each look when the next one is weighed."""
        rows = [self._context(context) for context in rows_of(contexts)]
        if not rows:
            return []
        predicted = self._predict(rows)
        actions = []
        for place, row in enumerate(rows):
            actions.append(self._choose(row, predicted[:, place]))
            self._last_context = row
            self._under_way[actions[-1]] += 1
        return actions

    def observe_many(self, symbols: Sequence[Symbol], actions: Sequence[int], contexts: Any) -> None:
        """Learn from the symbols that followed several actions at their contexts, in any order."""
        rows = rows_of(contexts)
        if not len(symbols) == len(actions) == len(rows):
            counts = f"{len(symbols)} symbols, {len(actions)} actions and {len(rows)} contexts"
            raise SidelightError(f"there are {counts}: give as many of each")
        for symbol, action in zip(symbols, actions, strict=True):
            self._place(self._addressee(action), symbol)
        for symbol, action, row in zip(symbols, actions, rows, strict=True):
            self.observe(symbol, action=action, context=row)

    def explain(self, context: Any = None) -> str:
        """Say what is expected at a context, by default the last one, what looks may earn, and what is chosen."""
        from sidelight.strategies.any_model.explanation import explanation

        if self._settled >= 0 or context is None:
            return explanation(self, self._settled, self._decision)
        row = self._context(context)
        if self.state.clock == 0:
            raise SidelightError("there is nothing to explain before the first action")
        return explanation(self, self._settled, self._weigh(self._ask([row])[:, 0]))

    def clone(self) -> Self:
        """Return an independent copy that would continue exactly like this one."""
        self._await_fit()
        return super().clone()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled, after the fit that is under way."""
        self._await_fit()
        return dict(self.__dict__)

    def describe(self) -> dict[str, Any]:
        """Return name, parameters and defaults as plain data; a model of your own as text."""
        told = super().describe()
        told["parameters"]["model"] = models.described_model(self.model)
        return told

    def save(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Return everything needed to continue later as plain data and arrays; with a `path`, also write it (.npz).

        A model of your own is not saved, because that would take pickle: give it to `load` again, which fits it to the
        saved labels as it was fitted last.
        """
        self._await_fit()
        data = super().save()
        data["parameters"]["model"] = models.described_model(self.model)
        data["context"] = []
        data["state"] |= {"context": to_plain([self._last_context]), "versions": models.versions(self._parts)}
        if path is not None:
            saved.write(Path(path), data)
        return data

    @classmethod
    def load(cls, source: Mapping[str, Any] | str | os.PathLike[str], model: Any = None) -> Self:
        """Make a strategy from what `save` returned, or from its file; a model of your own must be given again."""
        data = dict(source) if isinstance(source, Mapping) else saved.read(Path(source))
        then = data.get("parameters", {}).get("model", models.AUTO)
        if model is not None:
            if models.described_model(model) != then:
                raise ParameterError(f"model is {models.described_model(model)}, but {then} was saved", "model")
            data["parameters"] = data["parameters"] | {"model": model}
        elif then != models.AUTO and not set([then] if isinstance(then, str) else then) <= set(models.BUILT_IN):
            raise SidelightError(
                f"this was saved with the model {then}, which is not in the file: give load(..., model=)"
            )
        strategy = super().load(data)
        strategy._last_context = from_plain(data["state"]["context"])[0]
        now, versions = models.versions(strategy._parts), data["state"]["versions"]
        if changed := [f"{name} {was}, now {now.get(name)}" for name, was in versions.items() if now.get(name) != was]:
            warnings.warn(f"saved with {', '.join(changed)}: the members are fitted anew and may differ", stacklevel=2)
        return strategy

    # What an author writes.

    def _start(self) -> Course:
        self._fitting, self._decision = None, None
        beliefs = {} if self._settled >= 0 else models.beliefs_of(self._parts, self._stakes, self.members, self._rng)
        context_free = ContextFree(self._stakes, seed=0)
        return Course(self._stakes, context_free, Mixture(self._stakes, beliefs), self.memory)

    def _context(self, context: Any) -> Any:
        if context is None:
            raise SidelightError(f"{self.name} needs a context")
        if models.wants_numbers(self._parts):
            known = self.state.recent
            return numeric_row(context, len(known[0]) if known else None, self.name)
        return row_of(context)

    def _act(self, context: Any) -> int:
        return self._choose(context, self._predict([context])[:, 0])

    def _observe(self, action: int, symbol: int, context: Any) -> None:
        if self._settled < 0 and action in self._stakes.signals:
            self.state.observe(context, action, symbol)

    # The round.

    def _predict(self, rows: list[Any]) -> Floats:
        """Return what the members predict at rows, (members, n, outcomes), after a fit if one is due."""
        if self._settled >= 0:
            return np.zeros((1, len(rows), self._stakes.outcomes))
        state = self.state
        if self._fitting is not None and self._fitting.done():
            self._await_fit()
        state.learn_without_contexts()
        if self._fitting is None and state.due(self._growth, self._often):
            task = state.task(rows)
            if self.background and state.clock > 0:
                self._fitting = _in_background(state.mixture, task)
            else:
                state.mixture.fit(*task)
                state.take_over(state.mixture)
        return self._ask(rows)

    def _ask(self, rows: list[Any]) -> Floats:
        try:
            return self.state.mixture.predict(stacked_rows(rows))
        except Exception as error:
            raise SidelightError(f"the model cannot predict at this context: {error}") from error

    def _await_fit(self) -> None:
        """Take over the fit that runs in the background, if there is one."""
        if self._fitting is not None:
            fitting, self._fitting = self._fitting, None
            self.state.take_over(fitting.result())

    def _choose(self, row: Any, predicted: Floats) -> int:
        """Weigh and count a round."""
        state = self.state
        if self._settled >= 0:
            state.see(row)
            return self._settled
        self._decision = decision = self._weigh(predicted)
        bought = decision.chosen != decision.best
        state.see(row, decision.costs)
        if bought and not decision.blind:
            weight = state.mixture.shares.sum()
            state.owed, state.owed_by = state.owed + 2.0 * weight * (1.0 - weight), decision.chosen
        if decision.chosen in self._stakes.signals:
            state.look(row, decision.chosen, predicted, bought, decision.blind)
        return decision.chosen

    def _weigh(self, predicted: Floats) -> Decision:
        """Choose an action by what the members predict at a context, (members, outcomes)."""
        stakes, state, value = self._stakes, self.state, self.state.value
        trust = float(state.mixture.shares.sum()) if value is not None else 0.0
        law = (1.0 - trust) * state.context_free.law
        if value is not None:
            law = law + trust * (value.weights @ predicted)
        costs, best = stakes.losses @ law, stakes.best(law)
        chosen, rounds, values = self._blind_look(1.0 - trust), trust * self._rounds(), dict[int, float]()
        blind = chosen >= 0
        if not blind:
            chosen = best
            if value is not None and tuple(stakes.signals) != (best,):
                values = {a: value.of_look(predicted, a) for a in stakes.signals}
            least = costs[best] - rounds * values.get(best, 0.0) - 1e-12
            for a in values:
                if costs[a] - rounds * values[a] < least:
                    chosen, least = a, costs[a] - rounds * values[a]
        return Decision(law, costs, best, chosen, blind, rounds, values)

    def _blind_look(self, weight: float) -> int:
        """Return the action by which to look whatever the context, -1 if none pays for itself or is owed."""
        state, t = self.state, self.state.clock + 1.0
        left = self.horizon - t if self.horizon is not None and t < self.horizon else _expected(t)
        rounds = weight * self.caution * min(left, self.memory or math.inf)
        chosen, most = -1, -1e-9
        for a, earned in state.context_free.values.items():
            if rounds * earned - state.cost[a] > most:
                chosen, most = a, rounds * earned - state.cost[a]
        return state.owed_by if chosen < 0 and state.owed >= 1.0 else chosen

    def _rounds(self) -> float:
        """Return H."""
        state, t = self.state, self.state.clock + 1.0
        bought = state.bought / max(1, state.looks)
        rounds = max((1.0 + bought) * t, _EARLY * _expected(t))
        if self.horizon is not None and self.horizon > t:
            share = bought**4
            left, paid = min(rounds, self.horizon - t), 1.5 * t * math.log(self.horizon / t)
            rounds = (1.0 - share) * left + share * paid
        return self.caution * min(rounds, self.memory or math.inf)


def _expected(t: float) -> float:
    """Return how many rounds Prospect expects to follow after t of them."""
    return t + 200.0 * math.sqrt(t + 10.0)


def _in_background(mixture: Mixture, task: Task) -> Future[Mixture]:
    """Fit a copy of a belief in a thread of its own."""

    def fitted() -> Mixture:
        twin = copy.deepcopy(mixture)
        twin.fit(*task)
        return twin

    pool = ThreadPoolExecutor(1, thread_name_prefix="sidelight-fit")
    future = pool.submit(fitted)
    pool.shutdown(wait=False)
    return future
