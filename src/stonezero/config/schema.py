"""The typed schema of params.yaml: every parameter, its type, its meaning and its scale.

Values live in conf/ (Hydra groups of the same names); nothing here has a default that matters.
"""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING


@dataclass
class GameConfig:
    name: str = MISSING  #: gomoku or othello
    size: int = MISSING  #: board side: gomoku 3..20, othello 4, 6, 8 or 10
    k: int = 0  #: gomoku: stones in a row that win, 3..size; 0 for othello
    rules: str = MISSING  #: gomoku: freestyle (k or more), standard (exactly k) or renju; othello: othello


@dataclass
class NetworkConfig:
    planes: list[str] = MISSING  #: input planes by name, see stonezero.games.planes.PLANES
    channels: int = MISSING  #: width of the trunk, 8..512
    blocks: int = MISSING  #: residual blocks, 0..40
    heads: str = MISSING  #: pooled (any board size) or dense (one board size, as in the published systems)
    policy_channels: int = MISSING  #: channels of the policy head
    value_channels: int = MISSING  #: channels of the value head
    value_hidden: int = MISSING  #: width of the value head's dense layer
    value: str = MISSING  #: wdl (win, draw, loss probabilities) or tanh (one number)
    # What came later has a default, for checkpoints written before.
    block: str = "plain"  #: plain, bottleneck or depthwise
    pooling_every: int = 0  #: every so many blocks one with global pooling; 0 for none
    stem_padding: str = "zeros"  #: outside the board the first layer sees zeros, ones or replicate
    trunk: str = "shared"  #: shared or separate (the value has a trunk of its own)
    auxiliary: list[str] = field(default_factory=list)  #: heads trained beside: ownership, score, reply


@dataclass
class PlyValue:
    """One point of a schedule over plies."""

    start: int = MISSING  #: first ply at which it holds; the first point starts at 0
    value: float = MISSING


@dataclass
class NoisePhase:
    """Root noise from one ply on."""

    start: int = MISSING  #: first ply; the first phase starts at 0
    fraction: float = MISSING  #: as search.root_noise_fraction
    concentration: float = MISSING  #: as search.root_noise_concentration


@dataclass
class SearchConfig:
    evaluator: str = "network"  #: network, or rollouts (pure Monte-Carlo search with a uniform prior)
    rollout_plies: int = 0  #: plies after which a rollout is cut and scored by the net; 0 plays to the end
    symmetric_evaluation: str = "none"  #: a leaf as it is (none), under a random symmetry, or the mean over 8
    cache_size: int = 0  #: evaluations a worker remembers; 0 for no cache; changes no result
    value_clip: float = 1.0  #: the net's values are held within plus or minus this, 0..1
    selection: str = "puct"  #: puct, or uct (UCB1: the prior only orders first visits)
    c_puct: float = MISSING  #: exploration constant, > 0; about 1..3
    c_base: float = 0.0  #: c grows by log((1 + N + c_base) / c_base) (AlphaZero: 19652); 0 keeps it fixed
    visit_exponent: float = 0.5  #: PUCT's exploration grows with the parent's visits to this power, 0..1
    visit_exponent_slope: float = 0.0  #: added to it per ply below the root (adaptive lambda: 0.05)
    visit_exponent_max: float = 0.9  #: and never above this
    fpu: str = "parent"  #: worth of unvisited moves: the parent's value minus fpu_reduction, or absolute
    fpu_reduction: float = MISSING  #: parent: unvisited moves are worth the parent's value minus this, 0..1
    fpu_value: float = 0.0  #: absolute: what unvisited moves are worth, -1..1
    prior_temperature: list[PlyValue] = field(default_factory=list)  #: T of P ** (1/T) from a ply on
    root_noise: str = "by_legal"  #: alpha by number of legal moves (by_legal), fixed, or shaped by the prior
    root_noise_fraction: float = MISSING  #: share of Dirichlet noise in the root prior in self-play, 0..1
    root_noise_concentration: float = MISSING  #: by_legal, shaped: alpha times legal moves, about 10
    root_noise_alpha: float = 0.3  #: fixed: Dirichlet alpha of every move
    root_noise_phases: list[NoisePhase] = field(default_factory=list)  #: both from a ply on
    forced_playouts: float = 0.0  #: k of forced playouts with target pruning (KataGo: 2); 0 for none
    gumbel_considered: int = 0  #: moves that a Gumbel root shares simulations among; 0 for a PUCT root
    gumbel_c_visit: float = 50.0  #: sigma(q) = (c_visit + greatest visit count) * c_scale * q
    gumbel_c_scale: float = 1.0  #: smaller trusts the prior more
    candidate_radius: int = 0  #: gomoku: moves within this distance of a stone only; 0 for all
    max_children: int = 0  #: gomoku: so many moves of highest prior only; 0 for all
    candidate_free_plies: int = 0  #: neither of the two before this ply
    max_depth: int = 0  #: a descent goes no deeper; 0 for no limit
    stop_visits: int = 0  #: a descent stops at a node with more visits and backs its mean up; 0 for never
    reuse_tree: bool = MISSING  #: keep the subtree of the move played; it counts towards the simulations
    leaves_per_wave: int = MISSING  #: leaves one game puts into one batch; 1 on a CPU
    virtual_loss: int = MISSING  #: losses that a pending leaf counts as, >= 1


