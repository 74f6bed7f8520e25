"""Turns two statements of the user into whether the newer takes the older back, for English.

Both are sentences as the user wrote them. "no more": the newer speaks of all that the older asks, and asks the
contrary or lifts it. "earlier": it may be so, or is so of a part; both stand. "now": it says nothing of the older.

1. The same words, once demanded and once forbidden: the newer holds where it is said for good ("never", "stop"). A
   bare "don't" may speak of a moment.
2. The same words with another number behind a word of limit ("under 80"): the newer holds. Another language to
   answer in: the newer holds.
3. "use B instead of A" closes "use A", where it is not said of less ("for the docs"). "use B instead" names
   nothing, and may speak of what the assistant did: a rule that says "use A" and no more may be over. "You used B
   instead of A" tells of what was done, a question or an "if" demands nothing.
4. "you no longer need to" closes a demand of the same act, where the demand is of that alone; "you don't need to"
   may speak of a moment.
5. "forget", "never mind" and their like may speak of a moment, too: they close what they call a rule, and a demand
   all of whose words they say. Who forgets to do what is forbidden lifts nothing; "never mind about" is of what
   was said.
"""

import re
from functools import lru_cache
from typing import Literal

import msgspec

from ctxmgr.engine.findings import reversal
from ctxmgr.engine.text import content_list, content_words, forbids, key_of, words_of

Holds = Literal["now", "earlier", "no more"]

LEAD = (
    r"(?:(?:ok(?:ay)?|so|and|but|also|please|pls|yes|yeah|well|then|now|btw|oh|hm+|alright|again|actually)"
    r"[,.!:]* +)*"
)
LEAST_SHARED_WORDS = 2  # of a rule that is called one; and that a rule has of which all is said
SHARED_SHARE = 0.6  # of the words of what is taken back that a constraint must hold to be closed by it
MOST_CHARACTERS = 160  # of a sentence that is compared word by word: a longer one says more than one thing

