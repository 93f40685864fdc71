"""All checks of a run: what is measured, from where on it is a fault, what is said and advised then.

docs/doctor.md lists them with the reasons for the thresholds.
"""

from collections.abc import Callable
from typing import NamedTuple

from stonezero.doctor import blunders, games, learning, values
from stonezero.doctor.facts import ALARM, OK, WARNING, Finding, RunFacts


class Check(NamedTuple):
    """One check; the measured number is put in place of {} in `sentence`."""

    name: str
    measure: Callable[[RunFacts], float | None]  #: None where it can't be judged
    level: str  #: of its fault
    limit: float
    is_high_bad: bool  #: a fault above the limit; else below it
    form: str  #: of the number: "{:.0%}", "{:.2f}", ...
    sentence: str  #: what the number says, faulty or not
    advice: str


PERCENT, NUMBER, COUNT = "{:.0%}", "{:.2f}", "{:.0f}"

CHECKS = (
    Check(
        *("opening diversity", games.opening_share, ALARM, 0.5, True, PERCENT),
        "{} of the games without random moves open with the same first 4 plies, up to symmetry",
        "raise selfplay.random_opening_share, selfplay.temperature_plies or search.root_noise_fraction",
    ),
    Check(
        *("duplicate games", games.duplicate_share, WARNING, 0.2, True, PERCENT),
        "{} of the games repeat another game move by move",
        "raise selfplay.temperature_plies or selfplay.random_opening_share",
    ),
    Check(
        *("policy entropy", games.opening_prior_entropy, ALARM, 0.3, False, "{:.2f} nats"),
        "In the first third of the games the net's prior has an entropy of {}",
        "raise search.root_noise_fraction and selfplay.temperature; lower train.samples_per_position",
    ),
    Check(
        *("visit concentration", games.opening_top_visit_share, WARNING, 0.9, True, PERCENT),
        "In the first third of the games the most visited move has {} of the visits",
        "raise search.c_puct or search.root_noise_fraction",
    ),
    Check(
        *("black win rate", games.favoured_colour_share, WARNING, 0.95, True, PERCENT),
        "The colour that wins more often wins {} of the games",
        "raise selfplay.random_opening_share and selfplay.random_opening_plies, or play game.rules=renju",
    ),
    Check(
        *("centre share", games.centre_share, WARNING, 0.9, True, PERCENT),
        "{} of the games without random moves open on the central points",
        "raise selfplay.temperature or search.root_noise_fraction",
    ),
    Check(
        *("corner spikes", games.corner_share, WARNING, 0.25, True, PERCENT),
        "{} of the first 4 plies are played into corners",
        "the policy is wrong there: check symmetries and planes; network.stem_padding=ones shows the edge",
    ),
    Check(
        *("resign errors", games.resign_errors, ALARM, 0.05, True, PERCENT),
        "{} of the sides that would have resigned in games that were played on did not lose",
        "lower selfplay.resign_threshold or raise selfplay.resign_plies",
    ),
    Check(
        *("constant value", values.spread, ALARM, 0.02, False, NUMBER),
        "The values of self-play have a standard deviation of {}, while games end differently",
        "raise train.value_weight or train.lr, and look at held_out_value_loss",
    ),
    Check(
        *("value sign", values.agreement, ALARM, -0.15, False, NUMBER),
        "Values and outcomes have a correlation of {}",
        "look for a sign error: values must be for the side to move",
    ),
    Check(
        *("value saturation", values.saturation, WARNING, 0.5, True, PERCENT),
        "In the first third of the games {} of the values are beyond ±0.95",
        "lower train.value_weight or train.samples_per_position; raise selfplay.random_opening_share",
    ),
    Check(
        *("overconfident value", values.overconfidence, ALARM, 0.5, True, NUMBER),
        "Values beyond ±0.5 promise up to {} more than the games then gave, in their worst third",
        "lower train.value_weight or train.samples_per_position; raise selfplay.games",
    ),
    Check(
        *("Brier score", values.brier_ratio, ALARM, 1.3, True, NUMBER),
        "In its worst third of the games the value's Brier score is {} times that of the colour alone",
        "lower train.samples_per_position, raise selfplay.games or buffer.window_generations",
    ),
    Check(
        *("value overfitting", learning.value_gap, ALARM, 0.5, True, PERCENT),
        "The held-out value loss is {} above that in training",
        "lower train.samples_per_position; raise selfplay.games, train.weight_decay",
    ),
    Check(
        *("policy overfitting", learning.policy_gap, WARNING, 0.5, True, PERCENT),
        "The held-out policy loss is {} above that in training",
        "lower train.samples_per_position, raise selfplay.games or buffer.window_generations",
    ),
    Check(
        *("prior against visits", learning.prior_visit_divergence, WARNING, 2.0, True, "{:.2f} nats"),
        "The visits diverge from the prior by {}",
        "the net does not follow the search: raise train.samples_per_position, train.lr or network.channels",
    ),
    Check(
        *("gate streak", learning.rejections_in_a_row, ALARM, 4, True, COUNT),
        "{} candidates in a row were rejected",
        "raise selfplay.games or selfplay.simulations, lower train.lr, set train.start=champion; "
        "a net that can't get better ends so, too",
    ),
    Check(
        *("staleness", learning.mean_staleness, WARNING, 10, True, "{:.1f} generations"),
        "The positions of the window are {} old on average",
        "lower buffer.window_generations or buffer.max_positions",
    ),
    Check(
        *("sample reuse", learning.sample_reuse, WARNING, 16, True, "{:.1f}"),
        "Training drew {} samples for each new position",
        "lower train.samples_per_position",
    ),
    Check(
        *("missed wins", blunders.missed_wins, WARNING, 0.1, True, PERCENT),
        "In {} of the positions with a winning move the search preferred another",
        "raise selfplay.simulations or lower search.fpu_reduction",
    ),
    Check(
        *("corner gifts", blunders.corner_gifts, WARNING, 1.5, True, "{:.1f}"),
        "{} corners a game are taken right after the other side moved next to them",
        "raise selfplay.simulations or train.value_weight",
    ),
    Check(
        *("tactics", blunders.weakest_tactics, WARNING, 0.85, False, PERCENT),
        "In its weakest tactical test set the champion gives {} right answers",
        "raise train.value_weight or selfplay.simulations; `stonezero tactics` shows all sets",
    ),
)


def diagnose(facts: RunFacts) -> list[Finding]:
    """A finding for each check that can be judged, the worst first."""
    found = [finding for check in CHECKS if (finding := finding_of(check, facts)) is not None]
    order = (ALARM, WARNING, OK)
    return sorted(found, key=lambda finding: order.index(finding.level))


def not_judged(findings: list[Finding]) -> list[str]:
    """Names of the checks that found too little to judge."""
    return sorted({check.name for check in CHECKS} - {finding.check for finding in findings})


def finding_of(check: Check, facts: RunFacts) -> Finding | None:
    """What a check finds; None where it can't be judged."""
    number = check.measure(facts)
    if number is None:
        return None
    is_fault = number > check.limit if check.is_high_bad else number < check.limit
    text = check.form.format(number)
    return Finding(
        level=check.level if is_fault else OK,
        check=check.name,
        what=f"{check.sentence.format(text)}.",
        number=text,
        threshold=threshold_of(check),
        advice=check.advice if is_fault else "",
    )


def threshold_of(check: Check) -> str:
    """Where the fault begins, in words."""
    return f"{'above' if check.is_high_bad else 'below'} {check.form.format(check.limit)}"
