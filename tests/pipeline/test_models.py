"""Nets that ship are those that the committed pipeline makes."""

import hashlib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_the_quick_net_is_the_champion_that_the_lock_names() -> None:
    stages = yaml.safe_load((ROOT / "dvc.lock").read_text())["stages"]
    digests = {out["path"]: out["md5"] for stage in stages.values() for out in stage.get("outs", [])}
    shipped = hashlib.md5((ROOT / "models" / "quick.safetensors").read_bytes()).hexdigest()
    assert shipped == digests["runs/g003/champion.safetensors"]
