"""Turns two statements of the user into whether the newer takes the older back, for English.

Both are sentences as the user wrote them. "no more": the newer speaks of all that the older asks, and asks the
contrary or lifts it. "earlier": it may be so, or is so of a part; both stand. "now": it says nothing of the older.

1. The same words, once demanded and once forbidden: the newer holds.
2. The same words with another number behind a word of limit ("under 80"): the newer holds. Another language to
   answer in: the newer holds.
3. "use B instead of A" closes "use A", where it is not said of less ("for the docs"). "use B instead" names
   nothing, and may speak of what the assistant did: a rule that says "use A" and no more may be over.
4. "you no longer need to" (or "don't") closes a demand of the same act, "forget" and "scrap" of the same thing too,
   where the demand is of that alone. What is forbidden is closed where all its words are said.
5. "never mind", "ignore" and "drop" may speak of a moment: they close what they say all the words of, or call a
   rule.
"""

import re
from functools import lru_cache
from typing import Literal

import msgspec

from ctxmgr.engine.findings import reversal
from ctxmgr.engine.text import content_list, content_words, forbids, key_of

Holds = Literal["now", "earlier", "no more"]

LEAD = (
    r"(?:(?:ok(?:ay)?|so|and|but|also|please|pls|yes|yeah|well|then|now|btw|oh|hm+|alright|again|actually)"
    r"[,.!:]* +)*"
)
LEAST_SHARED_WORDS = 2
SHARED_SHARE = 0.6  # of the words of what is taken back that a constraint must hold to be closed by it
MOST_CHARACTERS = 160  # of a sentence that is compared word by word: a longer one says more than one thing

