"""What all tests share."""

import pytest

from sidelight.tasks import local


@pytest.fixture(scope="session", autouse=True)
def work_in_this_process():
    """Let threads perform tasks however long they take, but for those that test processes, which take long to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "_WORTHWHILE", float("inf"))
        yield
