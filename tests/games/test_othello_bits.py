"""Turned discs and legal points as 64-bit words, against the rules cell by cell."""

import os
import subprocess
import sys

import numpy as np
import pytest

from stonezero.games.othello_bits import legal_points, pack_discs, playable_points, turned_discs
from stonezero.games.position import BLACK, WHITE
from stonezero.jit import kernel
from tests.reference import othello as twin

ON_AN_OLD_MACHINE = """
from tests.games.test_othello_bits import digest, random_words
print(digest(*random_words(200)))
"""


@kernel
def words_of(own, opponent, playable, turned):  # type: ignore[no-untyped-def]
    """Write turned[square], uint64[64], for every empty square; return the legal points."""
    for square in range(64):
        is_empty = not ((own | opponent) >> np.uint64(square)) & np.uint64(1)
        turned[square] = turned_discs(own, opponent, np.uint64(square)) if is_empty else np.uint64(0)
    return legal_points(own, opponent, playable)


def bits(word: int) -> set[tuple[int, int]]:
    return {divmod(bit, 8) for bit in range(64) if int(word) >> bit & 1}


def random_words(num_boards: int) -> tuple[list[np.uint64], list[np.uint64]]:
    """Boards of all densities, discs of the opponent in the majority on many."""
    rng = np.random.default_rng(5)
    own, opponent = [], []
    for _ in range(num_boards):
        empty, mine = rng.uniform(0, 0.6), rng.uniform(0, 0.6)
        kinds = rng.choice(3, size=64, p=[empty, (1 - empty) * mine, (1 - empty) * (1 - mine)])
        for words, kind in ((own, 1), (opponent, 2)):
            words.append(np.uint64(sum(1 << int(bit) for bit in np.flatnonzero(kinds == kind))))
    return own, opponent


def digest(own: list[np.uint64], opponent: list[np.uint64]) -> int:
    """One number of everything the kernels say of these boards."""
    turned, total = np.zeros(64, np.uint64), 0
    for mine, theirs in zip(own, opponent, strict=True):
        legal = words_of(mine, theirs, playable_points(8), turned)
        total = hash((total, int(legal), *turned.tolist()))
    return total


@pytest.mark.parametrize("size", [4, 6, 8])
def test_turned_discs_and_legal_points_equal_the_twins(size: int) -> None:
    turned = np.zeros(64, np.uint64)
    inside = playable_points(size)
    assert bits(inside) == {(row, column) for row in range(size) for column in range(size)}
    for own, opponent in zip(*random_words(300), strict=True):
        own, opponent = own & inside, opponent & inside
        board = dict.fromkeys(bits(own), "X") | dict.fromkeys(bits(opponent), "O")
        assert bits(words_of(own, opponent, inside, turned)) == twin.placements(board, "X", size)
        for square in range(64):
            point = divmod(square, 8)
            wanted = set(twin.turned(board, "X", *point)) if point not in board else set()
            assert bits(turned[square]) == wanted


@pytest.mark.parametrize("size", [4, 6, 8])
def test_packed_discs_lie_row_by_row_in_the_upper_left_corner(size: int) -> None:
    stones = np.random.default_rng(size).integers(0, 3, (2, size * size)).astype(np.int8)
    for side in (BLACK, WHITE):
        wanted = {divmod(int(point), size) for point in np.flatnonzero(stones[1] == side)}
        assert bits(pack_discs(stones, 1, size, side)) == wanted


def test_a_processor_without_vectors_gives_the_same_words(tmp_path) -> None:  # type: ignore[no-untyped-def]
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "STONEZERO_CACHE": str(tmp_path)}
    finished = subprocess.run(
        [sys.executable, "-c", ON_AN_OLD_MACHINE],
        env=os.environ | plain,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(finished.stdout) == digest(*random_words(200))
