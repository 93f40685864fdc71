"""Settings for all tests."""

import logging

import pytest
from hypothesis import settings

# A busy machine must not fail a test, nor a lucky draw pass it: no deadline, the same examples each time.
settings.register_profile("stonezero", deadline=None, derandomize=True)
settings.load_profile("stonezero")


@pytest.fixture(autouse=True)
def _logging_is_on() -> None:
    """Sending to MLflow switches logging off for the rest of its process; a test's process lives on."""
    logging.disable(logging.NOTSET)
