"""Matches: two players meet in colour-swapped pairs, many games at once, over worker processes.

Both games of a pair start from the same opening. A game depends on its match's seed and its pair's number
alone, so results don't depend on how the games are dealt to workers. Games of an outside engine are played
one after another; a game that it breaks off counts as lost, and the column FORFEIT says why. Many short
matches are best played as one round, in which each player answers all his opponents at once.

Results are tables of games, see `stonezero.arena.tables`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stonezero.arena.openings import Openings
from stonezero.arena.tables import FORFEIT, TYPES
from stonezero.errors import UserError
from stonezero.games import BLACK, BLACK_WON, ONGOING, WHITE_WON, Game, make_game
from stonezero.games.game import Moves, Rows
from stonezero.games.notation import move_to_text
from stonezero.games.position import NO_MOVE
from stonezero.players.player import Forfeit, Player
from stonezero.players.players import PlayerSpec
from stonezero.processes import num_workers, worker_pool


@dataclass(frozen=True)
class Match:
    """Pairs to be played between two players."""

    first: PlayerSpec  #: black in the first game of each pair
    second: PlayerSpec
    openings: Openings  #: pair i starts from opening i, modulo their number
    pairs: range  #: numbers of the pairs to play
    seed: int  #: of all randomness of the match; the same for all its rounds

    def __post_init__(self) -> None:
        if self.first.name == self.second.name:
            raise UserError(f"a match needs two players with different names, not {self.first.name} twice")


class _Task(NamedTuple):
    """What one worker plays in one go: some pairs of one match or of several."""

    game: dict[str, Any]
    players: tuple[PlayerSpec, ...]
    first: NDArray[np.int64]  #: int64[N]: number of the player who is black in the pair's first game
    second: NDArray[np.int64]  #: int64[N]
    pairs: NDArray[np.int64]  #: int64[N]
    openings: NDArray[np.int64]  #: int64[N]: numbers
    moves: NDArray[np.int16]  #: int16[N, plies]: the openings' moves
    keys: NDArray[np.uint64]  #: uint64[2 N]
    slots: int  #: positions that a player searches at once


def play_matches(game: Game, matches: Sequence[Match], slots: int) -> Iterator[pd.DataFrame]:
    """Play all matches; yield the table of each as soon as it and all before it are over.

    `slots` is how many games one worker plays at once.
    """
    workers = num_workers()
    num_pairs = sum(len(match.pairs) for match in matches)
    chunk = max(min(slots // 2, -(-num_pairs // workers)), 1)
    tasks = [list(_deal(game, match, chunk)) for match in matches]
    results = _run([task for of_match in tasks for task in of_match], workers)
    for of_match in tasks:
        tables = [next(results) for _ in of_match]
        yield (
            pd.concat(tables, ignore_index=True)
            if tables
            else pd.DataFrame(columns=list(TYPES)).astype(TYPES)
        )


def play_round(game: Game, matches: Sequence[Match], slots: int) -> list[pd.DataFrame]:
    """Play many short matches; the table of each. Players are told apart by their names.

    `slots` is how many positions one player searches at once.
    """
    share = -(-len(matches) // num_workers()) or 1
    tasks = []
    for start in range(0, len(matches), share):
        some = matches[start : start + share]
        of_match = [next(_deal(game, match, max(len(match.pairs), 1))) for match in some]
        tasks.append(_joined(of_match, slots))
    tables = pd.concat(list(_run(tasks, num_workers())), ignore_index=True) if tasks else pd.DataFrame()
    ends = np.cumsum([0, *(2 * len(match.pairs) for match in matches)])
    return [tables.iloc[start:end].reset_index(drop=True) for start, end in pairwise(ends)]


def _joined(tasks: list[_Task], slots: int) -> _Task:
    """One task out of several, in which each player is there once."""
    specs = {spec.name: spec for task in tasks for spec in task.players}
    number = {name: i for i, name in enumerate(specs)}
    places = [np.array([number[spec.name] for spec in task.players]) for task in tasks]
    joined = {
        name: np.concatenate([getattr(task, name) for task in tasks])
        for name in ("pairs", "openings", "moves", "keys")
    }
    return _Task(
        game=tasks[0].game,
        players=tuple(specs.values()),
        first=np.concatenate([at[task.first] for at, task in zip(places, tasks, strict=True)]),
        second=np.concatenate([at[task.second] for at, task in zip(places, tasks, strict=True)]),
        slots=slots,
        **joined,
    )


def _deal(game: Game, match: Match, chunk: int) -> Iterator[_Task]:
    numbers = np.arange(match.pairs.start, match.pairs.stop)
    keys = np.random.default_rng(match.seed).integers(2**64, size=2 * match.pairs.stop, dtype=np.uint64)
    for start in range(0, len(numbers), chunk):
        pairs = numbers[start : start + chunk]
        of_pair = pairs % len(match.openings.moves)
        game_keys = keys.reshape(-1, 2)[pairs].ravel()
        yield _Task(
            game.spec(),
            (match.first, match.second),
            np.zeros(len(pairs), np.int64),
            np.ones(len(pairs), np.int64),
            pairs,
            of_pair % match.openings.num_distinct,
            match.openings.moves[of_pair],
            game_keys,
            slots=2 * len(pairs),
        )


def _run(tasks: list[_Task], workers: int) -> Iterator[pd.DataFrame]:
    """Results in the order of the tasks; in this process where there is one worker or one task."""
    if workers == 1 or len(tasks) < 2:
        return map(_play, tasks)
    results: Iterator[pd.DataFrame] = worker_pool(workers).map(_play, tasks)
    return results


class _Games:
    """The games of a task under way: game 2i and game 2i + 1 are those of pair i."""

    def __init__(self, game: Game, first: NDArray[np.int64], second: NDArray[np.int64]) -> None:
        num_games = 2 * len(first)
        self._game = game
        self.rows = np.arange(num_games)
        self.positions = game.new_positions(num_games)
        self.moves = np.zeros((num_games, game.max_plies), np.int16)
        self._legal = np.zeros((num_games, game.num_actions), np.uint8)
        game.legal_moves(self.positions, self.rows, self._legal)
        self.black = np.stack([first, second], axis=1).ravel()  # number of the player with the first move
        self.white = np.stack([second, first], axis=1).ravel()
        self.forfeits = [""] * num_games

    def waiting_for(self, player: int, rows: Rows) -> Rows:
        """Those of `rows` in which it is this player's turn."""
        to_move = np.where(self.positions.turn == BLACK, self.black, self.white)
        return rows[((self.positions.status == ONGOING) & (to_move == player))[rows]]

    def ask(self, number: int, player: Player, rows: Rows, keys: NDArray[np.uint64]) -> None:
        """Let a player move in all of `rows`."""
        try:
            moves = player.choose(self.positions, rows, keys[rows], self.moves)
        except Forfeit as forfeit:
            (row,) = rows
            self.positions.status[row] = WHITE_WON if self.black[row] == number else BLACK_WON
            self.forfeits[row] = str(forfeit)
            return
        self.play(rows, moves, player.name)

    def play(self, rows: Rows, moves: Moves, by: str) -> None:
        """Play one move in each of these games."""
        if not self._legal[rows, moves].all():
            raise UserError(f"{by} chose an illegal move")
        self.moves[rows, self.positions.ply[rows]] = moves
        legal = np.zeros((len(rows), self._game.num_actions), np.uint8)
        self._game.play(self.positions, rows, moves, rows, legal)
        self._legal[rows] = legal


