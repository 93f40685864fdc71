"""What buffer, training and net cannot be together, or in this game: one sentence for each."""

from omegaconf import DictConfig, OmegaConf

from stonezero.errors import UserError

NUM_SYMMETRIES = 8


def check_learning(params: DictConfig, sections: dict[str, DictConfig], where: str) -> None:
    """Raise UserError, one sentence, at the first of a generation's `sections` that cannot work."""
    train, buffer = sections["train"], sections["buffer"]
    _check_train(params, train, where)
    _check_start(params, train, where)
    _check_sampling(buffer, where)
    if params.game.name != "gomoku":
        for name in ("quality_open_four", "quality_simple_four"):
            if buffer[name] != 1:
                raise UserError(
                    f"buffer.{name} is {buffer[name]:g}{where}, but {params.game.name} has no fours"
                )
    if params.game.name != "othello":
        for name in ("ownership", "score"):
            if name in params.network.auxiliary:
                raise UserError(f"network.auxiliary has {name}, but {params.game.name} has no final {name}")


def _check_train(params: DictConfig, train: DictConfig, where: str) -> None:
    if train.symmetry == "all8" and train.batch_size % NUM_SYMMETRIES:
        raise UserError(
            f"train.batch_size is {train.batch_size}{where}, but symmetry all8 needs a multiple of 8"
        )
    if train.value_loss == "cross_entropy" and params.network.value == "tanh":
        raise UserError(f"train.value_loss is cross_entropy{where}, but network.value tanh has no classes")
    if train.precision == "fp16" and train.device == "cpu":
        raise UserError(f"train.precision is fp16{where}, but a CPU trains in f32 or bf16")
    if min(train.value_weight_by_epoch, default=0) < 0:
        raise UserError(f"train.value_weight_by_epoch has a weight below 0{where}")
    if (train.freeze_head != "none") != (train.freeze_epochs > 0):
        raise UserError(
            f"train.freeze_head is {train.freeze_head} and freeze_epochs {train.freeze_epochs:g}{where}: "
            "give a head and a number above 0, or none and 0"
        )


def _check_start(params: DictConfig, train: DictConfig, where: str) -> None:
    check_named_file(params, train, "train.start_file", "train.start_digest", where)
    if train.start == "file" and not train.start_file:
        raise UserError(f"train.start is file{where}, but train.start_file names none")


def check_named_file(params: DictConfig, section: DictConfig, path: str, digest: str, where: str) -> None:
    """A file that params name is the same in all generations, and its digest that of the plan."""
    names = [name.partition(".")[2] for name in (path, digest)]
    everywhere = [OmegaConf.select(params, name) for name in (path, digest)]
    if [section[name] for name in names] != everywhere:
        raise UserError(f"{path} cannot change by generation, as it does{where}")
    if bool(everywhere[0]) != bool(everywhere[1]):
        raise UserError(f"{digest} is made by the plan: give {path} alone")


def _check_sampling(buffer: DictConfig, where: str) -> None:
    plies, weights = list(buffer.phase_plies), list(buffer.phase_weights)
    if len(weights) != (len(plies) + 1 if plies or weights else 0):
        raise UserError(
            f"buffer.phase_weights has {len(weights)} numbers{where}, but {len(plies)} phase_plies make "
            f"{len(plies) + 1} phases"
        )
    if plies != sorted(set(plies)) or min(plies, default=1) < 1:
        raise UserError(f"buffer.phase_plies is {plies}{where}, but must ascend from 1 or more")
    if weights and (min(weights) < 0 or max(weights) == 0):
        raise UserError(f"buffer.phase_weights is {weights}{where}, but must be at least 0, and not all 0")
