"""What tests of precision share: a line of a packet at the last call of a conversation, and what becomes of it.

verdict((u("mend it"), a("ok")), USER, '- #1: "mend it"') == "true"
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.probes.precision import Precision, precision
from ctxmgr.study.recordings import compaction_message, pi_host
from tests.notation import Said, a, call, u
from tests.unit.study.probes.asked import of, sights, weigh

NOW, STATE, ANSWERS = "## Now", "## State", "## Asked and answered"
USER = "## The user said (word for word; #: which of the user's messages)"
SUMMARY, TURNS = "## From the summary", "## Said at the end of earlier turns"
HEAD = "[ctxmgr packet]\nKept by ctxmgr from earlier conversation that is no longer shown.\n"


def bash(command: str) -> Said:
    return a(call("Bash", command=command))


def packet(*lines: str) -> str:
    return "\n".join((HEAD, *lines))


def judged(talk: Sequence[Said], text: str, shown: Sequence[int] = (), summary: str = "") -> Precision:
    """Of a packet at the last call, beside these messages; the host had heard the summary before."""
    examined = of(*talk, u("go on"), a("fine"))
    calls = len(examined.course.calls)
    lists = [list[int]()] * (calls - 1) + [list(shown)]
    seen = sights(examined.course, lists, [""] * (calls - 1) + [text])
    if summary:
        heard = pi_host.item("s", compaction_message(summary, 0, 0))
        seen[0] = msgspec.structs.replace(seen[0], items=(*seen[0].items, heard))
    return precision(examined, seen, weigh)


def verdict(talk: Sequence[Said], heading: str, line: str, shown: Sequence[int] = (), summary: str = "") -> str:
    """Of the one line: true, untrue, unjudged or silent."""
    precision = judged(talk, packet(heading, line), shown, summary)
    (counts,) = (line_counts for section, line_counts in precision.sections.items() if section != "head")
    assert counts.line_count == 1
    assert [untrue_line.text for untrue_line in precision.untrue] == ([line] if counts.untrue_count else [])
    if counts.unjudged_count:
        return "unjudged"
    return ("untrue" if counts.untrue_count else "true") if counts.judged_count else "silent"
