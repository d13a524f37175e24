"""The results of one strategy in one game and one environment, over independent runs."""

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from sidelight.errors import ImmutableError, SidelightError
from sidelight.game import Game
from sidelight.kernels.arrays import Floats, Integers
from sidelight.results import _checks, files, frames, provenance, text
from sidelight.results._checks import Numbers
from sidelight.results.statistics import Band, Summary, confidence_band_of_runs, summarize_sample

_ARGUMENTS = ("strategy", "environment", "seed", "regret_kind", "seconds", "label")
# What the arguments of `Results` already say; a given manifest cannot override it.
_DESCRIBED = ("format", "format_version", "game", *_ARGUMENTS)


class Results:
    """What a simulation returns: R runs, their regret at C checkpoints, and further measures.

    Parameters
    ----------
    game
        The game of N actions that was played; None for a policy that watched classifiers, which has measures only.
    strategy, environment
        JSON-ready descriptions with a key "name"; a strategy's has "parameters" and may have "defaults".
    rounds
        The checkpoints, strictly increasing, shape (C,).
    regret
        The regret up to each checkpoint, shape (R, C).
    plays
        How often each action was played in the whole run, shape (R, N).
    seed
        What the random numbers were made from, JSON-ready; None if that is not known.
    regret_kind
        "pseudo-regret" (against a known law) or "hindsight" (against the best fixed action in hindsight).
    measures
        Further numbers by name, one row per run, such as "seconds", "f1" and "verifications".
    seconds
        How long it took, if known.
    label
        The name in tables and figures; by default the strategy's name and its parameters.
    manifest
        Facts to store besides those that are collected automatically (versions, platform, time); they override these.

    Notes
    -----
    Results are immutable. Two are equal when they hold the same numbers from the same experiment; when, where and how
    fast they were computed does not matter.
    """

    rounds: Integers
    """The checkpoints, shape (C,)."""
    regret: Floats
    """The regret of each run up to each checkpoint, shape (R, C)."""
    plays: Integers
    """How often each run played each action, shape (R, N)."""
    measures: Mapping[str, Numbers]
    """Further numbers by name, one row per run."""
    regret_kind: str
    """What the regret is measured against: "pseudo-regret" or "hindsight"."""
    seconds: float | None
    """How long the runs took, if known."""
    _game: Game | None
    _strategy: dict[str, Any]
    _environment: dict[str, Any]
    _seed: Any
    _label: str
    _provenance: dict[str, Any]

    def __init__(
        self,
        *,
        game: Game | None,
        strategy: Mapping[str, Any],
        environment: Mapping[str, Any],
        rounds: Any = (),
        regret: Any = None,
        plays: Any = None,
        seed: Any,
        regret_kind: str = "",
        measures: Mapping[str, Any] | None = None,
        seconds: float | None = None,
        label: str | None = None,
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        further = _checks.check_measures_of_results(measures or {})
        if game is not None:
            if not isinstance(game, Game):
                raise SidelightError(f"game is {game!r}: give a sidelight.Game")
            checkpoints = _checks.check_rounds_of_results(rounds)
            regrets = _checks.check_regret_of_results(regret, checkpoints.size)
            counts = _checks.check_plays_of_results(plays, regrets.shape[0], game.n_actions)
        else:
            runs = _checks.count_runs_of_measures(further)
            checkpoints, regrets, counts = np.zeros(0, np.int64), np.zeros((runs, 0)), np.zeros((runs, 0), np.int64)
        _checks.count_runs_of_measures(further, regrets.shape[0])
        given = _checks.json_dictionary_of_results(manifest or {}, "manifest")
        extra = {key: value for key, value in given.items() if key not in _DESCRIBED}
        vars(self).update(
            rounds=checkpoints,
            regret=regrets,
            plays=counts,
            measures=further,
            regret_kind="" if game is None else _checks.check_regret_kind(regret_kind),
            seconds=_checks.check_seconds_of_results(seconds),
            _game=game,
            _strategy=_checks.check_description_in_results(strategy, "strategy"),
            _environment=_checks.check_description_in_results(environment, "environment"),
            _seed=_checks.json_copy_for_results(seed, "seed"),
            _label=label or "",
            _provenance=provenance.collect_provenance() | extra,
        )

    @property
    def game(self) -> Game:
        """The game that was played; an error if there is none."""
        if self._game is None:
            raise SidelightError(f"{self.label} watched classifiers and played no game: look at its measures")
        return self._game

    @property
    def has_game(self) -> bool:
        """Whether a game was played; otherwise a policy watched classifiers, and there are only measures."""
        return self._game is not None

    @property
    def strategy(self) -> dict[str, Any]:
        """The description of the strategy (a copy)."""
        return copy.deepcopy(self._strategy)

    @property
    def environment(self) -> dict[str, Any]:
        """The description of the environment (a copy)."""
        return copy.deepcopy(self._environment)

    @property
    def horizon(self) -> int:
        """The last checkpoint; 0 if no game was played."""
        return int(self.rounds[-1]) if self.rounds.size else 0

    @property
    def final(self) -> Floats:
        """The regret of each run at the last checkpoint, shape (R,)."""
        return self.regret[:, -1]

    @property
    def mean_plays(self) -> Floats:
        """How often each action was played, on average over the runs, shape (N,)."""
        means: Floats = self.plays.mean(axis=0)
        return means

    @property
    def seed(self) -> Any:
        """What the random numbers were made from; None if that is not known."""
        return copy.deepcopy(self._seed)

    @property
    def n_runs(self) -> int:
        """How many runs there are."""
        return int(self.regret.shape[0])

    @property
    def label(self) -> str:
        """The name in tables: by default the strategy's, with parameters not at their defaults, "RandCBP(bins=10)"."""
        return self._label or text.label_of_results(self._strategy)

    @property
    def manifest(self) -> dict[str, Any]:
        """Everything about the results except the numbers, JSON-ready, as stored in files (a copy)."""
        described = {"format": provenance.FORMAT, "format_version": provenance.FORMAT_VERSION}
        facts = {name: self._stored(name) for name in _ARGUMENTS}
        game, stand_ins = (None, []) if self._game is None else provenance.write_game_and_texts_in_results(self._game)
        texts = {*stand_ins, *self._provenance.get(provenance.TEXT_SYMBOLS, ())}
        whole = described | self._provenance | {"game": game} | facts
        return _checks.json_dictionary_of_results(whole | {provenance.TEXT_SYMBOLS: sorted(texts)}, "manifest")

    def fact(self, name: str) -> Any:
        """Return a fact that was stored with the results; None if there is no such fact."""
        return copy.deepcopy(self._provenance.get(name))

    def has(self, measure: str) -> bool:
        """Say whether there is one number per run of a measure."""
        if measure == "regret" or (measure == "verifications" and measure not in self.measures):
            return self.has_game
        return measure in self.measures

    def values(self, measure: str = "regret", at: int | None = None) -> Floats:
        """Return one number per run: the regret at the checkpoint `at` (by default the last), or another measure.

        The verifications of a strategy are the rounds in which it played an action with more than one symbol.
        """
        if not self.has(measure):
            known = [name for name in ("regret", "verifications") if self.has(name)]
            raise SidelightError(
                f"{self.label} has no {measure!r}: there are {', '.join({**dict.fromkeys(known), **self.measures})}"
            )
        if measure in self.measures:
            return self.measures[measure].astype(float)
        if measure == "verifications":
            telling = [action for action in range(self.game.n_actions) if len(self.game.symbols(action)) > 1]
            return self.plays[:, telling].sum(axis=1).astype(float)
        return self.regret[:, -1 if at is None else self._column(at)]

    def summary(self, at: int | None = None, measure: str = "regret") -> Summary:
        """Describe a measure of all runs; the regret at the checkpoint `at` (a round), or at the last one."""
        values = self.values(measure, at)
        return summarize_sample(values, (self.horizon if at is None else int(at)) or None, self.label)

    def first(self, runs: int) -> Results:
        """Return the first runs only."""
        if not 1 <= runs <= self.n_runs:
            raise SidelightError(f"there are {self.n_runs} runs: give a number from 1 to {self.n_runs}, not {runs!r}")
        arrays = {"regret": self.regret[:runs], "plays": self.plays[:runs]}
        return self._replace(**arrays, measures={name: values[:runs] for name, values in self.measures.items()})

    def with_facts(self, manifest: Mapping[str, Any] | None = None, **changes: Any) -> Results:
        """Return the same results with another label, seconds or measures, and with more facts in the manifest."""
        return self._replace(**changes, manifest={**self._provenance, **(manifest or {})})

    def _column(self, at: int) -> int:
        """Return the column of the checkpoint at round `at`; raise an error if there is none."""
        if not isinstance(at, int | np.integer):
            raise SidelightError(f"at is {at!r}: give the number of a round, an integer")
        found = np.flatnonzero(self.rounds == at)
        if not found.size:
            nearest = self.rounds[np.argmin(np.abs(self.rounds - at))]
            raise SidelightError(f"there is no checkpoint at round {at}: the nearest one is at round {nearest}")
        return int(found[0])

    def band(self, confidence: float = 0.99) -> Band:
        """Return mean, low and high at each checkpoint: mean +- z std / sqrt(R), with z from the normal law.

        Low and high are NaN for a single run.
        """
        return confidence_band_of_runs(self.regret, confidence)

    def to_records(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per run and checkpoint: game, strategy, run, round, regret."""
        return frames.records_of_results(self)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per run and checkpoint: game, strategy, run, round, regret.

        The backend is "pandas" or "polars"; if none is named, the first of these that is installed.
        """
        return frames.results_as_data_frame(self, backend)

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        others: Sequence[Results] = (),
        limit: Any = None,
        size: tuple[float, float] | None = None,
    ) -> Any:
        """Return a Matplotlib figure of the mean regret over time; with a `path` also write it (.svg, .pdf or .png).

        `others` are results of other strategies for the same game, drawn in the same figure; `limit` is a regret to
        compare them with, a pair of rounds and values. `size`, width and height in inches, makes a figure for a paper:
        of exactly that size, with one panel and no title.
        """
        from sidelight.report.plotting import plot_results

        return plot_results([self, *others], path, limit, size)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the results to a .parquet or .npz file, from which `load` returns equal ones.

        A Parquet file is the table of `to_frame`, for any reader. Symbols of the game that are neither text, integers,
        booleans, None nor tuples of them come back as their `repr`; the manifest lists these.
        """
        files.write_results_file(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Results:
        """Read results that `save` wrote."""
        manifest, arrays = files.read_results_file(path)
        game = manifest.get("game")
        facts: dict[str, Any] = {name: manifest.get(name) for name in _ARGUMENTS}
        try:
            return cls(
                game=None if game is None else provenance.read_game_in_results(game),
                rounds=arrays.pop("rounds"),
                regret=arrays.pop("regret"),
                plays=arrays.pop("plays"),
                measures=arrays,
                **facts,
                # Do not fill in what the file does not say about its origin with facts about this machine.
                manifest=dict.fromkeys(provenance.ORIGINS) | manifest,
            )
        except (SidelightError, KeyError) as error:
            raise SidelightError(f"{os.fspath(path)!r}: {error}") from None

    def __setattr__(self, attribute: str, value: object) -> NoReturn:
        raise ImmutableError(f"Results cannot be changed (tried to set {attribute!r}); make new ones")

    def __delattr__(self, attribute: str) -> NoReturn:
        raise ImmutableError(f"Results cannot be changed (tried to delete {attribute!r}); make new ones")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Results):
            return NotImplemented
        facts = ("strategy", "environment", "seed", "regret_kind")
        measured = [name for name in self.measures if name != "seconds"]
        return (
            provenance.is_same_game_of_results(self._game, other._game)
            and all(
                _checks.canonical_json_of_results(getattr(self, f))
                == _checks.canonical_json_of_results(getattr(other, f))
                for f in facts
            )
            and all(np.array_equal(getattr(self, a), getattr(other, a)) for a in ("rounds", "regret", "plays"))
            and measured == [name for name in other.measures if name != "seconds"]
            and all(np.array_equal(self.measures[name], other.measures[name]) for name in measured)
        )

    def __hash__(self) -> int:
        return hash((self.label, self.regret.shape, _checks.canonical_json_of_results(self._seed)))

    def _arguments(self) -> dict[str, Any]:
        """Return the arguments that make these results."""
        names = ("game", "rounds", "regret", "plays", "measures", *_ARGUMENTS)
        return {name: self._stored(name) for name in names} | {"manifest": self._provenance}

    def _stored(self, name: str) -> Any:
        """Return an argument as it is kept: what could be changed is behind an underscore."""
        return vars(self).get(f"_{name}", vars(self).get(name))

    def _replace(self, **changes: Any) -> Results:
        return Results(**self._arguments() | changes)

    def __reduce__(self) -> tuple[Any, ...]:
        # Use the constructor, because pickled arrays become writable again.
        return functools.partial(Results, **self._arguments() | {"measures": dict(self.measures)}), ()

    def __repr__(self) -> str:
        return text.line_about_results(self)
