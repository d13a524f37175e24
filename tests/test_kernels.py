"""The layer that runs one text both compiled and interpreted.

What concerns the disk cache, settings read at start-up or a missing Numba runs in processes of its own, on a throw-away
package that consists of a copy of `sidelight.kernels` and the toy strategies below.
"""

import gc
import json
import math
import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from sidelight import kernels
from sidelight.kernels import generic, implements, inlining, interpreted, kernel, large_kernel, loop, loops
from sidelight.kernels.digest import code_digest

BASE = """
    import math
    from sidelight.kernels import generic, kernel, loop

    act = generic("act", ("parameters", "state", "rng"))
    observe = generic("observe", ("parameters", "state", "action", "symbol"))

    @kernel
    def width(state, action):
        'Return a width.'
        return math.sqrt(math.log(2.0 + state.plays[0] + state.plays[1]) / state.plays[action])

    @loop
    def play(parameters, state, world, rng, horizon, chance, out):
        hits = 0
        for t in range(horizon):
            action = act(parameters, state, rng)
            symbol = 1 if world.random() < chance[action] else 0
            observe(parameters, state, action, symbol)
            hits += symbol
            out[t] = state.sums[action] / state.plays[action]
        return hits
"""
STRATEGY = """
    from typing import NamedTuple
    import numpy as np
    from sidelight.kernels import implements
    from BASE import act, observe, width

    class State(NamedTuple):
        plays: np.ndarray
        sums: np.ndarray

    class Parameters(NamedTuple):
        scale: float
        offsets: np.ndarray

    @implements(act, Parameters)
    def _act(parameters, state, rng):
        best, value = 0, -1e300
        for action in range(state.plays.shape[0]):
            mean = state.sums[action] / state.plays[action] + parameters.offsets[action]
            index = mean + parameters.scale * BONUS
            if index > value:
                best, value = action, index
        return best

    @implements(observe, Parameters)
    def _observe(p, state, action, symbol):
        state.plays[action] += 1.0
        state.sums[action] += symbol

    def run(play, seed, horizon=300, parameters=None):
        state = State(np.ones(2), np.ones(2))
        parameters = Parameters(0.7, np.array([0.01, 0.0])) if parameters is None else parameters
        world, rng = np.random.default_rng(seed), np.random.default_rng(seed + 1)
        out = np.zeros(horizon)
        hits = play(parameters, state, world, rng, horizon, np.array([0.4, 0.6]), out)
        return [hits, out.tobytes().hex(), state.plays.tolist(), rng.random()]
"""
RED = STRATEGY.replace("BASE", "sidelight.base").replace("BONUS", "width(state, action)")
BLUE = STRATEGY.replace("BASE", "sidelight.base").replace(
    "BONUS", "(rng.normal() + rng.exponential() + rng.beta(1.5, 2.0))"
)
SCRIPT = """
    import json, sys, os
    from sidelight import kernels
    from sidelight.base import play
    report = {"same": [], "early": "numba" in sys.modules}
    for name in sys.argv[1:]:
        module = __import__(name, fromlist=["run"])
        report["same"].append(all(module.run(play, seed) == module.run(play.python, seed) for seed in range(3)))
        report[name] = module.run(play, 0)
    stats = [one.stats for one in play.dispatchers]
    report["hits"] = [sum(one.cache_hits.values()) for one in stats]
    report["misses"] = [sum(one.cache_misses.values()) for one in stats]
    report["paths"] = [one.cache_path for one in stats]
    report["counting"] = play.uses_reference_counting
    directory = kernels.cache_directory()
    report["directory"] = None if directory is None else str(directory)
    if "numba" in sys.modules:
        report["user"] = sys.modules["numba"].config.CACHE_DIR
    print(json.dumps(report))
"""


