"""The names that arguments had: they work for one version more, with a warning."""

import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.checks.report import same
from sidelight.cli import main
from sidelight.strategies import PGIDS, PGTS, BPMLeast, Strategy

APPLES = sl.games.load("apple-tasting")
VARIANCES = [
    (BPMLeast, "prior", {}),
    (PGTS, "prior_variance", {"dimension": 2}),
    (PGIDS, "prior_variance", {"dimension": 2}),
]


@pytest.mark.parametrize(("kind", "old", "needed"), VARIANCES)
class TestVariances:
    """What was the variance of a prior is now its precision, `regularization`."""

    @pytest.mark.parametrize("variance", [4, 0.3, np.float64(0.3), np.int64(7)])
    def test_the_old_name_warns_and_means_the_same(self, kind, old, needed, variance):
        with pytest.warns(DeprecationWarning, match=f"{old} is now regularization = 1 / {old}") as caught:
            strategy = kind(APPLES, **needed, **{old: variance})
        assert caught[0].filename == __file__
        assert strategy.regularization == 1 / float(variance)
        assert repr(strategy) == repr(kind(APPLES, **needed, regularization=1 / float(variance)))
        assert old not in strategy.parameters()

    def test_both_names_are_refused(self, kind, old, needed):
        with pytest.raises(sl.SidelightError, match=f"{old} is the old name .* give regularization alone"):
            kind(APPLES, **needed, regularization=1.0, **{old: 1.0})

    @pytest.mark.parametrize("wrong", [0, -1, np.inf, np.nan, "1", True, None])
    @pytest.mark.filterwarnings("ignore:.* is now regularization:DeprecationWarning")
    def test_wrong_values(self, kind, old, needed, wrong):
        with pytest.raises(sl.SidelightError, match=f"{old} is .*: give a finite number above 0"):
            kind(APPLES, **needed, **{old: wrong})

    def test_a_place_without_a_name_never_changes_its_meaning(self, kind, old, needed):
        with pytest.raises(TypeError, match="positional"):
            kind(APPLES, *needed.values(), 0.5, 4.0)

    def test_saved_with_the_old_name(self, kind, old, needed):
        strategy = kind(APPLES, **needed, regularization=0.25)
        data = strategy.save()
        data["parameters"][old] = 1 / data["parameters"].pop("regularization")
        with pytest.warns(DeprecationWarning, match=old):
            loaded = Strategy.load(data)
        assert same(loaded.save(), strategy.save())

    def test_on_the_command_line(self, kind, old, needed):
        command = ["play", "apple-tasting", "--rounds", "3", "--law", "0.4,0.6"]
        parameters = ",".join(f"{name}={value}" for name, value in needed.items())
        texts = []
        for given in (f"{old}=4", "regularization=0.25"):
            done = CliRunner().invoke(main, [*command, f"{kind.__name__}:{given},{parameters}".rstrip(",")])
            texts.append(done)
        if needed:  # `play` shows no contexts
            assert all("context" in done.stderr for done in texts)
        else:
            assert [done.exit_code for done in texts] == [0, 0]
            assert texts[0].stdout == texts[1].stdout
        assert f"sidelight: note: {old} is now regularization" in texts[0].stderr
        assert "regularization" not in texts[1].stderr


def test_an_unknown_name_is_still_refused():
    with warnings.catch_warnings(), pytest.raises(TypeError, match="variance"):
        BPMLeast(APPLES, variance=1.0)
