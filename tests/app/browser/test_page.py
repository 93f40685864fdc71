"""The page in a real browser: games by clicks and keys, analysis, trees, training; on a phone, too."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.slow

SGF = "(;GM[4]FF[4]SZ[3]KM[3];B[aa];W[ba];B[ab];W[bb];B[ac])"
LONG = 20_000  # ms


def point(page: Page, view: str, index: int) -> Locator:
    return page.locator(f"#{view}-board g[data-index='{index}']")


def stones(page: Page, view: str = "play") -> int:
    return page.locator(f"#{view}-board circle.stone").count()


def moves(page: Page) -> Locator:
    return page.locator("#play-moves li")


def free_points(page: Page, size: int) -> list[int]:
    return [i for i in range(size**2) if point(page, "play", i).locator("circle.stone").count() == 0]


def play_free_point(page: Page, size: int = 3) -> None:
    """One move by a click, and the model's answer unless the game is over."""
    before = moves(page).count()
    point(page, "play", free_points(page, size)[0]).click()
    expect(moves(page)).not_to_have_count(before, timeout=LONG)
    expect(page.locator("#play-status")).to_have_text(re.compile("Your move|won|draw"), timeout=LONG)


def test_a_whole_game_is_played_by_clicks(page: Page) -> None:
    for _ in range(5):
        play_free_point(page)
        if not page.locator("#play-status").inner_text().startswith("Your move"):
            break
    status = page.locator("#play-status").inner_text()
    assert re.search("Black won|White won|A draw", status)
    if "draw" not in status:
        assert page.locator("#play-board circle.won").count() >= 3
    assert page.locator("#play-board circle.last").count() == 1
    before = moves(page).count()
    for index in free_points(page, 3):
        point(page, "play", index).click()
    assert moves(page).count() == before


def test_an_illegal_click_changes_nothing(page: Page) -> None:
    play_free_point(page)
    state = page.locator("#play-board").inner_html()
    taken = next(i for i in range(9) if i not in free_points(page, 3))
    point(page, "play", taken).click()
    page.wait_for_timeout(300)
    assert page.locator("#play-board").inner_html() == state
    expect(page.locator("#problem")).to_be_hidden()


def test_the_model_opens_where_the_person_is_second(page: Page) -> None:
    page.select_option("#play-form select[name=colour]", "2")
    page.click("#play-form button[type=submit]")
    expect(moves(page)).to_have_count(1, timeout=LONG)
    expect(page.locator("#play-status")).to_contain_text("Your move, White")


def test_a_model_that_does_not_answer_can_be_asked_again(page: Page) -> None:
    busy = {"status": 422, "json": {"detail": "no answer"}}
    page.route("**/reply", lambda route: route.fulfill(**busy))
    point(page, "play", 4).click()
    expect(page.locator("#play-status")).to_contain_text("has not answered", timeout=LONG)
    expect(page.locator("#problem")).to_have_text("no answer")
    page.unroute("**/reply")
    page.click("#play-retry")
    expect(moves(page)).to_have_count(2, timeout=LONG)
    expect(page.locator("#problem")).to_be_hidden()


