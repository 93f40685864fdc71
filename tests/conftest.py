"""Settings for all tests."""

from hypothesis import settings

# A busy machine must not fail a test, nor a lucky draw pass it: no deadline, the same examples each time.
settings.register_profile("stonezero", deadline=None, derandomize=True)
settings.load_profile("stonezero")
