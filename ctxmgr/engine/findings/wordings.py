"""Turns a sentence into what it states, by its wording alone, for English: whether it decides, finds or announces
something, says that something was done or is wrong, or what could be done.

1. It decides where it names what was not taken ("instead of"), says that something was chosen, or says what will be
   done and why. What a next step is for ("Let me move it to match the rest") is no reason. Where it says how things
   are or could be it observes, in the words of a choice as well.
2. It finds where it says what a cause is ("The cause: ...", "Found it: ..."), what was tried, what does not work or
   is not so; of what it names, or has a number, how that is and not otherwise, or what follows of it ("..., so
   ..."). A next step finds nothing.
3. It announces where it says what comes next.
4. Done is what says so as a fact of the past or of now ("Fixed ...", "`a.ts` moved to ...", "the tests pass"). What
   may be, should be or was not is no outcome: a wrong "done" is not done again by who reads it.
5. Wrong is what names a fault and does not say that it was mended. It holds until the thing it names is changed.

A sentence may do several of these.
"""

import re

_WE = r"(?:i|we|let)(?:['’](?:ll|ve|m|re|s)| will| have| am| are| us)?(?: going to)?"
_ALTERNATIVE = re.compile(
    r"\b(?:instead of|rather than|in place of|in favou?r of|as opposed to)\b|\binstead[.;]?$", re.IGNORECASE
)
_CHOICE = re.compile(
    r"\b(?:decided|decision|settled|opted|chose|chosen|picked|agreed|preferr?(?:ed|ing)"
    r"|(?:go|going|went|stay|staying|stick|sticking|stuck) with)\b"
    r"|\b(?:best|better|simplest|cleanest|cleaner|safest|safer|right|proper|correct|minimal|smallest) (?:\w+ )?"
    r"(?:approach|option|way|fix|solution|choice|place|design|move|call)\b"
    r"|\bthe (?:\w+ )?(?:fix|solution|approach|plan|design|trick|answer) (?:is|was|will be|would be)\b"
    r"(?! (?:\w+ly |very |now |all |also )?(?:clear|ready|good|great|solid|sound|fine|done|complete|correct"
    r"|straightforward|simple|easy|trivial|obvious|small|minor|quick"
    r"|committed|approved|working|in place|up to date)\b)"
    r"|\b(?:i|we)(?:['’](?:ve|m|re)| have| am| are)?(?: now| just)? switch(?:ed|ing)\b"
    r"(?:[^.;,]|\.(?=\w)){0,60}? to\b"
    r"(?!(?: \S+){1,3} branch\b)"
    r"|\b(?:i|we)(?:['’]ve| have)?(?: now| just)? (?:moved|migrated) (?:\S+ )?from [^/]{2,40}? to [^/]+$"
    r"|\b(?:i|we)(?:['’](?:m|re)| am| are)? (?:going|went|moving) back to\b"
    r"|^\W*(?!(?:there|here|the way|that|this|so|as|what\w*|how\w*|yes|no|ok|okay|and|but|now|since|because"
    r"|if|where|when|until|than|like|though|whether|which\w*)\b)\S+(?: \S+)? it is(?:[.!]?$|[,;:] )",
    re.IGNORECASE,
)
_PLAN = re.compile(rf"\b{_WE}\b|^(?:keep|use|leave|skip|drop|avoid)(?:s|d|ing)?\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since|so(?: that)?|otherwise|to (?:avoid|keep|prevent|preserve|ensure|match|make sure)"
    r"|this way|that way|which (?:avoids|keeps|means|makes|lets|gives)|as (?:it|this|that|they|we))\b",
    re.IGNORECASE,
)
_WEIGHTY = re.compile(
    r"\b(?:because|since|otherwise|to (?:avoid|keep|prevent|preserve)|so that|this way|that way"
    r"|which (?:avoids|keeps|means|makes|lets|gives)|as (?:it|this|that|they|we))\b",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"^(?:(?:ok(?:ay)?|so|and|but|good|great|perfect|right|now|first|next|then|also|alright|finally)[,.!:—–-]* )*"
    r"(?:let me|let['’]s|i['’]ll|i will|i['’]m (?:now )?(?:going to|\w+ing)|i need to|we need to|i should)\b",
    re.IGNORECASE,
)
_SURVEYS = re.compile(  # it is under way
    r"^\W*(?:(?:ok(?:ay)?|so|now|next|first|then)\W+)*"
    r"(?:(?:i['’]m|i am)(?: now| also| just)*|(?:i['’]ll|i will) keep)"
    r" (?:trac|watch|check|look|read|search|inspect|investigat|explor|review|examin)ing\b",
    re.IGNORECASE,
)
_STATE_OF = re.compile(  # how a thing is, of which the next words say how it should have been
    r"\b(?:(?:is|are|was|were|has|had|have)(?! (?:now|to|being)\b)|requires?|took|expects?|returns?|returned|goes"
    r"|went|gets?|got|receive[sd]?|resolve[sd]|logs|logged|shows?|showed|points?|pointed|ends? up|ended up)\b"
    r"[^,;]*$",
    re.IGNORECASE,
)
_INTENDS = re.compile(r"\b(?:now|should|will|shall|let|i|we|must)\b|['’]ll\b|^\W*instead of\b", re.IGNORECASE)
_AMISS = re.compile(r"\b(?:bugs?|wrong(?:ly)?|incorrect(?:ly)?|somehow|mistakenly|accidentally)\b", re.IGNORECASE)
_PROPOSED = re.compile(r"\b(?:could|might|would)\b|^\W*(?:that )?depends\b", re.IGNORECASE)
_LET = re.compile(r"\blet\b", re.IGNORECASE)  # it says what is done now; "I'll" says as well how it will be
_SUPPOSED = re.compile(r"(?:if|when|once|unless|whether)\b", re.IGNORECASE)
_CAUSE = re.compile(
    r"\broot cause\b"
    r"|\b(?:the|this|that|a|real|actual|main|only|other|key|one) (?:\w+ )?(?:problem|issue|bug|cause|culprit"
    r"|failure|error|reason|catch|trouble|difference|gap|regression|mistake)s? (?:is|was|are|were|here|comes?|came"
    r"|lies?|seems?|happens?|occurs?)\b"
    r"|\b(?:caused|triggered|blocked) by\b|\b(?:due|thanks) to\b|\bbecause of\b|\b(?:turns|turned) out\b"
    r"|\b(?:that|this|which)(?:['’]s| is) (?:exactly )?(?:why|how)\b"
    r"|\bexplains\b|\b(?:may|might|could|would|can|to) explain (?:why|how|the|this|that)\b"
    r"|\b(?:comes|came|stems|results?|resulted) from\b"
    r"|^\W*(?:(?:so|and|ok(?:ay)?|right|ah)\W+)*(?:(?:the|real|actual|root|main|likely) )*"
    r"(?:cause|bug|problem|issue|culprit|reason|fault|catch|regression|mistake)\W{0,4}:\W{1,4}\w"
    r"|^\W*(?:(?:i|we) )?(?:found|got) (?:it|the (?:\w+ )?(?:bug|cause|problem|issue|culprit))\W{0,3}[:–—.-]\W{0,3}"
    r" \W*\w"
    r"|^\W*(?:so\W+)?(?:that|this|it)(?:['’]s| is| was) because\b"
    r"|^\W*(?!(?:you|i|we|that|this|it|all)\b)\S+ (?:is|was) right\b\W{0,2}[:,–—]",
    re.IGNORECASE,
)
_RATHER = re.compile(  # a thing is so, and not as one may think
    r"\b(?:is|are|was|were|lives?|needs?|uses?|takes?|returns?|expects?|comes?|belongs?|runs?|means?|goes|holds?)\b"
    r"[^.;:?]{1,80}?, not \S|\b(?:is|are) generated (?:from|by)\b",
    re.IGNORECASE,
)
_SO_THAT = re.compile(  # what follows of it, which nobody plans
    r"^(?!(?:i|we|let|you|now|next|then|done|ok)\b)[^,;?]{10,120}, so (?!(?:i|we|let|you|far|that|please)\b)\w",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\d")
_FAULT = (
    r"missing|wrong(?:ly)?|stale|outdated|lacks?|unused|incorrect(?:ly)?|mismatch\w*|leaks?|overflows?|broken"
    r"|hangs?"
    r"|crash(?:es|ed)?|regress\w*"
)
_NEGATED = (
    r"(?:do|does|did|is|are|was|were|will|would|can|could|has|have|had)(?:n['’]?t| not)|cannot|won['’]?t|can['’]?t"
    r"|never"
)
_TRIED = re.compile(
    r"\b(?:tried|attempted|broke|breaks?|broken|crash(?:es|ed)?|hangs?|regress\w*)\b"
    r"|\bfail(?:s|ed|ing)?\b(?! fast\b)",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    rf"\b(?:{_NEGATED}|{_FAULT}|no longer|not (?:yet|only|a|the|an)"
    r"|silently|only (?:if|when|works|because|on|in|for))\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"(?:^|[.;:,–—] |\b(?:and|so|then|now|next|first) )(?:i['’]ll|i will|i['’]m (?:now |also )?(?!not\b)\w+ing"
    r"|i am (?:now )?going to|let me(?! know\b)|let['’]s|i need to|we need to|next (?:step|up|i)\b|next:)",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"\b(?:let me|let['’]s|i['’]ll|i will|i['’]m|i need to|i want to|we need to|i am)(?: \w+){0,3}? "
    r"(?:check(?!\w* out\b)\w*|look\w*|see\w*|read\w*|search\w*|find\w*|verif\w+|inspect\w*|investigat\w+"
    r"|explor\w+|dig\w*|go(?:ing)? (?:through|over)|reproduc\w+|debug\w*|skim\w*|figure out"
    r"|(?:take|have) (?:a|another)(?: \w+)? look|(?:walk|step)(?:ing)? through|view\w*|run\w*|grep\w*|confirm\w*"
    r"|understand\w*|trac\w+|examin\w+|review\w*|test\w*|try\w*)\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:back to|revert\w*|undo\w*|undid"
    r"|after all|no longer|scrap\w*|abandon\w*|works? (?:now|again)|now works?)\b"
    r"|\bso (?:i|we)(?:['’]ve| have)? (?:removed|deleted|dropped|took) (?:it|that|them)\b",
    re.IGNORECASE,
)
_TURNS_TO = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|hm+|so|well|wait|please|sorry|oh)\W+)*(?:no|nope|nah|actually|instead|rather"
    r"|on second thought|stop"
    r"|i changed my mind|change of plans?|none of (?:these|those|them|the above))\b",
    re.IGNORECASE,
)
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
    rf"\b(?:{_NEGATED}|{_FAULT}|fails?|failing|issues?|problems?|root cause|errors?|bugs?|duplicated|twice)\b",
    re.IGNORECASE,
)
LEAST_ALONE = 3  # words of an outcome: "Fixed." says nothing


