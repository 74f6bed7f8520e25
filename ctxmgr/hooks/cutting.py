"""Shortens a long text, and archives all of it first."""

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr import settings
from ctxmgr.devices import ArchiveDatabase, default_state_dir
from ctxmgr.devices.archive import at_rest
from ctxmgr.engine.arrival import counts, line_numbers, outline
from ctxmgr.engine.rewriting import Gap, cut, marker, text_of
from ctxmgr.hooks.transcripts import Cut, Fields, session_id
from ctxmgr.model import ArchiveRow, Call, estimate, policy_keys

GET = "ctxmgr search --original"
LONG_TOKENS = 4_000  # limit for a result if the settings say nothing (`maxResultTokens`)
CODEX_TOKENS, CODEX_BYTES = 2_200, 9_000  # Codex shows 2,500 tokens of a hook's text, counted as 4 bytes each


class Originals(msgspec.Struct, frozen=True):
    """The archive of one session. `layer`: the settings that say what is archived."""

    directory: Path
    session_id: str
    layer: settings.ProgramSettings

    def put(self, key: str, call_text: str, text: str) -> None:
        """Raises ArchiveFault."""
        row = ArchiveRow(marker.handle(key), key, call_text, text)
        limits = policy_keys.policy(self.layer.policy).archive
        with closing(ArchiveDatabase(self.directory)) as archive:
            archive.put(self.session_id, at_rest((row,), limits))


def cutter(program: str, fields: Fields) -> Cut:
    """Raises SettingsFault; what it returns raises ArchiveFault."""
    layer = settings.read().settings_for(program)
    most, most_bytes = policy_keys.policy(layer.policy).max_result_tokens or LONG_TOKENS, 0
    if program == "codex":
        most, most_bytes = min(most, CODEX_TOKENS), CODEX_BYTES
    arguments: Any = fields.get("tool_input")
    call = Call(str(fields.get("tool_name", "")), arguments if isinstance(arguments, dict) else {})
    originals = Originals(Path(layer.state_dir or default_state_dir()), session_id(fields), layer)

    def shorter(text: str, name: str) -> str:
        key = f"{fields.get('tool_use_id', '')}:{name}"
        made = shown(text, most, most_bytes, marker.handle(key))
        if made != text:
            originals.put(key, marker.call(call), text)
        return made

    return shorter


def shown(text: str, tokens: int, most_bytes: int, handle: str) -> str:
    """The text in at most this many tokens, and bytes unless `most_bytes` is 0: its start, its end, error lines and
    an outline. A text that fits is returned unchanged.
    """
    whole = estimate(text)
    made = _cut(text, whole, tokens, handle)
    while most_bytes and tokens > 1 and (size := len(made.encode("utf-8", "replace"))) > most_bytes:
        tokens = min(tokens - 1, tokens * most_bytes // size)
        made = _cut(text, whole, tokens, handle)
    return made


def _cut(text: str, whole: int, tokens: int, handle: str) -> str:
    if whole <= tokens:
        return text
    number, listed = line_numbers(text), counts(text)

    def line(left: int, start: int, end: int) -> str:
        first, last = number(start), number(max(start, end - 1))
        where = f"lines {first} to {last}; @: a line's number | {GET} {handle} | sed -n {first},{last}p"
        there = listed(start, end)
        return f"{marker.arrived(whole, left, where)}\n{there}" if there else marker.arrived(whole, left, where)

    gap = Gap(line, outline(text), lambda offset: f"@{number(offset)} ")
    done = cut(text, whole, tokens, estimate, gap)
    return text_of(done.parts, text) if done is not None else text


def head(text: str, most_bytes: int, originals: Originals) -> str:
    """The first lines of the text in at most this many bytes, and how to get all of it. Raises ArchiveFault."""
    key = f"packet:{text}"
    last = f"\n\n[cut here | {GET} {marker.handle(key)}]"
    originals.put(key, "packet", text)
    start = text.encode("utf-8", "replace")[: most_bytes - len(last)].decode("utf-8", "ignore")
    return start.rpartition("\n")[0] + last
