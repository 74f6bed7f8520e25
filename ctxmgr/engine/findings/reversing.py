"""Turns a sentence into what it chooses, what it leaves, and which statement it takes back, for English.

1. What is chosen stands behind a word of choice ("use", "went with", "switched to", "back to") that is not denied.
   What is left stands behind a word of leaving ("instead of", "no longer", "from ... to", "don't use"), or before
   one ("... is out", "... is gone").
2. With a word of reversal all else that a sentence names and does not choose is left, too: "it failed on the names,
   so I've switched to the other".
3. A correction ("I was wrong: ...", "... is fine", "not the cause") takes back what was said of the things in the
   clause that says so, or behind a "not"; where "I was wrong" names none, of all that the sentence names. Among
   names of code a file is one only where all are.
"""

import re
from collections.abc import Iterable

import msgspec

from ctxmgr.engine.text import bare, words_of

_STOP = (
    r"for|in|on|at|to|as|with|from|by|of|and|or|but|because|since|so|instead|rather|over|here|there|now|again|after"
    r"|which|that|when|if|via|per|is|are|was|were|this|it|they|everywhere|then|until|while|where|due|turned|does"
    r"|doesn['’]t|has|will|should|can|cannot|can['’]t"
)
_WORD = rf"(?:`[^`]+`|(?!(?:{_STOP})\b)[\w./+#@-]*[\w)+#])"
_ARTICLE = r"(?:(?:the|a|an|our|its|only|just|plain|your|my) )*"
_THING = rf"{_ARTICLE}(?P<thing>{_WORD}(?: {_WORD}){{0,2}})"
_FAR = r"(?:[^.;,]|\.(?=\w)){0,60}?"  # within a clause; the dot of a file's name ends none
_SWITCHED = r"(?:switch(?:ed|ing)?|mov(?:ed|ing)|migrat(?:ed|ing)|chang(?:ed|ing))"
_CHOSEN = re.compile(
    r"\b(?:us(?:e|es|ing|ed)|(?:go|going|went|stay|staying|stick|sticking|stuck) with|settl(?:e|ed|ing) (?:on|for)"
    r"|choos(?:e|ing)|chose|chosen|pick(?:ed|ing)?|opt(?:ed|ing)? for|prefer(?:red|ring)?|keep(?:ing)?|kept"
    rf"|adopt(?:ed|ing)?|{_SWITCHED}\b{_FAR} to|(?:back|over) to|replac(?:e|ed|ing)\b{_FAR} (?:with|by))"
    rf" {_THING}",
    re.IGNORECASE,
)
_CHOSEN_BEFORE = re.compile(
    rf"(?:^|[,;:–—-] ?|\band ){_THING} (?:(?:it is|instead)[.!;]?$|it is(?=[,;:] ))", re.IGNORECASE
)
_DENIED = re.compile(
    r"(?:n['’]t|\bnot|\bnever|\bno longer|\bstop(?:ped)?|\bavoid|\bagainst)(?: \w+)?\s*$", re.IGNORECASE
)
_LEFT = re.compile(
    r"\b(?:instead of|rather than|in place of|as opposed to|away from"
    r"|no longer(?: (?:us\w+|need\w*|rel\w+ on|keep\w*))?"
    r"|(?:do not|don['’]t|never|won['’]t|will not|not going to|can['’]t|cannot|stop(?:ped)?|avoid) "
    r"(?:us(?:e|ing)|go(?:ing)? with|keep(?:ing)?)"
    r"|drop(?:ped|ping)?|ditch(?:ed|ing)?|scrap(?:ped|ping)?|abandon(?:ed|ing)?|get(?:ting)? rid of|got rid of"
    r"|replac(?:e|ed|ing)|revert(?:ed|ing)?|undo(?:ing)?|undid"
    rf"|{_SWITCHED} from) (?:using )?{_THING}",
    re.IGNORECASE,
)
_LEFT_BEFORE = re.compile(
    rf"(?:^|[,;:.–—-] ?|\b(?:and|so|but|that) ){_THING}(?: (?:in|of|from) \S+)? "
    r"(?:(?:is|are|was|were|has been|have been|is now|are now) "
    r"(?:now |also |already )?(?:out|gone|dropped|removed|reverted|abandoned|obsolete|no (?:longer|more)|too \w+)\b"
    r"|(?:turned|turns) out\b|(?:does|did|do|will)(?:n['’]t| not) (?:work|help|fit|scale|do)\b)",
    re.IGNORECASE,
)
_REVERSAL = re.compile(
    rf"\b(?:{_SWITCHED}\b{_FAR} to|back to|after all|instead|rather than|no longer|on reflection"
    r"|on second thought|reconsider\w*|changed my mind|scrap\w*|abandon\w*|revert\w*|undo\w*|undid|ditch\w*"
    r"|dropp(?:ed|ing))\b"
    r"|\b(?:is|are) (?:now )?(?:out|gone)\b",
    re.IGNORECASE,
)
_TO_ANOTHER = re.compile(
    rf"\b(?:switch(?:ed|ing)?|{_SWITCHED} from|back)\b{_FAR}\bto\b|\bit is(?:[.!]?$|[,;:] )", re.IGNORECASE
)
_SCRAPS = re.compile(r"^\W*(?:(?:no|ok(?:ay)?|hm+|actually)\W+)?(?:scratch|scrap) that\b", re.IGNORECASE)
_AS_IT_SHOULD_BE = re.compile(  # said of a name itself, and of nothing that it has
    r"(?:^\W*|[,;:–—-] |\b(?:that|out|and|so|but) )(?:the )?(?:`[^`]+`|(?-i:\w*[_A-Z\d]\w*)) (?:is|was|are|were) "
    r"(?:actually |in fact )?(?:right|correct|up to date)(?= (?:all along|after all)|[.,;:]|$)",
    re.IGNORECASE,
)
_IS_GONE = re.compile(r"\b(?:is|are) (?:now )?(?:out|gone)\b(?! of\b)", re.IGNORECASE)
_WAS_WRONG = re.compile(
    r"\b(?:i|we) (?:was|were|am|had it) (?:wrong|mistaken)\b|\bi (?:misread|misunderstood|misdiagnosed|misjudged)\b"
    r"|\b(?:diagnosis|analysis|assumption|theory|hypothesis|conclusion|guess|claim|explanation|suspicion|reading)\b"
    r"[^.;]{0,30}?\b(?:was|is|were|turned out)(?: to be)? "
    r"(?:wrong|false|mistaken|incorrect|not (?:right|true|so))\b"
    r"|\b(?:false alarm|red herring)\b",
    re.IGNORECASE,
)
_CLEARED = re.compile(
    r"\b(?:is|was|are|were)(?:n['’]t| not) (?:actually |really )?(?:the|to|at) (?:real |root |actual )?"
    r"(?:problem|cause|culprit|issue|bug|blame|fault)\b"
    r"|\b(?:problem|cause|culprit|issue|bug) (?:is|was)(?:n['’]t| not)\b"
    r"|\b(?:is|was|are|were) (?:actually |in fact |just )?(?:fine|innocent|not (?:broken|wrong|buggy))\b"
    r"(?! (?:if|when|while|unless|until|as long|with|without|but|except|for|to)\b)",
    re.IGNORECASE,
)
_NOT_THIS = re.compile(r"\bnot (?:in |because of |caused by |from )?(?=[`\w])", re.IGNORECASE)
_CORRECTION = re.compile(r"^\W*(?:\w+ )?correction\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[;:–—]\s|,\s(?=(?:and |but |so |not |it |the )|`)|\.\s|\bbut\b")
_NAME = re.compile(r"[A-Z_\d./]")
_NUMBER = re.compile(r"\d+")
_FILE = re.compile(r"/|\.\w{1,5}$")


