"""Turns what a compaction takes out into a summary without a model: what the user said, the files, the last words.

It stands for the host's own summary where probes are asked: one that copies, so that what is lost is lost by the
policy, and not by a bad summary. In order: the opening request, the newest messages of the user that fit into
USER_CHARACTERS together, all files, and the newest reply's words. One object writes all summaries of one session:
what an earlier one stands for stays in the later ones.
"""

from collections.abc import Sequence

from ctxmgr.model import CHARACTERS_A_TOKEN
from ctxmgr.study.hosts import HostMessage
from ctxmgr.study.probes.reading import turn, wording

USER_CHARACTERS = 2_000 * CHARACTERS_A_TOKEN
LAST_CHARACTERS = 1_200


class Stub:
    """`pi_host.Write` for one session."""

    def __init__(self) -> None:
        self._users: list[str] = []
        self._files: dict[str, str] = {}
        self._last = ""

    def __call__(self, gone: Sequence[HostMessage], kept: Sequence[HostMessage]) -> str:
        for item in gone:
            one = turn(item.raw)
            if one.role == "user" and one.text.strip():
                self._users.append(one.text.strip())
            elif one.role == "assistant":
                self._last = one.text.strip() or self._last
            for call in one.calls:
                for path in call.did.looked_at:
                    self._files.setdefault(path, "read")
                self._files |= {change.path: change.action for change in call.did.changes}
        parts = ["## What the user said", *(f"- {text}" for text in self._said())]
        parts += filter(None, (self._listed(state) for state in ("changed", "deleted", "read")))
        if self._last:
            parts.append(f"## Last words\n{wording.shortened(self._last, LAST_CHARACTERS)}")
        return "\n".join(parts)

    def _listed(self, state: str) -> str:
        paths = sorted(path for path, was in self._files.items() if was == state)
        return "\n".join([f"<{state}-files>", *paths, f"</{state}-files>"]) if paths else ""

    def _said(self) -> list[str]:
        """Oldest first. What the newest leave of the room is the opening request's, half of it in any case."""
        if not self._users:
            return []
        room = USER_CHARACTERS - min(len(self._users[0]), USER_CHARACTERS // 2)
        newest: list[str] = []
        for text in reversed(self._users[1:]):
            if len(text) > room:
                break
            newest.append(text)
            room -= len(text)
        opening = wording.shortened(self._users[0], USER_CHARACTERS - sum(map(len, newest)))
        return [opening, *reversed(newest)]
