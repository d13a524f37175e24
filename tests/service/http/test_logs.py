import json
import logging

from sidelight.service.http.logs import JSONLogFormatter, OncePerMinuteLogFilter


def test_a_line_is_one_line_whatever_is_logged():
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "a\nb %s \ud800", ("\u2028",), None)
    try:
        raise ValueError("c\nd")
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    line = JSONLogFormatter().format(record)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["message"] == "a\nb \u2028 \ud800"
    assert "c\nd" in json.loads(line)["traceback"]


def record(text, *values, level=logging.WARNING, error=None):
    return logging.LogRecord("x", level, "f", 1, text, values, None if error is None else (type(error), error, None))


def test_one_failure_of_a_kind_is_written_per_minute_with_the_number_of_others():
    now = 0.0
    seldom = OncePerMinuteLogFilter(lambda: now)
    assert [seldom.filter(record("lost %s", n)) for n in range(5)] == [True] + [False] * 4
    assert seldom.filter(record("found %s", 1))
    assert seldom.filter(record("lost %s", 1, error=ValueError()))
    assert seldom.filter(record("lost %s", 1, error=OSError()))
    assert all(seldom.filter(record("request", level=logging.INFO)) for _ in range(5))
    now = 60.0
    again = record("lost %s", 9)
    assert seldom.filter(again)
    assert json.loads(JSONLogFormatter().format(again))["left_out"] == 4
    assert not seldom.filter(record("lost %s", 9))


def test_kinds_that_differ_in_every_line_do_not_fill_the_memory():
    seldom = OncePerMinuteLogFilter(lambda: 0.0)
    assert all(seldom.filter(record(f"lost {n}")) for n in range(5_000))
    assert len(seldom._seen) <= 1_000
