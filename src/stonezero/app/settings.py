"""The typed settings of `stonezero serve`; values live in conf/serve, apart from params.yaml."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from omegaconf import MISSING, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from stonezero.config.composition import sentence
from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.network.inference import check_inference

SETTINGS_FILE = Path("conf/serve/default.yaml")
LARGEST_COUNT = 1_000_000

#: (lowest, highest) allowed value of each number
RANGES: dict[str, tuple[float, float]] = {
    "port": (0, 65535),
    "simulations": (1, 100_000),
    "max_simulations": (1, 100_000),
    "temperature": (0, 10),
    "search_seconds": (0.01, 600),
    "max_search_seconds": (0.01, 600),
    "response_seconds": (0.01, 1200),
    "c_puct": (1e-6, 1e6),
    "fpu_reduction": (0, 1),
    "search_threads": (1, 64),
    "slots": (1, 1024),
    "max_pending": (1, LARGEST_COUNT),
    "max_engines": (1, 1000),
    "max_games": (1, LARGEST_COUNT),
    "max_body_bytes": (1024, 2**30),
    "drain_seconds": (0, 600),
}


@dataclass
class ServeConfig:
    host: str = MISSING  #: address to listen on
    port: int = MISSING  #: 1..65535; 0 takes a free one
    models: str = MISSING  #: folder whose *.safetensors are served
    run: str = MISSING  #: folder of the run whose champion, records and history are served
    default_model: str = MISSING  #: of requests that name none; empty: the champion, else the first
    simulations: int = MISSING  #: of requests that say nothing
    max_simulations: int = MISSING  #: most a request may ask for
    temperature: float = MISSING  #: of requests that say nothing
    search_seconds: float = MISSING  #: time limit of a search that says nothing
    max_search_seconds: float = MISSING  #: longest a request may ask for
    response_seconds: float = MISSING  #: a request without an answer by then gets 503
    c_puct: float = MISSING  #: exploration constant, > 0
    fpu_reduction: float = MISSING  #: unvisited moves are worth the parent's value minus this, 0..1
    search_threads: int = MISSING  #: threads that search one model and board
    slots: int = MISSING  #: requests that one thread searches at once
    max_pending: int = MISSING  #: requests searching or waiting; more get 503
    max_engines: int = MISSING  #: model and board pairs kept open
    max_games: int = MISSING  #: game sessions kept
    max_body_bytes: int = MISSING  #: longest request body
    request_log: bool = MISSING  #: log the board and the answer of each move
    drain_seconds: float = MISSING  #: longest wait for running requests at the end
    mlflow_url: str = MISSING  #: what the Training tab links to
    inference: InferenceConfig = field(default_factory=InferenceConfig)


def load_settings(path: Path = SETTINGS_FILE, overrides: list[str] | None = None) -> ServeConfig:
    """The settings of a YAML file with `key=value` overrides.

    Raises
    ------
    UserError
        One sentence about the first unknown key, wrong type or impossible value.
    """
    if wrong := [text for text in overrides or [] if "=" not in text]:
        raise UserError(f"cannot read {wrong[0]!r}: write key=value, e.g. simulations=200")
    try:
        values = OmegaConf.load(path)
        changes = OmegaConf.from_dotlist(overrides or [])
        merged = OmegaConf.merge(OmegaConf.structured(ServeConfig), values, changes)
        if missing := sorted(OmegaConf.missing_keys(merged)):
            raise UserError(f"{path}: {missing[0]} has no value")
        settings = OmegaConf.to_object(merged)
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}): run this in a checkout") from error
    except YAMLError as error:
        raise UserError(f"{path} is no YAML: {' '.join(str(error).split())}") from error
    except OmegaConfBaseException as error:
        raise UserError(f"{path}: {sentence(error)}") from error
    assert isinstance(settings, ServeConfig)
    check_settings(settings)
    return settings


def check_settings(settings: ServeConfig) -> None:
    """Raise UserError at the first impossible value."""
    for name, (low, high) in RANGES.items():
        value = getattr(settings, name)
        if not (low <= value <= high and math.isfinite(value)):
            raise UserError(f"serve: {name} is {value}, but must lie between {low:g} and {high:g}")
    if settings.simulations > settings.max_simulations:
        raise UserError("serve: simulations must not be above max_simulations")
    if not settings.search_seconds <= settings.max_search_seconds < settings.response_seconds:
        raise UserError(
            "serve: search_seconds must not be above max_search_seconds, nor that reach response_seconds"
        )
    check_inference(settings.inference)
