"""Turns a user's message into facts: goal, constraints and corrections verbatim, what was asked, tasks.

Rules:
1. Only what the user wrote counts (`prose`), and of that what was not pasted and are no others' words may be a rule
   (`pasted_lines`, `others_words`); a sentence is kept as it stands, never reworded.
2. Precision before recall: a missed constraint is still in the message, a false one misleads for the rest of
   the session. So questions, statements about others ("it never worked") and long sentences give nothing.
3. The opening message is the goal. A later message sets it only where it says so ("new goal: ...").
4. A question that the message answers stands with the answer, and with what that chooses, or the option that the
   question points at; what it agrees to in place of a question; a later word on it behind the first.
5. What was asked is kept whole: of an opening message with what was pasted there, for that is asked about.
6. Taking back ("never mind the ...") or allowing ("you may ... now") is a fact of its own; which constraint it
   closes is decided when the ledger is read, so that the order of seeing both does not matter.
"""

import re

from ctxmgr.engine.findings import (
    Asked,
    agreed,
    agreed_to,
    answers_anew,
    chosen,
    closing_question,
    pointed,
    says_nothing,
)
from ctxmgr.engine.ledger import others_words, taking_back
from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text import (
    as_written,
    checklists,
    count_words,
    key_of,
    may_hold,
    pasted_lines,
    plain,
    prose,
    sentences_of,
    shorten,
    without_marks,
)
from ctxmgr.model.saved import ALLOWED

GOAL_CHARACTERS = 600  # of the goal, wherever it is told in full
SENTENCE_CHARACTERS = 600
REQUEST_CHARACTERS = 4_000  # of one message in the user's words: a longer one is a pasted document
LEAST_CHARACTERS = 8
CORRECTION_WORDS = 5  # "no, that's horrible." says nothing that could be followed later
ANSWERED_CHARACTERS = 120  # of an answer beside its question: the message itself mostly stays
REQUEST_WORDS = 3  # "ok", "yes do it": no request that says anything later
LONG_WORD = 6  # letters: of two words ("Niemals pushen!") one is as long, where they are a sentence that asks

