"""Noise for the root prior of self-play: which Dirichlet distribution, and how much of it, at which ply.

    by_legal   alpha = concentration / number of legal moves
    fixed      alpha is the same for every move, however many there are (AlphaZero: 0.3 chess, 0.03 Go)
    shaped     half of the concentration spread evenly, half over the moves that the prior ranks above its
               own mean of logarithms (KataGo, Wu 2019, and its searchhelpers.cpp)

A Dirichlet draw over legal moves is gamma variates, one a move, normalised over the legal ones: drawing is
done here from the game's own stream, mixing in `search.root`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import SearchConfig
from stonezero.search.schedules import PlySchedule, schedule_of

SHAPED_PRIOR_CAP = 0.01
"""Priors above this count alike in the shaped distribution."""


class RootNoise(NamedTuple):
    """What noise a root gets; numbers as in conf/search."""

    kind: str  #: by_legal, fixed or shaped
    fraction: PlySchedule  #: share of noise in the prior
    concentration: PlySchedule  #: by_legal, shaped: sum of alpha over legal moves
    alpha: float  #: fixed: of each move

    @property
    def needs_priors(self) -> bool:
        """Whether `draw` wants to know the root's priors."""
        return self.kind == "shaped"

    def draw(
        self,
        rng: np.random.Generator,
        ply: int,
        num_actions: int,
        num_legal: int,
        priors: NDArray[np.float32] | None,
    ) -> NDArray[np.float32] | None:
        """Gamma variates float32[A] for a root at `ply`; None, and nothing drawn, where there is no noise.

        num_legal >= 1; priors float32[A] of the root, 0 on illegal moves, where `needs_priors`.
        """
        if self.fraction.at(ply) == 0:
            return None
        alphas: float | NDArray[np.float64]
        if self.kind == "fixed":
            alphas = self.alpha
        elif priors is None:
            alphas = self.concentration.at(ply) / num_legal
        else:
            alphas = self.concentration.at(ply) * shaped_shares(priors)
        return rng.standard_gamma(alphas, num_actions, np.float32)


def root_noise(search: SearchConfig) -> RootNoise:
    """The noise that conf/search describes."""
    phases = search.root_noise_phases
    fractions = [(phase.start, phase.fraction) for phase in phases] or [(0, search.root_noise_fraction)]
    concentrations = [(phase.start, phase.concentration) for phase in phases]
    return RootNoise(
        search.root_noise,
        schedule_of(fractions),
        schedule_of(concentrations or [(0, search.root_noise_concentration)]),
        search.root_noise_alpha,
    )


def shaped_shares(priors: NDArray[np.float32]) -> NDArray[np.float64]:
    """float64[A]: each move's share of the concentration, from priors float32[A]; 0 where the prior is 0."""
    is_candidate = priors > 0
    logs = np.log(np.minimum(priors[is_candidate], SHAPED_PRIOR_CAP, dtype=np.float64))
    above = np.maximum(logs - logs.mean(), 0.0)
    even = 1.0 / len(logs)
    shares = np.zeros(len(priors))
    shares[is_candidate] = 0.5 * (above / above.sum() + even) if above.sum() > 0 else even
    return shares
