"""The command line as a whole: help, errors, exit codes, pipes and interrupts."""

import os
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

import sidelight
from sidelight.cli import main

HEAVY = ("numba", "scipy", "numpy", "matplotlib", "highspy", "rich")


def invoke(*arguments, **environment):
    return CliRunner().invoke(main, arguments, env=environment)


def run(*arguments, **options):
    command = [sys.executable, "-m", "sidelight", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)


def test_help_says_what_there_is():
    result = invoke("--help")
    assert result.exit_code == 0
    for word in ("games", "analyze", "--version"):
        assert word in result.output
    assert invoke("-h").output == result.output


def test_without_arguments_it_helps():
    assert invoke().exit_code == 0
    assert invoke().output == invoke("--help").output


def test_version():
    assert invoke("--version").output == f"sidelight {sidelight.__version__}\n"


@pytest.mark.parametrize("name", list(main.commands_in))
def test_every_command_explains_itself_as_the_list_does(name):
    result = invoke(name, "--help")
    assert result.exit_code == 0
    command = main.get_command(None, name)
    assert command.help.startswith(main.commands_in[name][1])
    assert all(option.help for option in command.params if option.param_type_name == "option")


@pytest.mark.parametrize("columns", ["60", "80"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["games", "--help"],
        ["analyze", "--help"],
        ["serve", "--help"],
        ["admin", "--help"],
        ["admin", "key", "create", "--help"],
        ["admin", "export", "--help"],
    ],
)
def test_help_fits(columns, arguments):
    result = run(*arguments, env=os.environ | {"COLUMNS": columns})
    assert max(map(len, result.stdout.splitlines())) <= int(columns)
    assert result.stdout.isascii()
    assert "\b" not in result.stdout


def test_help_imports_nothing_heavy():
    script = (
        "import sys\nfrom sidelight.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules] + "
        "[name for name in sys.modules if name.startswith('sidelight.') and 'cli' not in name])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.splitlines()[-1] == "['sidelight._lazy', 'sidelight._version', 'sidelight.errors']"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["analyse"], ["there is no command 'analyse'", "did you mean 'analyze'?"]),
        (["game"], ["did you mean 'games'?"]),
        (["qqqq"], ["there is no command 'qqqq'", "the commands are games, strategies, analyze"]),
        (["--nope"], ["no such option", "--nope", "see 'sidelight --help'"]),
        (["games", "--nope"], ["no such option", "see 'sidelight games --help'"]),
        (["analyze"], ["missing argument 'NAME|FILE'", "see 'sidelight analyze --help'"]),
        (["analyze", "bartok", "again"], ["unexpected extra argument"]),
    ],
)
def test_wrong_usage_is_one_line_on_stderr(arguments, parts):
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("sidelight: error: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes close differently")
def test_a_closed_pipe_is_silent():
    script = f"{sys.executable} -m sidelight games | head -n 1"
    result = subprocess.run(script, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout.startswith("name")
    assert result.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_said_once():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "sidelight", "games"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert result.stderr == "sidelight: error: no space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_an_interrupt_is_quiet():
    script = (
        "import os, signal\nimport sidelight.games\nfrom sidelight.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sidelight.games.names = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
        "main(['games'])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 128 + signal.SIGINT
    assert result.stdout == ""
    assert result.stderr.strip() == ""


def test_letters_that_the_terminal_lacks_stop_nothing():
    result = run("games", "bartok", env=os.environ | {"PYTHONIOENCODING": "iso8859-5"})
    assert result.returncode == 0
    assert result.stdout.startswith("Bart\\xf3k")


def test_errors_can_be_left_to_the_caller():
    with pytest.raises(sidelight.SidelightError, match="no game"):
        main(["games", "nothing-like-it"], standalone_mode=False)
