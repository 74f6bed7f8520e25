"""Turns what was said into its best sentences: which ones a reader would miss most, told without a model.

A sentence is worth keeping by four things, each cheap and each with its reason:
1. Centrality: it names what the rest of the session names too (identifiers, paths, longer words). A term that
   stands in one message alone ties nothing together, one that stands in nearly all says nothing: log of the
   messages with it, times log of their rarity. Divided by the root of the length, or long sentences always win.
2. Wording: choices, causes and results (`wordings`) are what a later reader can
   not work out again. Narration ("Let me check"), praise, questions and lines that only introduce something
   are left out for good: out of their place they say nothing.
3. Recency: late statements are about the state that the work goes on from; early ones may be outdated.
4. Novelty: a sentence whose terms the chosen ones hold already adds little, and is passed over.

No graph of sentences, which would be quadratic: terms are counted once, and each sentence is scored once. Same
texts, same choice: ties go to the later sentence. Knows nothing of messages, facts and weights.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log, sqrt

import msgspec

from ctxmgr.engine.findings.asserting import is_step
from ctxmgr.engine.findings.wordings import decides, done, finds_out
from ctxmgr.engine.text import count_words, identifiers, key_of, one_line, sentences_of, unfenced

SENTENCE_CHARACTERS = 320  # a longer one is several, or pasted
LEAST_WORDS = 4
FINDING_WORDS = 6
INTRODUCING_WORDS = 7  # "Fixed all tests to use the new themes:" says it all; "Changes made:" nothing
TEXT_CHARACTERS = 12_000  # of one text that is read: the rest is a document, not a statement
COVERED = 0.7  # of a sentence's terms that the chosen ones hold: it is passed over then
TELLING = 1.5  # how much the wording of a finding counts; a judgement, from reading recorded sessions
WORD_CHARACTERS = 7  # shorter words are everybody's

_WORD = re.compile(rf"[a-z]{{{WORD_CHARACTERS},}}")
_NARRATION = re.compile(
    r"^(?:(?:ok(?:ay)?|so|and|but|good|great|perfect|right|now|first|next|then|also|alright|finally|wait|actually"
    r"|hm+|ah|yes|sure)[,.!:—–-]* +)*"
    r"(?:let me|let'?s|let us|i'?ll|i will|i'?m going to|i am going to|i need to|i want to|i should|i'?d like"
    r"|we need to|need to|time to|now\b|next:|here(?:'s| is| are)\b|want me|would you|do you|should i|shall i"
    r"|can you|(?:you'?re|you are) (?:absolutely |completely |totally )?(?:right|correct)|sorry|my bad"
    r"|good (?:catch|point|idea)"
    r"|looking at|waiting for|test it|try (?:it|changing|toggling|setting)|feel free|if you(?:'d| would| want)"
    r"|let us know|(?:i )?hope)\b",
    re.IGNORECASE,
)
_PRAISE = re.compile(
    r"^(?:(?:perfect|great|excellent|done|good|nice|wonderful|awesome|ok(?:ay)?|alright|yes|got it|aha|ah|oh"
    r"|i see|fixed|sure|understood|hm+|committed|pushed|works?|all (?:good|done|set))\b[,.!:—– -]*)+",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^\s*(?:(?:[-*+•>]|\d{1,3}[.)]|\[[ xX~]?\]|[✅✓✔☑️❌⚠→]+)\s+)+")
_SKIPPED = re.compile(
    r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[[ xX✓✔✅~>/]?\]\s|^\s*(?:#{1,6}\s|\|.*\||[-=*_]{3,}\s*$|</?\w"
    r"|::[\w-]+(?:\[.*\])?\{.*\}\s*$)|[│─╭╰┌└├┤┃━█]"
)
_LEANING = re.compile(
    r"(?:so|but|it|its|this|these|those|that|they|he|she|however|and|also|actually|hm+|then|instead|both|same"
    r"|otherwise"
    r"|ok(?:ay)?|alright|still|therefore|since|because|when|if|wait|ah+|now|here|there|all|i see)\b",
    re.IGNORECASE,
)
_HANGING = re.compile(
    r"\b(?:for|with|to|of|in|on|by|as|from|like|the|and|or|that|is|are|was|were|both|via|leading to|following"
    r"|cover(?:s|ing)|explain(?:s|ing)|contain(?:s|ing)|includ(?:es|ing)|following (?:\w+)|because|since"
    r"|(?:that|which|it|they) (?:\S+ )?now):$",
    re.IGNORECASE,
)
_CODE_END = re.compile(r"(?:[;{}(,\\]|=>)$")


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """One sentence. `text_index` is the place of its text in the session, `sentence_index` its own within the text.
    `listed`: it was a list's item. `leans`: it refers to what was said before it."""

    text: str
    text_index: int
    sentence_index: int
    listed: bool = False
    leans: bool = False


