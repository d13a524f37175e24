"""A setting that is declared is on every surface."""

import inspect
import json

import pytest
from click.testing import CliRunner

from sidelight.cli.monitor.group import monitor_command
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.settings import LIMITS, SETTINGS, Settings
from sidelight.service.settings import ALL_SCHEMA, CHANGEABLE_SCHEMA, REVIEW


@pytest.mark.parametrize("one", SETTINGS.values(), ids=SETTINGS)
def test_every_setting_is_on_every_surface(one):
    assert one.name in inspect.signature(ClassifierMonitor).parameters
    assert f"\n{one.name}\n    {one.meaning[:40]}" in ClassifierMonitor.__doc__
    assert (one.name in ALL_SCHEMA["properties"]) == one.served
    assert (one.name in CHANGEABLE_SCHEMA["properties"]) == one.changeable == (one.name in LIMITS)
    option = f"--{one.name.replace('_', '-')}"
    assert (option in CliRunner().invoke(monitor_command, ["change", "--help"]).output) == one.changeable
    if one.commanded:
        assert option in CliRunner().invoke(monitor_command, ["new", "--help"]).output


def test_settings_of_the_queue_are_described():
    assert REVIEW.keys() <= ALL_SCHEMA["properties"].keys()
    assert all(ALL_SCHEMA["properties"][name]["description"] for name in REVIEW)


def test_settings_survive_json():
    options = {"tolerance": {1: 0.1, None: 0.2}, "cap": 3, "weights": {1: 2.0}, "patience": 7, "policy": "randcbp"}
    settings = ClassifierMonitor(**options).engine.settings
    assert Settings.from_plain(json.loads(json.dumps(settings.plain()))) == settings
