"""A self-play game under way, and the record made of it when it is over."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stonezero.games.position import ONGOING, Positions
from stonezero.records.schema import GameRecord
from stonezero.selfplay.ending import ResignWatch

NO_VISITS = np.zeros(0, np.int16), np.zeros(0, np.int32)


@dataclass(slots=True)
class Ply:
    """What is recorded of one ply beside the position."""

    move: int
    visit_moves: NDArray[np.int16]  #: int16[V]: with `visit_counts`, the policy target before normalising
    visit_counts: NDArray[np.int32]  #: int32[V]
    root_value: float = np.nan
    prior_entropy: float = np.nan
    is_opening: bool = False
    is_full_search: bool = True
    is_resigned: bool = False
    is_solved: bool = False


@dataclass(slots=True)
class LiveGame:
    """A game under way in a slot."""

    game_id: int
    rng: np.random.Generator
    positions: Positions  #: one row a ply, filled as the game goes on
    plies: list[Ply] = field(default_factory=list)
    num_opening_plies: int = 0
    prior_entropy: float = 0.0
    evaluations_before: int = 0  #: its slot's, when it began
    is_full_search: bool = True  #: the search under way
    gumbel_noise: NDArray[np.float32] | None = None  #: float32[A]: of the search under way
    declared: int = ONGOING  #: how the game ended, where the rules did not end it
    watch: ResignWatch | None = None  #: where sides may resign
    is_control: bool = True  #: played on in spite of resignations
    has_resigned: bool = False  #: or would have, in a control game

    @property
    def ply(self) -> int:
        """Moves played so far, the opening's included."""
        return len(self.plies)

    @property
    def turn(self) -> int:
        """The side to move."""
        return self.positions.turn.item(self.ply)

    @property
    def is_over(self) -> bool:
        """By the rules, or as declared."""
        return bool(self.positions.status.item(self.ply) != ONGOING or self.declared != ONGOING)

    def record(self) -> GameRecord:
        """The finished game."""
        plies, positions = self.plies, self.positions
        num_plies = len(plies)
        is_opening = np.array([ply.is_opening for ply in plies], np.bool_)
        is_full_search = np.array([ply.is_full_search for ply in plies], np.bool_)
        offsets = np.zeros(num_plies + 1, np.int32)
        offsets[1:] = np.cumsum([len(ply.visit_moves) for ply in plies])
        return GameRecord(
            game_id=self.game_id,
            status=int(positions.status[num_plies]) or self.declared,
            stones=positions.stones[:num_plies],
            turn=positions.turn[:num_plies],
            ply=positions.ply[:num_plies],
            passes=positions.passes[:num_plies],
            recent_moves=positions.recent_moves[:num_plies],
            move=np.array([ply.move for ply in plies], np.int16),
            visit_moves=np.concatenate([ply.visit_moves for ply in plies]),
            visit_counts=np.concatenate([ply.visit_counts for ply in plies]),
            visit_offsets=offsets,
            root_value=np.array([ply.root_value for ply in plies], np.float32),
            prior_entropy=np.array([ply.prior_entropy for ply in plies], np.float32),
            is_opening=is_opening,
            is_full_search=is_full_search & ~is_opening,
            is_resigned=np.array([ply.is_resigned for ply in plies], np.bool_),
            is_solved=np.array([ply.is_solved for ply in plies], np.bool_),
        )
