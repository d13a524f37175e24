"""Strategies of other packages: found by name, marked as theirs, and harmless when they are broken."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.cli import main
from sidelight.kernels import interpreted
from sidelight.simulation.blocks import SimulationBlock, origin_of_simulated_strategy
from sidelight.strategies import plugins

from .packages import MODULE, install


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder that packages are installed into."""
    place = tmp_path / "site"
    place.mkdir()
    monkeypatch.syspath_prepend(str(place))
    before = set(sys.modules)
    yield place
    for name in set(sys.modules) - before:
        if name.startswith("tiny_"):
            del sys.modules[name]


def invoke(*arguments):
    result = CliRunner().invoke(main, arguments, env={"COLUMNS": "120"})
    assert not isinstance(result.exception, AttributeError)
    return result


def test_a_strategy_of_another_package_has_its_name_everywhere(site):
    install(site, "tiny-cycle", {"Cycle": "tiny_cycle:Cycle"})
    assert sl.strategies.names(external=True) == (*sl.strategies.names(), "Cycle")
    assert "Cycle" not in sl.strategies.names()
    game = sl.games.load("apple-tasting")
    strategy = sl.strategies.Cycle(game, step=3)
    assert strategy.describe()["external"] == {"package": "tiny-cycle", "version": "0.3"}
    results = sl.simulate(strategy, sl.environments.IID([0.3, 0.7]), 10, runs=2)
    assert results.label == "Cycle(step=3) [tiny-cycle 0.3]"
    assert results.plays.tolist() == [[5, 5], [5, 5]]
    played = invoke("simulate", "apple-tasting", "Cycle:step=3", "CBP", "--horizon", "10", "--runs", "2", "--json")
    assert played.exit_code == 0, played.output
    mine, cbp = json.loads(played.stdout)["strategies"]
    assert mine["label"] == "Cycle(step=3) [tiny-cycle 0.3]"
    assert cbp["label"] == "CBP"


def test_it_is_listed_as_external(site):
    install(site, "tiny-cycle", {"Cycle": "tiny_cycle:Cycle"})
    listed = json.loads(invoke("strategies", "--json").stdout)
    assert [each["name"] for each in listed][-2:] == ["BayesOptimal", "Cycle"]
    assert listed[-1]["external"] == {"package": "tiny-cycle", "version": "0.3"}
    assert listed[-1]["parameters"]["step"]["meaning"] == "How far to go."
    assert all(each["external"] is None for each in listed[:-1])
    text = invoke("strategies").stdout
    assert text.rstrip().endswith("Guarantee: none is known.")
    assert "External: tiny-cycle 0.3." in text
    assert "external    tiny-cycle 0.3" in invoke("strategies", "Cycle").stdout
    assert "did you mean 'Cycle'?" in invoke("strategies", "cycl").output


def test_a_saved_one_is_found_again(site):
    install(site, "tiny-cycle", {"Cycle": "tiny_cycle:Cycle"})
    strategy = sl.strategies.Cycle(sl.games.load("apple-tasting"))
    strategy.act()
    data = strategy.save()
    assert sl.strategies.Strategy.load(data).act() == strategy.act()


def test_our_own_name_stays_ours(site):
    install(
        site, "tiny-clash", {"CBP": "tiny_clash:Cycle", "BayesOptimal": "tiny_clash:Cycle", "Cycle": "tiny_clash:Cycle"}
    )
    assert sl.strategies.CBP.__module__ == "sidelight.strategies.confidence_bounds.cbp"
    assert [(each.name, bool(each.problem)) for each in plugins.find_strategy_plugins()] == [
        ("BayesOptimal", True),
        ("CBP", True),
        ("Cycle", False),
    ]
    result = invoke("strategies", "--json")
    assert [each["name"] for each in json.loads(result.stdout)].count("CBP") == 1
    assert "tiny-clash 0.3 has a strategy 'CBP', a name that sidelight itself uses" in result.stderr
    assert "write tiny_clash:Cycle to use it" in result.stderr
    described = json.loads(invoke("strategies", "CBP", "--json").stdout)
    assert described["external"] is None
    with interpreted():
        played = invoke("simulate", "apple-tasting", "tiny_clash:Cycle", "CBP", "--horizon", "9", "--runs", "1")
    assert played.exit_code == 0, played.output
    assert "Cycle [tiny-clash 0.3]" in played.stdout


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("raise RuntimeError('no license today')", "RuntimeError: no license today (tiny_broken.py, line 1)"),
        ("def f(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("Cycle = 3", "'tiny_broken:Cycle' is not a subclass of sidelight.strategies.Strategy"),
        ("from sidelight.strategies import Strategy\nclass Cycle(Strategy): pass", "is not complete: write its _act"),
    ],
)
def test_one_that_cannot_be_imported_harms_nobody_else(site, module, said):
    install(site, "tiny-broken", {"Cycle": "tiny_broken:Cycle"}, module)
    install(site, "tiny-other", {"Other": "tiny_other:Cycle"})
    listed = {each["name"]: each for each in json.loads(invoke("strategies", "--json").stdout)}
    assert listed["Other"]["line"].startswith("Play the actions in turn")
    assert said in listed["Cycle"]["error"]
    assert "Cannot be used; 'sidelight strategies Cycle' says why." in invoke("strategies").stdout
    for command in (["strategies", "Cycle"], ["simulate", "apple-tasting", "Cycle", "--horizon", "5", "--runs", "1"]):
        result = invoke(*command)
        assert result.exit_code == 2
        assert said in result.output
        assert "tiny-broken 0.3" in result.output
    with pytest.raises(plugins.PluginError, match="tell its authors, or uninstall it"):
        sl.strategies.Cycle  # noqa: B018
    assert getattr(sl.strategies, "Cycle", None) is None
    assert sl.strategies.Other.__name__ == "Cycle"


