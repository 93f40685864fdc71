"""Players: texts, fairness of randomness, independence of the batch, strength that must be there."""

import numpy as np
import pytest

from stonezero.config.schema import InferenceConfig, NetworkConfig
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.network.model import initial_checkpoint
from stonezero.players.batch_search import BatchSearch
from stonezero.players.evaluators import NetworkEvaluator
from stonezero.players.keys import keys_of_plies, mixed, uniforms
from stonezero.players.players import parse_player
from stonezero.players.settings import SearchSettings
from tests.search.test_search import play_moves, random_position

INFERENCE = InferenceConfig(backend="numpy", precision="f32", max_batch=16, device="cpu")
SETTINGS = SearchSettings(c_puct=1.5, fpu_reduction=0.2)
PLANES = ["own", "opponent", "ones"]


def network_config(**changes):
    values = {"planes": PLANES, "channels": 8, "blocks": 1, "heads": "pooled", "policy_channels": 4}
    values |= {"value_channels": 4, "value_hidden": 8, "value": "wdl"}
    return NetworkConfig(**(values | changes))


def opened(text, game, num_slots=8):
    return parse_player(text, game, INFERENCE, SETTINGS).open(game, num_slots)


@pytest.fixture
def checkpoint_path(tmp_path):
    game = make_game("gomoku", 5, 4)
    path = tmp_path / "net.safetensors"
    initial_checkpoint(game.spec(), game.num_actions, network_config(), 1).save(path)
    return path


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("magic", "unknown player 'magic'"),
        ("rollouts:sims=0", "at least 1"),
        ("rollouts:sims=many", "'many' is not a number"),
        ("rollouts:depth=3", "unknown player"),
        ("random:sims=3", "unknown player"),
        ("net", "names no checkpoint"),
        ("net:nowhere.safetensors", "nowhere.safetensors"),
    ],
)
def test_a_wrong_player_text_is_one_sentence(text, needle):
    with pytest.raises(UserError, match=needle) as caught:
        parse_player(text, make_game("gomoku", 5, 4), INFERENCE, SETTINGS)
    assert "\n" not in str(caught.value)


def test_a_net_of_another_game_is_refused(checkpoint_path):
    with pytest.raises(UserError, match="is a gomoku net"):
        parse_player(f"net:{checkpoint_path}", make_game("othello", 6), INFERENCE, SETTINGS)


@pytest.mark.parametrize("kind", ["random", "rollouts:sims=20", "net"])
def test_moves_depend_on_the_row_alone(kind, checkpoint_path):
    game = make_game("gomoku", 5, 4)
    text = f"net:{checkpoint_path}:sims=12:temperature=1" if kind == "net" else kind
    rng = np.random.default_rng(3)
    singles = [random_position(game, rng, plies) for plies in (0, 2, 4, 5, 7)]
    positions = type(singles[0])(*(np.concatenate(arrays) for arrays in zip(*singles, strict=True)))
    keys = rng.integers(2**64, size=5, dtype=np.uint64)
    together = opened(text, game).choose(positions, np.arange(5), keys)
    for row, single in enumerate(singles):
        alone = opened(text, game, 1).choose(single, np.zeros(1, np.int64), keys[row : row + 1])
        assert alone[0] == together[row]
    reversed_rows = np.arange(5)[::-1].copy()
    assert (opened(text, game, 3).choose(positions, reversed_rows, keys[::-1].copy()) == together[::-1]).all()


def test_random_moves_are_uniform_over_legal_moves():
    game = make_game("gomoku", 3, 3)
    positions = play_moves(game, [4, 0])
    keys = np.random.default_rng(0).integers(2**64, size=7000, dtype=np.uint64)
    moves = opened("random", game).choose(positions, np.zeros(7000, np.int64), keys)
    counts = np.bincount(moves, minlength=9)
    assert counts[[0, 4]].tolist() == [0, 0]
    assert counts[[1, 2, 3, 5, 6, 7, 8]].min() > 880  # expected 1000, four standard deviations are 117


def test_uniforms_differ_by_key_and_ply_and_fill_the_unit_interval():
    keys = np.arange(1000, dtype=np.uint64)
    drawn = np.concatenate([uniforms(keys_of_plies(keys, np.full(1000, ply, np.int16))) for ply in range(10)])
    assert len(np.unique(drawn)) == 10_000
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert np.histogram(drawn, 10, (0, 1))[0].min() > 850


@pytest.mark.parametrize("moves", [[0, 20, 1, 21, 2, 23], [24, 0, 14, 1, 13, 2, 10]], ids=["black", "white"])
def test_rollouts_take_a_win_in_one_from_either_side(moves):
    game = make_game("gomoku", 5, 4)
    player = opened("rollouts:sims=200", game)
    assert player.choose(play_moves(game, moves), np.zeros(1, np.int64), np.zeros(1, np.uint64))[0] == 3


def test_a_temperature_of_zero_is_deterministic_and_one_varies(checkpoint_path):
    game = make_game("gomoku", 5, 4)
    keys = np.arange(30, dtype=np.uint64)
    rows = np.zeros(30, np.int64)
    fixed = opened(f"net:{checkpoint_path}:sims=30", game).choose(game.new_positions(1), rows, keys)
    varied = opened(f"net:{checkpoint_path}:sims=30:temperature=1", game).choose(
        game.new_positions(1), rows, keys
    )
    assert len(set(fixed)) == 1
    assert len(set(varied)) > 3


@pytest.mark.parametrize("damaged", ["logits", "values"])
def test_a_net_that_answers_nan_is_a_users_error(damaged):
    game = make_game("gomoku", 5, 4)

    class DamagedBackend:
        def evaluate(self, planes):
            values = np.zeros(len(planes), np.float32)
            answers = {"logits": np.zeros((len(planes), 25), np.float32), "values": values}
            answers[damaged][0] = np.nan
            return answers["logits"], answers["values"]

    search = BatchSearch(game, NetworkEvaluator(game, DamagedBackend(), PLANES, 1), SETTINGS, 1, 8)
    search.set_root(0, game.new_positions(1), 0, 0)
    search.set_budget(0, 8)
    with pytest.raises(UserError, match="NaN"):
        search.run(np.arange(1))


def test_mixing_follows_the_published_sequence_of_splitmix64():
    # first outputs of splitmix64 with seed 1234567, as published with the reference implementation
    seeds = np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    assert mixed(seeds).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_rollout_streams_of_neighbouring_nodes_and_plies_do_not_overlap():
    gamma, draws = np.uint64(0x9E3779B97F4A7C15), np.arange(400, dtype=np.uint64)
    searches = keys_of_plies(np.full(20, 7, np.uint64), np.arange(20, dtype=np.int16))
    leaves = mixed((searches[:, None] + np.arange(60, dtype=np.uint64)).ravel())
    states = leaves[:, None] + draws * gamma
    assert len(np.unique(states)) == states.size
