"""Methods that cannot go together, or that a game cannot have, are refused in one sentence."""

import pytest

from stonezero.errors import UserError
from tests.config.test_composition import plan

NOISE = "search.root_noise_phases=[{start: 0, fraction: 0.3, concentration: 10.0}"
GUMBEL = ("search.gumbel_considered=8", "search.reuse_tree=false", "search.root_noise_fraction=0")

# ruff: noqa: E501
REFUSED = {
    (
        "experiment=othello6",
        "search.candidate_radius=2",
    ): "search.candidate_radius in generation g001 is for gomoku",
    ("experiment=othello6", "search.max_children=9"): "search.max_children in generation g001 is for gomoku",
    (
        "experiment=othello6",
        "selfplay.centre_ban_plies=2",
    ): "selfplay.centre_ban_plies in generation g001 is for",
    ("experiment=othello6", "selfplay.end_when_decided=true"): "is for gomoku, not othello",
    ("search.gumbel_considered=8", "search.reuse_tree=false"): "cannot go with root noise",
    ("search.gumbel_considered=8", "search.root_noise_fraction=0"): "cannot go with search.reuse_tree",
    (*GUMBEL, "search.forced_playouts=2"): "cannot go with search.forced_playouts",
    (*GUMBEL, "search.selection=uct"): "cannot go with search.selection uct",
    (*GUMBEL, NOISE + "]"): "cannot go with root noise",
    (*GUMBEL, "selfplay.target_temperature=0.5"): "a Gumbel search has a target of its own",
    ("search.selection=uct", "search.c_base=19652"): "search.selection uct in generation g001 has no c_base",
    ("search.selection=ucb",): "search.selection is ucb, but must be one of puct, uct",
    ("search.visit_exponent=0.95", "search.visit_exponent_slope=0.05"): "above visit_exponent_max, 0.9",
    ("search.evaluator=rollouts", "search.cache_size=100"): "which whole rollouts never ask",
    ("search.evaluator=rollouts", "search.symmetric_evaluation=mean"): "set it to none",
    (
        "search.rollout_plies=10",
    ): "search.rollout_plies is 10 in generation g001, but search.evaluator is network",
    ("search.root_noise=fixed", NOISE + "]"): "which search.root_noise fixed has none of",
    (
        NOISE + ", {start: 0, fraction: 0.1, concentration: 5.0}]",
    ): "start 0 comes after 0; starts must ascend",
    (NOISE + ", {start: 9, fraction: 1.1, concentration: 5.0}]",): "a fraction is 1.1, not in 0..1",
    (NOISE + ", {start: 9, fraction: 0.1, concentration: 0}]",): "a concentration is 0, but must be above 0",
    (NOISE + ", {fraction: 0.1, concentration: 1}]",): "search.root_noise_phases[1].start has no value",
    (
        "search.root_noise_phases=[{start: 1, fraction: 0.3, concentration: 1}]",
    ): "the first entry must start at ply 0",
    ("search.prior_temperature=[{start: 0, value: 0}]",): "0 from ply 0 on is not in 0.01..100",
    ("selfplay.temperature_points=[{start: 5, value: 1}]",): "the first entry must start at ply 0",
    (
        "selfplay.temperature_points=[{start: 0, value: 1}, {start: 4, value: -1}]",
    ): "-1 from ply 4 on is not in 0..10",
    ("selfplay.temperature_shape=exponential", "selfplay.final_temperature=0"): "needs values above 0",
    ("selfplay.temperature_shape=wavy",): "must be one of step, linear, exponential",
    (
        "selfplay.full_search_share=0.25",
        "selfplay.cheap_simulations=64",
    ): "must be below selfplay.simulations, 64",
    ("selfplay.full_search_share=0",): "no move would be a policy target",
    ("selfplay.opening_book_share=0.5",): "selfplay.opening_book has no lines",
    ("selfplay.opening_book_share=0.8", "selfplay.opening_book=[c3]"): "add up to 1.05",
    (
        "selfplay.opening_book_share=0.5",
        "selfplay.opening_book=['c3 c3']",
    ): "selfplay.opening_book line 1, move 2",
    (
        "selfplay.opening_book_share=0.5",
        "selfplay.opening_book=['c3', '']",
    ): "selfplay.opening_book line 2 has no moves",
    ("selfplay.resign_threshold=-0.9", "selfplay.resign_control_share=0"): "how many resignations are false",
    ("selfplay.resign_threshold=-1.1",): "selfplay.resign_threshold is -1.1, but must lie between -1 and 0",
    ("selfplay.resign_threshold=0.1",): "selfplay.resign_threshold is 0.1, but must lie between -1 and 0",
    (
        "schedule=[{start: 2, set: {search.gumbel_considered: 4}}]",
    ): "search.gumbel_considered in generation g002",
}


@pytest.mark.parametrize("overrides", REFUSED)
def test_what_cannot_go_together_is_refused_in_one_sentence(overrides: tuple[str, ...]) -> None:
    with pytest.raises(UserError) as refusal:
        plan(*overrides)
    assert REFUSED[overrides] in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "overrides",
    [
        GUMBEL,
        ("search.selection=uct",),
        ("search.evaluator=rollouts", "search.rollout_plies=6", "search.cache_size=100"),
        (
            NOISE
            + ", {start: 17, fraction: 0.15, concentration: 5.0}, {start: 41, fraction: 0, concentration: 5.0}]",
        ),
        ("selfplay.resign_threshold=-0.95", "selfplay.full_search_share=0.25"),
    ],
)
def test_what_can_go_together_is_planned(overrides: tuple[str, ...]) -> None:
    assert list(plan(*overrides).plan) == list(overrides)
