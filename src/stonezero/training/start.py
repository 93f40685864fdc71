"""The weights that training starts from."""

from pathlib import Path

import numpy as np
from omegaconf import DictConfig

from stonezero.config import RunPaths, generation_number, previous_generation, typed_section
from stonezero.config.schema import NetworkConfig, TrainConfig
from stonezero.files import file_digest
from stonezero.games import Game, make_game
from stonezero.network.checkpoint import Checkpoint, CheckpointError
from stonezero.network.model import initial_checkpoint


def first_checkpoint(params: DictConfig) -> Checkpoint:
    """The net of g000: that of `train.start_file`, or an untrained one."""
    config, network = params.train, typed_section(params, "network", NetworkConfig)
    game = make_game(**params.game)
    if config.start_file:
        return adopted(Path(config.start_file), config.start_digest, game, network)
    return _untrained(params, game, network, 0)


def start_checkpoint(params: DictConfig, config: TrainConfig, game: Game, paths: RunPaths) -> Checkpoint:
    """The net that the training of `params.gen` starts from, checked to be of this game and this net."""
    network = typed_section(params, "network", NetworkConfig)
    if config.start == "scratch":
        return _untrained(params, game, network, generation_number(params.gen))
    if config.start == "file":
        return adopted(Path(config.start_file), config.start_digest, game, network)
    previous = previous_generation(params)
    path = paths.candidate(previous) if config.start == "last" else paths.champion(previous)
    checkpoint = Checkpoint.load(path)
    if checkpoint.game != game.spec() or checkpoint.network != network:
        what = "game" if checkpoint.game != game.spec() else "network"
        raise CheckpointError(
            f"{path}: its {what} is not that of the params; train.start=scratch begins anew"
        )
    return checkpoint


def adopted(path: Path, digest: str, game: Game, network: NetworkConfig) -> Checkpoint:
    """A net from elsewhere as the first of a run: same game and shape, any board its heads allow."""
    checkpoint = Checkpoint.load(path)
    if file_digest(path) != digest:
        raise CheckpointError(f"{path} has changed since the plan was made: run `stonezero plan` again")
    if checkpoint.game["name"] != game.name:
        raise CheckpointError(f"{path} is a net of {checkpoint.game['name']}, not of {game.name}")
    if checkpoint.network != network:
        raise CheckpointError(f"{path}: its network is not that of the params")
    checkpoint.check_plays(game.size, game.num_actions)
    return Checkpoint(checkpoint.weights, game.spec(), network, "g000", checkpoint.params_digest)


def _untrained(params: DictConfig, game: Game, network: NetworkConfig, generation: int) -> Checkpoint:
    seed = np.random.SeedSequence([params.seed, generation]).generate_state(1)[0]
    return initial_checkpoint(game.spec(), game.num_actions, network, int(seed))
