"""Root noise: which gamma distribution each move draws from."""

import numpy as np
import pytest

from stonezero.search.noise import RootNoise, shaped_shares
from stonezero.search.schedules import PlySchedule, schedule_of

PRIORS = np.array([0.5, 0.3, 0.0, 0.15, 0.05], np.float32)


class Recorder:
    """A generator that notes what it was asked for."""

    def __init__(self):
        self.asked = []

    def standard_gamma(self, shape, size, dtype):
        self.asked.append((shape, size))
        return np.ones(size, dtype)


def draw(of, rng, ply):
    return of.draw(rng, ply, len(PRIORS), 4, PRIORS if of.needs_priors else None)


def noise(kind="by_legal", fraction=0.25, concentration=10.0):
    constant = lambda value: PlySchedule((0,), (value,))  # noqa: E731
    return RootNoise(kind, constant(fraction), constant(concentration), 0.3)


def alphas(of, ply=0):
    recorder = Recorder()
    assert draw(of, recorder, ply) is not None
    ((shape, size),) = recorder.asked
    assert size == 5
    return shape


def test_alpha_by_legal_moves_is_the_concentration_over_their_number():
    assert alphas(noise()) == 2.5


def test_a_fixed_alpha_does_not_ask_how_many_moves_there_are():
    assert alphas(noise("fixed")) == 0.3


def test_no_noise_draws_nothing():
    recorder = Recorder()
    assert draw(noise(fraction=0.0), recorder, 0) is None
    assert recorder.asked == []


def test_the_published_othello_table_holds_from_ply_to_ply():
    phased = RootNoise(
        "by_legal",
        schedule_of([(0, 0.3), (17, 0.15), (41, 0.0)]),
        schedule_of([(0, 10.0), (17, 5.0), (41, 5.0)]),
        0.3,
    )
    assert [alphas(phased, ply) for ply in (0, 16, 17, 40)] == [2.5, 2.5, 1.25, 1.25]
    assert draw(phased, Recorder(), 41) is None
    assert [phased.fraction.at(ply) for ply in (0, 16, 17, 40, 41, 60)] == [0.3, 0.3, 0.15, 0.15, 0, 0]


def test_shaped_noise_is_half_even_and_half_by_rank_above_the_mean_logarithm():
    # priors 0.04, 0.01 count as 0.01, since they are above the cap; logs, base 10: -2, -2, -4, -4; mean -3
    priors = np.array([0.04, 0.01, 0.0, 0.0001, 0.0001], np.float32)
    assert shaped_shares(priors) == pytest.approx([0.375, 0.375, 0, 0.125, 0.125], abs=1e-6)


def test_shaped_noise_of_a_flat_prior_is_even_and_sums_to_the_concentration():
    assert shaped_shares(np.array([0.5, 0.5, 0], np.float32)) == pytest.approx([0.5, 0.5, 0])
    assert alphas(noise("shaped")).sum() == pytest.approx(10.0)
    assert alphas(noise("shaped"))[2] == 0


def test_noise_draws_are_finite_for_every_kind():
    for kind in ("by_legal", "fixed", "shaped"):
        drawn = draw(noise(kind), np.random.default_rng(0), 0)
        assert drawn.dtype == np.float32
        assert np.isfinite(drawn).all()
        assert drawn[PRIORS > 0].sum() > 0
