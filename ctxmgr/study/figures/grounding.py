"""Computes *edit grounding*: of the lines that the next edits replace, the share that was shown to the model.

Rules:

1. It asks for the lines that an edit in the next recorded message replaces (`edits`), if they occurred verbatim in
   the recorded conversation before: in a result, in the arguments of a call, or in a text. A line counts once a
   call.
2. A line is held if it occurs in a shown message: in a result as it is shown, in the arguments of a call, or in
   text of user or assistant. The packet and thinking do not count.
3. Part of a line also counts as verbatim: results put line numbers before a line, and an edit may begin in its
   middle.
"""

import re
from collections.abc import Iterable, Sequence

from ctxmgr.closed_loop import MessageCache, replaced
from ctxmgr.study.figures.metric import SHARE, Measures, Metric
from ctxmgr.study.observations import PACKET, Observation, Ratio, new_messages, total

_WORD = re.compile(r"\w+")


class LinePresence:
    """Finds which of these lines occur in a message. Each message is searched once, and only for lines whose
    longest inner word occurs in it as a whole word.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._by_word: dict[str, list[str]] = {}
        self._others: list[str] = []
        self._present: dict[bytes, frozenset[str]] = {}
        for line in dict.fromkeys(lines):
            word = _anchor(line)
            if word:
                self._by_word.setdefault(word, []).append(line)
            else:
                self._others.append(line)

    def within(self, raw: bytes, known: MessageCache) -> frozenset[str]:
        lines = self._present.get(raw)
        if lines is None:
            lines = frozenset(line for text in known.texts(raw) for line in self._in_text(text))
            self._present[raw] = lines
        return lines

    def _in_text(self, text: str) -> Iterable[str]:
        words = self._by_word.keys() & set(_WORD.findall(text)) if self._by_word else ()
        for word in words:
            yield from (line for line in self._by_word[word] if line in text)
        yield from (line for line in self._others if line in text)


def _anchor(line: str) -> str:
    """The longest word that is not at either end of the line, and so is a whole word wherever the line occurs; ""
    if there is none.
    """
    inner = [word[0] for word in _WORD.finditer(line) if word.start() > 0 and word.end() < len(line)]
    return max(inner, key=len, default="")


def grounding(sights: Sequence[Observation], known: MessageCache) -> tuple[Ratio, ...]:
    """For each call, the ratio of lines."""
    replaced_lines = [_replaced(sight, known) for sight in sights]
    presence = LinePresence(line for lines in replaced_lines for line in lines)
    before: set[str] = set()
    out = []
    for sight, came, lines in zip(sights, new_messages(sights), replaced_lines, strict=True):
        for message in came:
            before |= presence.within(message.raw, known)
        wanted = before & lines
        out.append(Ratio(len(wanted) - len(_missing(wanted, sight, presence, known)), len(wanted)))
    return tuple(out)


def _replaced(sight: Observation, known: MessageCache) -> set[str]:
    """The lines that the edits of the reply replace."""
    blocks = known.message(sight.reply.raw).view.blocks
    return {line for block in blocks if block.kind == "call" for line in replaced(block.arguments)}


def _missing(wanted: set[str], sight: Observation, presence: LinePresence, known: MessageCache) -> set[str]:
    missing = set(wanted)
    for message in reversed(sight.projected_messages):  # lines to edit were usually read recently
        if not missing:
            break
        if message.index != PACKET:
            missing -= presence.within(message.raw, known)
    return missing


def calls(session: Measures) -> tuple[Ratio, ...]:
    """For each call, the ratio of lines."""
    return grounding(session.observations, session.known)


METRICS = (
    Metric(
        path="grounding",
        title="grounding",
        unit=SHARE,
        about="Share of the lines replaced by the next edits that are in the list.",
        of=lambda session: total(session.once(calls)),
        shown=("page",),
        total="grounding",
        columns=("grounding_share",),
    ),
)