_BARE = r"(?:that|it|this|what i(?: just)? said|th(?:at|is) (?:rule|instruction))"
_RETRACTION = re.compile(
    rf"^{LEAD}(?P<how>never ?mind|forget(?: about)?|ignore|drop|scrap|no longer)\b[,:]?\s+(?P<what>\S.*)",
    re.IGNORECASE,
)
_INSTEAD_SAID = re.compile(
    rf"^{LEAD}(?:never ?mind|forget(?: about)?|ignore|drop|scrap|cancel) {_BARE} ?[,;:.–—-]+ +(?=\S)", re.IGNORECASE
)
_NEEDLESS = re.compile(
    rf"^{LEAD}(?:from now on,? )?(?:you|we) "
    r"(?:(?:really )?(?:don['’]?t|do not) (?:need|have) to|no longer (?:need|have) to"
    r"|need not|needn['’]?t) (?P<what>\S.*)",
    re.IGNORECASE,
)
_IN_PART = re.compile(
    r"\b(?:but|except|not|only|unless|if|when|until|once|after(?! all\b)|for now|for the moment|this time|today"
    r"|here|yet)\b|n['’]t\b",
    re.IGNORECASE,
)
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
_CONTRACTION = re.compile(r"n['’]t\b", re.IGNORECASE)
_NOT_THING = re.compile(r", (?:and )?not (?P<thing>[\w./+#@-]+)[.!]?$", re.IGNORECASE)
_UNNAMED = re.compile(r"\binstead[.!]?$|\b(?:switched|moved|migrated) to\b", re.IGNORECASE)
_OF_A_CHANGE = content_words(
    "we've have switched switching moved migrated changed replace instead rather than everywhere longer going"
    " forward back over so make sure prefer"
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
_LANGUAGE_AGAIN = re.compile(
    rf"^{LEAD}(?:(?:let['’]?s )?(?:go |switch )?back to )?(?P<language>{_LANGUAGES})"
    r"(?P<again>(?:,? (?:again|now|from now on|please))*)\W*$",
    re.IGNORECASE,
)


class _Read(msgspec.Struct, frozen=True):
    """One sentence. `order`, `words`: of what it says, without endings; `forbidden`: of a clause that demands or
    forbids one thing, which of both, else None; `language`: to answer in; `chooses`, `leaves`: what it uses, and
    what no more; `besides`: its words that are none of these; `unnamed`: does it leave what it does not name?"""

    text: str
    order: tuple[str, ...]
    words: frozenset[str]
    forbidden: bool | None
    language: str
    chooses: frozenset[str]
    leaves: frozenset[str]
    besides: frozenset[str]
    unnamed: bool


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


def holds(older: str, newer: str, *, lifts: bool = False) -> Holds:
    """Does the older still hold, beside the newer? `lifts`: the newer does nothing else than take back."""
    if max(len(older), len(newer)) > MOST_CHARACTERS:
        return "now"
    one, other = _read(newer), _read(older)
    needless = _NEEDLESS.match(newer)
    if needless:
        return _lifts(needless["what"], other, act=True, moment=False)
    if lifts and not one.language:
        return _forgotten(other, lifted(newer) or newer, newer)
    if one.language and other.language:
        return "now" if one.language == other.language else "no more"
    if one.unnamed and not one.leaves and not one.besides and _uses_another(one, other):
        return "earlier"
    if other.words.isdisjoint(one.words | one.leaves):
        return "now"
    if one.forbidden is not None and other.forbidden is not None and one.forbidden != other.forbidden:
        least = min(len(one.order), len(other.order))
        if one.order[:least] == other.order[:least]:
            return "no more" if one.order == other.order else "earlier"
    if _other_limit(one.order, other.order):
        return "no more"
    if (
        one.forbidden is not True
        and other.chooses
        and other.chooses <= one.leaves
        and one.chooses.isdisjoint(one.leaves)
    ):
        sure = other.forbidden is False and one.forbidden is False and one.besides <= other.besides
        return "no more" if sure else "earlier"
    return "now"


def _forgotten(other: _Read, what: str, said: str) -> Holds:
    """Does it still hold, where the user said (`said`, whole) to forget `what`?"""
    if _CALLS_RULE.search(what) and _shares(content_words(key_of(what)), other.words):
        return "no more"
    how = _RETRACTION.match(said)
    moment = how is None or not how["how"].casefold().startswith(("forget", "scrap", "no longer"))
    return _lifts(what, other, act=False, moment=moment)


def _lifts(what: str, other: _Read, *, act: bool, moment: bool) -> Holds:
    """Rules 4 and 5. `act`: is the whole act named? `moment`: may it speak of a moment?"""
    words = content_words(key_of(what))
    if not words or words.isdisjoint(other.words):
        return "now"
    part = _IN_PART.search(what)
    named = content_words(key_of(what[: part.start()])) if part else words
    near: Holds = "earlier" if named and (named <= other.words or _shares(named, other.words)) else "now"
    if part:
        return near
    if forbids(other.text):
        if act:
            return "now"
        return "no more" if other.words <= words and len(other.words) >= SHARED_SHARE * len(words) else near
    if words == other.words:
        return "no more"
    alone = not moment and _is_of(words, other, act)
    return "no more" if alone else near


def _is_of(words: frozenset[str], other: _Read, act: bool) -> bool:
    """Does the demand begin with these words, or (not `act`) with a verb and these, and ask nothing else?"""
    if _MANY.search(_OPENING.sub("", other.text)):
        return False
    for start in (0,) if act else (0, 1):
        end = start + len(words)
        if frozenset(other.order[start:end]) == words and other.order[start:end]:
            return end == len(other.order) or bool(_ALONE.match(_behind(other.text, end)))
    return False


def _behind(text: str, count: int) -> str:
    """What stands behind so many words that say something."""
    seen = 0
    for found in re.finditer(r"\w+", text):
        seen += len(content_list(found[0]))
        if seen >= count:
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
    order = content_list(bare)
    besides = frozenset(order) - left - chosen - _OF_A_CHANGE
    language = to_language(text)
    return _Read(
        text, order, frozenset(order), forbidden, language, chosen, left, besides, bool(_UNNAMED.search(bare))
    )
