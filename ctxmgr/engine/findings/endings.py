"""Turns a sentence into what it says to be over: what was taken out, and what is not the cause after all. English.

1. What is taken out stands behind a word of removing ("retire", "swapped", "from A to B"), or before one ("gave way
   to").
2. What is cleared is said to be none ("it wasn't A", "A had nothing to do with it", "ruled out A").
3. A switch that "does not work" was not made.
Things are sets of stems, as `clauses` has them.
"""

import re

from ctxmgr.engine.findings.clauses import clauses
from ctxmgr.engine.text import content_words

_STOP = (
    r"for|in|on|at|to|as|with|from|by|of|and|or|but|because|since|so|instead|over|here|there|now|again|after"
    r"|which|that"
    r"|when|if|via|is|are|was|were|has|have|had|does|do|did|will|should|can|cannot|it|this|them|they|everywhere"
    r"|then"
    r"|until|while|where|due|entirely|altogether|completely|please|actually|apparently|clearly|however"
)
_WORD = rf"(?:`[^`]+`|(?!(?:{_STOP})\b)[\w./+#@-]*[\w)+#])"
_ARTICLE = r"(?:(?:the|a|an|our|its|whole|entire|old|all|my|your|only|just) )*"
_THING = rf"{_ARTICLE}(?P<thing>{_WORD}(?: {_WORD}){{0,2}})(?!['’]s|\w)"  # and not a part of it
_FAR = r"(?:[^.;,]|\.(?=\w)){0,60}?"
_CHANGED = (
    r"(?:switch(?:ed|ing)?|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|chang(?:e|ed|ing)|port(?:ed|ing)?|convert(?:ed|ing)?)"
)
_REMOVED = re.compile(
    r"\b(?:(?:retir|remov|delet|deprecat|trad|replac|supersed|discontinu|exchang)(?:e|ed|es|ing)|swap(?:ped"
    r"|ping)?(?: out)?"
    r"|drop(?:ped|ping)?|kill(?:ed|ing)?|unwound|withdrew|pull(?:ed)? out|tore out|t(?:ake|ook|aken) out"
    r"|phas(?:ed?|ing) out"
    r"|ripp?(?:ed|ing)? out|stripp?(?:ed|ing)? out|thr(?:ew|own|ow) out|roll(?:ed|ing)? back|back(?:ed"
    r"|ing)? out(?: of)?"
    rf"|{_CHANGED} (?:off|away from)|{_CHANGED}\b{_FAR} from|took over from|takes over from|t(?:akes"
    rf"|ook) the place of"
    rf"|stop(?:ped)? using|^\W*no) {_THING}",
    re.IGNORECASE,
)
_GIVES_WAY = re.compile(
    rf"(?:^|[,;:.–—-] ?|\b(?:and|so|but|that) ){_THING}"
    r" (?:(?:gave|gives|made|makes|has given) way|had to go|ha[sd] to go|went away|is history|goes away)\b",
    re.IGNORECASE,
)
_FAILED_SWITCH = re.compile(rf"^\W*{_CHANGED}\b", re.IGNORECASE)
_BLAME = r"(?:problem|cause|culprit|issue|bug|blame|fault|reason|trouble|source)"
_CLEARED = re.compile(
    rf"\b(?:it|that|this|{_BLAME}) (?:is|was)(?: not|n['’]t) (?:because of |due to |caused by |from |in )?{_THING}"
    rf"(?= after all|[.,;:]|$)"
    rf"|(?:^|[,;:–—-] ?|\b(?:that|so|and|but|actually) )(?:{_THING.replace('<thing>', '<subject>')}) (?:(?:is|was"
    rf"|are|were)"
    rf"(?: not|n['’]t) (?:actually |really )?(?:the|to|at) (?:real |root |actual )?{_BLAME}\b"
    rf"|ha[sd] nothing to do with"
    r"|(?:is|was|are|were|turned out|turns out)(?: to be)? (?:innocent|unrelated|irrelevant|a red herring"
    r"|a coincidence"
    r"|ruled out|cleared))\b"
    rf"|\brul(?:ed|es|ing) out {_THING.replace('<thing>', '<ruled>')}"
    rf"|\bnot (?:because of|caused by|due to) {_THING.replace('<thing>', '<denied>')}",
    re.IGNORECASE,
)
_NO_HELP = re.compile(
    r"\b(?:did|does|do)(?:n['’]t| not) (?:help|change (?:anything|it|that)|fix (?:it|this|that|anything)|matter"
    r"|solve|cure"
    r"|make (?:a|any) difference)\b|\b(?:made|makes) no difference\b|\b(?:had|has) no effect\b"
    r"|\b(?:that|this|it) (?:is|was)(?: not|n['’]t) it(?=[.,;!]|$)",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\b(?:real|actual|true|underlying) (?:root )?(?:problem|cause|culprit|issue|bug|reason|source)\b",
    re.IGNORECASE,
)


def removed(text: str) -> tuple[frozenset[str], ...]:
    """Each thing that it says to be taken out."""
    if failed_switch(text):
        return ()
    return _stems(*(found["thing"] for pattern in (_REMOVED, _GIVES_WAY) for found in pattern.finditer(text)))


def failed_switch(text: str) -> bool:
    """Rule 3."""
    if not _FAILED_SWITCH.match(text):  # asked of each pair of statements
        return False
    first = clauses(text)[:1]
    return bool(first and first[0].judges and first[0].denied)


def cleared(text: str) -> tuple[frozenset[str], ...]:
    """Each thing that it says not to be the cause."""
    said = (next(filter(None, found.groups())) for found in _CLEARED.finditer(text))
    return _stems(*said)


def was_no_help(text: str) -> bool:
    """Does it say that what was tried changed nothing?"""
    return bool(_NO_HELP.search(text))


def names_another_cause(text: str) -> bool:
    """Does it say what the real cause is?"""
    return bool(_ANOTHER.search(text))


def _stems(*things: str) -> tuple[frozenset[str], ...]:
    return tuple(filter(None, map(content_words, things)))
