"""Turns commands and how they ended into lines: what stands in the way, what failed before, how the others ended.

Of a tool's text only its quoted error line enters. A failure of the newest two requests blocks; an older one is
history; one whose command was run again since is told anew, or gone. What blocks, and how
a command ended, is read as for a packet.
"""

import re
from collections.abc import Sequence

from ctxmgr.engine.extractive.collecting import carry
from ctxmgr.engine.extractive.lines import Kind, SummaryLines
from ctxmgr.engine.ledger import ERROR_CHARACTERS, essential
from ctxmgr.engine.packet import MOST_BLOCKERS, command_states
from ctxmgr.engine.text import coded_command, leading_command, one_line
from ctxmgr.model.saved import Fact

MOST_FAILED = 12
MOST_RAN = 8
MOST_LOOKUPS = 6
LOOKUP_CHARACTERS = 80
BLOCKING_REQUESTS = 2

_NO_REASON = re.compile(
    r"^Command (?:exited|aborted|timed out)|^\(no output\)|abort|cancel|interrupt", re.IGNORECASE
)


def add_failures(
    lines: SummaryLines, carried: carry.PreviousFacts, heard: Sequence[Fact], now: Sequence[Fact]
) -> None:
    """What stands in the way, and what failed before (rule 3)."""
    stretches = lines.work.stretches
    commands = [fact for fact in now if fact.slot == "command"]
    asked = [one.message_index for one in stretches if one.request]
    since = asked[-BLOCKING_REQUESTS] if len(asked) >= BLOCKING_REQUESTS else -1
    changed = {fact.text: (fact.time_ms, fact.seq) for fact in now if fact.slot == "file" and fact.status != "read"}
    states = command_states(commands, changed)
    fresh = _bulletless([line for same, line in states.blockers if same[0].time_ms >= since])
    older = _bulletless([line for same, line in states.blockers if same[0].time_ms < since])
    tried = {_known(fact.text) for fact in heard if fact.slot == "command"}
    blocked = lines.kinds.pop("blocked", [])
    for line in blocked:
        ours = leading_command(line.text)
        if ours and _known(ours) in tried:
            continue
        kind: Kind = "error" if ours and stretches else "blocked"
        lines.add(kind, line.text, line.brief)
    for text in carried.failed:
        ours = leading_command(text)
        if not (ours and _known(ours) in tried):
            lines.add("error", text, "")
    for text in (*_lookups(commands, [*older, *fresh]), *older):
        lines.add("error", text, "")
    for text in fresh:
        lines.add("blocked", text, "")
    lines.kinds["error"] = lines.kinds.get("error", [])[-MOST_FAILED:]
    earlier = [text for text in carried.ran if _known(leading_command(text)) not in tried]
    for text in [*earlier, *_bulletless(states.ends, len(states.ends))][-MOST_RAN:]:
        lines.add("ran", text)


def _lookups(commands: Sequence[Fact], told: Sequence[str]) -> list[str]:
    """What was looked for and not found, and scripts of one run that failed: nothing is blocked by them, yet
    their errors say what there is not."""
    found = []
    for fact in commands:
        error = fact.detail.rpartition("\n")[2] if fact.status == "failed" else ""
        if error and not _NO_REASON.search(error):
            text = f'{coded_command(fact.text, LOOKUP_CHARACTERS)}: "{one_line(error, ERROR_CHARACTERS)}"'
            found += [text] if all(one_line(error, ERROR_CHARACTERS) not in other for other in told) else []
    return found[-MOST_LOOKUPS:]


def _known(command: str) -> str:
    """What a run is known by, whatever filter its output passed."""
    return essential(command.replace("`", "'"), unfiltered=True)


def _bulletless(told: Sequence[str], most: int = MOST_BLOCKERS) -> list[str]:
    """The first lines, each with its bullet, as texts: what comes first of them is told last."""
    return [line.removeprefix("- ") for line in reversed(told[:most])]
