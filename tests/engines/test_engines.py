"""Our engines in their protocols: scripted sessions, every kind of wrong line, whole games as a process."""

import io
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stonezero.arena.matches import Match, play_matches
from stonezero.arena.openings import balanced_openings
from stonezero.arena.tables import FORFEIT
from stonezero.engines.run import PROTOCOLS, make_engine
from stonezero.engines.session import Inbox, run_session
from stonezero.engines.thinker import Thinker
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.games.board import Board
from stonezero.network.model import initial_checkpoint
from stonezero.players.players import parse_player
from stonezero.protocols.moves import parse_gomocup, parse_gtp, parse_nboard
from stonezero.terminal import PLAY_INFERENCE, PLAY_SETTINGS
from tests.network.nets import network

GAMES = {"gomocup": ("gomoku", 7, 5), "gtp": ("gomoku", 15, 5), "nboard": ("othello", 8, 0)}
THINKERS = {}


def checkpoint(*spec):
    game = make_game(*spec)
    return initial_checkpoint(game.spec(), game.num_actions, network(), 1)


def thinker(*spec):
    if spec not in THINKERS:
        THINKERS[spec] = Thinker(checkpoint(*spec), simulations=6, seconds=5.0)
    return THINKERS[spec]


def engine(protocol, *spec):
    return make_engine(protocol, thinker(*(spec or GAMES[protocol])), Inbox())


def says(engine, *lines):
    return [answer for line in lines for answer in engine.answer(line)]


def test_gomocup_plays_a_session():
    gomocup = engine("gomocup")
    (about,) = says(gomocup, "ABOUT")
    assert re.fullmatch(r'name="stonezero [^"]+", version="[^"]+", author="stonezero", country="-"', about)
    assert says(gomocup, "START 7", "INFO timeout_turn 200", "INFO rule 0", "INFO folder C:\\x y", "") == [
        "OK"
    ]
    board = Board("gomoku", 7, 5)
    (first,) = says(gomocup, "BEGIN")
    board.play(parse_gomocup(board.game, first))
    for _ in range(3):
        theirs = board.legal_moves()[0]
        (ours,) = says(gomocup, f"TURN {theirs % 7},{theirs // 7}")
        board.play(theirs)
        board.play(parse_gomocup(board.game, ours))
    assert says(gomocup, "RESTART") == ["OK"]
    assert not says(gomocup, "END")
    assert gomocup.is_over


def test_gomocup_takes_a_board_in_any_order_and_from_an_empty_one():
    gomocup = engine("gomocup")
    says(gomocup, "start 7")
    (move,) = says(gomocup, "board", "0,0,2", "3,3,1", "1,0,2", "4,4,1", "done")
    assert parse_gomocup(make_game("gomoku", 7, 5), move) not in {0, 1, 24, 32}
    assert says(gomocup, "BOARD", "DONE")[0].count(",") == 1
    assert len(gomocup._board.moves) == 1


def test_gomocup_takes_moves_back():
    gomocup = engine("gomocup")
    says(gomocup, "START 7")
    (move,) = says(gomocup, "TURN 3,3")
    assert says(gomocup, f"TAKEBACK {move}", "TAKEBACK 3,3") == ["OK", "OK"]
    assert says(gomocup, "TURN 3,3") == [move]


