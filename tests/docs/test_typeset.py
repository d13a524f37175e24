"""Formulas of docstrings are written for TeX where they are formulas, and nowhere else."""

import importlib
from pathlib import Path

import pytest

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"


@pytest.fixture(scope="module")
def typeset():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXTENSIONS))
        yield importlib.import_module("typeset").typeset


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("with n_a < c sqrt(log t);", r"with $n_{a} < c \sqrt{\log  t}$;"),
        ("a law (p, 1 - p) of a game", "a law (p, 1 - p) of a game"),
        ("the width `alpha_t` of it", "the width `alpha_t` of it"),
        ("it costs T^(2/3) in sum", "it costs $T^{2/3}$ in sum"),
        ("lambda, the prior; Polya-Gamma, tau-detection", r"$\lambda$, the prior; Polya-Gamma, tau-detection"),
        ("the largest |v_I| (the c_a add a term)", r"the largest $\lvert v_{I}\rvert$ (the $c_{a}$ add a term)"),
        ("- one n_a\n- two p_hat", "- one $n_{a}$\n- two $\\hat{p}$"),
        ("KL(S_a p | S_a q) <= 1", r"$\text{KL}(S_{a} p \mid  S_{a} q) \le  1$"),
    ],
)
def test_running_text(typeset, written, shown):
    assert typeset(written) == shown


def test_indented_lines_are_formulas_of_their_own(typeset):
    text = typeset("As in\n\n    G_a = sum x x',     x is the largest.\n\nit is.")
    assert text == (
        "As in\n\n$$\n\\begin{array}{l}\nG_{a} = \\sum  x x^{\\top}, \\\\\nx\\text{\xa0is the largest}.\n"
        "\\end{array}\n$$\n\nit is."
    )
