"""Turns a history into probes of instructions: what a file of rules, a skill or a host told the model to go by.

1. A file is known by its name (CLAUDE.md, AGENTS.md, GEMINI.md, SKILL.md); what it says by the result of the call
   that looked at it alone and did not fail. A newer reading of the same file is asked of instead.
2. A tool whose name has the word skill brings one; a line that only says that it was launched does not.
3. What a host puts beside the user's words stands in tags or under a heading that names such a file.

Each is asked for by its lines, all of them.
"""

import re
from collections.abc import Iterator

from ctxmgr.study.probes.evidence import Probe, ProbePart, Wording
from ctxmgr.study.probes.reading import SessionCall, SessionHistory, name_words, wording

NAMES = frozenset(("claude.md", "agents.md", "gemini.md", "skill.md"))
_HOSTS = re.compile(
    r"(?:Contents of \S*|# )(?:CLAUDE|AGENTS|GEMINI)\.md\b.*?(?=\n</system-reminder>|\n</INSTRUCTIONS>|\Z)",
    re.DOTALL,
)
_LAUNCHED = re.compile(r"(?:launching|loading|running) skill:? ?\S+", re.IGNORECASE)
_PART = frozenset(("offset", "limit", "start_line", "end_line", "view_range", "range"))  # only a part is read
_CUTS = re.compile(r"\||\b(?:head|tail|sed|awk|grep|rg)\b")


def probes(of: SessionHistory, end: int) -> Iterator[Probe]:
    texts: dict[str, tuple[str, ...]] = {}
    open_calls: dict[str, str] = {}
    for one in of.turns[:end]:
        for call in one.calls:
            open_calls.pop(call.id, None)  # ids come again
            if source := _source(call):
                open_calls[call.id] = source
        if one.call_id in open_calls and not one.failed:
            source = open_calls.pop(one.call_id)
            texts.pop(source, None)
            if not _LAUNCHED.fullmatch(one.text.strip()):
                texts[source] = tuple(one.text.split("\n"))
        elif one.role == "user":
            for found in _HOSTS.findall(one.text):
                heading, *lines = found.split("\n")
                texts.pop(heading, None)
                texts[heading] = tuple(lines)
    for source, lines in texts.items():
        if pieces := wording.line_pieces(lines):
            part = ProbePart(1.0, (Wording(pieces),))
            yield Probe(
                "instructions", f"What is to be gone by, of {source}?", "\n".join(lines), (part,), used=True
            )


def _source(call: SessionCall) -> str:
    """What of instructions a call brings, "" for nothing."""
    looked, commands = call.did.looked_at, call.did.commands
    if "skill" in name_words(call.name):
        return f"{call.name} {sorted(call.arguments.items())}"
    if len(looked) != 1 or call.did.changes or looked[0].rpartition("/")[2].lower() not in NAMES:
        return ""
    part = not _PART.isdisjoint(call.arguments) or any(_CUTS.search(one) for one in commands)
    return "" if part or len(commands) > 1 else looked[0]
