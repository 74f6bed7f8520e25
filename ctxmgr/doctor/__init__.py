"""Examines an installation and says what to do: small checks, each with findings on its own subject.

Changes nothing. What it starts (a sidecar, programs for their version) ends with it.
"""

import json
import os
import textwrap
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from ctxmgr.doctor import checks, first_calls
from ctxmgr.doctor.checks import Diagnosis, Surroundings, read_surroundings
from ctxmgr.masking import without_secrets
from ctxmgr.plain_text import write

__all__ = ["run"]

Check = Callable[[Surroundings], Iterator[Diagnosis]]
CHECKS: tuple[Check, ...] = (
    checks.versions,
    checks.extras,
    checks.vocabulary,
    checks.sidecar,
    checks.directory,
    checks.space,
    checks.sessions,
    checks.set_aside,
    checks.archive,
    checks.setting_files,
    checks.rights,
    checks.variables,
    checks.holdout,
    checks.agents,
    first_calls.comparing,
    checks.recording,
)
SUBJECT, COLUMNS = 16, 80  # characters: of a subject, of a line


def run(parsed: Namespace) -> int:
    """Returns 1 if a finding is bad."""
    surroundings = read_surroundings(os.environ, os.getcwd(), parsed.state_dir, parsed.recording, parsed.compare)
    findings = []
    for finding in examine(surroundings):
        findings.append(finding)
        for line in () if parsed.json else lines(finding):
            write(line)
    if parsed.json:
        print(json.dumps(as_json(findings), indent=2))
    return 0 if is_well(findings) else 1


def examine(surroundings: Surroundings, checks: Iterable[Check] = CHECKS) -> Iterator[Diagnosis]:
    """Yields the findings of each check as they come, with secrets masked. A check that raises becomes a finding,
    and the others continue.
    """
    for check in checks:
        try:
            yield from map(_presentable, check(surroundings))
        except Exception as fault:  # noqa: BLE001  a failing check must not stop the others
            text = f"could not be looked at: {type(fault).__name__}: {fault}"
            yield _presentable(Diagnosis("bad", check.__name__.replace("_", " "), text))


def _presentable(diagnosis: Diagnosis) -> Diagnosis:
    """The finding without secrets: the address that a program uses may contain a key."""
    text, advice = without_secrets(diagnosis.text), without_secrets(diagnosis.advice)
    return msgspec.structs.replace(diagnosis, text=text, advice=advice)


def is_well(findings: Iterable[Diagnosis]) -> bool:
    return all(finding.severity != "bad" for finding in findings)


def lines(finding: Diagnosis) -> Iterator[str]:
    """Severity, subject and sentence; below them what to do."""
    indent = " " * (SUBJECT + 6)
    yield from _wrapped(finding.text, f"{finding.severity:4}  {finding.subject:{SUBJECT}}", indent)
    yield from _wrapped(finding.advice, f"{indent}-> ", f"{indent}   ")


def _wrapped(text: str, begin: str, more: str) -> list[str]:
    return textwrap.wrap(
        text,
        COLUMNS,
        initial_indent=begin,
        subsequent_indent=more,
        break_long_words=False,
        break_on_hyphens=False,
    )


def as_json(findings: Iterable[Diagnosis]) -> dict[str, Any]:
    listed = list(findings)
    return {"well": is_well(listed), "findings": [msgspec.to_builtins(finding) for finding in listed]}
