"""Heatmaps, films and trees of recorded games: right figures, the same bytes, one sentence where wrong."""

import io
import json
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from stonezero.cli import main
from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.pictures.boards import LAYERS, Picture, draw_picture, picture_file
from stonezero.pictures.films import gif, page
from stonezero.pictures.subjects import Subject, pictures_of, read_record
from stonezero.players.batch_search import RootStatistics
from stonezero.replay.recorded import board_at, recorded_game
from tests.pictures.conftest import GAME
from tests.records.formats.samples import random_game


def picture(ply=4):
    board = board_at(random_game(GAME, 1), ply)
    visits = np.zeros(GAME.num_actions, np.int32)
    legal = board.legal_moves()
    visits[legal[:5]] = [3, 1, 40, 7, 2]
    priors = np.where(visits > 0, visits / 53, 0).astype(np.float32)
    values = np.where(visits > 0, np.linspace(-0.8, 0.8, GAME.num_actions), 0).astype(np.float32)
    return Picture(board, RootStatistics(visits, priors, values, 0.25))


def texts(canvas):
    return [[text.get_text() for text in axes.texts] for axes in canvas.axes]


def test_a_heatmap_shows_the_figures_of_the_search_and_the_move_numbers():
    prior, visits, q = texts(draw_picture(picture(), LAYERS))
    for panel in (prior, visits, q):
        assert {"1", "2", "3", "4"} <= set(panel)
    assert {"3", "1", "40", "7", "2"} <= set(visits)
    assert "75" in prior  # 40 of 53, in per cent
    assert sum(bool(re.fullmatch(r"[-+]\d\.\d\d", text)) for text in q) == 5


def test_coordinates_are_those_of_the_notation():
    axes = draw_picture(picture(), ["visits"]).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == list("abcde")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["5", "4", "3", "2", "1"]
    othello = draw_picture(Picture(Board("othello", 6), None), ["visits"]).axes[0]
    assert [label.get_text() for label in othello.get_yticklabels()] == ["1", "2", "3", "4", "5", "6"]


def test_a_figure_stands_on_the_point_it_belongs_to():
    shown = picture()
    axes = draw_picture(shown, ["visits"]).axes[0]
    (most,) = [text for text in axes.texts if text.get_text() == "40"]
    column, row = most.get_position()
    assert row * GAME.size + column == np.argmax(shown.statistics.visits)


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_same_picture_gives_the_same_bytes(kind):
    first, second = (picture_file(picture(), LAYERS, kind) for _ in range(2))
    assert first == second
    assert b"Software" not in first
    assert b"dc:date" not in first


def test_a_position_that_is_over_has_a_picture_without_figures():
    board = random_game(GAME, 1).board()
    assert board.is_over
    (panel,) = texts(draw_picture(Picture(board, None), ["q"]))
    assert all(re.fullmatch(r"\d+", text) for text in panel)


@pytest.mark.parametrize("layers", [["colour"], ["prior", ""], []])
def test_a_layer_that_does_not_exist_is_refused(layers):
    with pytest.raises(UserError, match="choose from prior, visits, q"):
        draw_picture(picture(), layers)


def test_a_gif_has_a_frame_a_position_and_repeats():
    data = gif([picture(ply) for ply in range(3)], ["visits"])
    film = Image.open(io.BytesIO(data))
    assert film.n_frames == 3
    assert film.info["loop"] == 0
    assert data == gif([picture(ply) for ply in range(3)], ["visits"])


def test_a_page_needs_nothing_else_and_shows_every_position():
    text = page([picture(ply) for ply in range(3)], ["visits"], "<b>a & b</b>").decode()
    assert "<title>&lt;b&gt;a &amp; b&lt;/b&gt;</title>" in text
    assert not re.findall(r"(?:src|href)=\"?https?:|url\(", text)
    pictures = json.loads(re.search(r"const pictures = (\[.*?\]);", text)[1].replace("'", '"'))
    captions = json.loads(re.search(r"const captions = (\[.*?\]);", text)[1].replace("'", '"'))
    assert len(pictures) == len(captions) == 3
    assert captions[0] == "start"
    assert re.fullmatch(r"2 white [a-e][1-5]", captions[2])


