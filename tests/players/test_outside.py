"""Outside engines: whole games, and every way in which one can fail; nothing of it hangs or is lost."""

import os
import shutil
import signal
import sys
import time

import numpy as np
import psutil
import pytest

from stonezero.arena.matches import Match, play_matches
from stonezero.arena.openings import balanced_openings
from stonezero.arena.tables import FORFEIT, points
from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.games import BLACK, BLACK_WON, ONGOING, WHITE_WON, make_game
from stonezero.games.board import Board
from stonezero.games.notation import NotationError
from stonezero.players import dialects
from stonezero.players.dialects import Situation, ggf_position
from stonezero.players.engine_process import EngineDiedError, EngineError, EngineProcess
from stonezero.players.player import Forfeit
from stonezero.players.players import parse_player
from stonezero.players.settings import SearchSettings
from stonezero.protocols.moves import (
    gomocup_text,
    gtp_text,
    nboard_text,
    parse_gomocup,
    parse_gtp,
    parse_nboard,
)
from tests.players.engines import command

INFERENCE = InferenceConfig(backend="numpy", precision="f32", max_batch=16, device="cpu")
SETTINGS = SearchSettings(c_puct=1.5, fpu_reduction=0.2)
RHINO = shutil.which("gtp-rhino") or shutil.which("/usr/games/gtp-rhino")
needs_rhino = pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed: apt-get install grhino")
GAMES = {"gtp": ("othello", 6, 0), "gomocup": ("gomoku", 7, 5)}


@pytest.fixture(autouse=True)
def one_worker(monkeypatch):
    monkeypatch.setenv("STONEZERO_WORKERS", "1")
    monkeypatch.setattr(dialects, "GRACE_SECONDS", 0.2)


def spec(text, game):
    return parse_player(text, game, INFERENCE, SETTINGS)


def engine(folder, protocol, fault="none", at=0, options="seconds=5"):
    game = make_game(*GAMES[protocol])
    words = command(folder, protocol, GAMES[protocol][1], fault, at)
    return game, spec(f"{protocol}:{options}:{words}", game)


def match(game, first, second, pairs=2):
    openings = balanced_openings(game, 2, pairs, seed=1)
    (table,) = play_matches(game, [Match(first, second, openings, range(pairs), seed=7)], 64)
    return table


@pytest.mark.parametrize("protocol", list(GAMES))
def test_whole_games_against_an_engine_replay_to_their_results(tmp_path, protocol):
    game, player = engine(tmp_path, protocol)
    table = match(game, player, spec("random", game))
    assert table[FORFEIT].tolist() == [""] * 4
    for _, played in table.iterrows():
        board = Board(game)
        for move in played["moves"].split():
            board.play(move)
        assert board.status == played["status"] != ONGOING


@needs_rhino
def test_rhino_plays_whole_games_and_beats_random():
    game = make_game("othello", 8)
    player = spec(f"gtp:seconds=20:{RHINO}", game)
    table = match(game, player, spec("random", game), pairs=3)
    assert table[FORFEIT].tolist() == [""] * 6
    assert points(table, player.name).tolist() == [1.0] * 6
    assert (table["moves"].str.split().str.len() == table["plies"]).all()


@needs_rhino
def test_rhino_plays_on_after_forced_passes():
    game = make_game("othello", 8)
    player = spec(f"gtp:seconds=20:{RHINO}", game)
    table = match(game, player, spec("greedy", game), pairs=6)
    assert table["moves"].str.contains("pass").any()
    assert table[FORFEIT].tolist() == [""] * 12


@needs_rhino
def test_rhino_refuses_a_board_of_six_in_one_line():
    game = make_game("othello", 6)
    with pytest.raises(UserError, match="the engine refuses `boardsize 6` for othello 6x6") as caught:
        spec(f"gtp:{RHINO}", game).open(game, 1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("protocol", list(GAMES))
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("illegal", "which is not legal"),
        ("garbage", "answered '\\x00?!'"),
        ("hang", "gave no answer in time"),
        ("flood", "gave no answer in time"),
        ("resign", "resign"),
    ],
)
def test_a_failing_engine_loses_its_game_and_goes_on_with_the_next(tmp_path, protocol, fault, reason, caplog):
    game, player = engine(tmp_path, protocol, fault, 2, "seconds=0.5")
    begin = time.monotonic()
    table = match(game, player, spec("random", game))
    assert time.monotonic() - begin < 60
    assert len(table) == 4
    for _, played in table.iterrows():  # a fresh process, and so a fresh count, after each failure
        assert reason in played[FORFEIT]
        assert played["status"] == (WHITE_WON if played["black"] == player.name else BLACK_WON)
        assert played["plies"] == len(played["moves"].split())
    assert "it loses this game" in caplog.text


@pytest.mark.parametrize("protocol", list(GAMES))
def test_an_engine_that_dies_is_started_anew_and_asked_again(tmp_path, protocol, caplog):
    game, player = engine(tmp_path, protocol, "die", 3)
    table = match(game, player, spec("random", game), pairs=1)
    assert table[FORFEIT].tolist() == ["", ""]
    assert "it is started anew" in caplog.text


def test_an_engine_that_always_dies_loses(tmp_path):
    game, player = engine(tmp_path, "gtp", "die", 1)
    assert all("has ended at ply" in text for text in match(game, player, spec("random", game), 1)[FORFEIT])


