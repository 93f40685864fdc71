"""python -m benchmarks.screenshots: pictures of the page for the README, docs/images/page-*.png.

Serves this checkout's models and run, plays a few moves in Chromium and takes a picture of each tab.
"""

import argparse
import re
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.serve import serving_checkout

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
MOVES = 3  #: of the person, in the game shown
LONG = 60_000  #: ms


def play(page: Page) -> None:
    """A few moves near the middle, and a hint."""
    status = page.locator("#play-status")
    for number in range(MOVES + 1):
        expect(status).to_have_text(re.compile("Your move|won|draw"), timeout=LONG)
        if "Your move" not in status.inner_text():
            return
        page.click("#play-hint")
        page.wait_for_selector("#play-hints:not([hidden])")
        if number < MOVES:
            _play_the_hint(page)


def _play_the_hint(page: Page) -> None:
    before = page.locator("#play-moves li").count()
    box = page.locator("#play-board g.mark circle").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("#play-moves li")).not_to_have_count(before)


def analyse(page: Page) -> None:
    """The same game with its value graph and the visits of the last position that goes on."""
    page.click("#play-analyse")
    expect(page.locator("#analyse-ply")).not_to_have_text("0 / 0")
    page.click("#analyse-whole")
    expect(page.locator("#analyse-whole")).to_be_enabled(timeout=LONG)
    if "to move" not in page.locator("#analyse-status").inner_text():
        page.click("#analyse-back")
    page.wait_for_selector("#analyse-candidates table")
    page.check("#analyse-layers input[value='visits']")


def grow_tree(page: Page) -> None:
    """The tree of the last position, with its best move opened."""
    page.click("#analyse-tree")
    page.click("#tree-search")
    nodes = page.locator("#tree-canvas g[data-node]")
    expect(nodes.nth(1)).to_be_visible(timeout=LONG)
    nodes.nth(1).click()


def follow_training(page: Page) -> None:
    """The run's curves."""
    page.click("#tab-training")
    page.wait_for_timeout(1000)


SHOTS = {"play": play, "analyse": analyse, "tree": grow_tree, "training": follow_training}


def take(browser: Browser, address: str, folder: Path) -> list[Path]:
    """One picture for each tab, the page in light colours; returns the files."""
    paths = []
    page = browser.new_page(viewport={"width": 1200, "height": 860}, color_scheme="light")
    page.goto(address)
    page.wait_for_selector("#play-board svg")
    for name, prepare in SHOTS.items():
        prepare(page)
        page.wait_for_timeout(400)
        paths.append(folder / f"page-{name}.png")
        page.screenshot(path=paths[-1], full_page=True)
    page.close()
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("docs/images"))
    parser.add_argument("overrides", nargs="*", help="settings of the service, e.g. default_model=champion")
    options = parser.parse_args()
    executable = shutil.which("chromium")
    if executable is None:
        raise SystemExit("there is no chromium here: apt-get install chromium")
    with serving_checkout(options.overrides) as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        for path in take(browser, address, options.folder):
            print(path)
        browser.close()


if __name__ == "__main__":
    main()