def command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["stonezero", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code or 0, capsys.readouterr().out


def test_heatmap_of_a_game_of_a_run_and_of_a_file(run, monkeypatch, capsys, tmp_path):
    code, out = command(
        monkeypatch, capsys, "heatmap", run, "a.svg", "--game-id", 1, "--ply", 2, "--simulations", 20
    )
    assert (code, out) == (0, f"a.svg: {run}, game 1, ply 2\n")
    ElementTree.fromstring((tmp_path / "a.svg").read_text())
    net = run / "champion.safetensors"
    code, out = command(
        monkeypatch, capsys, "heatmap", "c3b2", "b.png", "--checkpoint", net, "--simulations", 20
    )
    assert (code, out) == (0, "b.png: moves, ply 2\n")
    assert Image.open("b.png").size[0] > 1000


def test_replay_shows_every_position_of_the_game(run, monkeypatch, capsys):
    code, out = command(monkeypatch, capsys, "replay", run, "a.html", "--game-id", 0, "--simulations", 4)
    plies = len(recorded_game(run, 0).moves)
    assert (code, out) == (0, f"a.html: {run}, game 0, {plies + 1} positions\n")


def test_pictures_of_a_game_are_searched_until_it_is_over(run):
    pictures = pictures_of(Subject(str(run), 0, 1, None), simulations=8)
    game = recorded_game(run, 0)
    assert [picture.board.moves for picture in pictures] == [
        list(game.moves[:ply]) for ply in range(len(pictures))
    ]
    assert len(pictures) == len(game.moves) + 1
    assert pictures[-1].statistics is None
    assert all(picture.statistics.visits.sum() == 8 for picture in pictures[:-1])


def test_tree_prints_json_to_the_depth_and_visits_asked_for(run, monkeypatch, capsys):
    code, out = command(
        monkeypatch, capsys, "tree", run, 2, 3, "--simulations", 60, "--depth", 2, "--min-visits", 2
    )
    tree = json.loads(out)
    assert code == 0
    assert tree["nodes"][0]["visit_count"] == 61
    assert {node["depth"] for node in tree["nodes"]} == {0, 1, 2}
    assert min(node["visit_count"] for node in tree["nodes"]) >= 2


def test_occurrences_prints_json(run, monkeypatch, capsys):
    first = recorded_game(run, 0).board().line()
    assert first
    moves = "".join(f"{'abcde'[move % 5]}{5 - move // 5}" for move in recorded_game(run, 0).moves[:2])
    code, out = command(monkeypatch, capsys, "occurrences", run.parent, moves)
    assert code == 0
    assert json.loads(out)["num_games"] >= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["heatmap", "RUN", "a.png"], "is a folder: say which of its games, by --game-id"),
        (["heatmap", "RUN", "a.bmp"], "a heatmap is written as .png or .svg"),
        (["heatmap", "RUN", "a.png", "--game-id", "99"], "no game 99: it has 3 games"),
        (["heatmap", "nowhere", "a.png", "--game-id", "0"], "there is no such folder"),
        (["replay", "RUN", "a.mp4"], "a replay is written as .gif or .html"),
        (["tree", "RUN", "0", "99"], "there is no 99"),
        (["heatmap", "c3z9", "a.png", "--checkpoint", "NET"], "line 1: 'c3z9' is neither moves"),
        (
            ["heatmap", "(;GM[2]SZ[8];B[f5])", "a.png", "--checkpoint", "NET"],
            "the game is othello 8x8, but the net",
        ),
        (["occurrences", "RUN", "c3c3"], "is not legal for white"),
    ],
)
def test_what_cannot_be_shown_is_one_line(run, monkeypatch, capsys, arguments, message):
    words = {"RUN": run, "NET": run / "champion.safetensors"}
    code, _ = command(monkeypatch, capsys, *(words.get(word, word) for word in arguments))
    assert message in str(code)
    assert len(str(code).splitlines()) == 1


def test_the_tree_of_a_position_that_is_over_is_refused(run, monkeypatch, capsys):
    last = len(recorded_game(run, 0).moves)
    code, _ = command(monkeypatch, capsys, "tree", run, 0, last)
    assert "there is nothing to search" in str(code)


def test_bare_moves_are_of_the_nets_game_and_records_say_their_own():
    spec = GAME.spec()
    assert read_record("c3b2", 1, spec).game == GAME
    assert read_record("(;GM[2]SZ[8];B[f5])", 1, spec).game.name == "othello"