def test_failure_stop_ends_the_match_with_one_line(tmp_path):
    game, player = engine(tmp_path, "gtp", "illegal", 2, "failure=stop:seconds=5")
    with pytest.raises(UserError, match="which is not legal at ply") as caught:
        match(game, player, spec("random", game))
    assert "\n" not in str(caught.value)


def test_no_process_stays_behind(tmp_path):
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    game, player = engine(tmp_path, "gtp", "hang", 1, "seconds=0.2")
    match(game, player, spec("random", game), pairs=1)
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before


@pytest.mark.parametrize(
    ("text", "game", "message"),
    [
        ("gtp:no-such-engine --fast", ("othello", 8), "there is no program 'no-such-engine'"),
        ("gtp:", ("othello", 8), "needs a command"),
        ("gtp", ("othello", 8), "needs a command"),
        ("gtp:'unclosed", ("othello", 8), "can't be read"),
        ("gtp:seconds=0:cat", ("othello", 8), "too small"),
        ("gtp:seconds=inf:cat", ("othello", 8), "too large"),
        ("gtp:failure=weep:cat", ("othello", 8), "failure is forfeit or stop, not 'weep'"),
        ("gomocup:cat", ("gomoku", 6, 4), "5 in a row on sizes 5 to 20"),
        ("gomocup:cat", ("othello", 8), "5 in a row on sizes 5 to 20"),
        ("nboard:cat", ("othello", 6), "othello 8x8"),
    ],
)
def test_a_wrong_engine_text_is_one_sentence(text, game, message):
    with pytest.raises(UserError, match=message) as caught:
        spec(text, make_game(*game))
    assert "\n" not in str(caught.value)


def test_a_program_that_is_no_engine_is_one_sentence(monkeypatch):
    monkeypatch.setattr(dialects, "START_SECONDS", 0.5)
    game = make_game("othello", 8)
    with pytest.raises(UserError, match="no gtp engine"):
        spec(f"gtp:{sys.executable} -c pass", game).open(game, 1)
    with pytest.raises(UserError, match="gave no answer in time"):
        spec("gtp:cat", game).open(game, 1)


def test_options_come_before_the_command_and_colons_stay_in_it():
    player = spec("nboard:depth=3:seconds=2:cat a:b=c 'd e'", make_game("othello", 8))
    assert player.outside.command == ("cat", "a:b=c", "d e")
    assert (player.outside.depth, player.outside.seconds) == (3, 2.0)


def test_a_dead_process_is_told_from_a_silent_one():
    silent = EngineProcess((sys.executable, "-c", "import time; time.sleep(60)"))
    with pytest.raises(EngineError, match="in time"):
        silent.read(time.monotonic() + 0.1)
    os.kill(silent.pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(EngineDiedError):
            silent.read(time.monotonic() + 5)
    silent.close()


def test_forfeit_is_raised_for_one_position(tmp_path):
    game, player = engine(tmp_path, "gtp", "illegal", 1)
    opened = player.open(game, 1)
    board = Board(game)
    lines = np.zeros((1, game.max_plies), np.int16)
    with pytest.raises(Forfeit, match="not legal at ply 0"):
        opened.choose(board.positions, np.zeros(1, np.int64), np.zeros(1, np.uint64), lines)
    opened.close()


def test_a_position_in_ggf_has_its_rows_from_the_top_and_the_side_to_move():
    board = Board("othello", 8)
    board.play("d3")
    text = ggf_position(Situation(board.positions.stones[0], board.turn, None))
    assert "BO[8 -------- -------- ---*---- ---**--- ---*O--- -------- -------- -------- O]" in text
    assert board.turn != BLACK


@pytest.mark.parametrize(
    ("game", "to_text", "parse", "samples"),
    [
        (("gomoku", 19, 5), gtp_text, parse_gtp, {0: "A19", 8: "J19", 18 * 19: "A1"}),
        (("othello", 10), gtp_text, parse_gtp, {0: "A1", 8: "I1", 100: "pass"}),
        (("gomoku", 15, 5), gomocup_text, parse_gomocup, {0: "0,0", 14: "14,0", 15: "0,1"}),
        (("othello", 8), nboard_text, parse_nboard, {0: "A1", 37: "F5", 64: "PA"}),
    ],
)
def test_moves_in_protocols_round_trip(game, to_text, parse, samples):
    game = make_game(*game)
    for move in range(game.num_actions):
        assert parse(game, to_text(game, move)) == move
    assert {move: to_text(game, move) for move in samples} == samples


@pytest.mark.parametrize(
    ("parse", "game", "text"),
    [
        (parse_gtp, ("gomoku", 15, 5), "I9"),
        (parse_gtp, ("gomoku", 15, 5), "pass"),
        (parse_gtp, ("othello", 8), "i1"),
        (parse_gomocup, ("gomoku", 15, 5), "15,0"),
        (parse_gomocup, ("gomoku", 15, 5), "-1,0"),
        (parse_gomocup, ("gomoku", 15, 5), "3"),
        (parse_nboard, ("othello", 8), "Z9"),
    ],
)
def test_what_is_no_move_of_a_protocol_is_refused(parse, game, text):
    with pytest.raises(NotationError):
        parse(make_game(*game), text)