def _play(task: _Task) -> pd.DataFrame:
    """Play the pairs of a task. Each player moves in all games that wait for him before the other does."""
    game = make_game(**task.game)
    games = _Games(game, task.first, task.second)
    players = [spec.open(game, task.slots) for spec in task.players]
    for moves in np.repeat(task.moves, 2, axis=0).T:
        rows = np.flatnonzero(moves != NO_MOVE)
        games.play(rows, moves[rows], "an opening")
    try:
        is_sequential = any(player.is_sequential for player in players)
        for rows in games.rows.reshape(-1, 1) if is_sequential else [games.rows]:
            _play_out(games, players, rows, task.keys)
    finally:
        for player in players:
            player.close()
    table = _table(task, game, games)
    return table.assign(**{FORFEIT: games.forfeits}) if is_sequential else table


def _play_out(games: _Games, players: Sequence[Player], rows: Rows, keys: NDArray[np.uint64]) -> None:
    """Play the games of `rows` to their ends, together."""
    while (games.positions.status[rows] == ONGOING).any():
        for number, player in enumerate(players):
            waiting = games.waiting_for(number, rows)
            if len(waiting):
                games.ask(number, player, waiting, keys)


def _table(task: _Task, game: Game, games: _Games) -> pd.DataFrame:
    names = np.array([spec.name for spec in task.players])
    lines = [line[:plies] for line, plies in zip(games.moves, games.positions.ply, strict=True)]
    return pd.DataFrame(
        {
            "pair": np.repeat(task.pairs, 2),
            "opening": np.repeat(task.openings, 2),
            "black": names[games.black],
            "white": names[games.white],
            "status": games.positions.status,
            "plies": games.positions.ply,
            "moves": [" ".join(move_to_text(game, move) for move in line) for line in lines],
        }
    ).astype(TYPES)


def match_seed(seed: int, labels: Iterable[str]) -> int:
    """A seed for one match out of the root seed and labels that tell matches apart."""
    words = [int(byte) for byte in "/".join(labels).encode()]
    return int(np.random.SeedSequence([seed, *words]).generate_state(1, np.uint64)[0])