def test_gomocup_wins_and_blocks_in_one():
    gomocup = make_engine("gomocup", Thinker(checkpoint("gomoku", 7, 5), 200, 5.0), Inbox())
    says(gomocup, "START 7")
    stones = [f"{x},0,1" for x in range(4)] + [f"{x},6,2" for x in (0, 2, 4, 6)]
    assert says(gomocup, "BOARD", *stones, "DONE") == ["4,0"]


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["BEGIN"], "ERROR there is no board yet"),
        (["TURN 1,1"], "ERROR there is no board yet"),
        (["BOARD"], "ERROR there is no board yet"),
        (["START 20"], "ERROR unsupported size"),
        (["START seven"], "ERROR unsupported size"),
        (["RECTSTART 7,8"], "ERROR unsupported size"),
        (["START 7", "TURN 7,0"], "ERROR '7,0' is no point"),
        (["START 7", "TURN 1,1", "TURN 1,1"], "ERROR b6 is not legal"),
        (["START 7", "BOARD", "1,1,2", "2,2,2", "DONE"], "ERROR 0 own and 2 other stones"),
        (["START 7", "BOARD", "1,1,3", "DONE"], "ERROR '1,1,3' is no stone"),
        (["START 7", "BOARD", "what", "DONE"], "ERROR 'what' is no stone"),
        (["START 7", "INFO rule 1", "BEGIN"], "ERROR rule 1 is not played"),
        (["START 7", "INFO rule 5", "BEGIN"], "ERROR rule 5 is not played"),
        (["SWAP2BOARD"], "UNKNOWN 'SWAP2BOARD'"),
        (["PLAY 1,1"], "UNKNOWN 'PLAY 1,1'"),
        (["\x00\x01"], "UNKNOWN"),
    ],
)
def test_gomocup_answers_what_it_cannot_do_and_lives_on(lines, answer):
    gomocup = engine("gomocup")
    assert says(gomocup, *lines)[-1].startswith(answer)
    assert says(gomocup, "INFO rule 0", "START 7") == ["OK"]
    assert says(gomocup, "BEGIN")[0].count(",") == 1


@pytest.mark.parametrize(
    "limits",
    [
        ["INFO timeout_turn 300"],
        ["INFO timeout_turn 30000", "INFO time_left 2000"],
        ["INFO timeout_turn 0"],
        ["INFO time_left -5", "INFO timeout_turn 1000"],
    ],
)
def test_gomocup_keeps_its_time(limits):
    gomocup = make_engine("gomocup", Thinker(checkpoint("gomoku", 15, 5), 4000, 60.0), Inbox())
    says(gomocup, "START 15", *limits)
    asked = gomocup._seconds()
    assert asked <= 0.3
    begin = time.monotonic()
    says(gomocup, "BEGIN")
    assert time.monotonic() - begin < asked + 1.0


def test_gomocup_stops_at_end_without_a_word():
    inbox = Inbox()
    gomocup = make_engine("gomocup", thinker("gomoku", 7, 5), inbox)
    says(gomocup, "START 7")
    inbox.put("END")
    assert not says(gomocup, "BEGIN")


def test_gtp_plays_a_session_in_gomoku():
    gtp = engine("gtp")
    assert says(gtp, "7 protocol_version", "name # who", "known_command genmove", "known_command x") == [
        "=7 2\n",
        f"= stonezero {gtp._thinker.label}\n",
        "= true\n",
        "= false\n",
    ]
    (listed,) = says(gtp, "list_commands")
    assert {"genmove", "lz-analyze", "undo", "time_left"} <= set(listed.split()[1:])
    assert says(gtp, "boardsize 15", "clear_board", "komi 0", "play black J9") == ["=\n"] * 4
    assert says(gtp, "play white i9") == ["? 'i9' is no vertex of gomoku 15x15, 5 in a row, freestyle\n"]
    assert gtp._board.moves == [6 * 15 + 8]
    (answer,) = says(gtp, "3 genmove w")
    move = parse_gtp(gtp._board.game, answer.removeprefix("=3 "))
    assert gtp._board.moves[-1] == move
    assert says(gtp, "undo", "undo", "undo") == ["=\n", "=\n", "? cannot undo\n"]
    assert says(gtp, "final_score") == ["? cannot score\n"]
    assert not says(gtp, "", "# only a remark")
    assert says(gtp, "quit") == ["=\n"]
    assert gtp.is_over