def test_keys_alone_play_a_move(page: Page) -> None:
    page.locator("#play-board svg").focus()
    for key in ("ArrowRight", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(moves(page)).to_have_count(2, timeout=LONG)
    assert moves(page).first.inner_text() == "1. c3"


def test_undo_then_search_shows_no_stale_tree(page: Page) -> None:
    play_free_point(page)
    page.click("#play-tree")
    page.click("#tree-search")
    nodes = page.locator("#tree-canvas g[data-node]")
    expect(nodes.first).to_be_visible(timeout=LONG)
    assert "X" in _root_board(page)
    page.click("#tab-play")
    page.click("#play-undo")
    expect(moves(page)).to_have_count(0)
    page.click("#play-tree")
    expect(nodes).to_have_count(0)
    expect(page.locator("#tree-status")).to_contain_text("Ply 0: not searched yet")
    page.click("#tree-search")
    expect(nodes.first).to_be_visible(timeout=LONG)
    assert _root_board(page) == "." * 9


def _root_board(page: Page) -> str:
    with page.expect_download() as download:
        page.click("#tree-export")
    board: str = json.loads(download.value.path().read_text())["nodes"][0]["board"]
    return board


def test_undo_clears_the_hint(page: Page) -> None:
    play_free_point(page)
    page.click("#play-hint")
    expect(page.locator("#play-hints")).to_be_visible(timeout=LONG)
    assert page.locator("#play-board g.mark").count() >= 1
    page.click("#play-undo")
    expect(page.locator("#play-hints")).to_be_hidden()
    assert page.locator("#play-board g.mark").count() == 0


def test_othello_shows_passes_discs_and_turns(page: Page) -> None:
    page.select_option("#play-form select[name=model]", "rollouts")
    page.select_option("#play-form select[name=game]", "othello")
    page.select_option("#play-form select[name=size]", "4")
    page.click("#play-form button[type=submit]")
    expect(page.locator("#play-black")).to_contain_text("You · 2", timeout=LONG)
    for _ in range(20):
        status = page.locator("#play-status")
        expect(status).to_have_text(re.compile("Your move|have no move|won|draw"), timeout=LONG)
        before = moves(page).count()
        if "have no move" in status.inner_text():
            page.click("#play-pass")
        elif "Your move" in status.inner_text():
            page.locator("#play-board g:has(circle.legal)").first.click()
        else:
            break
        expect(moves(page)).not_to_have_count(before)
    assert re.search("won|draw", page.locator("#play-status").inner_text())


def test_forbidden_points_are_shown_under_renju(page: Page) -> None:
    page.click("#tab-analyse")
    page.locator("#analyse summary").click()
    page.select_option("#analyse-game select[name=model]", "rollouts")
    page.select_option("#analyse-game select[name=game]", "gomoku")
    page.select_option("#analyse-game select[name=rules]", "renju")
    page.fill("#analyse-text", "h9 a1 h10 a3 g8 a5 f8 a7")  # h8 would make two open threes
    page.click("#analyse-load")
    expect(page.locator("#analyse-ply")).to_have_text("8 / 8")
    expect(point(page, "analyse", 7 * 15 + 7).locator("path.forbidden")).to_have_count(1)


def test_pasted_moves_are_stepped_through_by_keys_and_mistakes_are_marked(page: Page) -> None:
    page.click("#tab-analyse")
    page.fill("#analyse-text", "b2 a1 c3 a2 b1 a3")
    page.click("#analyse-load")
    expect(page.locator("#analyse-ply")).to_have_text("6 / 6")
    page.locator("#analyse-status").click()
    page.keyboard.press("Home")
    expect(page.locator("#analyse-ply")).to_have_text("0 / 6")
    page.keyboard.press("End")
    expect(page.locator("#analyse-ply")).to_have_text("6 / 6")
    assert page.locator("#analyse-board circle.won").count() == 3
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#analyse-ply")).to_have_text("5 / 6")
    page.select_option("#analyse-simulations", "400")
    page.click("#analyse-whole")
    expect(page.locator("#analyse-whole")).to_be_enabled(timeout=LONG)
    assert page.locator("#analyse-graph path.line").count() == 1
    assert page.locator("#analyse-moves button.mistake").count() >= 1  # 5 b1 lets a3 win


def test_heatmaps_and_lines_can_be_played_on_the_board(page: Page) -> None:
    page.click("#tab-analyse")
    expect(page.locator("#analyse-candidates tbody tr").first).to_be_visible(timeout=LONG)
    for layer in ("prior", "visits", "q"):
        page.check(f"#analyse-layers input[value='{layer}']")
        assert page.locator("#analyse-board rect.heat").count() >= 1
    page.locator("#analyse-lines li").first.locator("button").nth(1).click()
    expect(page.locator("#analyse-ply")).to_contain_text("2 /")
    assert stones(page, "analyse") == 2
    page.click("#analyse-return")
    expect(page.locator("#analyse-ply")).to_have_text("0 / 0")


def test_a_file_is_uploaded_and_a_bad_one_refused_in_one_sentence(page: Page) -> None:
    page.click("#tab-analyse")
    file = {"name": "game.sgf", "mimeType": "application/x-go-sgf", "buffer": SGF.encode()}
    page.set_input_files("#analyse-file", file)  # type: ignore[arg-type]
    expect(page.locator("#analyse-ply")).to_have_text("0 / 5")
    page.click("#analyse-last")
    assert page.locator("#analyse-board circle.won").count() == 3
    broken = file | {"buffer": b"(;GM[4]SZ[3];B[zz])"}
    page.set_input_files("#analyse-file", broken)  # type: ignore[arg-type]
    expect(page.locator("#problem")).to_be_visible(timeout=LONG)
    expect(page.locator("#analyse-ply")).to_have_text("5 / 5")


def test_the_tree_opens_closes_filters_and_looks_positions_up(page: Page) -> None:
    page.click("#tab-tree")
    page.click("#tree-search")
    nodes = page.locator("#tree-canvas g[data-node]")
    expect(nodes.nth(1)).to_be_visible(timeout=LONG)
    first = nodes.count()
    nodes.nth(1).click()
    expect(nodes).not_to_have_count(first)
    expect(page.locator("#tree-title")).to_contain_text("After")
    nodes.nth(1).click()
    expect(nodes).to_have_count(first)
    page.locator("#tree-visits").fill("8")
    expect(nodes).to_have_count(1)
    page.click("#tree-lookup")
    expect(page.locator("#tree-found")).to_contain_text("recorded positions", timeout=LONG)


def test_training_shows_curves_and_replays_a_game(page: Page) -> None:
    page.click("#tab-training")
    expect(page.locator("#training-elo path.line")).to_have_count(1)
    expect(page.locator("#training-elo path.band")).to_have_count(1)
    expect(page.locator("#training-losses path.line")).to_have_count(3)
    assert page.locator("#training-mlflow").get_attribute("href") == "http://127.0.0.1:5000"
    page.locator("#training-games button").first.click()
    expect(page.locator("#analyse-status")).to_contain_text("g002, game 3")
    expect(page.locator("#analyse-ply")).to_have_text(re.compile(r"0 / \d+"))


@pytest.mark.parametrize("tab", ["play", "analyse", "tree", "training"])
def test_nothing_sticks_out_on_a_phone_360_pixels_wide(page: Page, tab: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.click(f"#tab-{tab}")
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    board = page.locator(f"#{tab} .board svg").first
    if board.count():
        box = board.bounding_box()
        assert box is not None
        assert box["width"] >= 240


def test_the_theme_follows_the_system_and_the_button(page: Page) -> None:
    root = page.locator("html")
    before = root.get_attribute("data-theme")
    page.click("#theme")
    assert root.get_attribute("data-theme") != before
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert root.get_attribute("data-theme") != before


@pytest.mark.parametrize(("path", "words"), [("/docs", "/move"), ("/redoc", "Pick a move in a position")])
def test_the_api_description_needs_no_other_host(page: Page, address: str, path: str, words: str) -> None:
    page.goto(address + path)
    expect(page.locator("body")).to_contain_text(words, timeout=LONG)
