"""Whole numbers on the command line."""

import click
import pytest
from click.testing import CliRunner

from sidelight.cli import main
from sidelight.cli.numbers import COUNT, whole_number_option


@pytest.mark.parametrize("text", ["20000", "20_000", "2e4", "2E4", "2.0e4", "20000.0", "+2e4", " 20000 "])
def test_one_number_in_many_ways(text):
    assert whole_number_option(text) == 20_000


@pytest.mark.parametrize("text", ["", "x", "1.5", "1e-3", "nan", "inf", "1e999999999", "0x10", "1,000", "20k", "1/2"])
def test_what_is_not_a_whole_number(text):
    assert whole_number_option(text) is None
    with pytest.raises(click.BadParameter, match="give a whole number of at least 1, such as"):
        COUNT.convert(text, None, None)


@pytest.mark.parametrize(("text", "reason"), [("0", "at least 1"), ("-1e3", "at least 1"), ("1e19", "is too large")])
def test_numbers_out_of_range(text, reason):
    with pytest.raises(click.BadParameter, match=reason):
        COUNT.convert(text, None, None)


@pytest.mark.parametrize(
    "command",
    [
        "simulate apple-tasting CBP --horizon 2e1 --runs 2e0 --seed 1e0 --checkpoints 1e1",
        "simulate apple-tasting RandCBP:bins=1e1 --horizon 2_0 --runs 2 --workers 1e0",
        "simulate apple-tasting CBP --horizon 20 --runs 2 --checkpoints 1e0,1e1",
        "simulate apple-tasting BayesOptimal:horizon=1e2 --horizon 20 --runs 2",
        "play apple-tasting CBP --rounds 2e0 --seed 0",
        "limits apple-tasting --horizon 1e2",
    ],
)
def test_every_command_takes_them(command):
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 0, result.output
