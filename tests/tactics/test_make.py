"""The generator: the shipped file comes out again."""

from importlib.resources import files

import pytest

from stonezero.games import make_game
from stonezero.tactics.make import NOTE, make_sets
from stonezero.tactics.sets import FOLDER, set_name, text_of


@pytest.mark.parametrize(
    ("game", "kind"), [(make_game("othello", 6), "corner_grab"), (make_game("gomoku", 6, 4), "four_three")]
)
def test_the_shipped_sets_are_what_the_generator_makes(game, kind):
    (made,) = make_sets(game, kind)
    shipped = files("stonezero.tactics") / FOLDER / set_name(game, kind)
    assert text_of(made, NOTE) == shipped.read_text(encoding="utf-8")
