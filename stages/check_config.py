"""Stage check-config: params.yaml says what conf/ and the plan's overrides say, or nothing runs."""

import os
from pathlib import Path

from omegaconf import DictConfig

from stonezero.plan import check_plan
from stonezero.stage import stage_main


def run(params: DictConfig, generation: str, scratch: Path) -> list[tuple[str, int, float]]:
    """Write runs/config.ok."""
    # `dvc exp run` has just composed params.yaml itself, with overrides of its own
    check_plan(Path(), is_composed_by_dvc="DVC_EXP_NAME" in os.environ)
    Path("runs").mkdir(exist_ok=True)
    Path("runs/config.ok").write_text("params.yaml agrees with conf/\n")
    return []


if __name__ == "__main__":
    stage_main("check-config", run)