@dataclass
class SelfplayConfig:
    games: int = MISSING  #: games per generation; at most, where `evaluations` is set
    evaluations: int = MISSING  #: network evaluations that end a generation, at whole shards; 0 for none
    simulations: int = MISSING  #: visits of the root per move, the reused subtree included
    full_search_share: float = 1.0  #: share of moves searched in full; the others are cheap and no target
    cheap_simulations: int = 16  #: visits of the root in a cheap search, which has no noise
    slots: int = MISSING  #: games that one worker plays at once (the batch size of a wave)
    shard_games: int = MISSING  #: games in one records file, the grain of resuming
    random_opening_share: float = MISSING  #: share of games that begin with random moves, 0..1
    random_opening_plies: int = MISSING  #: most random moves in such a game (1..this, uniformly)
    opening_book_share: float = 0.0  #: share of games that begin with a line of the book, 0..1
    opening_book: list[str] = field(default_factory=list)  #: lines of moves, as "f5 d6 c3"
    earlier_game_share: float = 0.0  #: share of games that begin in a position of an earlier game
    random_move_share: float = 0.0  #: chance that a move is a random one instead of the search's, 0..1
    random_move_plies: int = 0  #: before this ply
    centre_ban_plies: int = 0  #: gomoku: the centre may not be played before this ply
    temperature: float = MISSING  #: of the first plies; 0 plays the most visited move
    temperature_plies: int = MISSING  #: plies (after the random opening) at `temperature`
    final_temperature: float = MISSING  #: afterwards
    solve_empties: int = 0  #: empty points from which on an Othello game is played out by the solver; 0 never
    temperature_shape: str = "step"  #: from temperature to final_temperature by a step, linear or exponential
    temperature_points: list[PlyValue] = field(default_factory=list)  #: several such, in place of these three
    target_temperature: float = 1.0  #: policy target is visits ** (1/T), > 0; 1 for the visits themselves
    resign_threshold: float = -1.0  #: a side resigns when its best move is worth less, -1..0; -1 for never
    resign_plies: int = 1  #: searches in a row, of both sides, that must agree on it
    resign_control_share: float = 0.1  #: share of games played on all the same, to measure false resignations
    resign_max_false_rate: float = 0.05  #: more of them, and nobody resigns in this generation
    end_when_decided: bool = False  #: gomoku: end a game as drawn once neither side can make a row any more


