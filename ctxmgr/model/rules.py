"""The rules a release decides by, as a number: what made a transcript, and who can replay it.

1. A transcript says its rules in the header; where it says none they are 1.
2. The same rules answer the same calls with the same bytes. What changes an answer's bytes makes new rules, unless
   no release has recorded the old ones.
3. A release replays the rules in `REPLAYED`. Others it refuses, and names the release that replays them: the one
   in `RELEASES`, or, of rules that came later than this release, the one that wrote the transcript. One that bears
   this release's own version is not named: it is another build of the same number.
"""

from collections.abc import Mapping
from typing import Any

RULES = 3
"""What this release decides by, and records."""

REPLAYED: tuple[int, ...] = (3,)

RELEASES: Mapping[int, str] = {1: "0.1", 2: "0.2", 3: "0.3"}
"""The newest release that replays these rules."""


def refusal(header: Mapping[str, Any], version: str) -> str | None:
    """Why this ctxmgr, of that version, does not replay a transcript with this header; None where it does."""
    number = header.get("rules", 1)
    if type(number) is not int or number < 1:
        return f"its header names no rules: {number!r}"
    if number in REPLAYED:
        return None
    release = RELEASES.get(number) or header.get("serverVersion")
    age = "an earlier" if number < max(REPLAYED) else "a later"
    replaying = f"ctxmgr {release}" if release and not _is_this(str(release), version) else f"{age} ctxmgr"
    listed = ", ".join(map(str, REPLAYED))
    this = f"ctxmgr {version} (rules {listed})"
    return f"the transcript has rules {number}, which {replaying} replays; this is {this}"


def _is_this(release: str, version: str) -> bool:
    """Rules may go up before the version does: then what bears this version replays others than this one."""
    return f"{version}.".startswith(f"{release}.")
