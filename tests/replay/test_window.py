"""What the window keeps, weighs and holds out."""

from dataclasses import replace

import numpy as np
import pytest

from stonezero.config.schema import BufferConfig
from stonezero.games import make_game
from stonezero.records import GameRecord
from stonezero.records.schema import table_of_games
from stonezero.replay.index import RecordsFile, WindowIndex, empty_index
from stonezero.replay.window import WindowError, game_copies, game_starts, next_window, power_law_size
from tests.records.games import random_records
from tests.replay.common import BUFFER

GAME = make_game("gomoku", 4, 3)


def buffer_config(window_generations: int, max_positions: int, **changes: object) -> BufferConfig:
    """One that holds nothing out."""
    values = BUFFER | {"held_out_fraction": 0.0} | changes
    values |= {"window_generations": window_generations, "max_positions": max_positions}
    return BufferConfig(**values)  # type: ignore[arg-type]


def extend(
    window: WindowIndex, gen: int, records: list[GameRecord], config: BufferConfig, seed: int = 1
) -> WindowIndex:
    table = table_of_games(records, GAME.spec())
    return next_window(window, [(RecordsFile(f"g{gen:03d}", f"{gen}.parquet", "d"), table)], config, seed)


def chain(config: BufferConfig, num_generations: int = 4, num_games: int = 12) -> WindowIndex:
    window = empty_index()
    for gen in range(1, num_generations + 1):
        window = extend(window, gen, random_records(GAME, num_games, seed=gen), config)
    return window


def test_the_window_keeps_the_newest_generations_and_counts_their_age() -> None:
    window = chain(buffer_config(2, 10**6))
    assert [file.generation for file in window.files] == ["g003", "g004"]
    assert np.unique(window.staleness).tolist() == [0, 1]
    assert (window.staleness == np.where(window.file == 0, 1, 0)).all()


def test_the_window_keeps_the_newest_whole_games_that_fit() -> None:
    everything = chain(buffer_config(9, 10**6))
    for limit in (len(everything), 150, 60, 20):
        window = chain(buffer_config(9, limit))
        dropped = len(everything) - len(window)
        assert len(window) <= limit
        assert window.row.tolist() == everything.row[dropped:].tolist()
        starts = game_starts(everything)
        assert dropped in starts or dropped == 0
        longest_left_out = starts[starts < dropped][-1] if dropped else 0
        assert dropped == 0 or len(everything) - longest_left_out > limit


def test_a_limit_below_the_newest_game_is_refused() -> None:
    with pytest.raises(WindowError, match="max_positions is 2"):
        chain(buffer_config(9, 2))


def test_moves_of_random_openings_are_left_out_and_cheap_searches_teach_no_policy() -> None:
    record = random_records(GAME, 1, opening_plies=3)[0]
    is_full = record.is_full_search.copy()
    is_full[4] = False
    window = extend(empty_index(), 1, [replace(record, is_full_search=is_full)], buffer_config(9, 10**6))
    assert window.row.tolist() == list(range(3, len(record.move)))
    assert window.is_policy_target.tolist() == [row != 4 for row in window.row]


def test_copies_of_a_game_are_weighted_once_in_all_also_across_generations() -> None:
    config = buffer_config(9, 10**6)
    games = random_records(GAME, 4)
    copies = [games[0], replace(games[0], game_id=50), replace(games[1], game_id=51), games[2]]
    window = extend(empty_index(), 1, copies, config)
    window = extend(window, 2, [games[0], games[3]], config)
    starts = game_starts(window)
    assert game_copies(window)[starts].tolist() == [3, 3, 1, 1, 3, 1]
    assert window.weight[starts].tolist() == pytest.approx([1 / 3, 1 / 3, 1, 1, 1 / 3, 1])
    assert len(np.unique(window.moves_digest)) == 4


def test_a_copy_that_leaves_the_window_gives_its_weight_back() -> None:
    config = buffer_config(2, 10**6)
    games = random_records(GAME, 3)
    window = extend(empty_index(), 1, [games[0]], config)
    window = extend(window, 2, [games[0]], config)
    assert window.weight[0] == pytest.approx(0.5)
    window = extend(window, 3, [games[1]], config)
    assert (window.weight == 1).all()


def test_whole_games_are_held_out_for_good_and_in_about_the_asked_share() -> None:
    config = buffer_config(9, 10**6, held_out_fraction=0.25)
    first = extend(empty_index(), 1, random_records(GAME, 400), config)
    second = extend(first, 2, random_records(GAME, 100, seed=5), config)
    assert second.is_held_out[: len(first)].tolist() == first.is_held_out.tolist()
    starts = game_starts(second)
    assert (
        second.is_held_out == np.repeat(second.is_held_out[starts], np.diff(starts, append=len(second)))
    ).all()
    # 500 games: three standard deviations are 0.06
    assert second.is_held_out[starts].mean() == pytest.approx(0.25, abs=0.06)


def test_copies_of_a_game_lie_on_one_side_of_the_split() -> None:
    games = random_records(GAME, 60)
    doubled = games + [replace(game, game_id=game.game_id + 100) for game in games]
    window = extend(empty_index(), 1, doubled, buffer_config(9, 10**6, held_out_fraction=0.5))
    held_out = window.moves_digest[window.is_held_out]
    assert len(held_out)
    assert not np.isin(window.moves_digest[~window.is_held_out], held_out).any()


def test_another_seed_holds_out_other_games() -> None:
    records = random_records(GAME, 60)
    config = buffer_config(9, 10**6, held_out_fraction=0.5)
    sides = [extend(empty_index(), 1, records, config, seed).is_held_out.tolist() for seed in (1, 2)]
    assert sides[0] != sides[1]


def test_nothing_is_held_out_at_fraction_zero() -> None:
    assert not chain(buffer_config(9, 10**6)).is_held_out.any()


def test_the_newest_games_are_kept_where_games_are_limited() -> None:
    window = chain(buffer_config(9, 10**6, max_games=15))
    assert len(game_starts(window)) == 15
    assert window.staleness[game_starts(window)].tolist() == [1] * 3 + [0] * 12


def test_the_power_law_gives_katagos_window() -> None:
    """c = 250k, alpha = 0.75, beta = 0.4: about 500k positions out of 1M, by the formula worked by hand."""
    config = buffer_config(9, 10**6, power_law_positions=250_000)
    assert power_law_size(1000, config) == 250_000
    assert power_law_size(250_000, config) == 250_000
    # (1e6 / 250e3) ** 0.75 = 4 ** 0.75 = 2.828427; 250e3 * (1 + 0.4 * 1.828427 / 0.75) = 493790.3
    assert power_law_size(1_000_000, config) == 493_790
    slope = (power_law_size(250_100, config) - 250_000) / 100
    assert slope == pytest.approx(0.4, abs=0.02)


def test_the_growing_window_counts_positions_that_it_has_dropped() -> None:
    config = buffer_config(99, 10**6, power_law_positions=40)
    window, total = empty_index(), 0
    for gen in range(1, 6):
        records = random_records(GAME, 12, seed=gen)
        total += int((~table_of_games(records, GAME.spec()).is_opening).sum())
        window = extend(window, gen, records, config)
        assert window.num_seen == total
        assert len(window) <= power_law_size(total, config)
        following = len(window) + int(np.diff(game_starts(window))[0])
        assert following > power_law_size(total, config) - GAME.max_plies
    assert len(window) < total / 2
