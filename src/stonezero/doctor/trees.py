"""Alarms on one search tree, as `players.tree_json.tree_data` and `stonezero tree` give it."""

from typing import Any

from stonezero.doctor.facts import ALARM, OK, WARNING, Finding
from stonezero.errors import UserError

BAD_Q, TRUSTED_PRIOR = -0.3, 0.45
ROOT_Q, CHILDREN_Q = 0.1, -0.2
UNVISITED_PRIOR, FAIR_VISITS = 0.02, 4


def tree_findings(tree: Any) -> list[Finding]:
    """What is wrong at the root of a tree that was searched; UserError where it is no such tree."""
    root, children = _root_and_children(tree)
    return [_trusted_but_bad(children), _root_against_children(root, children), _unvisited(root, children)]


def _root_and_children(tree: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        root = tree["nodes"][0]
        children = [node for node in tree["nodes"] if node["parent"] == root["id"]]
        numbers = [root["q_value"], root["visit_count"], *root["prior_policy"].values()]
        numbers += [node[name] for node in children for name in ("edge_q_value", "prior", "visit_count")]
        if not children or not all(isinstance(number, int | float) for number in numbers):
            raise UserError(
                "the tree's root has no searched children: `stonezero tree` with --depth 1 or more"
            )
    except (KeyError, IndexError, TypeError, AttributeError):
        raise UserError("no search tree as `stonezero tree` prints it") from None
    return root, children


def _trusted_but_bad(children: list[dict[str, Any]]) -> Finding:
    top = max(children, key=lambda node: node["visit_count"])
    q, prior = top["edge_q_value"], top["prior"]
    return _finding(
        ALARM if q <= BAD_Q and prior >= TRUSTED_PRIOR else OK,
        "bad favourite",
        f"The most visited move {top['move']} has Q {q:.2f} and prior {prior:.2f}",
        f"{q:.2f}",
        f"Q at most {BAD_Q} with a prior of {TRUSTED_PRIOR} or more",
        "the prior holds search to a losing move: raise search.root_noise_fraction or selfplay.simulations",
    )


def _root_against_children(root: dict[str, Any], children: list[dict[str, Any]]) -> Finding:
    best = max(node["edge_q_value"] for node in children)
    return _finding(
        ALARM if root["q_value"] >= ROOT_Q and best < CHILDREN_Q else OK,
        "root against children",
        f"The root's Q is {root['q_value']:.2f}, that of its best child {best:.2f}",
        f"{root['q_value']:.2f}",
        f"root Q {ROOT_Q} or more, all children below {CHILDREN_Q}",
        "look for a sign error in the value; else raise selfplay.simulations",
    )


def _unvisited(root: dict[str, Any], children: list[dict[str, Any]]) -> Finding:
    """A tree printed with min_visits above 1 lacks visited moves, too; so it is printed with 1."""
    visited = {node["move"] for node in children if node["visit_count"] > 0}
    fair = max(UNVISITED_PRIOR, FAIR_VISITS / max(root["visit_count"], 1))
    left = {
        move: prior for move, prior in root["prior_policy"].items() if prior > fair and move not in visited
    }
    worst = max(left, key=lambda move: left[move]) if left else ""
    return _finding(
        WARNING if left else OK,
        "unvisited move",
        f"{worst} with prior {left[worst]:.2f} was never visited"
        if left
        else "Every likely move was visited",
        f"{len(left)}",
        f"a prior above {UNVISITED_PRIOR} that is worth {FAIR_VISITS} visits, and none of them",
        "raise search.c_puct or lower search.fpu_reduction",
    )


def _finding(level: str, check: str, what: str, number: str, threshold: str, advice: str) -> Finding:
    return Finding(level, check, f"{what}.", number, threshold, "" if level == OK else advice)