@dataclass
class BufferConfig:
    window_generations: int = MISSING  #: generations kept, >= 1
    max_positions: int = MISSING  #: newest positions kept, >= 1
    max_games: int = MISSING  #: newest games kept; 0 for no such limit
    power_law_positions: int = MISSING  #: c of KataGo's growing window; 0 for none
    power_law_alpha: float = MISSING  #: its exponent
    power_law_beta: float = MISSING  #: its slope at the beginning
    held_out_fraction: float = MISSING  #: share of games never trained on, 0..0.5
    sampling: str = MISSING  #: positions, or games: a random game, then a random position of it
    phase_plies: list[int] = MISSING  #: first plies of all phases but the first
    phase_weights: list[float] = MISSING  #: how often positions of each phase are seen, relatively
    rare_below: int = MISSING  #: positions seen fewer times in the window are rare
    rare_weight: float = MISSING  #: how often rare ones are seen, relatively
    merge_positions: bool = MISSING  #: identical positions, up to symmetry, are one with averaged targets
    kl_threshold: float = (
        MISSING  #: nats; older positions whose target is further from the net are stale; 0: off
    )
    kl_drop: float = MISSING  #: probability that a stale position is dropped
    surprise_share: float = MISSING  #: share of the sampling that follows the policy's surprise
    quality_open_four: float = MISSING  #: worth of a win with more than one winning move (Gomoku)
    quality_simple_four: float = MISSING  #: worth of a win with one (Gomoku)
    quality_decided: float = MISSING  #: worth of a result that was not played out


@dataclass
class TrainConfig:
    start: str = MISSING  #: weights to start from: last (net trained), champion, scratch or file
    start_file: str = (
        MISSING  #: checkpoint that g000 begins with, and `start: file`; empty for an untrained net
    )
    start_digest: str = MISSING  #: made by the plan: SHA-256 of that file
    samples_per_position: float = MISSING  #: times a new position is seen on average: sets the steps
    epochs: float = MISSING  #: passes over the window instead; 0: samples_per_position decides
    batch_size: int = MISSING
    optimizer: str = MISSING  #: adam, adamw or sgd
    lr: float = MISSING  #: peak learning rate
    momentum: float = MISSING  #: of sgd
    weight_decay: float = MISSING  #: L2 on all weights but norms and biases
    lr_schedule: str = MISSING  #: constant, step, cosine or onecycle, within one generation
    lr_step_factor: float = MISSING  #: step: factor at 1/2 and at 3/4 of the steps
    warmup_steps: int = MISSING  #: linear warm-up at the start of each generation; not of onecycle
    onecycle_warmup_share: float = MISSING  #: onecycle: share of the steps until the peak
    policy_weight: float = MISSING  #: weight of the policy loss
    value_weight: float = MISSING  #: weight of the value loss beside the policy loss
    value_weight_by_epoch: list[float] = MISSING  #: its weight in each epoch instead; the last holds on
    value_loss: str = MISSING  #: auto (cross entropy for wdl, mse for tanh), cross_entropy, mse or huber
    huber_delta: float = MISSING  #: huber: quadratic up to this error, then a line of this slope
    entropy_bonus: float = MISSING  #: weight of the policy's entropy, taken off the loss
    ownership_weight: float = MISSING  #: weights of the losses of the heads in network.auxiliary
    score_weight: float = MISSING
    reply_weight: float = MISSING
    freeze_head: str = MISSING  #: none, or the head that stays as it is for `freeze_epochs`: policy or value
    freeze_epochs: float = MISSING
    gradient_clip: float = MISSING  #: largest gradient norm; 0 for none
    symmetry: str = MISSING  #: random (one of 8 per sample), all8 (every sample in all 8) or none
    averaging: str = MISSING  #: none, or the candidate is an average of weights: ema or swa
    ema_decay: float = MISSING  #: ema: share kept at each step
    swa_share: float = MISSING  #: swa: last share of the steps that is averaged
    checkpoint_steps: int = MISSING  #: steps between resume points inside the stage
    threads: int = MISSING  #: torch threads; 1 and 2 give different, each reproducible, weights
    device: str = MISSING  #: cpu or cuda
    precision: str = MISSING  #: f32, or mixed: bf16, fp16 (cuda only)


