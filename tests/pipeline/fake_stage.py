"""Stands for every learning stage in tests of the pipeline: outputs are digests of inputs and params.

Environment: FAKE_LOG names a file that gets a line per run; FAKE_SLEEP is seconds of work per output;
FAKE_HOOK is Python code run in the body, with the stage's name as `stage`.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path

from omegaconf import DictConfig

from stonezero.config import generation_number
from stonezero.declaration import read_declaration
from stonezero.files import write_text
from stonezero.stage import stage_main

NAME = Path(sys.argv[0]).stem.replace("_", "-")


def run(params: DictConfig, generation: str, scratch: Path) -> list[tuple[str, int, float]]:
    """Write each declared output in a step of its own, kept in the scratch folder."""
    stage = read_declaration(NAME, params, generation)
    with open(os.environ.get("FAKE_LOG", os.devnull), "a") as log:
        log.write(f"{stage.label} {len(list(scratch.iterdir()))} {Path.cwd()}\n")
    exec(os.environ.get("FAKE_HOOK", ""), {"stage": stage.label, "Path": Path})
    data = {path: digest for path, digest in stage.input_digests().items() if path.startswith("runs/")}
    text = hashlib.sha256(json.dumps([stage.label, stage.params, data], sort_keys=True).encode()).hexdigest()
    outputs = [path for path in stage.outputs if path != stage.metrics_file]
    for number, path in enumerate(outputs):
        step = scratch / f"{number}.txt"
        if not step.exists():
            time.sleep(float(os.environ.get("FAKE_SLEEP", "0")))
            write_text(step, f"{text} {number}\n")
        target = Path(path) if Path(path).suffix else Path(path) / "file.txt"
        write_text(
            target, json.dumps({"value": int(text[:6], 16)}) if path.endswith("json") else step.read_text()
        )
    value = int(text[:6], 16) / 0xFFFFFF
    step_number = generation_number(generation)
    return [(f"{NAME}/value", step_number, value), ("gate/accepted", 0, 1.0), ("speed/games", 0, time.time())]


if __name__ == "__main__":
    stage_main(NAME, run)
