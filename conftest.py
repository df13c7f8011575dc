"""Warnings are errors in each test and doctest, whatever the plugins of whoever runs them warn of elsewhere."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Called by pytest."""
    for item in items:
        item.add_marker(pytest.mark.filterwarnings("error"), append=False)  # first, so that a test's own marks win