_LEAD = taking_back.LEAD
_CLAUSE = rf"(?:^{_LEAD}|[,;:–—-] +{_LEAD}|\b(?:and|but|please|so|also) )"
_ACT = r"(?!(?:worry|mind|know|think|care|see|get|understand|forget|bother|ask|sweat)\b)[a-z]"
_NAMED = (
    r"(?!(?:sure|certain|yet|only|just|that|because|if|when|as|so|even|really|necessarily|always|to|a|the|my|it"
    r"|this)\b)"
    r"\S+(?: \S+){0,2}$"
)  # a thing of few words, and nothing after it
_OURS = r"(?:this|the|our) (?:repo(?:sitory)?|project|codebase|team|company)"
_VERBS = r"(?:use|touch|edit|change|modify|write|add|commit|run|support|target|test|read)"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_RULE = _any(
    rf"{_CLAUSE}(?:you )?(?:do not|don'?t|never|always) {_ACT}",
    rf"{_CLAUSE}(?:make sure|ensure|be sure to|be careful (?:not )?to|avoid|refrain from|stick to) ",
    rf"{_CLAUSE}(?:only {_VERBS}|{_VERBS} only)\b",
    rf"{_CLAUSE}keep (?!(?:going|on|at|me|up|it up|working|trying)\b)[a-z]",
    rf"{_CLAUSE}prefer [a-z`]",
    rf"^{_LEAD}(?:(?:i|we|{_OURS}) )?uses? [^,;:?]{{1,60}}, not {_NAMED}",
    rf"^{_LEAD}stop (?:using|adding|creating|writing|changing|running|committing|editing|touching|reading)\b",
    rf"^{_LEAD}no (?:more )?(?!(?:idea|worries|problem|way|clue|need|one|i|it|we|that|this|not|no|u|you)\b)"
    r"[a-z]+(?: [a-z]+){0,4}(?:[.!]|$)",
    r"\b(?:must|shall)(?: not|n'?t)?\b(?! (?:have|be (?:a|an|the|because|due|some\w*|it|that|related)\b))",
    r"\b(?:should (?:not|never|always|only)|may (?:never|only)) (?:be |have )?[a-z]",
    r"\bshouldn'?t (?!(?:it|we|you|i|this|that)\b)[a-z]",
    r"\b(?:i|we)(?:'d| would)? (?:really |strongly |much )?prefere? [a-z]",
    r"\b(?:i|we)(?:'d| would)? (?:only|never|always|don'?t|do not) (?:ever )?(?:want|like|use)\b",
    r"\b(?:from now on|going forward|at all times|under no circumstances|no exceptions?)\b",
)
# one of these stands in each sentence that `_RULE` finds
_RULE_WORDS = (
    "do not",
    "don't",
    "dont",
    "never",
    "always",
    "sure",
    "careful",
    "avoid",
    "refrain",
    "stick to",
    "only",
    "keep",
    "prefer",
    "stop",
    "no ",
    ", not ",
    "must",
    "shall",
    "should",
    "may ",
    "from now on",
    "going forward",
    "all times",
)
_BUT_NOT = r"\bbut (?:i|we|it|they|he|she|that|this|there) (?:do|does|did|is|are|was|were)(?:n'?t| not)[.!]*$"
_NO_RULE = _any(
    r"\b(?:i|we|you|it|they|he|she|that|this|there|which|who|what|why|how) (?:really |just |also |still )?"
    r"(?:do not|don'?t|never) (?!(?:ever )?(?:want|like|use)\b)",
    r"\bi (?:still )?(?:think|guess|suppose|feel|assume|believe|wonder)\b(?! (?:you|we) )",
    r"^(?:if|why|what|how|who|when|where|did|does|is|are|was|maybe|perhaps)\b.*\?",
    # what should be and is not: a fault is told
    rf"\byou should (?:always|never|only) (?:see|get|find|notice|hear)\b.*{_BUT_NOT}",
    r"[,;–—-] ?(?:and |but )?(?:that|this|which|it)(?:['’]s| is| was) (?:exactly |just |still )?"
    r"(?:the|a|my|our|what)\b[^,;]*\b(?:bug|issue|problem|fault|error|regression|defect)\b",
    r"^(?:the )?(?:bug|issue|problem|symptom|defect|expected|actual)\b(?: \w+){0,2}:",
)
_CORRECTION = _any(
    r"^(?:no|nope|nah)[,.!] +\S",
    rf"^{_LEAD}actually[, ]+",
    rf"^{_LEAD}(?:that'?s|this is|you(?:'re| are)) (?:wrong|incorrect|not right)\b",
    rf"^{_LEAD}(?:not what i\b|i (?:said|meant|told you|asked (?:you )?(?:to|for))\b|wrong[,.:! ])",
    rf"^{_LEAD}instead\b",
)
_INSTEAD = _any(rf"\binstead[.!]?$|\b(?:put|do|make|call|want|try|{_VERBS})\b.*\binstead of\b")
_USE_INSTEAD = _any(rf"^{_LEAD}use [^\s,;:?]+ instead(?: of [^\s,;:?]+)?[.!]?$")
_GOAL = _any(
    rf"^{_LEAD}(?:(?:the|our|my|your) )?(?:(?:new|main|real|actual|overall|next) )*"
    r"(?:(?:goal|objective)s?(?: now)?(?: (?:is|here is)|:)|(?:new|next) task(?: is|:)|task is to|task:)"
    r"\s+(?P<goal>\S.*)"
)
_NOW = r"(?=.*\b(?:now|again|after all|from now on)\b)"
_FROM_NOW = rf"(?:(?:from now on|going forward),? {_LEAD})?"
_ALLOWING = _any(
    rf"^{_LEAD}{_FROM_NOW}you may (?!(?:want|wish|need|have|be|find|see|notice)\b){_ACT}",
    rf"^{_LEAD}{_NOW}(?:you can|(?:it'?s|it is|that'?s) (?:ok(?:ay)?|fine|alright) to) "
    rf"(?!(?:find|notice|look)\b){_ACT}",
    rf"^{_LEAD}(?:you(?:'re| are) (?:now )?(?:allowed|free) to|feel free to|go ahead and) {_ACT}",
)
_CHOICE_LEAD = rf"(?:(?:omf?g|dude|man|jesus|fine|sure|yep|cool|good|right|perfect)[,.!:]* +)*{_LEAD}"
_NO_THING = r"(?!(?:it|that|this|them|so|the (?:same|rest))\b[.! ]*$)"
_DECISION = _any(
    rf"^{_CHOICE_LEAD}(?:let'?s|we'?ll|we will|we should|i'?ll) (?:just )?(?:go with|go for|stick with|settle on"
    rf"|use)\b \S",
    rf"^{_CHOICE_LEAD}let'?s (?:just |rather )?(?:do|keep|leave|skip|drop|make it)\b {_NO_THING}(?:\S+ ){{2}}\S",
    rf"^{_CHOICE_LEAD}(?:go with|go for|stick with|settle on|switch to|change (?:it|that|this"
    rf"|them) to)\b {_NO_THING}\S",
    rf"^{_CHOICE_LEAD}use (?!(?:the|your|a|an) \w+ (?:tool|command|skill)\b){_NO_THING}(?:(?! to [a-z]).)*"
    r"\b(?:for|in|as|everywhere|here|there|rather than|over|throughout)\b",
)

_ANEW = re.compile(  # another thing than was said before, in a few words: "no, use B"
    rf"^(?:{_CHOICE_LEAD})(?:(?:no|nope|nah|actually|instead|rather|on second thought|none of (?:these|those"
    rf"|them))\W+)+"
    rf"(?:please |just |i'?d (?:rather )?|let'?s |we'?ll )*"
    rf"(?:use|do|go with|go for|take|pick|keep|switch to|make it|try|stick with|want|prefer) {_NO_THING}[\w`]",
    re.IGNORECASE,
)


