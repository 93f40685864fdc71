"""A service in a process of its own and Debian's Chromium in front of it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks.screenshots import FLAGS
from stonezero.app.settings import SETTINGS_FILE
from stonezero.games import make_game
from tests.app.conftest import ROOT
from tests.app.runs import make_run

CHROMIUM = shutil.which("chromium") or ""
START_SECONDS = 120


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Iterator[str]:
    """Of a running `stonezero serve`; it must end well when it is told to."""
    folder = tmp_path_factory.mktemp("served")
    run = make_run(folder, make_game("gomoku", 3, 3))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = [
        f"port={port}",
        f"models={model_folder}",
        f"run={run}",
        "default_model=tictactoe",
        "simulations=25",
    ]
    command = [sys.executable, "-m", "stonezero", "serve", *settings, "--config", str(ROOT / SETTINGS_FILE)]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT / "src")})
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_up(url, process)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM  # uvicorn stops well, then ends by the signal it got


def _wait_until_up(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"{url}/health", timeout=5).close()
            return
        except OSError:
            assert process.poll() is None, "the service ended"
            assert time.monotonic() < deadline, "the service does not answer"
            time.sleep(0.2)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("there is no chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(viewport={"width": 1200, "height": 900}) as context:
        yield context


@pytest.fixture
def page(context: BrowserContext, address: str) -> Iterator[Page]:
    """The page, ready; the test fails where it logs an error or asks another host."""
    page = context.new_page()
    errors, hosts = [], set()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: hosts.add(re.sub(r"^(\w+://[^/]+).*", r"\1", request.url)))
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector("#play-board svg")
    yield page
    assert not [text for text in errors if "409" not in text and "422" not in text]
    assert {host for host in hosts if not host.startswith(("data:", "blob:"))} == {address}
