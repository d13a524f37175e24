"""Databases of the commands are in memory, as those of the service are."""

from service.conftest import quick_passwords, tmp_path  # noqa: F401
