"""Limits on what clients may send, how long they may take, and how often they may come."""

from __future__ import annotations

# Bodies.
BODY = 8 << 20
"""Maximum size of a body in bytes."""
SMALL_BODY = 512 << 10
"""The same where no batches are sent."""
PARTS = 200_000
"""Maximum number of arrays, objects and keys in JSON."""
BATCH = 1_000
"""Maximum number of predictions or answers in one request."""
DEEPEST = 50
"""How deep arrays and objects may be nested in JSON."""
FORM, FORM_FIELDS = 64 << 10, 1_000
"""Maximum size of a form in bytes, and number of its fields."""
PLACES = 100
"""How many mistakes in a body are listed."""

# Connections.
HEAD = 64 << 10
"""Maximum bytes of the request line and headers; up to one read more may arrive before they are counted."""
PATIENCE = 20.0
"""Seconds within which the request line and headers must arrive, and the body, which gets more as it comes."""
SLOWEST = 32 << 10
"""Bytes of a body that give it one more second."""
READING = 30.0
"""Seconds within which a client must read what it is sent, about 50 KB at a time."""
KEEP_ALIVE = 30
"""Seconds for which a connection stays open between requests."""
CONNECTIONS = 1_000
"""Maximum number of connections of a process; those of one address may be half of them."""
SPARE_FILES = 128
"""Open files that a process keeps for other purposes than connections, such as the database."""
ACCEPTED_AT_ONCE = 16
"""How many connections are accepted before they are looked at."""

# Tries to sign in, or to use a link.
SIGN_INS = (1.0, 20.0)
"""From one address: per second, and at once."""
SIGN_INS_AS = (0.25, 5.0)
"""From one address for one name: per second, and at once."""
SIGN_IN_PATIENCE = 10.0
"""Seconds that a try may have to wait; more tries are refused."""
