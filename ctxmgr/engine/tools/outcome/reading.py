"""Turns the output of a run into its report: by the tools that it shows to have run, else by the general rule.

Rules:

1. A tool is known by what it prints: what a check or a wrapper (`make test`) runs stands nowhere else. Of another
   run only the programs that its line names are read for. Where several ran, one that failed decides, and all
   counts are told.
2. What stands behind the last line of a tool that passed is read by the general rule: a wrapper may have gone on.
   What stands before it too, though more strictly, unless all of the output is known to be one tool's.
3. Of a long output the start and the end are read.
"""

import re
from collections.abc import Collection, Sequence

from ctxmgr.engine.tools.outcome import general
from ctxmgr.engine.tools.outcome.report import TOLD_LINES, End, OutputReader, RunReport, added_up
from ctxmgr.engine.tools.outcome.table import READERS

READ_CHARACTERS = 100_000  # of the start and of the end
_RULED = " \t─"  # around a line, which is ruled to its end
READ_LINE_CHARACTERS = 1_000  # of a longer line the start is read: patterns cost more than a line is long


def read_output(
    text: str,
    *,
    check: bool = True,
    programs: frozenset[str] | None = None,
    one: bool = False,
    shown: bool = False,
) -> RunReport:
    """What an output says of its run. `check`: it is that of tests, a build or a linter; `programs`: that can have
    printed it, None for any; `one`: it is that of one tool alone (rule 2); `shown`: it is a text that the program
    shows, of which its own lines alone count."""
    lines = lines_of(text)
    readers = [one_of for one_of in READERS if programs is None or not programs.isdisjoint(one_of.programs)]
    hinted = [one_of for one_of in readers if any(hint in text for hint in one_of.hints)]
    known: list[_ToolReading] = []
    taken: set[int] = set()
    for one_of in hinted:
        found = _ToolReading(one_of, lines, taken)
        if found.failed or found.passed:
            known.append(found)
            taken |= found.read
    if not known and shown:
        return RunReport("unknown")
    if not known:
        return general.report(lines, check)
    ended: End = "failed" if any(found.failed for found in known) else "passed"
    counts = [count for found in known for count in found.counts]
    telling = [line for found in known if found.failed for line in found.telling]
    if ended == "passed" and not shown:
        last = max(found.passed[-1] for found in known)
        missed = general.failing(lines[last + 1 :], check) or (() if one else general.failing_before(lines[:last]))
        if missed:
            ended, telling = "failed", list(missed)
    return RunReport(
        ended, added_up(counts), tuple(dict.fromkeys(line.strip(_RULED) for line in telling))[:TOLD_LINES]
    )


def passes_somewhere(text: str) -> bool:
    """Does any line say that something passed, and none of it failed?"""
    lines = lines_of(text)
    passed = [line for line in lines if any(one_of.passed.search(line) for one_of in READERS)]
    return any(not general.failing([line], check=True) for line in (*passed, *general.passing(lines)))


def passes_behind(lines: Sequence[str], line: str, programs: frozenset[str] | None) -> bool:
    """Does a line behind this one say that what one of these programs did passed?"""
    readers = [one_of for one_of in READERS if programs is None or not programs.isdisjoint(one_of.programs)]
    behind = lines[lines.index(line) + 1 :]
    return any(one_of.passed.search(one) for one_of in readers for one in behind)


def lines_of(text: str) -> list[str]:
    """Those that hold something (rule 3)."""
    if len(text) > 2 * READ_CHARACTERS:
        text = f"{text[:READ_CHARACTERS]}\n{text[-READ_CHARACTERS:]}"
    return [line[:READ_LINE_CHARACTERS].rstrip() for line in unwrapped(text).splitlines() if line.strip()]


def unwrapped(text: str) -> str:
    """A text with the lines that a host put into a member of a JSON object (`"output":"one\\ntwo"`)."""
    if '"output":' not in text:
        return text
    text = text.replace('"output":"', '"output":"\n')
    for escaped, plain in (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"')):
        text = text.replace(escaped, plain)
    return text


class _ToolReading:
    """What one reader reads in lines: the numbers of those that say that it failed, and that it passed; what they
    count; those that name what failed. `read`: the numbers of all of these.

    What another has `taken` counts there.
    """

    def __init__(self, reader: OutputReader, lines: Sequence[str], taken: Collection[int]) -> None:
        def matching(pattern: re.Pattern[str]) -> list[int]:
            return [place for place, line in enumerate(lines) if place not in taken and pattern.search(line)]

        self.failed, self.passed = matching(reader.failed), matching(reader.passed)
        counting = sorted({*self.failed, *self.passed, *matching(reader.beside)})
        self.counts = tuple(reader.counts([lines[place] for place in counting]))
        named = next(filter(None, map(matching, reader.telling)), self.failed)
        self.telling = [lines[place] for place in named]
        self.read = {*counting, *named}
