"""Probes of instructions: what a file of rules, a skill or a host told the model to go by.

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

NAMES = wording.word_set("claude.md agents.md gemini.md skill.md")
LAUNCHES = tuple(f"{verb} skill" for verb in ("launching", "loading", "running"))
_HOSTS = re.compile(
    r"(?:Contents of \S*|# )(?:CLAUDE|AGENTS|GEMINI)\.md\b.*?(?=\n</system-reminder>|\n</INSTRUCTIONS>|\Z)",
    re.DOTALL,
)
_PART = frozenset(("offset", "limit", "start_line", "end_line", "view_range", "range"))  # only a part is read
_CUTS = re.compile(r"\||\b(?:head|tail|sed|awk|grep|rg)\b")


def instructions(history: SessionHistory, end: int) -> Iterator[Probe]:
    texts: dict[str, str] = {}
    open_calls: dict[str, str] = {}
    for message in history.messages[:end]:
        for call in message.calls:
            open_calls.pop(call.id, None)  # ids come again
            if source := _source(call):
                open_calls[call.id] = source
        if message.call_id in open_calls and not message.failed:
            source = open_calls.pop(message.call_id)
            texts[source] = "" if message.text.lower().startswith(LAUNCHES) else message.text
        elif message.role == "user":
            for text in _HOSTS.findall(message.text):
                heading, _, texts[heading] = text.partition("\n")
    for source, text in texts.items():
        if pieces := wording.line_pieces(text.split("\n")):
            part = ProbePart(1.0, (Wording(pieces),))
            yield Probe("instructions", f"What is to be gone by, of {source}?", text, (part,), used=True)


def _source(call: SessionCall) -> str:
    """What of instructions a call brings, "" for nothing."""
    looked_at, commands = call.did.looked_at, call.did.commands
    if "skill" in name_words(call.name):
        return f"{call.name} {sorted(call.arguments.items())}"
    if len(looked_at) != 1 or call.did.changes or looked_at[0].rpartition("/")[2].lower() not in NAMES:
        return ""
    is_part = not _PART.isdisjoint(call.arguments) or any(map(_CUTS.search, commands))
    return "" if is_part or len(commands) > 1 else looked_at[0]
