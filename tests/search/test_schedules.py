"""Values by ply, against hand-made tables."""

import pytest

from stonezero.search.schedules import PlySchedule, schedule_of, two_values


def test_a_step_holds_until_the_next_point():
    schedule = schedule_of([(0, 1.0), (10, 0.8), (20, 0.5)])
    assert [schedule.at(ply) for ply in (0, 9, 10, 19, 20, 400)] == [1.0, 1.0, 0.8, 0.8, 0.5, 0.5]


def test_a_linear_schedule_goes_straight_from_point_to_point():
    schedule = schedule_of([(0, 1.0), (20, 0.2), (40, 0.1)], "linear")
    assert [schedule.at(ply) for ply in (0, 5, 10, 20, 30, 40, 99)] == pytest.approx(
        [1.0, 0.8, 0.6, 0.2, 0.15, 0.1, 0.1]
    )


def test_an_exponential_schedule_shrinks_by_equal_factors():
    schedule = two_values(1.0, 3, 0.125, "exponential")
    assert [schedule.at(ply) for ply in range(5)] == pytest.approx([1.0, 0.5, 0.25, 0.125, 0.125])


@pytest.mark.parametrize("shape", ["step", "linear", "exponential"])
def test_a_schedule_that_begins_with_its_last_value_is_constant(shape):
    assert two_values(1.0, 0, 0.25, shape) == PlySchedule((0,), (0.25,), shape)
    assert two_values(1.0, 0, 0.25, shape).at(0) == 0.25
