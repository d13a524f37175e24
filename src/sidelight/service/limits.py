"""Limits on what clients may send, how long they may take, and how often they may come."""

from __future__ import annotations

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None  # type: ignore[assignment]

# Bodies.
BODY = 8 << 20
"""Maximum size of a body in bytes."""
SMALL_BODY = 512 << 10
"""The same where no batches are sent."""
PARTS = 500_000
"""Maximum number of brackets and colons in JSON, texts included: each array, object and key takes memory."""
FIELDS = 50
"""Maximum number of fields of a body or of one of its rows."""
BATCH = 1_000
"""Maximum number of predictions or answers in one request."""
FORM, FORM_FIELDS = 64 << 10, 1_000
"""Maximum size of a form in bytes, and number of its fields."""
PLACES = 100
"""How many mistakes in a body are listed."""

# Connections.
HEAD = 64 << 10
"""Maximum size of the head of a request in bytes."""
PATIENCE = 20.0
"""Seconds within which a head must arrive, and a body, which gets more as it comes."""
SLOWEST = 32 << 10
"""Bytes of a body that give it one more second."""
KEEP_ALIVE = 30
"""Seconds for which a connection stays open between requests."""
GRACE = 20.0
"""Seconds that accepted requests may take after the signal to stop."""
ACCEPTED_AT_ONCE = 32
"""How many connections are accepted before it is checked how many there are; far fewer than spare files."""
_CONNECTIONS = 1_000
_SPARE_FILES = 128


def most_connections() -> int:
    """Return how many connections a process may have: some of the files that it may open are for the database."""
    if resource is None:
        return _CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _CONNECTIONS if files == resource.RLIM_INFINITY else max(16, min(_CONNECTIONS, files - _SPARE_FILES))


# Tries to sign in, or to use a link.
SIGN_INS = (1.0, 20.0)
"""From one address: per second, and at once."""
SIGN_INS_AS = (0.25, 5.0)
"""From one address for one name: per second, and at once."""
SIGN_IN_PATIENCE = 10.0
"""Seconds that a try may have to wait; more tries are refused."""
