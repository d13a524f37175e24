"""Rules for kernels that can be seen in their text."""

import ast
import inspect
import textwrap

import sidelight as sl
from sidelight.kernels.functions import recorded

PLAYED = ("sidelight.environments", "sidelight.optimization", "sidelight.simulation", "sidelight.strategies")


def whole_powers(function):
    """Return the lines that raise something to a whole power, which compiled code rounds as a product."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    powers = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]
    return [ast.unparse(each) for each in powers if isinstance(getattr(each.right, "value", None), int)]


def test_kernels_multiply_in_place_of_whole_powers():
    assert all(getattr(sl.strategies, name) for name in sl.strategies.names())  # imports them
    kernels = [each for each in recorded if each.__module__.startswith(PLAYED)]
    assert len(kernels) > 300
    assert {
        f"{each.__module__}.{each.__qualname__}": whole_powers(each) for each in kernels if whole_powers(each)
    } == {}


def squared(x):
    return x**2 + x**0.5


def test_a_whole_power_is_found():
    assert whole_powers(squared) == ["x ** 2"]
