"""conf/serve: the published values, and one sentence for each that is impossible."""

import pytest

from stonezero.app.settings import SETTINGS_FILE, load_settings
from stonezero.errors import UserError
from tests.app.conftest import ROOT

FILE = ROOT / SETTINGS_FILE


def test_defaults_are_the_published_ones_and_loopback() -> None:
    settings = load_settings(FILE)
    assert settings.host == "127.0.0.1"
    assert (settings.simulations, settings.temperature) == (100, 0.05)
    assert (settings.search_seconds, settings.response_seconds) == (1.0, 3.0)
    assert settings.inference.device == "cpu"


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("port=x", "port"),
        ("port=70000", "port is 70000"),
        ("prot=1", "prot"),
        ("slots=0", "slots is 0"),
        ("temperature=nan", "temperature is nan"),
        ("simulations=2000", "simulations must not be above max_simulations"),
        ("search_seconds=2.9", "search_seconds"),
        ("inference.backend=tensorflow", "inference.backend"),
        ("port", "write key=value"),
    ],
)
def test_impossible_settings_are_one_sentence(override: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        load_settings(FILE, [override])
    assert "\n" not in str(caught.value)


def test_a_missing_settings_file_is_named() -> None:
    with pytest.raises(UserError, match=r"nowhere\.yaml cannot be read"):
        load_settings(ROOT / "nowhere.yaml")
