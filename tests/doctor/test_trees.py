"""Alarms on single trees, on trees as `stonezero tree` prints them."""

from typing import Any

import pytest

from stonezero.doctor.facts import OK
from stonezero.doctor.trees import tree_findings
from stonezero.errors import UserError

Child = tuple[str, int, float, float]  #: move, visits, Q for the side that played it, prior


def made_up_tree(root_q: float, children: list[Child], unvisited: dict[str, float]) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = [
        {
            "id": 0,
            "parent": None,
            "move": None,
            "visit_count": 1 + sum(visits for _, visits, _, _ in children),
            "q_value": root_q,
            "edge_q_value": None,
            "prior": 1.0,
            "prior_policy": {move: prior for move, _, _, prior in children} | unvisited,
        }
    ]
    for number, (move, visits, q, prior) in enumerate(children, start=1):
        node = {"id": number, "parent": 0, "move": move, "visit_count": visits, "edge_q_value": q}
        nodes.append({**node, "q_value": -q, "prior": prior, "prior_policy": {}})
    return {"nodes": nodes}


def faults(tree: object) -> set[str]:
    return {finding.check for finding in tree_findings(tree) if finding.level != OK}


def test_a_sound_tree_gives_no_alarm() -> None:
    children = [("e5", 150, 0.2, 0.5), ("d4", 40, -0.4, 0.45), ("c3", 9, 0.0, 0.03)]
    tree = made_up_tree(0.15, children, {"a1": 0.019, "a2": 0.001})
    assert faults(tree) == set()
    assert all(not finding.advice for finding in tree_findings(tree))


def test_the_most_visited_move_may_not_be_bad_only_because_its_prior_is_high() -> None:
    assert faults(made_up_tree(-0.2, [("e5", 150, -0.3, 0.45), ("d4", 50, -0.1, 0.5)], {})) == {
        "bad favourite"
    }
    assert not faults(made_up_tree(-0.2, [("e5", 150, -0.29, 0.45), ("d4", 50, -0.1, 0.5)], {}))


def test_a_good_root_above_bad_children_is_an_alarm() -> None:
    children = [("e5", 100, -0.25, 0.4), ("d4", 100, -0.21, 0.4)]
    assert faults(made_up_tree(0.1, children, {})) == {"root against children"}
    assert not faults(made_up_tree(0.1, [children[0], ("d4", 100, -0.2, 0.4)], {}))


def test_a_likely_move_without_a_visit_is_a_warning_once_it_is_due_some() -> None:
    assert faults(made_up_tree(0.1, [("e5", 399, 0.1, 0.9)], {"b2": 0.021})) == {"unvisited move"}
    assert not faults(made_up_tree(0.1, [("e5", 50, 0.1, 0.9)], {"b2": 0.021}))


@pytest.mark.parametrize("tree", [None, [], {}, {"nodes": []}, {"nodes": [{}]}, {"nodes": [3]}, "tree"])
def test_what_is_no_tree_is_refused_in_one_line(tree: object) -> None:
    with pytest.raises(UserError, match="no search tree"):
        tree_findings(tree)


def test_a_root_alone_is_refused() -> None:
    with pytest.raises(UserError, match="no searched children"):
        tree_findings(made_up_tree(0.1, [], {"e5": 1.0}))
