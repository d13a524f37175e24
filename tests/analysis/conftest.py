"""Helpers whose assertions should explain themselves when they fail."""

import pytest

pytest.register_assert_rewrite("analysis.certificates", "analysis.comparison", "analysis.observers")
