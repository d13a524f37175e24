"""Golden transcripts: the same by hand and compiled, and a change of behavior is a diff to review."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import sidelight as sl
from common.transcripts import FOLDER, PLAIN, WANTED, expected, file, is_compiled, transcript
from sidelight.kernels import compiled_available

pytestmark = pytest.mark.filterwarnings("ignore:.* no guarantee:UserWarning")


@pytest.mark.parametrize(("name", "key"), expected())
def test_transcript(name, key, regenerate):
    played = transcript(name, key, "by hand")
    if regenerate:
        file(name, key).write_text(played, encoding="utf-8")
    assert played == file(name, key).read_text(encoding="utf-8")
    if is_compiled(name, key):
        assert transcript(name, key, "compiled") == played


def test_every_strategy_has_transcripts_and_there_are_no_others():
    shown = {name for name, _ in expected()}
    assert shown == set(sl.strategies.names()) - set(PLAIN), "add games that it accepts to common/transcripts.py"
    assert {path.name for path in FOLDER.glob("*")} == {file(name, key).name for name, key in expected()}


def attempt(script, folder, **settings):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "SIDELIGHT_", "PYTHON", "COV"))}
    paths = os.pathsep.join([str(Path(sl.__file__).parent.parent), str(Path(__file__).parent.parent)])
    kept |= {"PYTHONPATH": paths, "SIDELIGHT_CACHE_DIR": str(folder / "empty")} | settings
    command = [sys.executable, "-c", textwrap.dedent(script)]
    return subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, timeout=600)


OVERRUN = """
    import os
    import sys
    import numpy as np
    from common.players import make
    from common.transcripts import STAGES, by_loop, check_compiled, outcomes_of
    if "all" in sys.argv:
        print(check_compiled(os.environ.get("CHECKED", "CBP,RandCBP").split(",")), "transcripts", flush=True)
    strategy = make("RandCBP", STAGES["bartok"][0])
    # Too short by two, but with memory behind it that is ours.
    strategy._compiled = strategy.compiled_parameters._replace(weight=np.ones(9)[:1])
    list(by_loop(strategy, outcomes_of("bartok")))
    print("overrun unnoticed")
"""


@pytest.mark.slow
def test_transcripts_stay_within_bounds(tmp_path):
    """Compiled anew with every index checked; the overrun planted at the end shows that the check is awake.

    Compiling all strategies takes minutes, so this checks the engine; CHECKED=TSPM,IDS,... names others.
    """
    if not compiled_available():
        pytest.skip("Numba is missing or switched off")
    checked = attempt(OVERRUN.replace('if "all" in sys.argv', "if True"), tmp_path, NUMBA_BOUNDSCHECK="1")
    assert checked.stdout.endswith(" transcripts\n"), checked.stderr
    assert int(checked.stdout.split()[0]) >= 2 * WANTED
    assert "IndexError" in checked.stderr
    assert checked.returncode != 0


def test_the_planted_overrun_goes_unnoticed_without_the_check():
    if not compiled_available() or os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0"):
        pytest.skip("Numba is missing or switched off, or checks bounds")
    exec(compile(textwrap.dedent(OVERRUN).replace("print(", "str("), "overrun", "exec"), {})