_BARE = r"(?:that|it|this|what i(?: just)? said|th(?:at|is) (?:rule|instruction))"
_RETRACTION = re.compile(
    rf"^{LEAD}(?:never ?mind|forget(?: about)?|ignore|drop|scrap|no longer(?! than\b))\b[,:]?\s+(?P<what>\S.*)",
    re.IGNORECASE,
)
_INSTEAD_SAID = re.compile(
    rf"^{LEAD}(?:never ?mind|forget(?: about)?|ignore|drop|scrap|cancel) {_BARE} ?[,;:.–—-]+ +(?=\S)", re.IGNORECASE
)
_NEEDLESS = re.compile(
    rf"^{LEAD}(?P<on>from now on,? )?(?:you|we) "
    r"(?:(?:really )?(?:don['’]?t|do not) (?:need|have) to|(?P<over>no longer) (?:need|have) to"
    r"|need not|needn['’]?t) (?P<what>\S.*)",
    re.IGNORECASE,
)
_FOR_GOOD = re.compile(
    r"\b(?:never|always|any ?more|any longer|no (?:longer|more)|from now on|going forward)\b", re.IGNORECASE
)
_IN_PART = re.compile(
    r"\b(?:but|except|not|only|unless|if|when|until|once|after(?! all\b)|for (?:now|the moment)|this (?:time|once)"
    r"|today|here|yet)\b|n['’]t\b",
    re.IGNORECASE,
)
_A_MOMENT = re.compile(r"(?<!from )\bnow\b|\bagain\b", re.IGNORECASE)
_CALLS_RULE = re.compile(r"\b(?:rules?|requirements?|constraints?|instructions?|restrictions?)\b", re.IGNORECASE)
_MANY = re.compile(r"[,;:]|\b(?:and|or|then)\b", re.IGNORECASE)
_ALONE = re.compile(r"\W*(?:$|(?:before|after|each|every|when(?:ever)?|first|at|on|for|please|from now on)\b)")
_NEGATION = re.compile(r"\b(?:never|not|no|avoid|stop|refrain|without|only)\b", re.IGNORECASE)
_BESIDE = re.compile(r"\b(?:unless|except|but|if|until)\b", re.IGNORECASE)
_FORBIDDEN = re.compile(
    r"^(?:you )?(?:never|do not|avoid|stop|refrain|no more)\b|\b(?:must|should|shall|may) (?:not|never)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(rf"^{LEAD}(?:(?:from now on|going forward),? +)?{LEAD}", re.IGNORECASE)
_FROM_NOW = re.compile(r"\b(?:from now on|going forward)\b", re.IGNORECASE)
_CONTRACTION = re.compile(r"n['’]t\b", re.IGNORECASE)
_DEMANDS_NOTHING = re.compile(
    rf"^{LEAD}(?:should|shall|could|can|would|do(?= (?:i|we|you|they)\b)|does|did|is|are|was|were|what|why|how|who"
    r"|which|maybe|perhaps|might|if|when|where)\b"
    r"|\b(?:you|it|this|that|they|he|she)(?:['’](?:ve|d|s|re))?(?: (?:have|has|had|are|is|just|still|again|always"
    r"|already|keep|kept|only))* (?:us(?:ed|ing|es)|went|switched|moved|changed|replaced|chose|picked|kept|put)\b",
    re.IGNORECASE,
)
_NOT_THING = re.compile(r", (?:and )?not (?P<thing>[\w./+#@-]+)[.!]?$", re.IGNORECASE)
_UNNAMED = re.compile(r"\binstead[.!]?$|\b(?:switched|moved|migrated) to\b", re.IGNORECASE)
_OF_A_CHANGE = content_words(
    "we've have switched switching moved migrated changed replace instead rather than everywhere longer going"
    " forward back over so make sure prefer"
)
_OF_DEMANDING = re.compile(  # that, and whether, something shall be done
    r"always|never|not|do|does|don|[ts]|stop|avoid|refrain|please|should|must|shall|may|only|just|you|we|i|the|an?|ok(?:ay)?"
    r"|also|anymore|now|again|make|sure|ensure|be"
)
_LIMITS = content_words("under over below above most least than exceed within maximum max minimum min")
_LANGUAGES = (
    "arabic|bengali|bulgarian|catalan|chinese|croatian|czech|danish|dutch|english|estonian|finnish|french|german|greek"
    "|hebrew|hindi|hungarian|indonesian|irish|italian|japanese|korean|latvian|lithuanian|malay|mandarin|norwegian"
    "|persian|polish|portuguese|romanian|russian|serbian|slovak|slovenian|spanish|swahili|swedish|tamil|thai|turkish"
    "|ukrainian|urdu|vietnamese|welsh"
)
_ANSWERS_IN = re.compile(
    r"^(?:please )?(?:you )?(?:(?:must|should|shall|always|only) )*"
    r"(?:answer|reply|respond|speak|talk|write)(?: to me| with me| me)?(?: only)?(?: in)? "
    rf"(?P<language>{_LANGUAGES})(?: (?:only|again|always|now|please|from now on))*\W*$",
    re.IGNORECASE,
)
_WRITES = re.compile(r"\bwrite\b(?! (?:to|with) me\b)", re.IGNORECASE)
_LANGUAGE_AGAIN = re.compile(
    rf"^{LEAD}(?:(?:let['’]?s )?(?:go |switch )?back to )?(?P<language>{_LANGUAGES})"
    r"(?P<again>(?:,? (?:again|now|from now on|please))*)\W*$",
    re.IGNORECASE,
)


class _Read(msgspec.Struct, frozen=True):
    """One sentence. `terms`, `words`: of what it says, without endings; `forbidden`: of a clause that demands or
    forbids one thing, which of both, else None; `language`: to answer in; `chooses`, `leaves`: what it uses, and
    what no more; `besides`: its words that are none of these; `unnamed`: does it leave what it does not name?"""

    text: str
    terms: tuple[str, ...]
    forbidden: bool | None
    language: str
    chooses: frozenset[str]
    leaves: frozenset[str]
    besides: frozenset[str]
    unnamed: bool

    @property
    def demanded(self) -> tuple[str, ...]:
        """All its words but those of demanding: "in the file" and "to the file" are two things."""
        words = words_of(_OPENING.sub("", _INSTEAD_SAID.sub("", _FROM_NOW.sub("", self.text)))).split()
        return tuple((*content_list(word), word)[0] for word in words if not _OF_DEMANDING.fullmatch(word))

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.terms)


def lifted(text: str) -> str:
    """What a sentence takes back as "forget" or "never mind" do; "" where it does not, or only says "that"."""
    found = _RETRACTION.match(text)
    return found["what"] if found and not _INSTEAD_SAID.match(text) else ""


def speaks_of_before(text: str) -> bool:
    """Does it begin with the taking back of what was said right before ("scrap that: ...")?"""
    return bool(_INSTEAD_SAID.match(text))


def not_needed(text: str) -> bool:
    """Does it say that something need not be done?"""
    return bool(_NEEDLESS.match(text))


def to_language(text: str) -> str:
    """The language that a sentence goes back to ("English again please."), or says to answer in; "" for none."""
    found = _LANGUAGE_AGAIN.match(text)
    if found and (found["again"] or "back to" in text.casefold()):
        return found["language"].casefold()
    found = _ANSWERS_IN.match(_OPENING.sub("", text))
    return found["language"].casefold() if found else ""


def of_a_part(text: str) -> bool:
    """Does it take back, or allow, less than all it speaks of, or for a moment?"""
    return bool(_IN_PART.search(text))


