"""The command `search`: finds what was removed from the lists of saved sessions by its words, or shows one original
in full.
"""

import os
import re
import sys
import textwrap
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ctxmgr import settings
from ctxmgr.devices import ArchiveDatabase, ArchiveFault, HitRow, default_state_dir
from ctxmgr.inspection.naming import NotOne, meant
from ctxmgr.inspection.sessions import age
from ctxmgr.masking import legible
from ctxmgr.model import policy_keys
from ctxmgr.plain_text import columns, complain, safe, write, write_json

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
INDENT = "    "


def run(parsed: Namespace) -> int:
    """Returns 0 if something was found; 1 if nothing was, or if the archive cannot be read; 2 for wrong usage or no
    matching session.
    """
    query = " ".join(parsed.query)
    if bool(query.strip()) == bool(parsed.original):
        return complain("search", "give words to look for, or --original HANDLE", 2)
    if parsed.limit < 1:
        return complain("search", "--limit must be at least 1", 2)
    try:
        layer = settings.read().settings_for()
    except settings.SettingsFault as fault:
        return complain("search", str(fault), 2)
    directory = Path(parsed.state_dir or layer.state_dir or default_state_dir())
    archive = ArchiveDatabase(directory)
    try:
        session = None if parsed.session is None else meant(directory, parsed.session, archive)
        if parsed.original:
            return _original(
                archive, session, parsed.original, policy_keys.policy(layer.policy).archive.keep_secrets
            )
        return _search(archive, session, parsed, query)
    except NotOne as fault:
        return complain("search", str(fault), 2)
    except ArchiveFault as fault:
        return complain("search", f"the archive cannot be searched: {fault}", 1)
    finally:
        archive.close()
        for note in archive.notes:
            complain("search", note, 1)


def _search(archive: ArchiveDatabase, session: str | None, parsed: Namespace, query: str) -> int:
    hits = archive.search(session, query, parsed.limit)
    if parsed.json:
        write_json([_fields(hit) for hit in hits])
    elif hits:
        write_hits(hits, query, time.time_ns() // 1_000_000)
    else:
        complain("search", "no removed text contains these words", 1)
    return 0 if hits else 1


def _original(archive: ArchiveDatabase, session: str | None, handle: str, has_secrets: bool) -> int:
    """`has_secrets`: the settings store originals unmasked, so they are shown unmasked."""
    rows = archive.originals(session, handle)
    if len(rows) != 1:
        problem = "nothing is archived under" if not rows else "more than one session has something under"
        return complain("search", f"{problem} {handle}{'; --session names one' if rows else ''}", 1)
    write(legible(rows[0].text), has_secrets)
    return 0


def write_hits(rows: Sequence[HitRow], query: str, now_ms: int) -> None:
    """Shows for each hit its text, on a terminal with the words in bold, and below it the handle, the call, the
    age, the session, and how much of the original the text is.
    """
    bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    width = max(20, columns() - len(INDENT))
    blocks = []
    for rank, row in enumerate(rows, 1):
        lines = [line for line in row.hit.snippet.splitlines() if line.strip()]
        body = [part for line in lines for part in textwrap.wrap(safe(line), width) or [""]]
        if bold:
            body = [_bold(line, query) for line in body]
        session = row.session.decode("utf-8", "replace")
        whole = f"{row.hit.total:,} characters, from {row.hit.offset:,}"
        about = (
            f"{row.hit.handle}  {row.hit.call_text}",
            f"{age(max(0, now_ms - row.time_ms))}  {session}  ({whole})",
        )
        first, *more = body or [""]
        lines = [f"{f'{rank}.':{len(INDENT)}}{first}", *(f"{INDENT}{line}" for line in more)]
        blocks.append("\n".join([*lines, *(safe(f"{INDENT}-- {line}") for line in about)]))
    print("\n\n".join(blocks))


def _bold(line: str, query: str) -> str:
    words = sorted({re.escape(word) for word in re.findall(r"\w{2,}", query)}, key=len, reverse=True)
    if not words:
        return line
    return re.sub("|".join(words), lambda word: f"{BOLD}{word[0]}{PLAIN}", line, flags=re.IGNORECASE)


def _fields(row: HitRow) -> dict[str, object]:
    return {
        "session": row.session.decode("utf-8", "replace"),
        "at": row.time_ms,
        **msgspec.to_builtins(row.hit),
    }
