"""The command that says what goes wrong in training; `stonezero.cli` has the others."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stonezero.doctor.facts import RunFacts


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(doctor)


def doctor(
    generation: Annotated[str, typer.Option(help="Like g002; by default the last one.")] = "",
    tree: Annotated[
        Path | None, typer.Option(help="Look at a search tree instead: a file that `stonezero tree` wrote.")
    ] = None,
    tactics: Annotated[
        int,
        typer.Option(min=0, max=1_000_000, help="Simulations for tactical test sets; 0: not asked."),
    ] = 0,
) -> None:
    """Say what goes wrong in this checkout's run, by the records, losses and gates of its last generation.

    Each line has a level, what was measured and where a fault begins; advice names the params to change.
    Exit status 1 where there is an alarm. docs/doctor.md lists the checks.
    """
    from stonezero.doctor.checks import diagnose, not_judged
    from stonezero.doctor.facts import ALARM
    from stonezero.doctor.telling import line_of
    from stonezero.doctor.trees import tree_findings

    if tree is not None:
        findings, left_out = tree_findings(_json_of(tree)), []
    else:
        findings = diagnose(_facts(generation, tactics))
        left_out = not_judged(findings)
    for finding in findings:
        print(line_of(finding))
    if left_out:
        print(f"not judged, since too little is there: {', '.join(left_out)}")
    sys.exit(1 if any(finding.level == ALARM for finding in findings) else 0)


def _facts(generation: str, simulations: int) -> "RunFacts":
    from dataclasses import replace

    from stonezero.config import paths
    from stonezero.config.generations import section_of
    from stonezero.doctor.loading import last_generation, load_facts
    from stonezero.errors import UserError
    from stonezero.plan import read_plan

    name = generation or last_generation(paths)
    if not (paths.history(name) / "gates.csv").exists():
        raise UserError(f"{paths.folder(name)}: no generation that has been through its gate")
    facts = load_facts(paths, name, section_of(read_plan(Path()), name, "train").batch_size)
    return replace(facts, tactics=_tactics(paths.champion(name), simulations)) if simulations else facts


def _tactics(checkpoint: Path, simulations: int) -> dict[str, float]:
    """The share of right answers of a net with search, by set."""
    from stonezero.tactics.scoring import PRIOR, score_net
    from stonezero.terminal import net_player

    board, player = net_player(checkpoint, simulations)
    return {hits.set: hits.share for hits in score_net(board, player) if hits.player != PRIOR}


def _json_of(path: Path) -> object:
    import json

    from stonezero.errors import UserError

    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise UserError(f"{path}: no JSON: `stonezero tree` writes it") from None
