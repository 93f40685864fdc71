"""Elo ratings: a maximum-likelihood fit over all games, with draws and first-move advantage.

The model is Davidson's (*On extending the Bradley-Terry model to accommodate ties*, JASA 65, 1970) with the
order effect of Davidson and Beaver (Biometrics 33, 1977). With D = theta_black - theta_white + advantage,

    P(black wins) : P(draw) : P(white wins)  =  e^(D/2) : e^lambda : e^(-D/2),

so a difference of E Elo means that wins are to losses as 10^(E/400), and a draw counts exactly as half a
win. The log-likelihood is concave, hence one maximum. A weak prior keeps it finite when somebody won or
lost everything: each player plays a few virtual games against one at the pool's centre, a third of them
won, drawn and lost, half of them with each colour.

Intervals come from the inverse Hessian, relative to the anchor. Where the games alone bound a rating on
one side only (a player who never lost to anybody linked with the anchor), the other side is NaN: there is
no such bound (Ford, *Solution of a ranking problem from binary comparisons*, 1957).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order
from scipy.special import expit, logsumexp, ndtr, ndtri

from stonezero.arena.tables import distinct_games
from stonezero.errors import UserError
from stonezero.games.position import BLACK_WON, DRAW, WHITE_WON

MODEL = "Davidson with first-move advantage, maximum likelihood with a weak prior"
ELO_PER_UNIT = 400.0 / np.log(10.0)

Floats = NDArray[np.float64]


class PairCounts(NamedTuple):
    """Results of R ordered pairs of players, each as arrays of length R."""

    black: NDArray[np.int64]  #: int64[R]: index of the player with the first move
    white: NDArray[np.int64]  #: int64[R]
    results: Floats  #: float64[R, 3]: black's wins, draws, white's wins


class Fit(NamedTuple):
    """The maximum of the likelihood, in natural units."""

    parameters: Floats  #: float64[n + 2]: theta of each player, first-move advantage, lambda
    covariance: Floats  #: float64[n + 2, n + 2]


@dataclass(frozen=True)
class Ratings:
    """Ratings of n players, all in Elo relative to the anchor."""

    names: list[str]
    anchor: str
    elo: Floats  #: float64[n]
    low: Floats  #: float64[n]: NaN where the games set no lower bound, and for the anchor itself
    high: Floats  #: float64[n]: likewise
    games: NDArray[np.int64]  #: int64[n]: distinct games played
    score: Floats  #: float64[n]: points per game, 0..1
    covariance: Floats  #: float64[n, n]: of `elo`
    black_advantage: tuple[float, float, float]  #: Elo of the first move, and its interval
    draw_rate: float  #: between equals, without first-move advantage
    num_games: int  #: distinct games
    num_duplicates: int  #: repeated games left out

    def superiority(self) -> Floats:
        """Likelihood of superiority float64[n, n]: the chance that player i is stronger than player j.

        From the normal law of their difference, whose variance counts what both ratings share; 1/2 for a
        player and himself. Where the games bound a difference on one side only, the prior sets the rest.
        """
        variance = np.diag(self.covariance)
        spread = np.sqrt(np.maximum(variance[:, None] + variance - 2 * self.covariance, 0.0))
        lead = self.elo[:, None] - self.elo
        return np.asarray(ndtr(np.divide(lead, spread, out=np.zeros_like(lead), where=spread > 0)))

    def table(self) -> pd.DataFrame:
        """One row per player, strongest first (ties by name)."""
        columns = {
            "player": self.names,
            "elo": self.elo,
            "low": self.low,
            "high": self.high,
            "games": self.games,
            "score": self.score,
        }
        return pd.DataFrame(columns).sort_values(
            ["elo", "player"], ascending=[False, True], ignore_index=True
        )


def choose_anchor(names: Iterable[str], anchors: Iterable[str] = ()) -> str:
    """The player fixed at 0: `random` where it has played, else the first anchor that has, else the first."""
    names = sorted(set(names))
    for name in ["random", *anchors, *names]:
        if name in names:
            return name
    raise UserError("no game has been played, so there is nothing to rate")


def rate(matches: pd.DataFrame, anchor: str, prior_games: float, confidence: float) -> Ratings:
    """Fit all games of a table with the columns black, white (names), status (of a finished game), moves.

    `prior_games` > 0 is the number of virtual games per player, `confidence` that of the intervals.
    """
    if not prior_games > 0:
        raise UserError(f"elo.prior_games must be above 0, not {prior_games}")
    if not 0 < confidence < 1:
        raise UserError(f"elo.confidence must lie between 0 and 1, not {confidence}")
    distinct = distinct_games(matches)
    names = sorted(set(distinct["black"]) | set(distinct["white"]))
    if anchor not in names:
        raise UserError(f"the anchor {anchor} has played no game; players are {', '.join(names) or 'none'}")
    counts = count_pairs(distinct, names)
    fitted = fit(counts, len(names), prior_games)
    n, fixed = len(names), names.index(anchor)
    elo, covariance = _relative_to(fixed, fitted)
    width = ndtri(0.5 + confidence / 2)
    half = width * np.sqrt(np.diag(covariance))
    bounded_below, bounded_above = _bounded(counts, n, fixed)
    games, score = _totals(counts, n)
    return Ratings(
        names=names,
        anchor=anchor,
        elo=elo,
        low=np.where(bounded_below, elo - half, np.nan),
        high=np.where(bounded_above, elo + half, np.nan),
        games=games,
        score=score,
        covariance=covariance,
        black_advantage=_interval(fitted, n, width),
        draw_rate=float(expit(fitted.parameters[-1] - np.log(2))),
        num_games=len(distinct),
        num_duplicates=len(matches) - len(distinct),
    )


def count_pairs(games: pd.DataFrame, names: list[str]) -> PairCounts:
    """Aggregate games by (black, white)."""
    n = len(names)
    number = {name: i for i, name in enumerate(names)}
    black, white = (games[side].map(number).to_numpy(np.int64) for side in ("black", "white"))
    pair = black * n + white
    status = games["status"].to_numpy()
    if not np.isin(status, (BLACK_WON, DRAW, WHITE_WON)).all():
        raise UserError("the games to rate hold one that isn't finished")
    pairs, row = np.unique(pair, return_inverse=True)
    results = np.zeros((len(pairs), 3))
    for column, outcome in enumerate((BLACK_WON, DRAW, WHITE_WON)):
        results[:, column] = np.bincount(row[status == outcome], minlength=len(pairs))
    return PairCounts(pairs // n, pairs % n, results)


def with_prior(counts: PairCounts, num_players: int, prior_games: float) -> PairCounts:
    """Add each player's virtual games against player number `num_players`, who sits at 0."""
    players = np.arange(num_players)
    centre = np.full(num_players, num_players)
    return PairCounts(
        np.concatenate([counts.black, players, centre]),
        np.concatenate([counts.white, centre, players]),
        np.concatenate([counts.results, np.full((2 * num_players, 3), prior_games / 6)]),
    )


