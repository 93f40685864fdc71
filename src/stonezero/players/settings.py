"""How a search searches: conf/search as the objects that `BatchSearch` and the kernels take."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from stonezero.config.schema import SearchConfig
from stonezero.games.candidates import CandidateLimits
from stonezero.players.evaluators import EvaluationSettings, evaluation_settings
from stonezero.search.gumbel import GumbelSettings
from stonezero.search.selection import SELECTIONS, PuctSettings, plain_numbers


class SearchSettings(NamedTuple):
    """Meaning and numbers as in conf/search; defaults are plain PUCT with a network."""

    c_puct: float
    fpu_reduction: float
    reuse_tree: bool = False
    leaves_per_wave: int = 1
    virtual_loss: int = 1
    selection: str = "puct"
    c_base: float = 0.0
    visit_exponent: float = 0.5
    visit_exponent_slope: float = 0.0
    visit_exponent_max: float = 0.9
    fpu: str = "parent"
    fpu_value: float = 0.0
    max_depth: int = 0
    stop_visits: int = 0
    forced_playouts: float = 0.0  #: where a root is told to force them: in self-play only
    gumbel: GumbelSettings = GumbelSettings()
    limits: CandidateLimits = CandidateLimits()
    evaluation: EvaluationSettings = EvaluationSettings()

    def for_kernels(self, num_actions: int) -> PuctSettings:
        """What kernels always take, in a game with so many actions."""
        return PuctSettings(
            c_puct=float(self.c_puct),
            fpu_reduction=float(self.fpu_reduction),
            virtual_loss=int(self.virtual_loss) if self.leaves_per_wave > 1 else 0,
            edge_reserve=int(self.leaves_per_wave * num_actions),
        )

    def method_numbers(self) -> NDArray[Any]:
        """METHOD_NUMBERS[1]: the variants of selection."""
        numbers = plain_numbers()
        numbers["c_base"] = self.c_base
        numbers["exponent"] = self.visit_exponent
        numbers["exponent_slope"] = self.visit_exponent_slope
        numbers["exponent_max"] = self.visit_exponent_max
        numbers["fpu_value"] = self.fpu_value
        numbers["is_fpu_absolute"] = self.fpu == "absolute"
        numbers["selection"] = SELECTIONS[self.selection]
        numbers["forced_playouts"] = self.forced_playouts
        numbers["c_visit"], numbers["c_scale"] = self.gumbel.c_visit, self.gumbel.c_scale
        numbers["max_depth"], numbers["stop_visits"] = self.max_depth, self.stop_visits
        return numbers


def search_settings(search: SearchConfig, centre_ban_plies: int = 0) -> SearchSettings:
    """The part of conf/search that self-play and matches have in common."""
    return SearchSettings(
        c_puct=search.c_puct,
        fpu_reduction=search.fpu_reduction,
        reuse_tree=search.reuse_tree,
        leaves_per_wave=search.leaves_per_wave,
        virtual_loss=search.virtual_loss,
        selection=search.selection,
        c_base=search.c_base,
        visit_exponent=search.visit_exponent,
        visit_exponent_slope=search.visit_exponent_slope,
        visit_exponent_max=search.visit_exponent_max,
        fpu=search.fpu,
        fpu_value=search.fpu_value,
        max_depth=search.max_depth,
        stop_visits=search.stop_visits,
        forced_playouts=search.forced_playouts,
        gumbel=GumbelSettings(search.gumbel_considered, search.gumbel_c_visit, search.gumbel_c_scale),
        limits=CandidateLimits(
            search.candidate_radius, search.max_children, search.candidate_free_plies, centre_ban_plies
        ),
        evaluation=evaluation_settings(search),
    )
