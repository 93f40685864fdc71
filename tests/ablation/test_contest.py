"""The round: who meets whom, and that what has been played is not played again."""

from pathlib import Path

import pytest

from stonezero.ablation import contest
from stonezero.ablation.contest import pairings, rate_champions
from stonezero.ablation.grid import Grid
from stonezero.ablation.results import CellResult


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONEZERO_WORKERS", "1")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many matches each round played."""
    counts = []
    play_round = contest.play_round

    def counting(game, matches, slots):  # type: ignore[no-untyped-def]
        counts.append(len(matches))
        return play_round(game, matches, slots)

    monkeypatch.setattr(contest, "play_round", counting)
    return counts


def test_last_champions_meet_all_and_earlier_ones_those_of_their_seed() -> None:
    met = pairings({"a1": {1}, "b1": {1}, "a2": {2}}, {"early1": {1}, "a2": {1}}, ["random"])
    assert met == sorted(
        [
            *[("a1", "b1"), ("a1", "a2"), ("a2", "b1")],
            *[("a1", "random"), ("b1", "random"), ("a2", "random")],
            *[("a1", "early1"), ("b1", "early1"), ("early1", "random")],
        ]
    )


def test_finished_matches_are_not_played_again_and_new_seeds_add_theirs(
    checkout: Path, grid: Grid, results: list[CellResult], played: list[int]
) -> None:
    of_seed_1 = [result for result in results if result.cell.seed == 1]
    rate_champions(checkout, grid, of_seed_1, pairs=1)
    # last against last, two last and one untrained against the anchor, the untrained against two last
    assert played == [1 + 3 + 2]
    ratings, names = rate_champions(checkout, grid, results, pairs=1)
    assert played == [6, (6 + 6 + 4) - 6]
    again, _ = rate_champions(checkout, grid, results, pairs=1)
    assert len(played) == 2
    assert again.elo.tolist() == ratings.elo.tolist()
    assert {name for of_cell in names.values() for name in of_cell} | {"random"} == set(ratings.names)


def test_the_untrained_net_of_one_seed_is_one_player(
    checkout: Path, grid: Grid, results: list[CellResult]
) -> None:
    _, names = rate_champions(checkout, grid, results, pairs=1)
    first = [of_cell[0] for of_cell in names.values()]
    assert first[0] == first[2] != first[1] == first[3], (
        "none and no_noise differ in nothing that matches use"
    )


def test_search_makes_another_player_of_the_same_net(
    checkout: Path, grid: Grid, results: list[CellResult]
) -> None:
    params = {**results[2].cell.params, "search.c_puct": 3.0}
    other = results[2]._replace(cell=type(results[2].cell)(**{**vars(results[2].cell), "params": params}))
    _, names = rate_champions(checkout, grid, [results[0], other], pairs=1)
    assert len({of_cell[0] for of_cell in names.values()}) == 2


def test_a_match_is_pairs_of_colour_swapped_games_from_openings_of_its_own(
    checkout: Path, grid: Grid, results: list[CellResult]
) -> None:
    rate_champions(checkout, grid, results, pairs=2)
    games = contest._read_matches(checkout / ".scratch/ablation/matches")
    for _, match in games.groupby("match"):
        assert len(match) == 4
        assert match["pair"].nunique() == 2
        assert sorted(match["black"]) == sorted(match["white"])
    assert games["opening"].nunique() > 2