def fit(counts: PairCounts, num_players: int, prior_games: float) -> Fit:
    """Maximise the likelihood with the prior."""
    counts = with_prior(counts, num_players, prior_games)
    design = _design(counts, num_players)
    found = minimize(
        lambda x: -_log_likelihood(x, design, counts.results),
        np.zeros(num_players + 2),
        jac=lambda x: -_gradient(x, design, counts.results),
        hess=lambda x: -_hessian(x, design, counts.results),
        method="trust-exact",
        options={"gtol": 1e-9 * counts.results.sum()},
    )
    return Fit(found.x, np.asarray(np.linalg.inv(-_hessian(found.x, design, counts.results)), np.float64))


def _design(counts: PairCounts, num_players: int) -> csr_array:
    """Derivative of D by the parameters, sparse [R, n + 2]: the player at 0 and lambda have none."""
    rows, at_zero = np.arange(len(counts.black)), num_players
    signs = np.concatenate([counts.black != at_zero, -1.0 * (counts.white != at_zero), np.ones(len(rows))])
    columns = np.concatenate(
        [counts.black % at_zero, counts.white % at_zero, np.full(len(rows), num_players)]
    )
    return csr_array((signs, (np.tile(rows, 3), columns)), shape=(len(rows), num_players + 2))


def _log_chances(parameters: Floats, design: csr_array) -> Floats:
    """Log-probability of each result, float64[R, 3]."""
    half = design @ parameters / 2
    weights = np.stack([half, np.full(len(half), parameters[-1]), -half], axis=1)
    return weights - logsumexp(weights, axis=1, keepdims=True)


