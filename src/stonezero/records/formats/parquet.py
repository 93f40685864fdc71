"""Our own shards as a format among others: games in, and games out as training data.

A game of somebody else's has no search in it. Its policy target is the move that was played (one visit), and
its root value is the game's outcome, so that every mix of the two as value target is the outcome again.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from stonezero.errors import UserError
from stonezero.games.catalogue import make_game
from stonezero.games.notation import describe
from stonezero.records.formats.game_text import GameText
from stonezero.records.formats.transcript import FormatError, Hints, Transcript, Turn
from stonezero.records.schema import GameRecord, RecordTable, outcome_for_mover
from stonezero.records.shard import decode_shard, encode_shard

GENERATION = "imported"
"""What shards made of other formats have in the place of a generation."""


class Rows(NamedTuple):
    """One game of a table: its rows from begin to end."""

    table: RecordTable
    begin: int
    end: int


def split(data: bytes, hints: Hints) -> Iterator[Rows]:
    """The games of a shard; FormatError where it is none."""
    try:
        table = decode_shard(data, "the file")
        game = make_game(**table.game)
    except (UserError, TypeError) as error:
        raise FormatError(f"byte 0: {error}") from None
    hints.refuse_other_game(game.name, "this file")
    starts = np.flatnonzero(np.diff(table.game_id, prepend=table.game_id[:1] - 1))
    for begin, end in pairwise([*starts.tolist(), len(table)]):
        yield Rows(table, begin, end)


def parse(rows: Rows, hints: Hints) -> Transcript:
    """One game as recorded."""
    table, begin = rows.table, rows.begin
    where = f"game {table.game_id[begin]}"
    transcript = Transcript(make_game(**table.game), where, stones=table.stones[begin].copy())
    transcript.first = int(table.turn[begin])
    transcript.result = int(table.status[begin])
    transcript.facts["game_id"] = str(table.game_id[begin])
    for row in range(begin, rows.end):
        move, side = int(table.move[row]), int(table.turn[row])
        if not 0 <= move < transcript.game.num_actions:
            raise FormatError(f"{where}, ply {table.ply[row]}: there is no move {move}")
        transcript.turns.append(Turn(side, move, f"{where}, ply {table.ply[row]}"))
    return transcript


def check(game: GameText) -> None:
    """FormatError for a game that teaches nothing."""
    if game.is_unfinished:
        raise FormatError("the game is unfinished: without an outcome there is nothing to learn from it")
    if not game.moves:
        raise FormatError("the game has no moves")


def write(games: Sequence[GameText]) -> bytes:
    """A shard. FormatError where the games are not all of one kind."""
    kinds = {describe(game.game) for game in games}
    if len(kinds) != 1:
        raise FormatError(f"a shard holds games of one kind, not {' and '.join(sorted(kinds))}")
    records = [training_record(game, number) for number, game in enumerate(games)]
    return encode_shard(records, games[0].game.spec(), GENERATION)


def training_record(game: GameText, game_id: int) -> GameRecord:
    """A game as self-play would have recorded it, had its search seen nothing but the move played."""
    num_plies = len(game.moves)
    positions = game.positions()
    turn = positions.turn[:num_plies]
    moves = np.array(game.moves, np.int16)
    nothing = np.zeros(num_plies, np.bool_)
    return GameRecord(
        game_id=game_id,
        status=game.status,
        stones=positions.stones[:num_plies],
        turn=turn,
        ply=positions.ply[:num_plies],
        passes=positions.passes[:num_plies],
        recent_moves=positions.recent_moves[:num_plies],
        move=moves,
        visit_moves=moves,
        visit_counts=np.ones(num_plies, np.int32),
        visit_offsets=np.arange(num_plies + 1, dtype=np.int32),
        root_value=outcome_for_mover(np.full(num_plies, game.status, np.int8), turn).astype(np.float32),
        prior_entropy=np.full(num_plies, np.nan, np.float32),
        is_opening=nothing,
        is_full_search=~nothing,
        is_resigned=nothing,
        is_solved=nothing,
    )
