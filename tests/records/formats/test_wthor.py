"""WTHOR, against open_spiel's Othello: files packed here, byte by byte, from its games and its scores."""

import struct

import numpy as np
import pyspiel
import pytest

from stonezero.games import BLACK_WON, ONGOING, make_game
from stonezero.games.notation import parse_move
from stonezero.records.formats.catalogue import FORMATS, read_data, read_file
from stonezero.records.formats.transcript import Hints

WTHOR = FORMATS["wthor"]
PASS = 64
WIPE_OUT = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]


def header(num_games, num_names=0, year=2019, size=8, kind=0, depth=0):
    return struct.pack("<4BIHHBBBx", 20, 19, 12, 31, num_games, num_names, year, size, kind, depth)


def packed(moves, score, players=(1, 2), event=0):
    codes = bytes(10 * (move // 8 + 1) + move % 8 + 1 for move in moves if move != PASS)
    return struct.pack("<HHHBB60s", event, *players, score, score, codes)


def spiel_game(seed, num_moves=10_000):
    """Moves of a random game, passes included, and Black's discs, the empties given to the winner."""
    rng = np.random.default_rng(seed)
    state = pyspiel.load_game("othello").new_initial_state()
    moves = []
    while not state.is_terminal() and len(moves) < num_moves:
        moves.append(int(rng.choice(state.legal_actions())))
        state.apply_action(moves[-1])
    lines = [line.split()[1:-1] for line in str(state).splitlines() if line[:1].isdigit()]
    cells = "".join("".join(line) for line in lines)
    black, white = cells.count("x"), cells.count("o")
    empties = 64 - black - white
    score = black + (empties if black > white else 0) + (empties // 2 if black == white else 0)
    return moves, score, state.is_terminal()


def test_three_hundred_games_of_another_library_replay_with_all_scores_right():
    games = [spiel_game(seed) for seed in range(300)]
    data = header(300) + b"".join(packed(moves, score) for moves, score, _ in games)
    reading = read_data(data, WTHOR)
    assert reading.refusals == []
    num_passes = 0
    for item, (moves, score, _) in zip(reading.games, games, strict=True):
        trimmed = tuple(moves)
        while trimmed[-1] == PASS:
            trimmed = trimmed[:-1]
        assert item.game.moves == trimmed
        assert item.game.status == (3 if score == 32 else 1 if score > 32 else 2)
        num_passes += trimmed.count(PASS)
    assert num_passes > 100  # none of them is written in the file


def test_a_wipe_out_gives_the_winner_all_squares():
    """The shortest game there is: nine moves, thirteen black discs, no white one."""
    moves = [
        parse_move(make_game("othello", 8), word)
        for word in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
    ]
    (item,) = read_data(header(1) + packed(moves, 64), WTHOR).games
    assert item.game.board().score == (13, 0)
    assert item.game.status == BLACK_WON
    for wrong in (13, 63):
        (refusal,) = read_data(header(1) + packed(moves, wrong), WTHOR).refusals
        assert refusal.reason == (
            f"game 1, byte 16: the file says {2 * wrong - 64:+d} discs for black, but it is +64"
        )


def test_a_game_that_breaks_off_is_marked_and_its_score_is_not_taken_for_a_result():
    moves, _, _ = spiel_game(1, num_moves=20)
    (item,) = read_data(header(1) + packed(moves, 50), WTHOR).games
    assert item.game.status == ONGOING
    assert item.game.is_unfinished
    assert item.game.facts["black_discs"] == "50"


def test_names_come_from_the_files_beside_it(tmp_path):
    moves, score, _ = spiel_game(2)
    (tmp_path / "WTH_2019.wtb").write_bytes(header(1) + packed(moves, score, (1, 2), 1))
    names = [b"???", b"Tick Tom", b"Tock Tim"]
    (tmp_path / "WTHOR.JOU").write_bytes(header(0, 3) + b"".join(name.ljust(20, b"\0") for name in names))
    events = [b"???", "Championnat d'été".encode("latin-1")]
    (tmp_path / "wthor.trn").write_bytes(header(0, 2) + b"".join(name.ljust(26, b"\0") for name in events))
    facts = read_file(tmp_path / "WTH_2019.wtb").games[0].game.facts
    assert (facts["black"], facts["white"]) == ("Tick Tom", "Tock Tim")
    assert (facts["event"], facts["date"]) == ("Championnat d'été", "2019")


def test_without_names_players_are_numbers():
    moves, score, _ = spiel_game(2)
    facts = read_data(header(1) + packed(moves, score, (7, 9)), WTHOR).games[0].game.facts
    assert (facts["black"], facts["white"]) == ("#7", "#9")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: the file ends within its header"),
        (header(2) + bytes(68), "byte 4: the header says 2 games, so 152 bytes, but the file has 84"),
        (header(1) + bytes(67), "byte 4: the header says 1 games"),
        (header(1) + bytes(69), "byte 4: the header says 1 games"),
        (header(0xFFFFFFFF), "byte 4: the header says 4294967295 games"),
        (header(0, size=10), "byte 12: a board of size 10"),
        (header(0, kind=1), "byte 13: a file of solitaires"),
        (header(1) + packed([37], 65), "game 1, byte 22: a score of 65"),
        (header(1) + packed([0], 32), "game 1, byte 24: move 1, a1, is not legal"),
        (
            header(1) + struct.pack("<HHHBB60s", 0, 0, 0, 32, 32, b"\x38\x63"),
            "game 1, byte 25: 99 is no square",
        ),
        (
            header(1) + struct.pack("<HHHBB60s", 0, 0, 0, 32, 32, b"\x38\x00\x40"),
            "game 1, byte 25: 0 is no square",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_byte(data, message):
    reading = read_data(data, WTHOR)
    assert reading.games == []
    assert message in reading.refusals[0].reason


def test_our_file_has_the_layout_of_the_format():
    moves, score, _ = spiel_game(3)
    original = read_data(header(1) + packed(moves, score), WTHOR).games[0].game
    data = WTHOR.write([original])
    assert data[4:16] == header(1)[4:16]
    assert data[16 + 6] == score
    assert data[16 + 8 :] == packed(moves, score)[8:]


def test_another_game_is_not_asked_of_wthor():
    (refusal,) = read_data(header(0), WTHOR, Hints(game="gomoku")).refusals
    assert refusal.reason == "WTHOR holds othello, not 'gomoku'"
