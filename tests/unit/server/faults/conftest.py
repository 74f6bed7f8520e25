"""Prints what was covered: kinds of effects, the calls each makes, and the runs with a fault at one."""

from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    rows = [
        value
        for report in terminalreporter.stats.get("passed", ())
        for name, value in report.user_properties
        if name == "covered"
    ]
    if rows:
        terminalreporter.write_sep("-", "faults at each call of an effect: kind, calls, runs")
        for kind, calls, runs in rows:
            terminalreporter.write_line(f"{kind:14} {calls:5} {runs:6}")
        _, calls, runs = zip(*rows, strict=True)
        terminalreporter.write_line(f"{len(rows)} kinds {sum(calls):11} {sum(runs):6}")