@pytest.mark.parametrize("lines", [["clear_board", "boardsize 8"], ["boardsize 8", "clear_board"]])
def test_gtp_starts_othello_alike_in_either_order(lines):
    gtp = engine("gtp", "othello", 8, 0)
    says(gtp, "play b d3")
    assert says(gtp, *lines) == ["=\n", "=\n"]
    assert gtp._board == Board("othello", 8)


def test_gtp_puts_forced_passes_in_and_takes_them_back():
    gtp = engine("gtp", "othello", 4, 0)
    board, rounds = Board("othello", 4), 0
    while not board.is_over:
        move = board.legal_moves()[-1]
        colour = "black" if board.turn == 1 else "white"
        board.play(move)
        if move != board.game.pass_move:
            assert says(gtp, f"play {colour} {chr(97 + move % 4)}{move // 4 + 1}") == ["=\n"]
            rounds += 1
    assert gtp._board.stones.tolist() == board.stones.tolist()
    black, white = board.score
    expected = "0" if black == white else f"{'B' if black > white else 'W'}+{abs(black - white)}"
    assert says(gtp, "final_score") == [f"= {expected}\n"]
    assert says(gtp, "genmove b") == ["= pass\n"]
    assert says(gtp, *["undo"] * rounds) == ["=\n"] * rounds
    assert not gtp._board.moves


def test_gtp_analyses_as_leela_zero_does():
    gtp = engine("gtp")
    before = gtp._board.copy()
    begin, *infos, end = says(gtp, "5 lz-analyze b 50")
    assert (begin, end) == ("=5", "")
    pattern = r"info move [A-Z]\d+ visits \d+ winrate \d+ prior \d+ order \d+ pv [A-Z0-9 ]+"
    parts = infos[-1].split(" info ")
    assert all(re.fullmatch(pattern, f"info {part.removeprefix('info ')}") for part in parts)
    for part in parts:
        assert part.split("pv ")[1].split()[0] == part.split("move ")[1].split()[0]
    assert gtp._board == before
    assert says(gtp, "reg_genmove b")[0].startswith("= ")
    assert gtp._board == before


@pytest.mark.parametrize(
    "line",
    [
        "boardsize 7",
        "boardsize",
        "play black",
        "play green A1",
        "play black Z99",
        "play white A1",
        "play black pass",
        "genmove",
        "genmove white",
        "time_settings 1 2",
        "time_settings nan 1 1",
        "time_settings x y z",
        "time_left b 1e99 1",
        "komi",
        "set_game Go",
        "lz-analyze white 5",
        "nonsense",
    ],
)
def test_gtp_refuses_in_one_line_and_changes_nothing(line):
    gtp = engine("gtp")
    (answer,) = says(gtp, f"12 {line}")
    assert answer.startswith("?12 ")
    assert answer.endswith("\n")
    assert "\n" not in answer[:-1]
    assert not gtp._board.moves


def test_gtp_times_bound_a_search():
    gtp = engine("gtp")
    assert says(gtp, "time_settings 0 2 1") == ["=\n"]
    assert gtp._seconds == pytest.approx(1.7)
    says(gtp, "time_left b 10 0")
    assert gtp._seconds == pytest.approx(0.85 * 10 / 20)
    says(gtp, "time_settings 0 1 0")
    assert gtp._seconds == 5.0


START = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"


