"""Turns what a line quotes into the message from which on that had been said, word for word.

1. Runs of white space are one space, a quotation mark is `'`, and the marks of a fence, of bold text and characters
   without a width are gone, on both sides.
2. What stands between cuts (`…`) is found in one message, one after the other.
3. The user's words are without what a host put among them, and of a command with a slash what the user gave it. An
   answer stands in the result of a tool that asks, its question in the call; to a call that was rejected, in the
   result of one that failed.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from ctxmgr.study.metrics import strings
from ctxmgr.study.probes.reading import SessionCall, SessionHistory, SessionMessage, name_words, wording

ASKING = wording.word_set("ask question questions input")  # words in the names of tools that ask the user
_FENCE = re.compile(r"```\w*")
_BOLD = "**"
_WIDTHLESS = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_HOSTS = re.compile(
    r"<(system-reminder|local-command-\w+|command-(?:name|message|contents)|bash-std\w+|environment_context"
    r"|INSTRUCTIONS)\b[^>]*>.*?</\1>|\[Request interrupted[^\]]*\]",
    re.DOTALL,
)


def folded(text: str) -> str:
    """Rule 1."""
    return " ".join(_WIDTHLESS.sub("", _FENCE.sub(" ", text)).replace('"', "'").replace(_BOLD, "").split())


@lru_cache(maxsize=1 << 12)
def pieces(quoted: str) -> tuple[str, ...]:
    """Rule 2; none where nothing is quoted."""
    return tuple(piece for part in quoted.split("…") if (piece := folded(part)))


def within(some: Sequence[str], text: str) -> bool:
    """Do these pieces stand in a folded text?"""
    at = 0
    for piece in some:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return bool(some)


class Quotes:
    """Of one session."""

    def __init__(self, of: SessionHistory) -> None:
        self._by_speaker = {
            "user": [(at, folded(_HOSTS.sub(" ", one.text))) for at, one in _said(of, "user")],
            "assistant": [(at, folded(one.text)) for at, one in _said(of, "assistant")],
        }
        self._answers = list(_answers(of))
        self.said = cache(self._first_said)
        self.answered = cache(self._first_answered)

    def _first_said(self, speaker: str, quoted: str) -> float:
        """The message that says it first, without end for none."""
        given = quoted.partition(" ")[2] if speaker == "user" and quoted.startswith("/") else ""
        some = pieces(given or quoted)
        return next((at for at, text in self._by_speaker[speaker] if within(some, text)), float("inf"))

    def _first_answered(self, rejected: str, question: str, answer: str) -> float:
        asked, said = pieces(question.strip("`") if rejected else question), pieces(answer)
        found = (
            at
            for at, failed, call, result in self._answers
            if failed == bool(rejected) and within(asked, call) and within(said, result)
        )
        return next(found, float("inf"))


def _said(of: SessionHistory, role: str) -> Iterator[tuple[int, SessionMessage]]:
    return ((at, one) for at, one in enumerate(of.turns) if one.role == role and one.text)


def _answers(of: SessionHistory) -> Iterator[tuple[int, bool, str, str]]:
    """Rule 3: the place of the result, whether it failed, the texts of the call, and the result's."""
    calls: dict[str, SessionCall] = {}  # ids come again
    for at, one in enumerate(of.turns):
        calls |= {call.id: call for call in one.calls}
        call = calls.pop(one.call_id, None) if one.role == "toolResult" else None
        if call is not None and (one.failed or ASKING & name_words(call.name)):
            yield at, one.failed, folded(" ".join((call.name, *strings(call.arguments)))), folded(one.text)
