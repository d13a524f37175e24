import pytest

pytest.register_assert_rewrite("common.transcripts")


def pytest_addoption(parser):
    parser.addoption(
        "--regenerate-transcripts",
        action="store_true",
        help="write tests/transcripts anew (pytest tests/common --regenerate-transcripts): review the difference",
    )


@pytest.fixture
def regenerate(request):
    # The option is unknown when the whole suite is collected from above.
    return request.config.getoption("regenerate_transcripts", default=False)