def from_user(text: str, into: Statements, *, opening: bool) -> None:
    """Add the facts of one user message; `opening` says that its text is the session's goal."""
    written = prose(text)
    if opening and (goal := written or prose(text, long_too=True)):
        into.add("goal", "", shorten(goal, GOAL_CHARACTERS), "user")
    if count_words(written) >= REQUEST_WORDS or _asks_in_two_words(written):
        asked = shorten(plain(as_written(text) if opening else written), REQUEST_CHARACTERS)
        into.add("request", key_of(asked), asked, "user")
    pasted = pasted_lines(text) | others_words.others_lines(text)
    lines = (line for line in written.split("\n") if line.strip() not in pasted or not line)
    own = "\n".join(map(others_words.without_theirs, lines))
    for sentence in _whole_corrections([without_marks(sentence) for sentence in sentences_of(own)]):
        said = _GOAL.match(sentence) if len(sentence) <= GOAL_CHARACTERS and not opening else None
        if said:
            into.add("goal", "", said["goal"], "user")
        elif LEAST_CHARACTERS <= len(sentence) <= SENTENCE_CHARACTERS and not sentence.endswith("?"):
            _sentence(sentence, into)
    for item in checklists.items(text):
        into.add("task", key_of(item.text), item.text, "user", item.status)


def _asks_in_two_words(written: str) -> bool:
    """Is it a sentence of two words that may be a rule, in whatever language?"""
    words = written.split()
    long = any(len(word.strip(".!")) >= LONG_WORD for word in words)
    return len(words) == REQUEST_WORDS - 1 and long and written.rstrip().endswith((".", "!"))


def from_answer(text: str, asked: Asked, into: Statements) -> None:
    """Add what the assistant had asked, and what was agreed to."""
    written = prose(text)
    choice = chosen(asked.text, written)
    question = closing_question(asked.text, about=not choice)
    question = question if choice or not says_nothing(question) else ""
    about = closing_question(asked.text)
    if proposed := pointed(about, asked.text):
        question, choice = about, choice or f"proposed: {proposed}"
    if not about and asked.pending is None:
        question = question or agreed_to(asked.text, written)
    if written and (question or choice):
        answer = f'"{shorten(plain(written), ANSWERED_CHARACTERS)}"'
        detail = f"{answer} ({choice})" if question and choice else answer
        into.add("question", asked.origin, question or choice, "user", detail=detail)
    elif written and asked.pending is not None and answers_anew(written, asked.pending.replies[-1]):
        said = (f'"{shorten(plain(one), ANSWERED_CHARACTERS)}"' for one in (*asked.pending.replies, written))
        about = closing_question(asked.pending.text)
        into.add("question", asked.pending.origin, about, "user", detail="; then ".join(said))
    if decision := agreed(asked.text, written):
        into.add("decision", key_of(decision), decision, "assistant")


def _whole_corrections(found: list[str]) -> list[str]:
    """Join a correction that only says no ("not what i wanted.") with the sentence that says what instead."""
    joined: list[str] = []
    for sentence in found:
        before = joined[-1] if joined else ""
        bare = len(before.split()) <= CORRECTION_WORDS and _corrects(before)
        if (
            bare
            and not before.endswith("?")
            and not sentence.endswith("?")
            and len(before) + len(sentence) < SENTENCE_CHARACTERS
        ):
            joined[-1] = f"{before} {sentence}"
        else:
            joined.append(sentence)
    return joined


def _corrects(sentence: str) -> bool:
    return bool(_CORRECTION.match(sentence) or (may_hold(sentence, ("instead",)) and _INSTEAD.search(sentence)))


def _sentence(sentence: str, into: Statements) -> None:
    """Add what one sentence states: a thing taken back, a rule, a correction, or a choice; at most one."""
    taken_back = taking_back.lifted(sentence)
    own = others_words.own_part(sentence)
    rule = may_hold(own, _RULE_WORDS) and _RULE.search(own) and not _NO_RULE.search(sentence)
    if taking_back.not_needed(sentence) or (not rule and taking_back.to_language(sentence)):
        taken_back = sentence
    if taken_back:
        into.add("constraint", f"retracted {key_of(taken_back)}", sentence, "user", "retracted")
    elif _ALLOWING.match(sentence):
        into.add("constraint", f"retracted {key_of(sentence)}", sentence, "user", "retracted", ALLOWED)
    elif rule:
        into.add("constraint", key_of(sentence), sentence, "user")
    elif (len(sentence.split()) > CORRECTION_WORDS and _corrects(sentence)) or _USE_INSTEAD.match(sentence):
        into.add("constraint", key_of(sentence), sentence, "user", detail="correction")
    elif _DECISION.match(sentence) or _ANEW.match(sentence):
        into.add("decision", key_of(sentence), sentence, "user")