class Reversal(msgspec.Struct, frozen=True):
    """What a sentence does to earlier ones. Things are sets of words. `chooses`: of the first thing it chooses;
    `name`: that as it is written, "" where it is not written as a name is. `leaves`: of each it leaves by name;
    `words`: all its words where it has a word of reversal, none else. `corrects`: names of code of which it takes
    back what was said. `of_choice`, `of_cause`: it takes back an earlier choice, an earlier cause, and may not name
    it."""

    chooses: frozenset[str]
    leaves: tuple[frozenset[str], ...]
    words: frozenset[str]
    corrects: frozenset[str]
    name: str
    of_choice: bool
    of_cause: bool

    @property
    def turns(self) -> bool:
        """Does it take anything back?"""
        return bool(self.leaves or self.words or self.corrects)


def reversal(text: str) -> Reversal:
    thing, left = _chosen(text), _left(text)
    return Reversal(
        _words(thing),
        left,
        frozenset(words_of(text).split()) if _REVERSAL.search(text) else frozenset(),
        _corrected(text) if _corrects(text) else frozenset(),
        thing.strip("`") if "`" in thing or _NAME.search(thing) else "",
        bool(not left and ((thing and _TO_ANOTHER.search(text)) or _SCRAPS.search(text))),
        bool(_WAS_WRONG.search(text) or _CORRECTION.search(text)),
    )


def takes_back(text: str) -> bool:
    """Does it say that what stood holds no more, so that it has to be known?"""
    return bool(_WAS_WRONG.search(text) or _CORRECTION.search(text) or (_IS_GONE.search(text) and _left(text)))


def named_in(text: str) -> frozenset[str]:
    """Names of code, what stands in backticks, numbers."""
    return bare(text) | frozenset((*text.split("`")[1::2], *_NUMBER.findall(text)))


def _chosen(text: str) -> str:
    for found in (*_CHOSEN.finditer(text), *_CHOSEN_BEFORE.finditer(text)):
        if not _DENIED.search(text[: found.start()]):
            return found["thing"]
    return ""


def _left(text: str) -> tuple[frozenset[str], ...]:
    things = [found["thing"] for pattern in (_LEFT, _LEFT_BEFORE) for found in pattern.finditer(text)]
    return tuple(filter(None, map(_words, things)))


def _words(thing: str) -> frozenset[str]:
    return frozenset(words_of(thing).split()) if thing else frozenset()


def _corrects(text: str) -> bool:
    told = _WAS_WRONG.search(text) or _CORRECTION.search(text)
    return bool(told or ((_CLEARED.search(text) or _AS_IT_SHOULD_BE.search(text)) and named_in(text)))


def _corrected(text: str) -> frozenset[str]:
    """Rule 3."""
    ends = [found.start() for found in _CLAUSE_END.finditer(text)]
    clauses = [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    denied = [one[found.end() :] for one in clauses if (found := _NOT_THIS.search(one))]
    cleared = [one for one in clauses if _CLEARED.search(one) or _AS_IT_SHOULD_BE.search(one)]
    wrong = [one for one in clauses if _WAS_WRONG.search(one)]
    every = [text] if wrong else []
    named = next(filter(None, map(_named, (cleared, denied, wrong, every))), frozenset[str]())
    return frozenset(one for one in named if not _FILE.search(one)) or named


def _named(texts: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(named_in, texts))
