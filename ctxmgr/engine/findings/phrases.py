"""Turns a sentence into what it states: something done, something wrong, or something that could be done.

By wording alone, for English. Rules:
1. Done is what says so as a fact of the past or of now ("Fixed ...", "`a.ts` moved to ...", "the tests pass"). What
   may be, should be or was not is no outcome: a wrong "done" is not done again by who reads it.
2. Wrong is what names a fault and does not say that it was mended. It holds until the thing it names is changed.
"""

import re

_DID = (
    r"(?:fixed|added|changed|removed|replaced|created|renamed|moved|committed|pushed|updated|converted|extracted"
    r"|implemented|wrote|rewrote|ported|deleted|merged|restored|reverted|cleaned|split|refactored|simplified"
    r"|consolidated|documented|installed|configured|enabled|disabled|made|switched|opened|reset|rebased|dropped"
    r"|kept|ran"
    r"|tested|verified|built|released|published|closed|finished|completed|shortened|clarified|corrected|saved|wired"
    r"|introduced|registered|bumped|adjusted|improved|reduced|generated|copied|cloned|undid|stopped|resolved"
    r"|exported)"
)
_WAS = (
    r"(?:fixed|added|changed|removed|replaced|created|renamed|moved|committed|updated|ported|deleted|merged"
    r"|restored"
    r"|reverted|implemented|complete|completed|finished|resolved|documented|gone|in place|up to date)"
)
_DONE = re.compile(
    rf"^(?:(?:i|we)(?:'ve|’ve| have)?(?: (?:just|also|now|already|all))* )?(?:also |successfully |now )?{_DID}\b"
    rf"|\b(?:(?:has|have) (?:now |all )?been|(?:is|are) (?:now|all)|(?:was|were) all) {_WAS}\b"
    rf"|^[^,;:]{{1,60}}`[^,;:]{{0,20}} (?:was |were )?{_WAS}\b"
    rf"|^(?:all|everything|wp ?\d[\w-]*|the (?:fix|change|refactor(?:ing)?|migration)) (?:is |are |was )?{_WAS}\b"
    r"|\bnow (?:works?|pass(?:es)?|uses?|returns?|reads?|supports?|shows?|has|takes?|handles?|calls?|comes?|stops?"
    r"|implements|ensures|properly|correctly)\b"
    r"|\b(?:tests?|checks?|build|suite|everything|all(?: of (?:it|them))?)\b[^.;]{0,40}\b(?:pass|passes|passed"
    r"|green"
    r"|succeeds?|succeeded|works|clean|compiles|builds)\b"
    r"|\b(?:works?|passes) (?:now|again)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:done|perfect|great|good|so|ok(?:ay)?|and|excellent|also|then|finally|all right|alright|yes"
    r"|yo)\b[,.!:—– -]*)+",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"^(?:if|when|once|unless|option|alternatively|to|either|whether)\b"
    r"|\b(?:could|should|would|might|may|must|will|shall|can|needs?|want|has to|have to|going to|plan|propose"
    r"|suggest"
    r"|recommend|let'?s|not yet|to be)\b|'ll\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|nothing|none)\b|n[o']t\b", re.IGNORECASE)
_WRONG = re.compile(
    r"\b(?:doesn'?t|does not|don'?t|do not|isn'?t|is not|aren'?t|wasn'?t|didn'?t|can ?not|can'?t|won'?t|fails?"
    r"|failing|broken|missing"
    r"|bugs?|crash(?:es|ed)?|wrong(?:ly)?|issues?|problems?|root cause|lacks?|never|unused|stale|errors?"
    r"|incorrect(?:ly)?"
    r"|outdated|leaks?|hangs?|regression|mismatch|duplicated|twice|overflows?)\b",
    re.IGNORECASE,
)
LEAST_ALONE = 3  # words of an outcome: "Fixed." says nothing


def done(sentence: str) -> bool:
    """Whether it states that something was done or holds now (rule 1)."""
    bare = _LEAD.sub("", sentence.strip("*_ "))
    if len(bare.split()) < LEAST_ALONE:
        return False
    found = _DONE.search(bare)
    if not found:
        return False
    return not (_UNREAL.search(bare[: found.end()]) or _NOT.search(bare[: found.end()]))


def proposes(sentence: str) -> bool:
    """Whether it says what could, should or will be."""
    return bool(_UNREAL.search(sentence)) and not done(sentence)


def wrong(sentence: str) -> bool:
    """Whether it names a fault and does not say that it was mended (rule 2)."""
    return bool(_WRONG.search(sentence)) and not done(sentence)
