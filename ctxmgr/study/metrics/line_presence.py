"""In which messages lines of text stand."""

import re
from collections.abc import Iterable

from ctxmgr.closed_loop import MessageCache

_WORD = re.compile(r"\w+")


class LinePresence:
    """Which of these lines stand in a message. A message is looked through once: only for lines of which a whole
    word stands in it, the line's longest."""

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
        found = self._present.get(raw)
        if found is None:
            found = frozenset(line for text in known.texts(raw) for line in self._in_text(text))
            self._present[raw] = found
        return found

    def _in_text(self, text: str) -> Iterable[str]:
        words = self._by_word.keys() & set(_WORD.findall(text)) if self._by_word else ()
        for word in words:
            yield from (line for line in self._by_word[word] if line in text)
        yield from (line for line in self._others if line in text)


def _anchor(line: str) -> str:
    """The longest word with something else on either side: it is a whole word wherever the line stands."""
    inner = [word[0] for word in _WORD.finditer(line) if word.start() > 0 and word.end() < len(line)]
    return max(inner, key=len, default="")
