"""Ramps: values that move over generations."""

import pytest

from stonezero.errors import UserError
from tests.config.test_composition import plan


def ramp(*entries: str) -> str:
    return f"ramp=[{', '.join('{' + entry + '}' for entry in entries)}]"


SIMULATIONS = "parameter: selfplay.simulations, start: 2, end: 5, first: 100, last: 400"


def test_a_linear_ramp_holds_its_ends_and_steps_evenly_between() -> None:
    params = plan("iterations=7", ramp(SIMULATIONS))
    values = [params.generations[name].selfplay.simulations for name in params.generations]
    assert values == [100, 100, 200, 300, 400, 400, 400]
    assert all(isinstance(value, int) for value in values)


def test_an_exponential_ramp_multiplies() -> None:
    entry = "parameter: train.lr, start: 1, end: 4, first: 0.08, last: 0.01, shape: exponential"
    params = plan("iterations=5", ramp(entry))
    values = [params.generations[name].train.lr for name in params.generations]
    assert values == pytest.approx([0.08, 0.04, 0.02, 0.01, 0.01])


def test_a_longer_plan_leaves_the_ramp_of_earlier_generations_alone() -> None:
    short, long = (plan(f"iterations={n}", ramp(SIMULATIONS)) for n in (3, 9))
    assert all(short.generations[name] == long.generations[name] for name in short.generations)


REFUSED = {
    ramp(
        "parameter: selfplay.simulations, start: 5, end: 2, first: 1, last: 2"
    ): "runs from generation 5 to 2",
    ramp("parameter: selfplay.simulations, start: 0, end: 2, first: 1, last: 2"): "start must be at least 1",
    ramp("parameter: selfplay.simulation, start: 1, end: 2, first: 1, last: 2"): "is no parameter of",
    ramp("parameter: game.size, start: 1, end: 2, first: 5, last: 6"): "game.size is no parameter of",
    ramp("parameter: search.reuse_tree, start: 1, end: 2, first: 0, last: 1"): "is no number",
    ramp("parameter: train.optimizer, start: 1, end: 2, first: 0, last: 1"): "is no number",
    ramp("parameter: train.lr, start: 1, end: 2, first: 1"): "ramp entry 1: last has no value",
    ramp("parameter: train.lr, start: x, end: 2, first: 1"): "ramp entry 1: start: Value 'x'",
    ramp("parameter: train.lr, start: 1, end: 2, first: 0, last: 1, shape: exponential"): "above 0",
    ramp(
        "parameter: train.lr, start: 1, end: 2, first: 1, last: 2, shape: bent"
    ): "must be linear or exponential",
    ramp(SIMULATIONS, SIMULATIONS): "ramp entry 2: selfplay.simulations is set by another ramp, too",
    ramp(
        "parameter: selfplay.simulations, start: 1, end: 2, first: 1, last: 2"
    ): "simulations is 1 in generation g001",
}


@pytest.mark.parametrize("override", REFUSED)
def test_impossible_ramps_are_refused_in_one_sentence(override: str) -> None:
    with pytest.raises(UserError) as refusal:
        plan(override)
    assert REFUSED[override] in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_parameter_is_not_both_scheduled_and_ramped() -> None:
    with pytest.raises(UserError, match="is set by another schedule, too"):
        plan(ramp(SIMULATIONS), "schedule=[{start: 2, set: {selfplay.simulations: 50}}]")