def decides(sentence: str) -> bool:
    """Rule 1. A plan to look at something is no choice, whatever its reason, nor is what is only supposed."""
    if _SURVEYS.match(sentence):
        return False
    if _ALTERNATIVE.search(sentence):
        return True
    if _SUPPOSED.match(sentence):
        return False
    if _LOOKS.search(sentence):
        return False
    if _CHOICE.search(sentence):
        return True
    step = _STEP.match(sentence)
    reason = _WEIGHTY if step and _LET.search(step[0]) else _REASON
    return bool(_PLAN.search(sentence) and reason.search(sentence))


def observes(sentence: str) -> bool:
    """Does it say how things are, or could be, in words of a choice ("it returns a list instead of a set")?"""
    parts = _ALTERNATIVE.split(sentence, maxsplit=1)
    if len(parts) < 2 or _CHOICE.search(sentence):
        return False
    if _CAUSE.search(sentence) or _AMISS.search(sentence):
        return True
    return bool(_STATE_OF.search(parts[0]) or _PROPOSED.search(sentence)) and not _INTENDS.search(sentence)


def looks(sentence: str) -> bool:
    """Is it a plan to look at something, or to try it?"""
    return bool(_LOOKS.search(sentence))


def supposes(sentence: str) -> bool:
    """Does it begin with a condition?"""
    return bool(_SUPPOSED.match(sentence))


