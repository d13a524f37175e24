"""PostgreSQL for the commands of the service."""

from service.conftest import postgres_server, postgres_url  # noqa: F401
