"""Settings for all tests."""

import logging

import pytest
from hypothesis import settings

# A busy machine must not fail a test, nor a lucky draw pass it: no deadline, the same examples each time.
settings.register_profile("stonezero", deadline=None, derandomize=True)
settings.load_profile("stonezero")


@pytest.fixture(autouse=True)
def _loggers_of_ours_speak() -> None:
    """MLflow's migrations configure logging in a way that disables all loggers there are; undo that."""
    for name, logger in logging.Logger.manager.loggerDict.items():
        if name.startswith("stonezero") and isinstance(logger, logging.Logger):
            logger.disabled = False
