"""Intervals and verdicts, against numbers worked out by hand and the example of Dunnett's paper."""

import math

import pytest

from stonezero.ablation.statistics import compare, judge, pooled_deviation

# By hand: sums of squares 2 + 2 + 8 over 6 degrees of freedom give a variance of 2; t(0.975, 6) = 2.4469.
BY_HAND = {"none": [1.0, 2.0, 3.0], "better": [4.0, 5.0, 6.0], "wide": [2.0, 4.0, 6.0]}

# C. W. Dunnett, A Multiple Comparison Procedure for Comparing Several Treatments with a Control, JASA 50
# (1955), table I: blood counts of animals. The paper has s = 1.175 with 12 degrees of freedom.
BLOOD = {
    "control": [7.40, 8.50, 7.20, 8.24, 9.84, 8.32],
    "drug A": [9.76, 8.80, 7.68, 9.36],
    "drug B": [12.80, 9.68, 12.16, 9.20, 10.55],
}


def test_the_spread_is_pooled_over_variants() -> None:
    assert pooled_deviation(list(BY_HAND.values())) == (pytest.approx(math.sqrt(2)), 6)
    deviation, degrees = pooled_deviation(list(BLOOD.values()))
    assert (round(deviation, 3), degrees) == (1.175, 12)


def test_intervals_are_those_worked_out_by_hand() -> None:
    table = compare(BY_HAND, "none")
    better, wide = table["better"], table["wide"]
    assert (better.mean, better.difference, wide.difference) == (5.0, 3.0, 2.0)
    half = 2.4469 * math.sqrt(2 / 3)
    assert (better.low, better.high) == (pytest.approx(5 - half, abs=1e-4), pytest.approx(5 + half, abs=1e-4))
    reach = 2.4469 * math.sqrt(2 * (1 / 3 + 1 / 3))
    assert better.difference_low == pytest.approx(3 - reach, abs=1e-4)
    assert better.difference_high == pytest.approx(3 + reach, abs=1e-4)
    assert [table[name].verdict for name in BY_HAND] == ["reference", "better", "can't tell"]


def test_the_corrected_p_values_agree_with_dunnett_s_conclusion() -> None:
    table = compare(BLOOD, "control")
    assert table["drug A"].p_value > 0.05
    assert table["drug B"].p_value < 0.01
    assert math.isnan(table["control"].p_value)
    # his two-sided 95% limits use t = 2.54 in place of Student's 2.179, so they lie outside ours
    assert table["drug A"].difference == pytest.approx(0.65)
    assert table["drug B"].difference == pytest.approx(2.63, abs=0.005)


def test_the_verdict_follows_the_sign_of_the_difference() -> None:
    swapped = compare({"none": BY_HAND["better"], "other": BY_HAND["none"], "wide": BY_HAND["wide"]}, "none")
    assert swapped["other"].verdict == "worse"
    assert [judge(-1, 1), judge(0.1, 1), judge(-1, -0.1)] == ["can't tell", "better", "worse"]


def test_one_seed_each_decides_nothing() -> None:
    table = compare({"none": [0.0], "other": [500.0]}, "none")
    assert table["other"].verdict == "can't tell"
    assert math.isnan(table["other"].low)
    assert math.isnan(table["other"].p_value)


def test_a_variant_with_one_seed_borrows_the_spread_of_the_others() -> None:
    table = compare({"none": [0.0, 10.0], "other": [500.0]}, "none")
    assert table["other"].verdict == "better"
    deviation = math.sqrt(50)
    assert table["other"].high - table["other"].mean == pytest.approx(12.7062 * deviation, rel=1e-4)


def test_seeds_without_any_spread_are_no_error() -> None:
    table = compare({"none": [1.0, 1.0], "other": [1.0, 1.0]}, "none")
    assert table["other"].verdict == "can't tell"
