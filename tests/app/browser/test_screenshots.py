from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from benchmarks.screenshots import SHOTS, take


@pytest.mark.slow
def test_one_picture_of_each_tab_is_taken(browser: Browser, address: str, tmp_path: Path) -> None:
    paths = take(browser, address, tmp_path)
    assert [path.stem for path in paths] == [f"page-{name}" for name in SHOTS]
    for path in paths:
        with Image.open(path) as picture:
            assert picture.width == 1200
            assert len(picture.convert("RGB").getcolors(2**24) or []) > 20  # more than an empty page
