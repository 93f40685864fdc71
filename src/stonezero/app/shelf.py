"""The models that are served: read once when the process starts, named by their files."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stonezero.app.problems import ProblemError
from stonezero.app.settings import ServeConfig
from stonezero.config import RunPaths
from stonezero.errors import UserError
from stonezero.games import Game
from stonezero.games.notation import describe, quoted
from stonezero.network.checkpoint import Checkpoint
from stonezero.terminal import default_checkpoint, game_of

logger = logging.getLogger(__name__)

ROLLOUTS = "rollouts"  #: plays every game without a net: PUCT with random games as values
CHAMPION = "champion"


@dataclass(frozen=True)
class Model:
    """One name on the shelf."""

    name: str
    checkpoint: Checkpoint | None  #: None for `rollouts`
    home: Game | None  #: the game it was made for; None for `rollouts`, which plays all

    @property
    def version(self) -> str:
        """The generation that made it; `builtin` for `rollouts`."""
        return self.checkpoint.generation if self.checkpoint else "builtin"

    @property
    def digest(self) -> str | None:
        """SHA-256 of the checkpoint."""
        return self.checkpoint.digest if self.checkpoint else None

    def check_plays(self, game: Game) -> None:
        """Raise ProblemError (422) where the model cannot play this game on this board under these rules."""
        if self.checkpoint is None or self.home is None:
            return
        same_rules = self.home.spec() | {"size": game.size} == game.spec()
        if not same_rules:
            raise ProblemError(
                422, f"the model {self.name} plays {describe(self.home)}, not {describe(game)}"
            )
        try:
            self.checkpoint.check_plays(game.size, game.num_actions)
        except UserError as error:
            raise ProblemError(422, f"the model {self.name} cannot play {describe(game)}: {error}") from error

    def facts(self) -> dict[str, Any]:
        """What every answer says of the model."""
        return {"name": self.name, "version": self.version, "digest": self.digest}


class Shelf:
    """All models by name. Names are keys of a dict: no name can lead to another file."""

    def __init__(self, models: list[Model], default: str) -> None:
        self._models = {model.name: model for model in models}
        if default and default not in self._models:
            raise UserError(f"serve: there is no default_model {default!r}: choose {', '.join(self._models)}")
        self.default = default or next(iter(self._models))

    @classmethod
    def load(cls, settings: ServeConfig) -> "Shelf":
        """The run's champion where there is one, the nets of the model folder, and `rollouts`.

        A damaged net is logged and left out.
        """
        models = []
        champion = _champion(Path(settings.run))
        files = [(CHAMPION, champion)] if champion else []
        files += [(path.stem, path) for path in sorted(Path(settings.models).glob("*.safetensors"))]
        for name, path in files:
            try:
                checkpoint = Checkpoint.load(path)
                models.append(Model(name, checkpoint, game_of(checkpoint)))
            except UserError as error:
                logger.error("not served: %s", error)
        models = [model for model in models if model.name != ROLLOUTS]
        return cls([*models, Model(ROLLOUTS, None, None)], settings.default_model)

    def __iter__(self) -> Any:
        return iter(self._models.values())

    def named(self, name: str | None) -> Model:
        """The model of this name, or the default; ProblemError (404) where there is none."""
        model = self._models.get(self.default if name is None else name)
        if model is None:
            raise ProblemError(404, f"there is no model {quoted(name)}: GET /models lists those there are")
        return model


def _champion(run: Path) -> Path | None:
    try:
        return default_checkpoint(RunPaths(run))
    except UserError as error:
        logger.info("no champion: %s", error)
        return None