def chosen_of(sentence: str) -> str:
    """What stands before the words that name what was not taken; all of it where none do."""
    return _ALTERNATIVE.split(sentence, maxsplit=1)[0]


def finds_out(sentence: str, names: bool) -> bool:
    """Rule 2. `names`: it names something; what is merely not so is worth telling where that is named."""
    if _CAUSE.search(sentence):
        return True
    if _STEP.match(sentence) or _LOOKS.search(sentence):
        return False
    if _TRIED.search(sentence) or (names and _NOT_SO.search(sentence)):
        return True
    told = names or bool(_VALUE.search(sentence))
    return told and not done(sentence) and bool(_RATHER.search(sentence) or _SO_THAT.search(sentence))


def causes(sentence: str) -> bool:
    """Does it say a cause?"""
    return bool(_CAUSE.search(sentence))


def is_firm(sentence: str) -> bool:
    """Does it say a cause, a failure or a choice, and not merely that something is not so?"""
    return bool(_CAUSE.search(sentence) or _TRIED.search(sentence) or decides(sentence))


def announces(sentence: str) -> bool:
    """Rule 3."""
    return bool(_NEXT.search(sentence))


def reverses(sentence: str) -> bool:
    """Does it take something back that was said before?"""
    return bool(_BACK.search(sentence))


def turns_to(sentence: str) -> bool:
    """Does who answers so want another thing than was said before?"""
    return bool(_TURNS_TO.match(sentence))


def done(sentence: str) -> bool:
    """Whether it states that something was done or holds now (rule 4)."""
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
    """Whether it names a fault and does not say that it was mended (rule 5)."""
    return bool(_WRONG.search(sentence)) and not done(sentence)
