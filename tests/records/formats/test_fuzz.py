"""Damaged and random files: refused in one sentence or read, never a crash, never much memory."""

import tracemalloc

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stonezero.games import make_game
from stonezero.records.formats.catalogue import FORMATS, read_data
from stonezero.records.formats.transcript import Hints
from tests.records.formats.samples import GAMES, random_game

TEXTS = ["sgf", "psq", "rec", "ggf", "text"]
PIECES = [
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b"B[",
    b"AB[aa:",
    b"SZ[",
    b"-1",
    b"tt",
    b"99,99",
    b"\n",
    b"\x00",
]
PIECES += [
    b"8",
    b"\xff",
    b"pass",
    b"PA//",
    b"BO[8 ",
    b"GM[2]",
    b"0" * 40,
    b"RE[",
    b"\xef\xbb\xbf",
    b" X;",
    b":",
]
FEW, MANY = 120, 3000
LENIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}
MEMORY_BYTES = 4 << 20  #: for files of some kB


def valid_files(name):
    """Files of this format that are right."""
    is_gomoku = name in ("psq", "rec")
    rules = GAMES[0] if is_gomoku else make_game("othello", 8)
    games = [random_game(rules, seed, num_plies=200 if seed else 24) for seed in range(2)]
    kind = FORMATS[name]
    return [kind.write([game]) for game in games if name != "parquet" or not game.is_unfinished]


VALID = {name: valid_files(name) for name in FORMATS}


@st.composite
def mutated(draw, name):
    """A right file with some bytes changed, cut out, doubled or put in."""
    data = bytearray(draw(st.sampled_from(VALID[name])))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        length = draw(st.integers(1, 12))
        match draw(st.sampled_from(["change", "cut", "double", "put", "truncate"])):
            case "change":
                data[place : place + 1] = bytes([draw(st.integers(0, 255))])
            case "cut":
                del data[place : place + length]
            case "double":
                data[place:place] = data[place : place + length]
            case "put":
                data[place:place] = draw(st.sampled_from(PIECES))
            case "truncate":
                del data[place:]
    return bytes(data)


def read(name, data):
    """Reading gives games and sentences."""
    reading = read_data(data, FORMATS[name], Hints(size=15) if name == "rec" else Hints())
    for refusal in reading.refusals:
        assert refusal.reason
        assert "\n" not in refusal.reason
        assert len(refusal.reason) < 600
    return reading


def check(name, data):
    """What is read can be played and written again."""
    for item in read(name, data).games:
        item.game.board()
        assert FORMATS["sgf"].write([item.game])


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_refused_or_read(name):
    @settings(max_examples=FEW, **LENIENT)
    @given(mutated(name))
    def run(data):
        check(name, data)

    run()


@pytest.mark.parametrize("name", FORMATS)
def test_random_bytes_are_refused_or_read(name):
    @settings(max_examples=FEW, **LENIENT)
    @given(st.binary(max_size=400) | st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join))
    def run(data):
        check(name, data)

    run()


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_thousands_of_damaged_files_leave_no_memory_behind(name):
    @settings(max_examples=MANY, **LENIENT)
    @given(mutated(name) | st.binary(max_size=2000))
    def run(data):
        read(name, data)

    check(name, VALID[name][0])
    before = psutil.Process().memory_info().rss
    run()
    assert psutil.Process().memory_info().rss - before < 16 * MEMORY_BYTES  # hypothesis keeps its examples


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("sgf", b"(;GM[4]SZ[15]" + b"(" * 100_000),
        ("sgf", b"(;GM[4]SZ[15]" + b"(;B[aa]" * 5_000 + b")" * 5_001),
        ("sgf", b"(;GM[4]SZ[15]C[" + b"\\" * 300_001),
        ("sgf", b"(;GM[4]SZ[15]AB" + b"[aa:oo]" * 2_000 + b";W[aa])"),
        ("sgf", b"(;GM[4]SZ[999999999999])"),
        ("sgf", b"(;GM[4]SZ[15]" + b";B[aa];W[bb]" * 5_000 + b")"),
        ("sgf", b"(;" * 100_000),
        ("sgf", b" " * 1_000_000),
        ("ggf", b"(;GM[Othello]BO[99999999 *];)"),
        ("psq", b"Piskvorky 15x15, 0:0, 0\n" + b"8,8,0\n" * 10_000),
        ("psq", b"Piskvorky 999x999, 0:0, 0\n"),
        ("text", b"-" * 1_000_000 + b" X"),
        ("text", (b"-" * 63 + b" " * 1900) + b"!"),
        ("text", b"a1" * 1_000),
        ("wthor", b"\x14\x13\x0c\x1f\xff\xff\xff\xff" + bytes(8)),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{len(value)} bytes",
)
def test_absurd_sizes_take_neither_long_nor_much_memory(name, data):
    check(name, VALID[name][0])
    tracemalloc.start()
    reading = read_data(data, FORMATS[name])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reading.games == []
    assert reading.refusals
    assert peak < MEMORY_BYTES + 200 * len(data)