def test_nboard_plays_a_session():
    nboard = engine("nboard")
    assert says(nboard, "nboard 2") == [f"set myname stonezero-{nboard._thinker.label}"]
    game = f"(;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[5:00]TY[8]{START}B[F5//1.00]W[F6/2.1];)"
    assert says(nboard, "set depth 3", f"set game {game}", "set contempt 5", "ping 7") == ["pong 7"]
    assert nboard._board.moves == [37, 45]
    before = nboard._board.copy()
    answers = says(nboard, "go")
    (line,) = [answer for answer in answers if answer.startswith("===")]
    match = re.fullmatch(r"=== ([A-H][1-8])/(-?\d+\.\d+)/(\d+\.\d+)", line)
    assert parse_nboard(before.game, match[1]) in before.legal_moves()
    assert nboard._board == before
    hints = [answer for answer in says(nboard, "hint 3") if answer.startswith("search ")]
    assert 1 <= len(hints) <= 3
    assert all(re.fullmatch(r"search ([A-H][1-8]|PA)+ -?\d+\.\d+ 0 \d+", hint) for hint in hints)
    assert not says(nboard, f"move {match[1]}/1.5/0.2")
    assert len(nboard._board.moves) == 3
    assert says(nboard, "learn") == ["learned"]
    analyses = [answer for answer in says(nboard, "analyze") if answer.startswith("analysis")]
    assert [answer.split()[1] for answer in analyses] == ["3", "2", "1", "0"]


def test_nboard_switches_the_side_after_a_pass_at_the_end_of_a_game():
    rows = ["*OOOOOOO" if row == 0 else "--------" for row in range(8)]
    rows[3:6] = ["---OO---", "---OO---", "-*OOOOOO"]
    stones = np.array([["-*O".index(cell) for cell in row] for row in rows], np.int8)
    board = Board.from_stones(make_game("othello", 8), stones, 1)
    assert board.legal_moves() == [64]
    nboard = engine("nboard")
    says(nboard, f"set game (;GM[Othello]PC[x]TY[8]BO[8 {' '.join(rows)} *]B[PA//3.107];)")
    assert nboard._board.turn == 2


@pytest.mark.parametrize(
    "line",
    [
        "set game",
        "set game (;GM[Othello]",
        "set game (;GM[Chess];)",
        f"set game (;GM[Othello]TY[8]{START}B[A1];)",
        f"set game (;GM[Othello]TY[8]{START}B[PA];)",
        "set game (;GM[Othello]TY[6]BO[6 ------ ------ --O*-- --*O-- ------ ------ *];)",
        "set depth deep",
        "move A1",
        "move PA",
        "move Q9",
    ],
)
def test_nboard_says_what_is_wrong_as_a_status_and_changes_nothing(line):
    nboard = engine("nboard")
    before = nboard._board.copy()
    (answer,) = says(nboard, line)
    assert answer.startswith("status ")
    assert nboard._board == before
    assert not says(nboard, "unheard of", "")


def test_engines_are_refused_where_the_net_plays_another_game():
    with pytest.raises(UserError, match="NBoard plays othello 8x8"):
        engine("nboard", "gomoku", 7, 5)
    with pytest.raises(UserError, match="Gomocup plays gomoku"):
        engine("gomocup", "othello", 8, 0)
    with pytest.raises(UserError, match="choose gomocup, gtp, nboard"):
        engine("uci", "othello", 8, 0)


WORDS = st.sampled_from(
    [
        *("START", "RECTSTART", "RESTART", "BEGIN", "TURN", "BOARD", "DONE", "TAKEBACK", "INFO", "ABOUT"),
        *(
            "rule",
            "timeout_turn",
            "time_left",
            "play",
            "genmove",
            "undo",
            "boardsize",
            "clear_board",
            "black",
        ),
        *(
            "w",
            "lz-analyze",
            "time_settings",
            "time_left",
            "final_score",
            "showboard",
            "known_command",
            "komi",
        ),
        *(
            "set",
            "game",
            "depth",
            "move",
            "hint",
            "go",
            "ping",
            "analyze",
            "nboard",
            "PA",
            "F5",
            "H8",
            "pass",
        ),
        *(
            "7",
            "15",
            "-1",
            "0",
            "1,1",
            "3,3,1",
            "3,4,2",
            "1e400",
            "nan",
            "99999999999999999999",
            "(;GM[Othello]",
        ),
        *("2147483648", "#", "'", '"', "\x00", "é", "½", "٣", "\t", ",", ";)", "BO[8", "*]", "[", "\\", "%s"),
    ]
)
LINES = st.one_of(st.lists(WORDS, max_size=6).map(" ".join), st.text(max_size=40))


