"""Exported files, run by the libraries they are for; the figures of the loss against counting by hand."""

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import openvino
import pytest
import torch

from stonezero.errors import UserError
from stonezero.exporting.loss import Positions, measured_loss
from stonezero.exporting.run import Order, export
from stonezero.games import BLACK_WON, make_game
from stonezero.games.position import BLACK, HISTORY, WHITE
from stonezero.network.export import load_evaluator
from stonezero.players.calibration import NUM_POSITIONS, calibration_planes, prepare_for
from stonezero.records import GameRecord, write_shard
from tests.network import nets

GAME = make_game("gomoku", 5, 4, "freestyle")


@pytest.fixture
def champion(tmp_path: Path) -> Path:
    """The checkpoint of a generation's folder."""
    net = nets.checkpoint(5)
    net.game = GAME.spec()
    path = tmp_path / "runs" / "g001" / "champion.safetensors"
    path.parent.mkdir(parents=True)
    net.save(path)
    return path


def order(champion: Path, name: str, kind: str) -> Order:
    return Order(champion, champion.parent / name, kind, champion.parent, 0, 1)


def write_game(folder: Path) -> None:
    """Black makes a row of four in the first line; every move had all visits."""
    moves = np.array([0, 5, 1, 6, 2, 7, 3], np.int16)
    stones = np.zeros((7, 25), np.int8)
    for ply in range(1, 7):
        stones[ply] = stones[ply - 1]
        stones[ply, moves[ply - 1]] = BLACK if ply % 2 else WHITE
    recent = np.full((7, HISTORY), -1, np.int16)
    for ply in range(7):
        last = moves[:ply][::-1][: recent.shape[1]]
        recent[ply, : len(last)] = last
    flags, nan = np.zeros(7, bool), np.full(7, np.nan, np.float32)
    record = GameRecord(
        game_id=0,
        status=BLACK_WON,
        stones=stones,
        turn=np.array([BLACK, WHITE] * 3 + [BLACK], np.int8),
        ply=np.arange(7, dtype=np.int16),
        passes=np.zeros(7, np.int8),
        recent_moves=recent,
        move=moves,
        visit_moves=moves,
        visit_counts=np.full(7, 9, np.int32),
        visit_offsets=np.arange(8, dtype=np.int32),
        root_value=nan,
        prior_entropy=nan,
        is_opening=flags,
        is_full_search=~flags,
        is_resigned=flags,
        is_solved=flags,
    )
    (folder / "games").mkdir()
    write_shard(folder / "games" / "shard-00000.parquet", [record], GAME.spec(), "g001")


def test_onnx_file_says_what_torch_says_and_what_it_is(champion: Path) -> None:
    said = export(order(champion, "net.onnx", "onnx"))
    assert "gomoku 5x5" in said
    net, planes = nets.checkpoint(5), nets.random_planes(9, 5)
    session = onnxruntime.InferenceSession(champion.parent / "net.onnx")
    with torch.inference_mode():
        expected = load_evaluator(net, 25, 5)(torch.from_numpy(planes))
    for num_rows in (1, 9):
        answers = session.run(["logits", "values"], {"planes": planes[:num_rows]})
        for answer, wanted in zip(answers, expected, strict=True):
            np.testing.assert_allclose(answer, wanted[:num_rows].numpy(), atol=2e-5, rtol=0)
    facts = {item.key: item.value for item in onnx.load(champion.parent / "net.onnx").metadata_props}
    assert json.loads(facts["stonezero.game"]) == GAME.spec()
    assert json.loads(facts["stonezero.planes"]) == ["own", "opponent", "ones"]
    assert len(facts["stonezero.checkpoint"]) == 64


def test_openvino_files_say_what_torch_says_and_what_they_are(champion: Path) -> None:
    export(order(champion, "net.xml", "openvino"))
    model = openvino.Core().read_model(champion.parent / "net.xml")
    assert json.loads(model.get_rt_info(["stonezero", "game"]).astype(str)) == GAME.spec()
    compiled = openvino.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    planes = nets.random_planes(9, 5)
    with torch.inference_mode():
        expected = load_evaluator(nets.checkpoint(5), 25, 5)(torch.from_numpy(planes))
    for num_rows in (1, 9):
        answers = compiled(planes[:num_rows])
        for name, wanted in zip(("logits", "values"), expected, strict=True):
            np.testing.assert_allclose(answers[name], wanted[:num_rows].numpy(), atol=2e-5, rtol=0)


def test_int8_file_is_the_net_of_self_play_and_has_its_loss_beside_it(champion: Path) -> None:
    write_game(champion.parent)
    assert "7 self-play positions" in export(order(champion, "net.onnx", "int8"))
    report = json.loads((champion.parent / "net.json").read_text())
    assert report["positions"] == 7
    net = nets.checkpoint(5)
    net.game = GAME.spec()
    engine = prepare_for(GAME, net, nets.inference("onnxruntime", precision="int8")).open()
    planes = nets.random_planes(9, 5)
    answers = onnxruntime.InferenceSession(champion.parent / "net.onnx").run(None, {"planes": planes})
    for answer, wanted in zip(answers, engine.evaluate(planes), strict=True):
        np.testing.assert_allclose(answer, wanted, atol=1e-5, rtol=0)  # heads are float


def test_calibration_is_of_legal_positions_and_the_same_each_time() -> None:
    net = nets.checkpoint(5)
    planes = calibration_planes(GAME, net)
    np.testing.assert_array_equal(planes, calibration_planes(GAME, net))
    own, opponent, ones = planes.sum(axis=(2, 3)).T
    assert 100 < len(planes) <= NUM_POSITIONS
    assert (planes[:, 0] * planes[:, 1]).sum() == 0
    assert set(opponent - own) == {0, 1}
    assert (ones == 25).all()
    assert len(np.unique(planes, axis=0)) > len(planes) / 2


def test_loss_counts_moves_divergence_and_values() -> None:
    positions = Positions(
        planes=np.zeros((2, 1, 1, 1), np.float32),
        legal=np.array([[True, True, False], [True, True, True]]),
        visits=np.array([[8, 2, 0], [1, 1, 7]]),
    )
    f32 = np.log(np.array([[0.6, 0.4, 9.0], [0.2, 0.2, 0.6]], np.float32)), np.array([0.5, -1], np.float32)
    int8 = np.log(np.array([[0.4, 0.6, 9.0], [0.2, 0.2, 0.6]], np.float32)), np.array([0.3, -1], np.float32)
    figures = measured_loss(positions, f32, int8)
    assert (figures["top1_agreement"], figures["top1_f32"], figures["top1_int8"]) == (0.5, 1.0, 0.5)
    assert figures["top1_loss_points"] == 50
    assert not figures["is_within_aim"]
    assert figures["kl_nats"] == pytest.approx((0.6 * np.log(1.5) + 0.4 * np.log(2 / 3)) / 2)
    assert figures["value_mse"] == pytest.approx(0.04 / 2)
    assert figures["value_largest_error"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("net.onnx", "tflite", "--format is 'tflite'; it must be one of onnx, openvino, int8"),
        ("net.xml", "onnx", "the format onnx is written as .onnx"),
        ("net.onnx", "int8", "no games here"),
    ],
)
def test_what_cannot_be_exported_is_refused_and_nothing_written(
    champion: Path, name: str, kind: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        export(order(champion, name, kind))
    assert [path.name for path in champion.parent.iterdir()] == ["champion.safetensors"]
