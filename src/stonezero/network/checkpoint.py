"""Checkpoints: the weights of one net with everything needed to use them, as a safetensors file.

Nothing is unpickled, and torch is not imported. The metadata lies under ONE key as sorted JSON:
safetensors writes several keys in random order, and the same net must always give the same bytes.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from stonezero.config.schema import NetworkConfig
from stonezero.errors import UserError
from stonezero.files import atomic_write

METADATA_KEY = "stonezero"
FORMAT = 1
Weights = dict[str, NDArray[np.float32]]


class CheckpointError(UserError):
    """A checkpoint is missing, damaged, not ours, or doesn't fit its use."""


def network_config(values: Any) -> NetworkConfig:
    """A plain `NetworkConfig` from another one, a dict or a node of params.yaml, types checked."""
    merged = OmegaConf.merge(OmegaConf.structured(NetworkConfig), values)
    config = OmegaConf.to_object(merged)
    assert isinstance(config, NetworkConfig)
    return config


def _stated(network: NetworkConfig) -> dict[str, Any]:
    """The fields of a net that its file states: all but those that came later and have their default."""
    plain, defaults = asdict(network), asdict(NetworkConfig())
    return {name: value for name, value in plain.items() if value != defaults[name]}


@dataclass
class Checkpoint:
    """A net, the game it plays and where it comes from."""

    weights: Weights  #: by parameter name, see `stonezero.network.model`
    game: dict[str, Any]  #: `Game.spec()` of the game it was made for
    network: NetworkConfig
    generation: str  #: which made it, e.g. "g003"
    params_digest: str  #: of the parameters it was trained with; empty for an untrained net

    def __post_init__(self) -> None:
        self.network = network_config(self.network)

    @property
    def size(self) -> int:
        """Side of the board it was made for; pooled heads play others too."""
        return int(self.game["size"])

    @property
    def num_parameters(self) -> int:
        """Trained numbers; the norms' running statistics don't count."""
        return sum(weight.size for name, weight in self.weights.items() if ".running_" not in name)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file, as hex."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def to_bytes(self) -> bytes:
        """The file's content; equal checkpoints give equal bytes in every process."""
        metadata = {
            "format": FORMAT,
            "game": self.game,
            "network": _stated(self.network),
            "generation": self.generation,
            "params_digest": self.params_digest,
        }
        weights = {name: np.ascontiguousarray(weight, np.float32) for name, weight in self.weights.items()}
        return save_tensors(weights, {METADATA_KEY: json.dumps(metadata, sort_keys=True)})

    @classmethod
    def from_bytes(cls, data: bytes, source: str = "checkpoint") -> "Checkpoint":
        """Inverse of `to_bytes`; `source` names the data in errors."""
        try:
            weights = load_tensors(data)
        except (SafetensorError, KeyError, ValueError) as error:
            raise CheckpointError(f"{source} is damaged or no safetensors file ({error})") from error
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        try:
            metadata = json.loads(header["__metadata__"][METADATA_KEY])
            known_format = metadata["format"] == FORMAT
            int(metadata["game"]["size"])
            fields = {key: metadata[key] for key in ("game", "network", "generation", "params_digest")}
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"{source} is a safetensors file but no checkpoint of stonezero") from error
        if not known_format:
            raise CheckpointError(f"{source} has checkpoint format {metadata['format']}; this is {FORMAT}")
        if not all(np.isfinite(weight).all() for weight in weights.values()):
            raise CheckpointError(f"{source} holds weights that are not finite: its training diverged")
        try:
            return cls(weights, **fields)
        except (OmegaConfBaseException, TypeError, ValueError) as error:
            raise CheckpointError(f"{source} describes a net that this version doesn't know") from error

    def check_plays(self, size: int, num_actions: int) -> None:
        """`CheckpointError` unless the net can play on a board of this side with so many actions."""
        if self.network.heads == "dense" and size != self.size:
            raise CheckpointError(
                f"a net with dense heads made for {self.size}x{self.size} can't play on {size}x{size}"
            )
        has_pass = "policy.pass_output.weight" in self.weights
        if self.network.heads == "dense":
            has_pass = len(self.weights["policy.output.weight"]) > size * size
        if num_actions != size * size + has_pass:
            name = f"a net of {self.game['name']}, with {'a' if has_pass else 'no'} pass,"
            raise CheckpointError(f"{name} can't play a {size}x{size} game of {num_actions} actions")

    def save(self, path: Path | str) -> None:
        """Write the file whole or not at all; `WriteError` when that fails."""
        with atomic_write(path) as temporary:
            temporary.write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: Path | str) -> "Checkpoint":
        """Read a file written by `save`; `CheckpointError` when it is missing, foreign or damaged."""
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise CheckpointError(f"can't read checkpoint {path}: {error.strerror}") from error
        return cls.from_bytes(data, str(path))
