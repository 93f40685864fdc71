"""Looking into a run's records: games by id, positions counted by a reference that turns boards itself."""

import numpy as np
import pytest

from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.games.board import Board
from stonezero.games.notation import parse_move
from stonezero.records import write_shard
from stonezero.records.formats.parquet import training_record
from stonezero.replay.recorded import board_at, generations, occurrences, recorded_game
from tests.records.formats.samples import random_game

GAMES = [make_game("gomoku", 4, 3), make_game("othello", 4)]


@pytest.fixture(params=GAMES, ids=lambda game: game.name)
def run(request, tmp_path):
    """Two generations of thirty random games in shards of ten, and the games."""
    played = {}
    for generation in ("g001", "g002"):
        texts = [random_game(request.param, seed + 100 * int(generation[1:])) for seed in range(30)]
        played[generation] = texts
        for shard in range(3):
            ids = range(10 * shard, 10 * shard + 10)
            path = tmp_path / "runs" / generation / "games" / f"shard-{shard:05}.parquet"
            records = [training_record(texts[i], i) for i in ids]
            write_shard(path, records, request.param.spec(), generation)
    return tmp_path / "runs", played


def images(stones):
    return [np.rot90(side, turns) for side in (stones, np.fliplr(stones)) for turns in range(4)]


def counted(played, board):
    """Rows that some symmetry takes to the board, by hand: (positions, games, by generation)."""
    wanted = [image.tobytes() for image in images(board.stones)]
    positions, games, by_generation = 0, 0, {}
    for generation, texts in played.items():
        before = positions
        for text in texts:
            replayed, hits = Board(text.game), 0
            for move in text.moves:
                hits += replayed.turn == board.turn and replayed.stones.tobytes() in wanted
                replayed.play(move)
            positions += hits
            games += hits > 0
        by_generation[generation] = positions - before
    return positions, games, by_generation


def test_occurrences_are_those_of_a_count_by_hand(run):
    folder, played = run
    several = 0
    for text in played["g001"][:6]:
        for ply in range(4):
            board = board_at(text, ply)
            found = occurrences(folder, board)
            assert (found.num_positions, found.num_games, found.by_generation) == counted(played, board)
            assert found.won + found.drawn + found.lost == found.num_positions == sum(found.moves.values())
            assert found.searched_games == 60
            several += found.num_positions > 3
    assert several > 5


def test_moves_are_those_of_the_board_asked_for(run):
    """On a board turned by hand the moves are legal, and as often played as on the other."""
    folder, played = run
    text = played["g001"][0]
    board = board_at(text, 3)
    turned = Board.from_stones(text.game, np.ascontiguousarray(np.rot90(board.stones)), board.turn)
    first, second = occurrences(folder, board), occurrences(folder, turned)
    assert first.num_positions == second.num_positions > 0
    assert sorted(first.moves.values()) == sorted(second.moves.values())
    for found, side in ((first, board), (second, turned)):
        assert {parse_move(text.game, move) for move in found.moves} <= set(side.legal_moves())


def test_a_position_that_never_occurred_is_counted_zero_times(run):
    folder, played = run
    game = played["g001"][0].game
    other = make_game("gomoku", 4, 4) if game.name == "gomoku" else make_game("othello", 6)
    with pytest.raises(UserError, match="its games are not"):
        occurrences(folder, Board(other))
    if game.name == "gomoku":
        stones = np.zeros((4, 4), np.int8)
        stones[0, 0] = 2  # white has moved before black
        assert occurrences(folder, Board.from_stones(game, stones, 1)).num_positions == 0


def test_a_game_comes_back_by_its_id(run):
    folder, played = run
    for game_id in (0, 17, 29):
        game = recorded_game(folder / "g002", game_id)
        assert game.moves == played["g002"][game_id].moves
        assert board_at(game, 2).moves == list(game.moves[:2])


def test_generations_of_a_run_in_order(run):
    folder, _ = run
    assert [path.name for path in generations(folder)] == ["g001", "g002"]
    assert generations(folder / "g002") == [folder / "g002"]


def test_what_is_not_there_is_said_in_one_sentence(run, tmp_path):
    folder, _ = run
    with pytest.raises(UserError, match="no game 30: it has 30 games, numbered from 0"):
        recorded_game(folder / "g002", 30)
    with pytest.raises(UserError, match="game ids are those of a generation: say which, as"):
        recorded_game(folder, 3)
    with pytest.raises(UserError, match="there is no such folder"):
        generations(tmp_path / "nowhere")
    with pytest.raises(UserError, match="no games here"):
        generations(tmp_path)
    game = recorded_game(folder / "g001", 0)
    for ply in (-1, len(game.moves) + 1):
        with pytest.raises(UserError, match="there is no"):
            board_at(game, ply)
