"""Turns globs into one matcher of paths, whose work is bounded whatever the patterns are.

Rules:
1. `*` is any run of characters, also over `/`; `?` any one; `[ab]`, `[a-z]`, `[!a]` one of a set. All else is
   itself, and so is a `[` that nothing closes.
2. A pattern is met by the whole path or by its end from a `/` on.
3. No step is tried twice: each character of a path is looked at once, for all patterns at the same time. A bit
   says "so far the pattern may have come"; a `*` is a bit that stays. (An expression would go back where a later
   part fails: with some hundred `*`, and a start at each `/`, it may do so for minutes.)
"""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

STAR, ANY, SEPARATOR = "*", "?", "/"


class Globs:
    """All patterns as one row of bits: of each a bit for every place, from before its first character on."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.starts = self.ends = self.stays = 0
        self.any = 0  # bits of `?`
        self.of_character: dict[str, int] = {}  # bits that such a character leads on from
        self.of_set: dict[str, int] = {}
        bit = 1
        for pattern in patterns:
            self.starts |= bit
            for one in _parts(pattern):
                if one == STAR:
                    self.stays |= bit
                    continue
                if one == ANY:
                    self.any |= bit
                else:
                    known = self.of_character if len(one) == 1 else self.of_set
                    known[one] = known.get(one, 0) | bit
                bit <<= 1
            self.ends |= bit
            bit <<= 1
        self.leads_by_character: dict[str, int] = {}

    def met(self, path: Iterable[str]) -> bool:
        """Does the path, given character by character, meet one of the patterns? One step a character."""
        at = self.starts
        for character in path:
            leads = self.leads_by_character.get(character)
            if leads is None:
                leads = self.leads_by_character[character] = self._leads(character)
            at = (at & leads) << 1 | at & self.stays
            if character == SEPARATOR:
                at |= self.starts
        return bool(at & self.ends)

    def _leads(self, character: str) -> int:
        bits = self.any | self.of_character.get(character, 0)
        for one, more in self.of_set.items():
            if fnmatchcase(character, one):
                bits |= more
        return bits


def _parts(pattern: str) -> Iterator[str]:
    """Its characters, and its sets as one each (as `fnmatch` reads them)."""
    at = 0
    while at < len(pattern):
        end = at + 1
        if pattern[at] == "[":
            first = end + (pattern[end : end + 1] == "!")
            closed = pattern.find("]", first + (pattern[first : first + 1] == "]"))
            end = closed + 1 if closed >= 0 else end
        yield pattern[at:end]
        at = end
