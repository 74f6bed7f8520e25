"""The version of the rules by which a release decides: which rules a transcript was recorded with, and who can
replay it.

1. A transcript names its rules in the header; without a name they are 1.
2. The same rules give the same bytes for the same calls. A change of an answer's bytes needs new rules, unless no
   release has recorded the old ones.
3. A release replays the rules in `REPLAYED`. It refuses others, and names the release that replays them: the one in
   `RELEASES`, or for later rules, the one that wrote the transcript. That one is not named if it has this release's
   own version, because it is another build with the same number.
"""

from collections.abc import Mapping
from typing import Any

RULES = 3
"""The rules by which this release decides, and which it records."""

REPLAYED: tuple[int, ...] = (3,)

RELEASES: Mapping[int, str] = {1: "0.1", 2: "0.2", 3: "0.3"}
"""The newest release that replays these rules."""


def refusal(header: Mapping[str, Any], version: str) -> str | None:
    """Why this version of ctxmgr does not replay a transcript with this header, or None if it does."""
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
    """Whether the release has this version. Rules may change before the version does, so it may replay other
    rules.
    """
    return f"{version}.".startswith(f"{release}.")
