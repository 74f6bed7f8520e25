"""Turns a sentence into what the assistant itself asserts in it, for English: "" where that is nothing.

1. What stands in quotes is somebody else's.
2. What a document or a person is said to say is theirs. What a machine says ("the error says ...") is what is so,
   unless the sentence goes on to doubt it. What the assistant concludes of either ("so I'll ...") is its own.
3. A condition is supposed, and so is what would follow of it. What crashes under one does.
4. Narration says how the work goes ("Next I'm mapping ...", "Updated `a.py`.") or that there is something ("The
   problem is clear."): it neither decides nor finds, whatever else its words are.
5. A guess at a cause is none, nor is a choice that could be made, or that is not made yet.
"""

import re

from ctxmgr.engine.findings.wordings import causes, chosen_of

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»")
_REPORTS = (
    r"(?:say|claim|state|suggest|report|mention|recommend|advise|argue|think|believe|complain|note|warn|insist"
    r"|assume"
    r"|propose)(?:s|d|ed|ing)?|said|thought"
)
_HEARSAY = re.compile(
    rf"^\W*(?:(?:but|and|so|however|also|apparently|interestingly|note that)\W+)*"
    rf"(?:(?P<who>(?!(?:i|we|this|that|it|which|these|those|i['’]\w+|we['’]\w+|let)\b)[^,;:]{{2,60}}?)"
    rf" (?:also |even |only |just )?(?:{_REPORTS})\b|(?:according to|as per|per|quoting) (?P<source>\S+(?: \S+)?))",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(r"[,;:–—] *(?:and )?((?:so|therefore|hence|thus)\b,? (?:i|we|let)\b.*)", re.IGNORECASE)
_MACHINE = re.compile(
    r"`|\b(?:errors?|error message|exception|output|logs?|trace\w*|compiler|linter|type checker|tests?|build"
    r"|warnings?|console|debugger|profiler|stack|status|diff|shell|server|kernel)\b",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:but|though|although|however|which)\b.{0,60}\b(?:misleading|wrong|false|untrue|mistaken|outdated|stale"
    r"|not"
    r"|never)\b|\b(?:but|though|although|however|which)\b.{0,60}n['’]t\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|unless|whether)\b[^,;]*(?:[,;]|$)", re.IGNORECASE)
_WOULD = re.compile(r"\b(?:would|could|might|should)\b|\b(?:i|we)['’]d\b", re.IGNORECASE)
_CAUSE = r"(?:cause|problem|issue|culprit|bug|reason|fault|trouble)s?"
_GUESS = re.compile(
    rf"^\W*(?:so\W+|or\W+)?(?:perhaps|maybe|possibly|presumably)\b|\b(?:i|we) (?:suspect|guess|wonder)\b"
    rf"|\b{_CAUSE} (?:\w+ )?(?:might|may|could)(?: well| also)? be\b|\b(?:might|may|could)(?: well| also)? be"
    rf" (?:because|due to|caused by|why|(?:the |a )(?:\w+ )?{_CAUSE}\b)",
    re.IGNORECASE,
)
_IGNORANCE = re.compile(
    r"\b(?:because|since|as) (?:i|we) (?:have(?:n['’]t| not)|did(?:n['’]t| not)|do(?:n['’]t| not) know)\b",
    re.IGNORECASE,
)
_UNDER_WAY = re.compile(  # a step of the work
    r"^\W*(?:(?:ok(?:ay)?|so|and|then|first)\W+)*(?:(?:next|now)\W+(?:i['’]m|i am) \w+ing\b"
    r"|(?:i['’]m|i am)(?: now| also| just| then)* (?:(?:mapp|runn|reply|wait|post|committ|push|validat|fetch|pull"
    r"|open|collect|gather|compar|start|retriev|inspect|re-?(?:run|check|test|build|read|fetch|validat|apply)\w*)ing\b"
    r"|using the [^,;]{1,40} (?:skill|tool|workflow)\b)"
    r"|you['’]re (?:absolutely |completely |totally )?right\b)",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\W*(?:(?:but|so|ok(?:ay)?|and|now)\W+)*(?:the|this|that|there) (?:\w+ )?(?:problem|issue|cause|bug|fix"
    r"|solution|reason|error|picture)s?(?: (?:is|are|was))?(?: (?:now|very|pretty|all|quite))* (?:clear|obvious"
    r"|simple|here|real|known|understood|fixed|solved|gone|confirmed|found)\W*",
    re.IGNORECASE,
)
_DID_FIRST = re.compile(
    r"^\W*(?:(?:done|good|great|perfect|ok(?:ay)?)\W+)*(?:(?:i|we)(?:['’]ve| have)? )?(?:just |also |now )?"
    r"(?:updated|created|merged|committed|pushed|added|renamed|ran|opened|posted|rebased|fixed)\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:because|since|so that|to (?:avoid|prevent|keep)|otherwise)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:have|has|had)(?:n['’]t| not)(?: yet)? (?:decided|settled|chosen|picked|made up)\b|\bundecided\b"
    r"|\bnot (?:yet )?(?:decided|sure|certain|settled)\b|\bto be decided\b|\b(?:remains|is) (?:an )?open\b"
    r"|(?<!so )(?<!that )\b(?:i|we|you|one) (?:also |just |then |still )?(?:could|might|may)\b(?! not\b)"
    r"|^\W*(?:(?:one|an?|another|the other) (?:\w+ )?(?:option|way|idea|alternative|possibility)|alternatively)\b",
    re.IGNORECASE,
)


def asserted(sentence: str) -> str:
    """Rules 1 to 3, and what is no guess: what is asserted to be so."""
    said = _QUOTED.sub('""', sentence)
    said = _own_part(said)
    if not said or _GUESS.search(said) or _IGNORANCE.search(said):
        return ""
    bare = _CONDITION.sub(" ", said)
    return "" if bare != said and _WOULD.search(bare) else bare.strip()


def is_step(sentence: str) -> bool:
    """Is it a step of the work, or says only that there is something (rule 4)?"""
    return bool(_UNDER_WAY.match(sentence) or _EMPTY.fullmatch(sentence))


def reports(sentence: str) -> bool:
    """Does it say that something was done, and neither why nor what was not taken (rule 4)?"""
    told = _DID_FIRST.match(sentence) and chosen_of(sentence) == sentence
    return bool(told and not causes(sentence) and not _WHY.search(sentence))


def is_open(sentence: str) -> bool:
    """Is a choice not made yet, or only one that could be (rule 5)?"""
    return bool(_OPEN.search(sentence))


def _own_part(said: str) -> str:
    """Rule 2: the sentence without what others say in it; "" where that is all of it."""
    found = _HEARSAY.match(said)
    if found is None:
        return said
    theirs = not _MACHINE.search(found["who"] or found["source"]) or _DOUBTED.search(said[found.end() :])
    concluded = _CONCLUDED.search(said, found.end())
    return (concluded[1] if concluded else "") if theirs else said
