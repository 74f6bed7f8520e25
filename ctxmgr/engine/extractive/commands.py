"""Turns commands and how they ended into lines: what stands in the way, what failed before, how the others ended.

Of a tool's text only its quoted error line enters. A failure of the newest two requests blocks; an older one is
history; one whose command was run again since is told anew, or gone; one that a later run ended says so. What
blocks, what ended a failure, and how a command ended, is read as for a packet. Where tests, linters and builds
stand has the best right to stay.
"""

import re
from collections.abc import Sequence

from ctxmgr.engine.extractive.collecting import carry
from ctxmgr.engine.extractive.lines import Kind, SummaryLines
from ctxmgr.engine.ledger import ERROR_CHARACTERS, essential
from ctxmgr.engine.packet import MOST_BLOCKERS, command_states, ended_of, newest_checks
from ctxmgr.engine.text import coded_command, is_script, leading_command, quoted
from ctxmgr.engine.tools import tool_call
from ctxmgr.model.saved import Fact

MOST_FAILED = 12
MOST_RAN = 8
MOST_LOOKUPS = 6
LOOKUP_CHARACTERS = 80
BLOCKING_REQUESTS = 2

WORKED_SINCE = " worked since"

_ERROR = re.compile(r'`[^"]*"(.*)"')
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
    for line in lines.kinds.pop("blocked", []):
        ours = leading_command(line.text)
        if ours and _known(ours) in tried:
            continue
        overcome = _since(line.text, commands)
        kind: Kind = "error" if overcome or (ours and stretches) else "blocked"
        lines.add(kind, f"{line.text}{overcome}", line.brief)
    for text in carried.failed:
        ours = leading_command(text)
        if not (ours and _known(ours) in tried):
            lines.add("error", f"{text}{_since(text, commands)}", "")
    first = newest_checks(commands, states)
    lookups = _lookups(commands, [*older, *fresh])
    errors = [text.partition(": ")[2].partition("; `")[0] for text in lookups]
    others = [line for line in states.ends if line not in first and not any(said in line for said in errors)]
    earlier = [text for text in carried.ran if _known(leading_command(text)) not in tried]
    ran = [*earlier, *_bulletless([*first, *others], len(first) + len(others))][-MOST_RAN:]
    for text in (*lookups, *older):
        lines.add("error", text, "")
    for text in fresh:
        lines.add("blocked", text, "")
    lines.kinds["error"] = lines.kinds.get("error", [])[-MOST_FAILED:]
    for text in ran:
        lines.add("ran", text)


def _lookups(commands: Sequence[Fact], told: Sequence[str]) -> list[str]:
    """What was looked for and not found, scripts of one run that failed, and what works since: nothing is blocked
    by them, yet their errors say what there is not."""
    found, ended = [], ended_of(commands)
    for fact in commands:
        error = fact.detail.rpartition("\n")[2] if fact.status == "failed" else ""
        if error and not _NO_REASON.search(error):
            said = quoted(error, ERROR_CHARACTERS)
            text = f"{coded_command(fact.text, LOOKUP_CHARACTERS)}: {said}{_worked(ended.get(id(fact)))}"
            found += [text] if all(said not in other for other in told) else []
    return found[-MOST_LOOKUPS:]


def _since(text: str, commands: Sequence[Fact]) -> str:
    """What ended a failure since that a previous summary tells so, as its line says it; "" where nothing did."""
    command, error = leading_command(text), _ERROR.search(text)
    if not command or is_script(command) or WORKED_SINCE in text:
        return ""
    call = tool_call("bash", {"command": command})
    runs = "\n".join(call.shell.status.subjects) if call.shell is not None else ""
    detail = error[1] if error else ""
    failed = Fact("command", command, command, "summary", -1, status="failed", detail=detail, runs=runs)
    return _worked(ended_of(commands, [failed]).get(id(failed)))


def _worked(by: Fact | None) -> str:
    return f"; {coded_command(by.text, LOOKUP_CHARACTERS)}{WORKED_SINCE}" if by is not None else ""


def _known(command: str) -> str:
    """What a run is known by, whatever filter its output passed."""
    return essential(command.replace("`", "'"), unfiltered=True)


def _bulletless(told: Sequence[str], most: int = MOST_BLOCKERS) -> list[str]:
    """The first lines, each with its bullet, as texts: what comes first of them is told last."""
    return [line.removeprefix("- ") for line in reversed(told[:most])]