def test_two_packages_with_one_name(site):
    for name in ("tiny-one", "tiny-two"):
        install(site, name, {"Cycle": f"{name.replace('-', '_')}:Cycle"})
    words = "tiny-one 0.3 and another package have a strategy 'Cycle': uninstall one, or write tiny_one:Cycle"
    with pytest.raises(sl.SidelightError, match=words):
        sl.strategies.Cycle  # noqa: B018
    result = invoke("simulate", "apple-tasting", "Cycle", "--horizon", "5")
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    played = invoke("simulate", "apple-tasting", "tiny_two:Cycle", "--horizon", "5", "--runs", "1")
    assert "Cycle [tiny-two 0.3]" in played.stdout


def test_two_packages_with_one_class(site, tmp_path):
    """A study says which of them its name means."""
    from sidelight.studies import PlayerEntry
    from sidelight.studies.build.objects import plugin_origin_of_player

    install(site, "tiny-one", {"Cycle": "tiny_one:Cycle"})
    install(site, "tiny-two", {"Round": "tiny_one:Cycle"})
    for name, entry in (("Cycle", PlayerEntry("Cycle")), ("Round", PlayerEntry("Round", label="mine"))):
        origin = {"Cycle": "tiny-one 0.3", "Round": "tiny-two 0.3"}[name]
        assert plugins.strategy_plugin_named(name).origin == plugin_origin_of_player(entry) == origin
    assert not plugin_origin_of_player(PlayerEntry("CBP"))
    assert not plugin_origin_of_player(PlayerEntry("sequential", policy=True))
    assert plugins.strategy_plugin_named("CBP") is None
    assert plugin_origin_of_player(PlayerEntry("tiny_one:Cycle")) == "tiny-one 0.3"


def test_a_second_copy_of_a_package_is_hidden_by_the_first(site, tmp_path, monkeypatch):
    install(site, "tiny-cycle", {"Cycle": "tiny_cycle:Cycle"}, version="0.1")
    first = tmp_path / "first"
    first.mkdir()
    install(first, "Tiny_Cycle", {"Cycle": "tiny_cycle:Cycle"}, version="0.2")
    monkeypatch.syspath_prepend(str(first))
    (only,) = plugins.find_strategy_plugins()
    assert only.version == "0.2"


@pytest.mark.parametrize("name", ["cycle", "My-Cycle", "names"])
def test_names_that_no_strategy_can_have(site, name):
    install(site, "tiny-cycle", {name: "tiny_cycle:Cycle"})
    assert plugins.usable_strategy_plugins() == ()
    result = invoke("simulate", "apple-tasting", name, "--horizon", "5")
    assert result.exit_code == 2
    assert "the first a capital letter: write tiny_cycle:Cycle to use it" in " ".join(result.output.split())
    assert callable(sl.strategies.names)


def test_nothing_is_imported_before_it_is_asked_for(site):
    install(site, "tiny-cycle", {"Cycle": "tiny_cycle:Cycle"})
    assert plugins.usable_strategy_plugins() == ("Cycle",)
    assert sl.strategies.CBP(sl.games.load("apple-tasting")).act() in (0, 1)
    assert "tiny_cycle" not in sys.modules
    with pytest.raises(AttributeError, match="no attribute 'Unknown'"):
        sl.strategies.Unknown  # noqa: B018
    assert "tiny_cycle" not in sys.modules


def test_a_worker_with_another_version_of_the_package_refuses(site):
    """What is sent to a cluster says which version it is of."""
    install(site, "tiny-cycle", {"Cycle": "tiny_cycle:Cycle"})
    game = sl.games.load("apple-tasting")
    world = sl.environments.IID([0.3, 0.7])
    cycle = sl.strategies.Cycle(game)
    block = SimulationBlock(cycle, world, 10, 0, (10,), 0, 2, origin_of_simulated_strategy(cycle))
    assert block.perform()[1].tolist() == [[5, 5], [5, 5]]
    with pytest.raises(
        sl.SidelightError, match=r"of tiny-cycle 0\.3 instead of tiny-cycle 0\.4: install the same version"
    ):
        replace(block, origin="tiny-cycle 0.4").perform()


@pytest.mark.slow
def test_a_package_that_pip_installs(tmp_path):
    """A project of its own, built and installed elsewhere, plays from another process."""
    project, target = tmp_path / "project", tmp_path / "target"
    project.mkdir()
    (project / "tiny_pip.py").write_text(MODULE)
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "tiny-pip"\nversion = "1.2"\n'
        '[project.entry-points."sidelight.strategies"]\nCycle = "tiny_pip:Cycle"\n'
        '[tool.hatch.build.targets.wheel]\ninclude = ["tiny_pip.py"]\n'
    )
    offline = ["--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "-q"]
    pip = [sys.executable, "-m", "pip", "install", *offline, "--target", str(target), str(project)]
    subprocess.run(pip, check=True, capture_output=True, timeout=300)
    program = (
        "import sidelight as sl; game = sl.games.load('apple-tasting');"
        "r = sl.simulate(sl.strategies.Cycle(game), sl.environments.IID([0.3, 0.7]), 50, runs=2);"
        "print(r.label, r.plays.tolist())"
    )
    environment = os.environ | {"PYTHONPATH": str(target)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "Cycle [tiny-pip 1.2] [[25, 25], [25, 25]]\n"