@lru_cache(maxsize=1 << 14)  # each pair of a session is compared again with each message
def holds(older: str, newer: str, *, lifts: bool = False) -> Holds:
    """Does the older still hold, beside the newer? `lifts`: the newer does nothing else than take back."""
    if max(len(older), len(newer)) > MOST_CHARACTERS:
        return "now"
    if _DEMANDS_NOTHING.search(newer):
        return "now"
    one, other = _read(newer), _read(older)
    needless = _NEEDLESS.match(newer)
    if needless:
        return _needless(other, needless)
    if lifts and not one.language:
        return _forgotten(other, lifted(newer) or newer)
    if one.language and other.language:
        same = bool(_WRITES.search(newer)) == bool(_WRITES.search(older))
        return "now" if one.language == other.language else "no more" if same else "earlier"
    if one.unnamed and not one.leaves and not one.besides and _uses_another(one, other):
        return "earlier"
    if other.words.isdisjoint(one.words | one.leaves):
        return "now"
    return _against(one, other)


def _against(one: _Read, other: _Read) -> Holds:
    """Rules 1 to 3, of what the newer says of the older."""
    moment = bool(_A_MOMENT.search(one.text))
    if one.forbidden is not None and other.forbidden is not None and one.forbidden != other.forbidden:
        least = min(len(one.terms), len(other.terms))
        if one.terms[:least] == other.terms[:least]:
            good = _FOR_GOOD.search(one.text) or speaks_of_before(one.text)
            return "no more" if good and not moment and one.demanded == other.demanded else "earlier"
    if one.forbidden == other.forbidden and _other_limit(one.demanded, other.demanded):
        return "earlier" if moment else "no more"
    if one.forbidden is not True and other.chooses and other.chooses <= one.leaves:
        if not one.chooses.isdisjoint(one.leaves):
            return "now"
        sure = other.forbidden is False and one.forbidden is False and one.besides <= other.besides
        return "no more" if sure and not moment else "earlier"
    return "now"


def _needless(other: _Read, said: re.Match[str]) -> Holds:
    """Rule 4."""
    what = said["what"]
    words = content_words(key_of(what))
    if forbids(other.text) or not words:
        return "now"
    good = said["on"] or said["over"] or _FOR_GOOD.search(what)
    if good and not _IN_PART.search(what) and not _A_MOMENT.search(what) and _is_of(words, other):
        return "no more"
    return _near(what, other)


def _forgotten(other: _Read, what: str) -> Holds:
    """Rule 5."""
    words = content_words(key_of(what))
    if not _IN_PART.search(what) and not _A_MOMENT.search(what) and len(words) >= LEAST_SHARED_WORDS:
        if _CALLS_RULE.search(what) and words <= other.words:
            return "no more"
        if words == other.words and (not forbids(other.text) or what.casefold().startswith("about ")):
            return "no more"
    return _near(what, other)


def _near(what: str, other: _Read) -> Holds:
    """Is that, as far as it is not said of less, of the older?"""
    part = _IN_PART.search(what)
    named = content_words(key_of(what[: part.start()] if part else what))
    return "earlier" if named and (named <= other.words or _shares(named, other.words)) else "now"


def _is_of(words: frozenset[str], other: _Read) -> bool:
    """Does the demand begin with these words, and ask nothing else?"""
    if _MANY.search(_OPENING.sub("", other.text)):
        return False
    end = len(words)
    if frozenset(other.terms[:end]) != words:
        return False
    return end == len(other.terms) or bool(_ALONE.match(_behind(other.text, end)))


def _behind(text: str, count: int) -> str:
    """What stands behind so many words that say something."""
    passed = 0
    for found in re.finditer(r"\w+", text):
        passed += len(content_list(found[0]))
        if passed >= count:
            return text[found.end() :].casefold()
    return ""


def _shares(words: frozenset[str], held: frozenset[str]) -> bool:
    return len(words & held) >= max(LEAST_SHARED_WORDS, SHARED_SHARE * len(words))


def _uses_another(one: _Read, other: _Read) -> bool:
    """Do both say to use a thing and nothing else, and not the same?"""
    if len(one.chooses) != 1 or len(other.chooses) != 1 or other.besides or other.forbidden is not False:
        return False
    return one.forbidden is False and one.chooses.isdisjoint(other.chooses)


def _other_limit(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if len(one) != len(other):
        return False
    apart = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(apart) != 1 or not apart[0]:
        return False
    at = apart[0]
    return one[at].isdecimal() and other[at].isdecimal() and one[at - 1] in _LIMITS


@lru_cache(maxsize=1 << 10)  # a session's rules are read again with each that it adds
def _read(text: str) -> _Read:
    said = _OPENING.sub("", _CONTRACTION.sub(" not", _INSTEAD_SAID.sub("", text)))
    beside = _NOT_THING.search(said)
    bare = said[: beside.start()] if beside else said
    says = reversal(bare)
    left = content_words(" ".join([*(" ".join(one) for one in says.leaves), beside["thing"] if beside else ""]))
    chosen = content_words(" ".join(says.chooses))
    negations = len(_NEGATION.findall(bare))
    forbidden = None if _BESIDE.search(bare) or negations > 1 else bool(negations)
    if forbidden and not _FORBIDDEN.search(bare):
        forbidden = None
    terms = content_list(bare)
    besides = frozenset(terms) - left - chosen - _OF_A_CHANGE
    language = to_language(text)
    return _Read(text, terms, forbidden, language, chosen, left, besides, bool(_UNNAMED.search(bare)))
