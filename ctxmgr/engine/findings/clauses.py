"""Turns a sentence into its clauses: which things each names, what it says of them, and whether it denies that.

1. A thing is what stands in backticks, an identifier, a file by its last component, a word with a capital within a
   sentence. A word that begins one is a thing where another sentence has it so (`Clause.initial`).
2. A reason ("because ...", "since ...") is no part of what is said, nor is what stands behind "once" or "with":
   that is how it came to be so.
3. Of words that deny and words that name a failure two make an affirmation: "no longer fails", "does not crash".
"""

import re

import msgspec

from ctxmgr.engine.text import content_words, identifiers, without, words_of

_PARTS = re.compile(r"[;:–—]\s|\s-\s|\.\s|,\s|\s(?:but|so|and|while|whereas)\s")
_REASON = re.compile(r"\b(?:because|since|due to|so that|thanks to|caused by|once|now that)\b.*", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]+)`")
_CALL = re.compile(r"\(.*\)$")
_CAPITAL = re.compile(r"(?<![.!?:\w`'’-])(?<!\A)(?<!\. )(?:[A-Z][\w+#-]*[\w+#])(?!['’]|\w)")
_FIRST = re.compile(r"^\W*([A-Z][\w+#-]*[\w+#])(?!['’])")
_DENIES = re.compile(
    r"\b(?:no longer|not|never|cannot|neither|nor|without|nothing|none)\b|n['’]t\b|\bdoesnt\b|\bdont\b",
    re.IGNORECASE,
)
_FAILS = frozenset(("fail", "broken", "break", "broke", "crash", "hang", "wrong", "error", "bug", "buggy", "flaky"))
_WORKS = frozenset(("work", "pass", "fin", "correct", "succeed", "help", "ok", "healthy", "stable"))
_SAYS_LITTLE = frozenset(
    words_of(
        "here there still yet really actually turn out at time well so far even just also but too as by then way"
        " everything did does was were are been has have had am ll ve d m i longer without cannot wasn isn doesn"
        " didn aren weren won hasn haven hadn couldn wouldn shouldn"
    ).split()
)
_SUPPOSED = re.compile(r"\b(?:if|unless|whether|when|while|until|only|except|should|would|could|might|may)\b")


class Clause(msgspec.Struct, frozen=True):
    """`names`: things, in small letters; `initial`: a word with a capital that begins it. `words`: the stems of"
    " what
    it says beside them, without those of working and failing; `judges`: does it have one of those? `denied`: is it
    not so, or failing? `supposed`: is it so under a condition?"""

    names: frozenset[str]
    initial: str
    words: frozenset[str]
    judges: bool
    denied: bool
    supposed: bool


def clauses(text: str) -> tuple[Clause, ...]:
    """Those that say something, in their order."""
    return tuple(filter(_says, (_clause(part) for part in _parts(text))))


def names_in(text: str) -> frozenset[str]:
    """Rule 1, but for a word that begins it."""
    code = _CODE.findall(text)
    rest = _CODE.sub(" ` ", text)
    named = {*map(_named, code), *map(_named, identifiers(rest)), *(one.lower() for one in _CAPITAL.findall(rest))}
    return frozenset(one for one in named if one)


def capitals_in(text: str) -> frozenset[str]:
    """Words with a capital within a sentence, in small letters."""
    return frozenset(one.lower() for one in _CAPITAL.findall(_CODE.sub(" ` ", text)))


def _parts(text: str) -> list[str]:
    """The text between the marks that part clauses, code kept whole."""
    code: list[str] = []

    def put_away(found: re.Match[str]) -> str:
        code.append(found[0])
        return f"`{len(code) - 1}`"

    parts = _PARTS.split(_CODE.sub(put_away, text))
    return [_CODE.sub(lambda found: code[int(found[1])], part) for part in parts]


def _clause(text: str) -> Clause:
    said = _REASON.sub("", text)
    names = names_in(said)
    first = _FIRST.match(said)
    bare = without(_CODE.sub(" ", said))
    words = content_words(bare) - content_words(" ".join(names)) - _SAYS_LITTLE
    judging = words & (_FAILS | _WORKS)
    denials = len(_DENIES.findall(bare)) + len(words & _FAILS)
    return Clause(
        names,
        first[1].lower() if first else "",
        words - judging,
        bool(judging),
        denials % 2 == 1,
        bool(_SUPPOSED.search(said)),
    )


def _says(clause: Clause) -> bool:
    return bool(clause.names or clause.words or clause.judges)


def _named(text: str) -> str:
    """A thing as it is compared: without the arguments of a call, and without the folders of a path."""
    bare = _CALL.sub("", text.strip()).strip("./ ").casefold()
    return bare if " " in bare else bare.rpartition("/")[2]
