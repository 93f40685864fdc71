"""Every format gives back what it was given, and refuses what it has no place for."""

import dataclasses

import pytest

from stonezero.games import BLACK_WON, DRAW, WHITE_WON, make_game
from stonezero.records.formats.catalogue import FORMATS, read_data
from stonezero.records.formats.transcript import FormatError, Hints
from tests.records.formats.samples import GAMES, random_game, same

OTHELLO = make_game("othello", 8)
FACTS = {"black": r"a]b\c", "white": "白", "event": "spring", "date": "2019-05-01"}


def hints_for(kind, game):
    spec = game.game.spec()
    return Hints(size=spec["size"], rules=spec["rules"]) if kind.name in ("psq", "rec") else Hints()


def given_back(kind, games):
    companions = {} if kind.companions is None else kind.companions(games)
    hints = dataclasses.replace(hints_for(kind, games[0]), companions=companions)
    reading = read_data(kind.write(games), kind, hints)
    assert reading.refusals == []
    return [item.game for item in reading.games]


def is_fit(kind, game):
    try:
        kind.check(game)
    except FormatError:
        return False
    return True


@pytest.mark.parametrize("kind", FORMATS.values(), ids=FORMATS)
def test_games_come_back_as_they_were(kind):
    """Finished and broken off, set up and not, each where the format has a place for it."""
    kept = 0
    for game in GAMES:
        for seed in range(3):
            for original in (
                random_game(game, seed),
                random_game(game, seed, num_plies=9),
                random_game(game, seed, start_plies=5),
                random_game(game, seed, num_plies=3, start_plies=4),
            ):
                if is_fit(kind, original):
                    kept += 1
                    assert same(given_back(kind, [original])[0], original)
    assert kept >= 6


@pytest.mark.parametrize("kind", [kind for kind in FORMATS.values() if kind.holds_many], ids=lambda k: k.name)
def test_many_games_keep_their_order(kind):
    games = [random_game(OTHELLO, seed) for seed in range(5)]
    assert all(same(*pair) for pair in zip(given_back(kind, games), games, strict=True))


@pytest.mark.parametrize("name", ["sgf", "ggf"])
@pytest.mark.parametrize("ending", ["resigned", "timeout", "stated"])
@pytest.mark.parametrize("status", [BLACK_WON, WHITE_WON])
def test_results_that_no_board_shows_are_kept(name, ending, status):
    game = dataclasses.replace(random_game(OTHELLO, 1, num_plies=20), status=status, ending=ending)
    assert same(given_back(FORMATS[name], [game])[0], game)


def test_an_agreed_draw_is_kept_by_ggf():
    game = dataclasses.replace(random_game(OTHELLO, 1, num_plies=20), status=DRAW, ending="agreed")
    assert same(given_back(FORMATS["ggf"], [game])[0], game)


@pytest.mark.parametrize("name", ["psq", "rec", "wthor", "text"])
def test_a_format_without_results_refuses_a_game_that_was_resigned(name):
    game = make_game("gomoku", 15, 5) if name in ("psq", "rec") else OTHELLO
    resigned = dataclasses.replace(random_game(game, 1, num_plies=20), status=BLACK_WON, ending="resigned")
    with pytest.raises(FormatError, match="no place for a result that the board does not show: resigned"):
        FORMATS[name].check(resigned)


@pytest.mark.parametrize(
    ("name", "game", "message"),
    [
        ("psq", random_game(OTHELLO, 0), "PSQ holds Gomoku with five in a row, not othello 8x8"),
        ("rec", random_game(make_game("gomoku", 6, 4), 0), "REC holds Gomoku with five in a row"),
        ("psq", random_game(GAMES[0], 0, start_plies=4), "no place for a position that was set up"),
        ("ggf", random_game(GAMES[0], 0), "GGF holds Othello"),
        ("wthor", random_game(make_game("othello", 6), 0), "WTHOR holds Othello 8x8"),
        ("wthor", random_game(OTHELLO, 0, start_plies=4), "from its usual start"),
        ("parquet", random_game(OTHELLO, 0, num_plies=9), "the game is unfinished"),
    ],
)
def test_what_a_format_has_no_place_for_is_refused(name, game, message):
    with pytest.raises(FormatError, match=message):
        FORMATS[name].check(game)


def test_facts_and_comments_survive_sgf():
    game = dataclasses.replace(random_game(OTHELLO, 1), facts=FACTS, comments={0: "a [good] move", 7: "b\\"})
    back = given_back(FORMATS["sgf"], [game])[0]
    assert {name: back.facts[name] for name in FACTS} == FACTS
    assert back.comments == game.comments


def test_facts_and_evaluations_survive_ggf():
    game = dataclasses.replace(random_game(OTHELLO, 1), facts=FACTS, comments={0: "-3.50/12.01", 3: "/0.01"})
    back = given_back(FORMATS["ggf"], [game])[0]
    assert {name: back.facts[name] for name in FACTS} == FACTS
    assert back.comments == game.comments


def test_names_survive_wthor_in_its_companions():
    facts = {"black": "Hammer", "white": "Nail", "event": "Coupe d'été", "date": "2019"}
    games = [dataclasses.replace(random_game(OTHELLO, seed), facts=facts) for seed in range(2)]
    for back in given_back(FORMATS["wthor"], games):
        assert {name: back.facts[name] for name in facts} == facts


def test_the_same_games_give_the_same_bytes():
    for kind in FORMATS.values():
        game = next(g for rules in GAMES if is_fit(kind, g := random_game(rules, 3)))
        assert kind.write([game]) == kind.write([game])
