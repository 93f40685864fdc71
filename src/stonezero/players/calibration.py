"""Positions on which int8 nets are calibrated: games of the net's own policy, without search.

They follow from the game and the checkpoint by a fixed seed, so an int8 net is a function of these two:
self-play, matches, the service and `stonezero export` all get the same one.
"""

import numpy as np

from stonezero.config.schema import InferenceConfig
from stonezero.games.game import Game
from stonezero.games.planes import plane_codes, write_planes
from stonezero.games.position import ONGOING
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.inference import Planes, PreparedNetwork, prepare

NUM_GAMES = 32
NUM_POSITIONS = 512  #: at most
RANDOM_MOVES = 0.125  #: share of moves that are uniformly random, so that games of a sure net differ too
SEED = 8


def prepare_for(game: Game, checkpoint: Checkpoint, inference: InferenceConfig) -> PreparedNetwork:
    """`network.inference.prepare` for play of `game`, with the positions of calibration that int8 needs."""
    calibration = None
    if (inference.backend, inference.precision) == ("onnxruntime", "int8"):
        calibration = calibration_planes(game, checkpoint)
    return prepare(checkpoint, game.num_actions, inference, game.size, calibration)


def calibration_planes(game: Game, checkpoint: Checkpoint) -> Planes:
    """Planes float32[P, C, H, W] of at most NUM_POSITIONS positions of NUM_GAMES games.

    Moves are drawn from the f32 net's policy over legal moves, at temperature 1.
    """
    names = list(checkpoint.network.planes)
    settings = InferenceConfig("onnxruntime", "f32", NUM_GAMES, "cpu")
    backend = prepare(checkpoint, game.num_actions, settings, game.size).open()
    codes, rng = plane_codes(names, game), np.random.default_rng(SEED)
    positions, rows = game.new_positions(NUM_GAMES), np.arange(NUM_GAMES)
    legal = np.zeros((NUM_GAMES, game.num_actions), np.uint8)
    game.legal_moves(positions, rows, legal)
    seen = []
    while len(rows):
        planes = np.zeros((len(rows), len(names), game.num_points), np.float32)
        write_planes(positions, rows, legal, codes, planes)
        seen.append(planes.reshape(len(rows), len(names), game.size, game.size))
        logits, _ = backend.evaluate(seen[-1])
        logits = np.where(rng.random(NUM_GAMES)[rows, None] < RANDOM_MOVES, 0, logits)
        drawn = logits + rng.gumbel(size=(NUM_GAMES, game.num_actions))[rows]
        moves = np.where(legal == 1, drawn, -np.inf).argmax(axis=1).astype(np.int16)
        game.play(positions, rows, moves, rows, legal)
        is_on = positions.status[rows] == ONGOING
        rows, legal = rows[is_on], np.ascontiguousarray(legal[is_on])
    every = np.concatenate(seen)
    return every[np.sort(rng.permutation(len(every))[:NUM_POSITIONS])]