def _log_likelihood(parameters: Floats, design: csr_array, results: Floats) -> float:
    return float((results * _log_chances(parameters, design)).sum())


def _gradient(parameters: Floats, design: csr_array, results: Floats) -> Floats:
    games = results.sum(axis=1, keepdims=True)
    surplus = results - games * np.exp(_log_chances(parameters, design))
    gradient = design.T @ ((surplus[:, 0] - surplus[:, 2]) / 2)
    gradient[-1] = surplus[:, 1].sum()
    return gradient


def _hessian(parameters: Floats, design: csr_array, results: Floats) -> Floats:
    """Second derivatives float64[n + 2, n + 2], negative definite."""
    black, draw, white = np.exp(_log_chances(parameters, design)).T
    games = results.sum(axis=1)
    lead = (black - white) / 2
    by_difference = -games * ((black + white) / 4 - lead**2)
    hessian = (design.T @ (design * by_difference[:, None])).toarray()
    hessian[-1] = hessian[:, -1] = design.T @ (games * draw * lead)
    hessian[-1, -1] = -(games * draw * (1 - draw)).sum()
    return hessian


def _relative_to(anchor: int, fitted: Fit) -> tuple[Floats, Floats]:
    """Elo float64[n] above the anchor, and its covariance float64[n, n]."""
    n = len(fitted.parameters) - 2
    shift = np.eye(n)
    shift[:, anchor] -= 1.0
    elo = ELO_PER_UNIT * shift @ fitted.parameters[:n]
    return elo, ELO_PER_UNIT**2 * shift @ fitted.covariance[:n, :n] @ shift.T


def _interval(fitted: Fit, parameter: int, width: float) -> tuple[float, float, float]:
    """One parameter in Elo, with the ends of its interval."""
    value = ELO_PER_UNIT * float(fitted.parameters[parameter])
    half = ELO_PER_UNIT * width * float(np.sqrt(fitted.covariance[parameter, parameter]))
    return value, value - half, value + half


def _totals(counts: PairCounts, num_players: int) -> tuple[NDArray[np.int64], Floats]:
    """Games int64[n] and points per game float64[n] of each player."""
    played = counts.results.sum(axis=1)
    points = counts.results @ np.array([1.0, 0.5, 0.0])
    games = sum(np.bincount(side, played, num_players) for side in (counts.black, counts.white))
    total = np.bincount(counts.black, points, num_players)
    total += np.bincount(counts.white, played - points, num_players)
    return np.rint(games).astype(np.int64), total / games


def _bounded(
    counts: PairCounts, num_players: int, anchor: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each rating is bounded below and above by the games alone.

    An edge leads from each player to all against whom he took points. A rating is bounded below where such
    a chain leads from the player to the anchor, above where one leads from the anchor to the player.
    """
    black_scored = counts.results[:, 0] + counts.results[:, 1] > 0
    white_scored = counts.results[:, 2] + counts.results[:, 1] > 0
    winners = np.concatenate([counts.black[black_scored], counts.white[white_scored]])
    losers = np.concatenate([counts.white[black_scored], counts.black[white_scored]])
    edges = csr_array((np.ones(len(winners)), (winners, losers)), shape=(num_players, num_players))

    def reached(graph: csr_array) -> NDArray[np.bool_]:
        mask = np.zeros(num_players, np.bool_)
        mask[breadth_first_order(graph, anchor, return_predecessors=False)] = True
        mask[anchor] = False
        return mask

    return reached(edges.T.tocsr()), reached(edges)