def check_a_wild_session(protocol, lines):
    tested = engine(protocol)
    for line in lines:
        for answer in tested.answer(line):
            assert "\r" not in answer
            if protocol != "gtp":
                assert "\n" not in answer
    if protocol == "gomocup":
        says(tested, "DONE", "INFO rule 0")
        assert says(tested, "START 7", "BEGIN")[0] == "OK"
    elif protocol == "gtp":
        assert says(tested, "clear_board", "1 protocol_version") == ["=\n", "=1 2\n"]
    else:
        assert says(tested, "ping 3") == ["pong 3"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=150)
@given(lines=st.lists(LINES, max_size=8))
def test_no_line_brings_an_engine_down(protocol, lines):
    check_a_wild_session(protocol, lines)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=2000)
@given(lines=st.lists(LINES, max_size=8))
def test_no_line_of_very_many_brings_an_engine_down(protocol, lines):
    check_a_wild_session(protocol, lines)


def test_a_session_flushes_each_answer_and_ends_with_its_input():
    sink = io.BytesIO()
    inbox = Inbox()
    gtp = make_engine("gtp", thinker("gomoku", 15, 5), inbox)
    run_session(gtp, inbox, io.BytesIO(b"1 protocol_version\r\n\xff\xfe\nplay b h8\nquit\nname\n"), sink)
    assert sink.getvalue().decode() == "=1 2\n\n? unknown command\n\n=\n\n=\n\n"


def engine_text(tmp_path, protocol, *spec):
    path = tmp_path / "a net.safetensors"
    checkpoint(*spec).save(path)
    command = f"{sys.executable} -m stonezero engine {protocol} '{path}' --simulations 4"
    return f"{protocol}:seconds=30:{command}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "spec"),
    [
        ("gomocup", ("gomoku", 7, 5)),
        ("gtp", ("gomoku", 6, 4)),
        ("gtp", ("othello", 6, 0)),
        ("nboard", ("othello", 8, 0)),
    ],
)
def test_whole_games_between_our_engine_and_our_adapter(tmp_path, monkeypatch, protocol, spec):
    monkeypatch.setenv("STONEZERO_WORKERS", "1")
    monkeypatch.chdir("/")
    game = make_game(*spec)
    player = parse_player(engine_text(tmp_path, protocol, *spec), game, PLAY_INFERENCE, PLAY_SETTINGS)
    rival = parse_player("random", game, PLAY_INFERENCE, PLAY_SETTINGS)
    openings = balanced_openings(game, 2, 2, seed=1)
    (table,) = play_matches(game, [Match(player, rival, openings, range(2), seed=7)], 64)
    assert table[FORFEIT].tolist() == [""] * 4
    assert (table["status"] > 0).all()


@pytest.mark.parametrize(("protocol", "last"), [("gomocup", "END"), ("gtp", "quit")])
def test_a_process_ends_in_order_while_its_input_is_still_open(tmp_path, protocol, last):
    path = tmp_path / "net.safetensors"
    checkpoint("gomoku", 5, 5).save(path)
    command = [sys.executable, "-m", "stonezero", "engine", protocol, str(path), "--simulations", "4"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdin.write(f"{last}\n")
        process.stdin.flush()
        assert process.wait(120) == 0
        assert process.stderr.read() == ""


def test_the_command_speaks_gtp_as_a_process(tmp_path):
    path = tmp_path / "net.safetensors"
    checkpoint("othello", 4).save(path)
    done = subprocess.run(
        [sys.executable, "-m", "stonezero", "engine", "gtp", str(path), "--simulations", "4"],
        input="boardsize 4\ngenmove b\nboardsize 9\nquit\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.fullmatch(r"=\n\n= [A-D][1-4]\n\n\? unacceptable size\n\n=\n\n", done.stdout), done.stderr
    assert done.returncode == 0
