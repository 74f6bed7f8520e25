"""Turns the statuses of a server's answers, where a command was told to print them, into how it ended.

2xx and 3xx went well, 4xx and 5xx did not, nor did 000, which stands for no answer.
"""

import re
from collections.abc import Sequence

from ctxmgr.engine.tools.outcome.reading import lines_of
from ctxmgr.engine.tools.outcome.report import TOLD_LINES, RunReport

_WELL = "23"
_NOT_YET = "1"  # the answer itself follows


def read_answers(printing: Sequence[str], text: str, often: str = "") -> RunReport:
    """`printing`: of each command the pattern of the line that has a status in it. One command is told by its last:
    what stands before was redirected. Several are told where each printed one. `often`: as `ShellStatus` has it;
    what is asked until it goes well failed where it never did."""
    lines = lines_of(text)
    patterns = [re.compile(pattern) for pattern in dict.fromkeys(printing)]
    found = [(line, told["code"]) for line in lines for one in patterns[:] if (told := one.search(line))]
    found = [(line, code) for line, code in found if code[0] != _NOT_YET]
    found = found[-1:] if len(printing) == 1 and not often else found
    failed = [line for line, code in found if code[0] not in _WELL]
    if failed and (often != "until" or len(failed) == len(found)):
        return RunReport("failed", lines=tuple(failed[:TOLD_LINES]))
    return RunReport("passed" if found and not failed and len(found) >= len(printing) else "unknown")