class Lab:
    """A throw-away copy of the package in a folder of its own."""

    def __init__(self, folder: Path, original: "Lab | None" = None) -> None:
        self.folder = folder
        self.package = folder / "lib" / "sidelight"
        self.cache = folder / "cache"
        if original is not None:
            shutil.copytree(original.folder, folder, dirs_exist_ok=True)
            return
        self.package.mkdir(parents=True)
        (self.package / "__init__.py").touch()
        shutil.copytree(Path(kernels.__file__).parent, self.package / "kernels")
        for name, text in {"base": BASE, "red": RED, "blue": BLUE}.items():
            (self.package / f"{name}.py").write_text(textwrap.dedent(text))

    def python(self, script, *args, **settings):
        """Run a script in a new process; return the completed process, which succeeded."""
        done = self.attempt(script, *args, **settings)
        assert done.returncode == 0, done.stderr
        return done

    def attempt(self, script, *args, **settings):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "SIDELIGHT_", "PYTHON", "COV"))}
        kept |= {"PYTHONPATH": str(self.folder / "lib"), "SIDELIGHT_CACHE_DIR": str(self.cache)} | settings
        command = [sys.executable, "-c", textwrap.dedent(script), *args]
        return subprocess.run(command, cwd=self.folder, env=kept, capture_output=True, text=True, timeout=120)

    def report(self, *modules, **settings):
        return json.loads(self.python(SCRIPT, *modules, **settings).stdout)

    def files(self):
        return {path: path.stat().st_mtime_ns for path in self.cache.rglob("*.nb?")}


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path)


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A package whose red and blue loops were compiled by two processes that knew nothing of each other."""
    lab = Lab(tmp_path_factory.mktemp("warm"))
    first = [lab.report("sidelight.red"), lab.report("sidelight.blue")]
    return lab, first


@pytest.fixture
def copied(warm, tmp_path):
    """A copy of it, to be edited, and what the red strategy played."""
    lab, first = warm
    return Lab(tmp_path, lab), first[0]


@pytest.fixture
def compiling(monkeypatch):
    """Let loops compile even when the suite as a whole runs interpreted."""
    monkeypatch.delenv("SIDELIGHT_JIT", raising=False)
    if not kernels.compiled_available():
        pytest.skip("Numba is missing or switched off")


class Up(NamedTuple):
    step: float
    cells: np.ndarray


class Down(NamedTuple):
    step: float
    cells: np.ndarray


move = generic("move", ("parameters", "rng"))


@implements(move, Up)
def _up(parameters, rng):
    return parameters.step * rng.random()


@implements(move, Down)
def _down(p, generator):
    return -p.step * generator.random()


@kernel
def add(parameters, place, amount=1.0):
    parameters.cells[place] += amount


@loop
def walk(parameters, rng, steps, out):
    for step in range(steps):
        add(parameters, step % parameters.cells.shape[0], move(parameters, rng))
    add(parameters, 0)
    for place in range(parameters.cells.shape[0]):
        out[place] = math.exp(parameters.cells[place])


def walked(run, cls, steps=50):
    out = np.zeros(3)
    run(cls(0.1, np.zeros(3)), np.random.default_rng(7), steps, out)
    return out.tolist()


def test_kernels_and_implementations_stay_plain_functions():
    assert type(add) is type(_up) is type(walked)
    assert move(Down(2.0, np.zeros(1)), np.random.default_rng(0)) == -2.0 * np.random.default_rng(0).random()


@pytest.mark.parametrize("cls", [Up, Down])
def test_compiled_and_interpreted_agree_bit_for_bit(cls, compiling):
    assert walked(walk, cls) == walked(walk.python, cls)
    assert walk.uses_reference_counting is False


def test_a_large_kernel_is_called_and_gives_the_same(compiling):
    def twice(value):
        return value * 1.1 + value / 3.0

    inlined = code_digest(twice, ())
    assert loops._kernel_options(twice)["pipeline_class"] is inlining.kernel_compiler(True)
    assert large_kernel(twice) is twice
    assert loops._kernel_options(twice)["pipeline_class"] is inlining.kernel_compiler(False)
    assert code_digest(twice, ()) != inlined

    class Large(NamedTuple):
        step: float
        cells: np.ndarray

    @implements(move, Large)
    def _large(parameters, rng):
        return twice(parameters.step) + twice(rng.random())

    assert walked(walk, Large) == walked(walk.python, Large)


def test_a_class_without_implementation_is_named_in_both_modes(compiling):
    class Sideways(NamedTuple):
        step: float
        cells: np.ndarray

    for run in (walk, walk.python):
        with pytest.raises(TypeError, match=r"move is not implemented for .*Sideways; it is for .*Down, .*Up"):
            walked(run, Sideways)


def test_implementations_of_one_function_take_the_same_number_of_arguments():
    class Short(NamedTuple):
        step: float

    with pytest.raises(TypeError, match=r"must take 2 arguments \(parameters, rng\)"):
        implements(move, Short)(lambda parameters: 0.0)
    with pytest.raises(ValueError, match="already implemented"):
        implements(move, Up)(_down)
    with pytest.raises(TypeError, match="named tuples only"):
        implements(move, dict)


def test_what_is_recorded_after_a_compilation_is_known_to_the_next(compiling):
    walked(walk, Up)

    @kernel
    def late(value):
        return 2.0 * value

    class Late(NamedTuple):
        step: float
        cells: np.ndarray

    @implements(move, Late)
    def _late(parameters, rng):
        return late(parameters.step)

    assert walked(walk, Late) == walked(walk.python, Late)


def test_interpreted_switches_compilation_off_and_on_again(compiling):
    @loop
    def count(out):
        out[0] += 1

    out = np.zeros(1)
    with interpreted(), interpreted():
        assert not kernels.compiled_available()
        count(out)
    assert count.uses_reference_counting is None
    count(out=out)
    assert count.uses_reference_counting is False
    assert out[0] == 2.0


def test_a_loop_that_allocates_falls_back_to_reference_counting(compiling):
    @loop
    def allocate(out):
        scratch = np.zeros(2)
        scratch[0] = 3.0
        out[0] = scratch[0]

    @loop
    def rows(table):
        return table[1], 1

    out = np.zeros(1)
    allocate(out)
    assert out[0] == 3.0
    assert allocate.uses_reference_counting
    # Without reference counting Numba 0.68 returns the whole table here.
    assert rows(np.eye(2))[0].tolist() == [0.0, 1.0]
    assert rows.uses_reference_counting


def test_two_threads_may_call_a_loop_that_is_not_compiled_yet(compiling):
    @loop
    def total(rng, rounds, out):
        for _ in range(rounds):
            out[0] += rng.random()

    start = threading.Barrier(4)
    outs = [np.zeros(1) for _ in range(4)]

    def work(out):
        start.wait()
        total(np.random.default_rng(1), 1000, out)

    threads = [threading.Thread(target=work, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({out[0] for out in outs}) == 1
    assert len(total.dispatchers) == 1


def test_compiled_loops_release_the_interpreter(compiling):
    @loop
    def wait(flags, rng, patience):
        flags[0] = 1.0
        for _ in range(patience):
            flags[1] += rng.random()  # a call that the compiler cannot see through, so flags[2] is read each time
            if flags[2] == 1.0:
                return 1
        return 0

    rng = np.random.default_rng(0)
    wait(np.zeros(3), rng, 1)
    flags, seen = np.zeros(3), []
    thread = threading.Thread(target=lambda: seen.append(wait(flags, rng, 2_000_000_000)))
    thread.start()
    while flags[0] == 0.0 and thread.is_alive():
        time.sleep(0.001)
    flags[2] = 1.0  # possible before the loop ends only if it does not hold the interpreter
    thread.join()
    assert seen == [1]
    assert wait.dispatchers[0].targetoptions["nogil"]


@pytest.mark.slow
def test_importing_the_module_imports_no_numba(lab):
    script = "import sys, sidelight.red; print(sorted({'numba', 'scipy'} & set(sys.modules)))"
    assert lab.python(script).stdout.strip() == "[]"


@pytest.mark.slow
def test_classes_of_equal_names_in_two_modules_are_told_apart_even_from_the_cache(warm):
    lab, first = warm
    before = lab.files()
    third = lab.report("sidelight.red", "sidelight.blue")
    assert all(one["same"] == [True] and one["misses"] == [1] and not one["early"] for one in first)
    assert third["same"] == [True, True]
    assert third["sidelight.red"] == first[0]["sidelight.red"] != third["sidelight.blue"] == first[1]["sidelight.blue"]
    assert (third["hits"], third["misses"]) == ([1, 1], [0, 0])
    assert third["counting"] is False
    assert lab.files() == before


@pytest.mark.slow
def test_the_cache_lies_in_the_chosen_folder_and_the_users_setting_stays(warm, tmp_path):
    lab, _ = warm
    own = str(tmp_path / "own")
    report = lab.report("sidelight.red", NUMBA_CACHE_DIR=own)
    assert Path(report["directory"]) == lab.cache / "sidelight"
    assert all(Path(path).parent == lab.cache / "sidelight" for path in report["paths"])
    assert all(len(Path(path).name) == 16 for path in report["paths"])
    assert report["hits"] == [1]
    assert report["user"] == own
    assert not Path(own).exists()


def rewrite(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()  # Python takes an edit within one second that leaves the size as it was for no edit


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("base.py", "2.0 + state", "9.0 + state"),  # a constant of a helper in another file
        ("red.py", "import act, observe, width", "import act, observe\nfrom sidelight.other import width"),
        ("red.py", "state.sums[action] += symbol", "state.sums[action] += 2 * symbol"),  # an implementation
    ],
)
@pytest.mark.slow
def test_an_edit_of_anything_a_loop_reaches_compiles_it_again(copied, file, old, new):
    lab, before = copied
    (lab.package / "other.py").write_text((lab.package / "base.py").read_text().replace("2.0 + state", "5.0 + state"))
    rewrite(lab.package / file, old, new)
    after = lab.report("sidelight.red")
    assert Path(*after["paths"]).name != Path(*before["paths"]).name
    assert after["sidelight.red"] != before["sidelight.red"]
    assert after["same"] == [True]
    assert after["misses"] == [1]


@pytest.mark.slow
def test_a_global_constant_is_part_of_the_code(lab):
    rewrite(lab.package / "base.py", "2.0 + state", "OFFSET + state")
    rewrite(lab.package / "base.py", "act = generic", "OFFSET = 2.0\nact = generic")
    before = lab.report("sidelight.red")
    rewrite(lab.package / "base.py", "OFFSET = 2.0", "OFFSET = 9.0")
    after = lab.report("sidelight.red")
    assert after["same"] == [True]
    assert (after["misses"], after["hits"]) == ([1], [0])
    assert after["sidelight.red"] != before["sidelight.red"]


@pytest.mark.slow
def test_edits_that_no_loop_reaches_leave_it_compiled(copied):
    lab, _ = copied
    base, red, blue = (lab.package / f"{name}.py" for name in ("base", "red", "blue"))
    for path in (base, red):
        path.write_text("# A comment, and lines that move.\n\n" + path.read_text() + "\nCAPTION = 'new'\n")
    rewrite(base, "'Return a width.'", "'Return another docstring.'")
    rewrite(blue, "2.0", "3.0")  # of a strategy that does not play
    report = lab.report("sidelight.red")
    assert (report["hits"], report["misses"], report["same"]) == ([1], [0], [True])


@pytest.mark.slow
def test_a_strategy_from_outside_is_cached_too(lab):
    mine = lab.folder / "lib" / "mine.py"
    mine.write_text((lab.package / "red.py").read_text())
    first, second = lab.report("mine"), lab.report("mine")
    assert (first["same"], first["misses"]) == ([True], [1])
    assert (second["hits"], second["mine"]) == ([1], first["mine"])
    rewrite(mine, "state.sums[action] += symbol", "state.sums[action] += 2 * symbol")
    third = lab.report("mine")
    assert (third["same"], third["misses"]) == ([True], [1])
    assert third["mine"] != first["mine"]


def test_a_loop_that_names_an_unknown_object_has_no_digest():
    """Nobody can tell whether it is still the same in the next process, so the loop is compiled but not cached."""
    known, unknown = (0.5, np.arange(3)), object()
    assert code_digest(lambda: known, ()) == code_digest(lambda: known, ())
    assert code_digest(lambda: unknown, ()) is None


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_no_obstacle(lab):
    lab.cache.write_text("a file where a folder should be")
    report = lab.report("sidelight.red")
    assert report["same"] == [True]
    assert report["paths"] == [None]


@pytest.mark.slow
def test_a_damaged_cache_is_no_obstacle(copied):
    lab, _ = copied
    for path in lab.files():
        path.write_bytes(b"rubbish")
    report = lab.report("sidelight.red")
    assert (report["same"], report["counting"]) == ([True], False)


@pytest.mark.slow
def test_folders_that_nobody_used_for_a_month_go_and_nothing_else_does(lab):
    home = lab.cache / "sidelight"
    ages = {"0" * 16: 40, "1" * 16: 20, "0" * 16 + "-" + "f" * 32: 40, "notes": 40, "e" * 16: 0}
    for name, days in ages.items():
        (home / name).mkdir(parents=True)
        (home / name / "file").touch()
        then = time.time() - 86_400 * days
        os.utime(home / name, (then, then))
    (path,) = lab.report("sidelight.red")["paths"]
    assert {each.name for each in home.iterdir()} == {Path(path).name, "1" * 16, "notes", "e" * 16}


@pytest.mark.slow
def test_bounds_are_checked_on_request_even_with_a_warm_cache(warm):
    lab, _ = warm
    script = """
        import numpy as np
        from sidelight.base import play
        from sidelight.red import Parameters, State, run
        run(play, 0)
        print("within bounds")
        out = np.zeros(300)[:20]
        rng = np.random.default_rng(0)
        play(Parameters(0.7, np.zeros(2)), State(np.ones(2), np.ones(2)), rng, rng, 21, np.array([0.4, 0.6]), out)
        print("overrun unnoticed")
    """
    assert "overrun unnoticed" in lab.python(script).stdout
    checked = lab.attempt(script, NUMBA_BOUNDSCHECK="1")
    assert checked.stdout.strip() == "within bounds"
    assert "IndexError" in checked.stderr


@pytest.mark.parametrize("name", ["SIDELIGHT_JIT=0", "NUMBA_DISABLE_JIT=1"])
@pytest.mark.slow
def test_environment_variables_switch_compilation_off(warm, name):
    lab, first = warm
    script = """
        import sys, warnings
        warnings.simplefilter("error")
        from sidelight.base import play
        from sidelight.red import run
        print(run(play, 0)[0], "numba" in sys.modules, play.dispatchers)
    """
    key, value = name.split("=")
    assert lab.python(script, **{key: value}).stdout.split() == [str(first[0]["sidelight.red"][0]), "False", "()"]


@pytest.mark.parametrize("problem", ["SystemError('built for another NumPy')"])
@pytest.mark.slow
def test_without_numba_loops_run_and_warn_once(lab, problem):
    (lab.folder / "lib" / "numba.py").write_text(f"raise {problem}\n")
    script = """
        import warnings
        from sidelight import kernels
        from sidelight.base import play
        from sidelight.red import run
        assert not kernels.compiled_available()
        assert kernels.cache_directory() is None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with kernels.interpreted():
                run(play, 0)
            assert not caught
            assert run(play, 0) == run(play, 0) == run(play.python, 0)
        print(len(caught), caught[0].category.__name__, caught[0].message)
    """
    said = lab.python(script).stdout
    assert said.startswith("1 UserWarning Numba cannot be imported")
    assert "slower" in said


@pytest.mark.slow
def test_kernels_are_compiled_as_parts_of_loops_only_and_any_other_way_gives_the_same(warm, tmp_path):
    lab, first = warm
    script = """
        import sys
        from sidelight.kernels import inlining
        if sys.argv[1] == "whole":
            inlining.kernel_compiler = lambda inlined: None
        from sidelight.base import play
        from sidelight.red import run
        result = run(play, 0)
        print(inlining.kernel_compiler(True) is not None, result == run(play.python, 0), result[0])
    """
    hits = first[0]["sidelight.red"][0]
    for way, lighter in (("parts", True), ("whole", False)):
        said = lab.python(script, way, SIDELIGHT_CACHE_DIR=str(tmp_path / way)).stdout.split()
        assert said == [str(lighter), "True", str(hits)]


def test_an_unknown_numba_compiles_kernels_its_own_way(monkeypatch):
    codegen = pytest.importorskip("numba.core.codegen")
    compiler = inlining.kernel_compiler.__wrapped__
    assert compiler(True) is not None
    monkeypatch.delattr(codegen.CPUCodeLibrary, "_optimize_final_module")
    assert compiler(True) is None


def test_what_inlined_and_called_kernels_share_is_compiled_once(compiling, monkeypatch, tmp_path):
    event = pytest.importorskip("numba.core.event")
    monkeypatch.setenv("SIDELIGHT_CACHE_DIR", str(tmp_path))

    @kernel
    def shared(x):
        return 2.0 * x

    @kernel
    def inlined(x):
        return shared(x) + 1.0

    @large_kernel
    def apart(x):
        return shared(x) + 3.0

    @loop
    def both(x):
        return inlined(x) * apart(x)

    with event.install_recorder("numba:compile") as recorder:
        assert both(1.0) == 15.0
    compiled = [one.data["dispatcher"].py_func.__name__ for _, one in recorder.buffer if one.is_start]
    assert sorted(name for name in compiled if name in ("shared", "inlined", "apart")) == ["apart", "inlined", "shared"]


@pytest.mark.parametrize("threshold", [(700, 10, 10), (0, 10, 10), (10**6, 100, 100)])
def test_compiling_leaves_the_garbage_collector_as_it_was(threshold):
    before = gc.get_threshold()
    try:
        gc.set_threshold(*threshold)
        with loops._rare_collections():
            assert gc.get_threshold()[0] == (threshold[0] and max(threshold[0], 50_000))
        assert gc.get_threshold() == threshold
    finally:
        gc.set_threshold(*before)
