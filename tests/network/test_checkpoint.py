import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf
from safetensors import safe_open
from safetensors.numpy import save_file

from stonezero.errors import UserError
from stonezero.files import WriteError
from stonezero.network.checkpoint import METADATA_KEY, Checkpoint, CheckpointError
from stonezero.network.model import build_model
from tests.network import nets


def test_load_gives_back_what_was_saved(tmp_path: Path) -> None:
    saved = nets.checkpoint(size=6, has_pass=True)
    saved.save(tmp_path / "new" / "net.safetensors")
    loaded = Checkpoint.load(tmp_path / "new" / "net.safetensors")
    assert loaded.weights.keys() == saved.weights.keys()
    for name, weight in saved.weights.items():
        np.testing.assert_array_equal(loaded.weights[name], weight)
    assert (loaded.game, loaded.network, loaded.generation) == (saved.game, saved.network, saved.generation)
    assert loaded.to_bytes() == saved.to_bytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_refused(tmp_path: Path, bad: float) -> None:
    damaged = nets.checkpoint()
    next(iter(damaged.weights.values())).flat[0] = bad
    damaged.save(tmp_path / "net.safetensors")
    with pytest.raises(CheckpointError, match="not finite"):
        Checkpoint.load(tmp_path / "net.safetensors")


def test_digest_is_that_of_the_file(tmp_path: Path) -> None:
    saved = nets.checkpoint()
    saved.save(tmp_path / "net.safetensors")
    assert saved.digest == hashlib.sha256((tmp_path / "net.safetensors").read_bytes()).hexdigest()
    assert Checkpoint.load(tmp_path / "net.safetensors").digest == saved.digest
    assert nets.checkpoint(seed=2).digest != saved.digest


def test_bytes_are_the_same_in_every_process() -> None:
    script = "from tests.network import nets; print(nets.checkpoint().digest)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stdout.strip() == nets.checkpoint().digest, run.stderr


def test_metadata_is_one_key_of_sorted_json(tmp_path: Path) -> None:
    nets.checkpoint().save(tmp_path / "net.safetensors")
    with safe_open(tmp_path / "net.safetensors", framework="numpy") as file:
        metadata = file.metadata()
    assert list(metadata) == [METADATA_KEY]
    content = json.loads(metadata[METADATA_KEY])
    assert metadata[METADATA_KEY] == json.dumps(content, sort_keys=True)
    assert content["game"]["size"] == 5
    assert content["network"]["planes"] == ["own", "opponent", "ones"]


def test_network_may_be_a_node_of_params() -> None:
    plain = nets.checkpoint()
    node = OmegaConf.structured(plain.network)
    assert Checkpoint(plain.weights, plain.game, node, "g001", "d").network == plain.network


def test_num_parameters_counts_what_is_trained() -> None:
    made = nets.checkpoint(size=5)
    trained = build_model(made.network, 5, 25).parameters()
    assert made.num_parameters == sum(parameter.numel() for parameter in trained)


@pytest.mark.parametrize("kept", [0, 5, 8, 100, 2000, -1])
def test_truncated_file_is_refused(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "net.safetensors"
    path.write_bytes(nets.checkpoint().to_bytes()[:kept])
    assert_refused(path)


@pytest.mark.parametrize(
    "content", [b"not a net", b"\xff" * 400, b"PK\x03\x04" + b"\0" * 100, b"{}" + b" " * 90]
)
def test_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "net.safetensors"
    path.write_bytes(content)
    assert_refused(path)


@pytest.mark.parametrize(
    "metadata", [None, {"format": "pt"}, {METADATA_KEY: "no json"}, {METADATA_KEY: "[1]"}]
)
def test_safetensors_of_others_are_refused(tmp_path: Path, metadata: dict[str, str] | None) -> None:
    path = tmp_path / "net.safetensors"
    save_file({"weight": np.zeros(3, np.float32)}, path, metadata)
    assert_refused(path)


@pytest.mark.parametrize(
    "change",
    [{"format": 99}, {"network": {"unheard_of": 1}}, {"network": 7}, {"game": None}, {"game": {"name": "x"}}],
)
def test_changed_metadata_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "net.safetensors"
    nets.checkpoint().save(path)
    with safe_open(path, framework="numpy") as file:
        content = json.loads(file.metadata()[METADATA_KEY]) | change
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    save_file(weights, path, {METADATA_KEY: json.dumps(content)})
    assert_refused(path)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path / "nothing.safetensors")
    assert_refused(tmp_path)


def assert_refused(path: Path) -> None:
    """Loading fails with one sentence that names the file."""
    with pytest.raises(CheckpointError) as caught:
        Checkpoint.load(path)
    assert isinstance(caught.value, UserError)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.safetensors"
    old = nets.checkpoint(seed=1)
    old.save(path)

    def full_disk(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(WriteError, match="No space left"):
        nets.checkpoint(seed=2).save(path)
    assert Checkpoint.load(path).digest == old.digest
    assert os.listdir(tmp_path) == [path.name]


def test_a_file_states_later_fields_only_where_they_matter() -> None:
    """So nets of older versions can be read, and a net without the newer methods gives the bytes it gave."""
    later = {"block", "pooling_every", "stem_padding", "trunk", "auxiliary"}
    plain = nets.checkpoint()
    data = plain.to_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert not later & json.loads(header["__metadata__"][METADATA_KEY])["network"].keys()
    assert Checkpoint.from_bytes(data).network == plain.network
    changed = nets.checkpoint(trunk="separate", auxiliary=["reply"])
    assert Checkpoint.from_bytes(changed.to_bytes()).network == changed.network
