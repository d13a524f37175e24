"""The pictures of the service in the documentation are those of its present pages."""

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "make_service_screenshots.py"


def test_the_pictures_are_up_to_date():
    spec = importlib.util.spec_from_file_location("make_service_screenshots", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.DIGEST.read_text(encoding="ascii").strip() == module.digest(), "run `make screenshots`"