@dataclass
class GateConfig:
    rule: str = "sprt"  #: sprt, score, two_sigma, archive_mean or archive_weakest
    simulations: int = MISSING  #: visits of the root per move
    slots: int = MISSING  #: games one worker plays at once
    opening_plies: int = MISSING  #: plies of the balanced openings
    openings: str = ""  #: a file of openings to play from instead, see `arena.opening_sets`
    openings_digest: str = ""  #: its SHA-256, filled in by the plan
    round_pairs: int = MISSING  #: colour-swapped pairs between two looks at the sequential test
    max_pairs: int = MISSING  #: cap
    elo0: float = MISSING  #: logistic Elo difference of H0 of the sequential test
    elo1: float = MISSING  #: and of H1
    alpha: float = MISSING  #: probability of accepting a net that is no better than elo0
    beta: float = MISSING  #: probability of rejecting one that is better than elo1
    accept_score_at_cap: float = MISSING  #: at the cap the candidate is accepted above this score
    accept_score: float = 0.55  #: least score of an accepted one under the rules score and archive_*
    anchors: list[str] = MISSING  #: player texts, e.g. random, rollouts:sims=64
    anchor_pairs: int = MISSING  #: pairs against each anchor
    anchor_every: int = 1  #: generations from one meeting with the anchors to the next
    archive_champions: int = (
        MISSING  #: earlier champions the candidate also meets; archive rules: the archive
    )
    archive_pairs: int = MISSING  #: pairs against each of them
    tactics: bool = False  #: ask each candidate the tactical test sets of its game, for metrics alone


@dataclass
class EloConfig:
    prior_games: float = MISSING  #: strength of the weak prior: virtual games, thirds won, drawn and lost
    confidence: float = MISSING  #: of the intervals, e.g. 0.95


@dataclass
class InferenceConfig:
    backend: str = MISSING  #: onnxruntime, openvino, torch, numpy or tensorrt
    precision: str = MISSING  #: f32; bf16 (openvino, torch on CUDA); int8 (onnxruntime); f16 (tensorrt)
    max_batch: int = MISSING  #: largest batch given to the backend at once
    device: str = MISSING  #: cpu or cuda (torch, onnxruntime and tensorrt)


@dataclass
class Change:
    """From generation `start` on, the parameters in `set` have new values."""

    start: int = MISSING
    set: dict[str, Any] = field(default_factory=dict)


@dataclass
class Ramp:
    """A parameter that goes from one value to another over generations, and stays there."""

    parameter: str = MISSING  #: by its dotted path, e.g. selfplay.simulations; whole numbers are rounded
    start: int = MISSING  #: last generation of the value `first`
    end: int = MISSING  #: first generation of the value `last`, > start
    first: float = MISSING
    last: float = MISSING
    shape: str = "linear"  #: linear or exponential (by equal factors)


@dataclass
class Generation:
    """One trip round the loop: its predecessor, and what differs from the sections above."""

    prev: str = MISSING
    search: dict[str, Any] = field(default_factory=dict)
    selfplay: dict[str, Any] = field(default_factory=dict)
    buffer: dict[str, Any] = field(default_factory=dict)
    train: dict[str, Any] = field(default_factory=dict)
    gate: dict[str, Any] = field(default_factory=dict)


@dataclass
class Params:
    experiment: str = MISSING  #: name of the preset
    ablation: str = MISSING  #: name of the ablation, none by default
    seed: int = MISSING  #: root of all randomness
    iterations: int = MISSING  #: generations
    game: GameConfig = field(default_factory=GameConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    selfplay: SelfplayConfig = field(default_factory=SelfplayConfig)
    buffer: BufferConfig = field(default_factory=BufferConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    gate: GateConfig = field(default_factory=GateConfig)
    elo: EloConfig = field(default_factory=EloConfig)
    inference: InferenceConfig = field(default_factory=InferenceConfig)
    schedule: list[Change] = field(default_factory=list)
    ramp: list[Ramp] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)  #: overrides `stonezero plan` was given
    generations: dict[str, Generation] = field(default_factory=dict)  #: made by the plan
    last: str = MISSING  #: made by the plan: name of the last generation


@dataclass
class StageParams(Params):
    gen: str = MISSING  #: the generation a stage works on
