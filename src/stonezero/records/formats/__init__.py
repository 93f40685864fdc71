"""Records of other programs, in and out.

Each format is one small module with `split` (the games of a file), `parse` (one game, as a `Transcript`),
`check` (whether a game has a place in it) and `write`. `catalogue.py` lists them, `game_text.py` holds what
all have in common (`GameText`) and `replay`, which checks every game by the rules.
"""
