from __future__ import annotations

import pytest

from service.webhooks.receiver import Receiver


@pytest.fixture
def receiver():
    """A receiver on loopback."""
    receiver = Receiver()
    yield receiver
    receiver.close()