def standalone(text: str, at: int = 0) -> list[Sentence]:
    """The sentences of a text that could stand by themselves, clean and on one line each, in their order."""
    found: list[Sentence] = []
    for line in unfenced(text[:TEXT_CHARACTERS]):
        if skipped(line):
            continue
        bare = _MARKS.sub("", line)
        listed = bare != line
        parts = [bare] if listed and len(bare) <= SENTENCE_CHARACTERS else sentences_of(bare)
        for part in filter(stands, parts):
            clean = one_line(part, len(part)).removesuffix(":")
            if clean:
                found.append(Sentence(clean, at, len(found), listed, bool(_LEANING.match(clean))))
    return found


def skipped(line: str) -> bool:
    """Whether a line is no sentence: a heading, a table's row, a drawing, a tag, a directive to the
    host (`::name{...}`), or a task (a fact of its own)."""
    return not line.strip() or bool(_SKIPPED.search(line))


def stands(sentence: str) -> bool:
    """Whether a sentence says something without what is around it (rule 2)."""
    sentence = sentence.strip()
    bare = sentence.rstrip("*_` ")
    if bare.endswith(":") and not (tells(bare) and not only_introduces(bare)):
        return False
    if bare.endswith(("?", "…", "...")) or len(sentence) > SENTENCE_CHARACTERS or _CODE_END.search(bare):
        return False
    if _NARRATION.match(sentence) or sentence.count("`") % 2:  # cut off in the middle of a name
        return False
    return count_words(_PRAISE.sub("", sentence)) >= LEAST_WORDS


def only_introduces(sentence: str) -> bool:
    """Does what ends in a colon say nothing without what follows it?"""
    return bool(_HANGING.search(sentence)) or len(sentence.split()) < INTRODUCING_WORDS


def tells(sentence: str) -> bool:
    """Does it say a choice, a finding or a result?"""
    return decides(sentence) or finds_out(sentence, "`" in sentence) or done(sentence)


def terms(text: str) -> frozenset[str]:
    """What a text names: identifiers, paths and flags as written, and longer words in lower case."""
    named = {term.strip("./-") for term in identifiers(text)}
    return frozenset(named | set(_WORD.findall(text.casefold()))) - {""}


def central(texts: Iterable[str]) -> dict[str, float]:
    """The worth of each term that at least two texts share (rule 1)."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(terms(text[:TEXT_CHARACTERS]))
        total += 1
    return {term: log(1 + seen) * log(1 + total / seen) for term, seen in counts.items() if seen > 1}


def worth(sentence: str, weights: dict[str, float], lateness: float) -> float:
    """The worth of a sentence (rules 1 to 3); `lateness` runs from 0, the session's start, to 1."""
    shared = sum(sorted(weights.get(term, 0.0) for term in terms(sentence)))  # sorted: sums do not commute
    telling = TELLING if tells(sentence) else 1.0
    return (1 + shared) * telling * (0.6 + 0.4 * lateness) / sqrt(count_words(sentence) + 4)


def finds(one: Sentence) -> bool:
    """Whether a sentence can be told far from where it was said: names what it is about, states something."""
    if (
        one.leans
        or "?" in one.text
        or is_step(one.text)
        or _PRAISE.match(one.text)
        or count_words(one.text) < FINDING_WORDS
    ):
        return False
    return ("`" in one.text or bool(identifiers(one.text))) and (not one.listed or bool(tells(one.text)))


def best(
    said: Sequence[Sentence], weights: dict[str, float], *, characters: int, without: Iterable[str] = ()
) -> list[Sentence]:
    """The sentences worth most that fit into so many characters, in the order they were said.

    `without` are texts that are told elsewhere: none of these again, and what they name counts as held.
    """
    latest = max((one.text_index for one in said), default=0) or 1
    scored = [
        (worth(one.text, weights, one.text_index / latest), one.text_index, one.sentence_index, one) for one in said
    ]
    told = {key_of(text) for text in without}
    held: set[str] = set()
    chosen: list[Sentence] = []
    for _, _, _, one in sorted(scored, key=lambda row: row[:3], reverse=True):
        key, named = key_of(one.text), terms(one.text)
        if len(one.text) > characters or key in told:
            continue
        if named and len(named & held) >= COVERED * len(named):
            continue
        characters -= len(one.text) + 1
        told.add(key)
        held |= named
        chosen.append(one)
    return sorted(chosen, key=lambda one: (one.text_index, one.sentence_index))


def joined(parts: Iterable[str]) -> str:
    """Sentences and list items as one running text."""
    text = ""
    for part in parts:
        text += ("" if not text else " " if text[-1] in ".!?" else "; ") + part
    return text
