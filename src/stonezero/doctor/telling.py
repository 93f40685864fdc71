"""Findings in words and figures, for the terminal and for the tracker."""

from collections.abc import Sequence

from stonezero.doctor.facts import ALARM, OK, WARNING, Finding
from stonezero.metrics import Metric


def line_of(finding: Finding) -> str:
    """Level, what was measured and where a fault begins; on a second line the advice, where there is one."""
    advice = f"\n         {finding.advice}" if finding.advice else ""
    return f"{finding.level:8} {finding.check}: {finding.what} A fault: {finding.threshold}.{advice}"


def figures_of(findings: Sequence[Finding], step: int) -> list[Metric]:
    """How many alarms and warnings there are."""
    levels = [finding.level for finding in findings]
    return [(f"doctor/{level}s", step, float(levels.count(level))) for level in (ALARM, WARNING)]


def summary_of(findings: Sequence[Finding]) -> str:
    """The faults by name, `alarm: gate streak; warning: staleness`; `ok` where there are none."""
    faults = [f"{finding.level}: {finding.check}" for finding in findings if finding.level != OK]
    return "; ".join(faults) or OK
