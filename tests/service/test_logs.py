import json
import logging

from sidelight.service.logs import JSONFormatter


def test_a_line_is_one_line_whatever_is_logged():
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "a\nb %s \ud800", ("\u2028",), None)
    try:
        raise ValueError("c\nd")
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    line = JSONFormatter().format(record)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["message"] == "a\nb \u2028 \ud800"
    assert "c\nd" in json.loads(line)["traceback"]
