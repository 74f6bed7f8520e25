"""Turns an assistant's text into its statements: what it decided, what it found, and what it announced last.

1. A sentence, or an item of a list whole, is a statement as it stands: fenced code, quoted lines, tables, tasks and
   questions are none, nor options to choose from, nor is what is longer than STATEMENT_CHARACTERS, nor what has no
   word beside code and links.
2. Of English the wording tells (`wordings`) of what is asserted (`asserting`), and the heading "Decisions" over a
   list.
3. Of any other language structure alone tells, and all that it states counts as found: what names something and
   stands in a short text, as is said between two calls; of a longer one the items of lists, what leads in bold, and
   how a paragraph begins. What ends in a colon only introduces.
4. What else it says of things that it names, that they are so, were changed or are over, is an aside: it counts
   where it takes back what was stated before (`superseding`). A plan to look and a condition are none.
5. What is announced is the last sentence that does so; of another language the last one of a short text.
"""

import re
from typing import Literal

import msgspec

from ctxmgr.engine.findings import sentences
from ctxmgr.engine.findings.asserting import asserted, is_open, is_step, reports
from ctxmgr.engine.findings.contrary import speech
from ctxmgr.engine.findings.questions import offered
from ctxmgr.engine.findings.reversing import takes_back
from ctxmgr.engine.findings.wordings import announces, decides, done, finds_out, looks, observes, supposes
from ctxmgr.engine.text import count_words, identifiers, one_line, sentences_of, unfenced, without, words_of

STATEMENT_CHARACTERS = 400
LEAST_CHARACTERS = 12
LEAST_WORDS = 3
LEAST_ANNOUNCED_WORDS = 5  # "Let me start anew" says nothing that one could go on with
SHORT_SENTENCES = 4  # of a text that is said between two calls
MOST = 24  # statements of one text, the last
ENGLISH_SHARE = 0.08  # of a text's words that are of the commonest English ones

_ENGLISH = frozenset(
    words_of(
        "the is to of and that it for with this not are was from you now have has been but does were when let after"
        " then next should would could here there ll ve fixed added passes works fails"
    ).split()
)
_CODE = re.compile(r"`[^`\n]*`")
_WORD = re.compile(r"[^\W\d_]+")
_POINTING = re.compile(r"`[^`\n]*`|\[[^\]\n]*\]\([^)\s]*\)|https?://\S+")  # code, a link, an address
_MARKS = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_BOLD = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?(?:\*\*|__)(?=\S)")
_LEAD = re.compile(
    r"^(?:#+\s+|\*\*)?(?:(?:key|final|main|design|my|our|agreed|the) )*decisions?(?: made)?\W*$", re.IGNORECASE
)
_FOUND = re.compile(  # of which the next sentence says what
    r"^\W*(?:(?:ah|ok(?:ay)?|great|yes)\W+)*(?:(?:i |we )?(?:found|got)"
    r" (?:it|the (?:\w+ )?(?:bug|cause|problem|issue|culprit))"
    r"|(?:here|there)(?:['’]s| is) the (?:\w+ )?(?:bug|cause|problem|issue|culprit))\W*$",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"^[*_]*(?:(?:key|final|design|my|our|the) )*decisions?(?: made)?[*_]*:[*_]*\s*(?P<what>\S.*)$", re.IGNORECASE
)

StatementKind = Literal["decision", "finding"]


class Statement(msgspec.Struct, frozen=True, gc=False):
    """One sentence on one line, in the assistant's words. `aside`: see rule 4."""

    kind: StatementKind
    text: str
    aside: bool = False


class _ReadSentence(msgspec.Struct, frozen=True, gc=False):
    """A sentence as it was said. `leads`: it is an item, in bold, or begins a paragraph; `decided`: it stands under
    a heading of decisions; `introduces`: it ends in a colon; `labelled`: it stands behind "Found it."."""

    text: str
    leads: bool
    decided: bool
    introduces: bool
    labelled: bool = False


def statements(text: str) -> tuple[Statement, ...]:
    """All of a text, in its order."""
    said = _sentences(text)
    english = is_english(text)
    short = len(said) <= SHORT_SENTENCES
    found = [_statement(one, english, short) for one in said]
    stated = [one for one in found if one is not None and not one.aside][-MOST:]
    asides = [one for one in found if one is not None and one.aside][-MOST:]
    kept = {id(one) for one in (*stated, *asides)}
    return tuple(one for one in found if one is not None and id(one) in kept)


def announced(text: str) -> str:
    """What it says that comes next (rule 5), "" where it says nothing of it."""
    said = [one.text for one in _sentences(text)]
    if is_english(text):
        whole = [one for one in said if len(one.split()) >= LEAST_ANNOUNCED_WORDS]
        return next((one for one in reversed(whole) if announces(one)), "")
    return said[-1] if said and len(said) <= SHORT_SENTENCES and _has_words(said[-1]) else ""


def is_english(text: str) -> bool:
    """By its commonest words, code aside; a text without words is taken for it."""
    said = without(_CODE.sub(" ", "\n".join(unfenced(text[: sentences.TEXT_CHARACTERS]))))
    words = _WORD.findall(said.casefold())
    return sum(word in _ENGLISH for word in words) >= ENGLISH_SHARE * len(words)


def _statement(one: _ReadSentence, english: bool, short: bool) -> Statement | None:
    if not _has_words(one.text):
        return None
    labelled = _LABELLED.match(one.text)
    if labelled:
        return Statement("decision", labelled["what"])
    if one.decided:
        return Statement("decision", one.text)
    if one.introduces and (not english or sentences.only_introduces(f"{one.text}:")):
        return None
    names = "`" in one.text or bool(identifiers(one.text))
    if not english:
        return Statement("finding", one.text) if names and (short or one.leads) else None
    said = asserted(one.text)
    if not said or is_step(said):
        return None
    if reports(said):
        return _aside(one.text)
    if decides(said):
        if is_open(said):
            return None
        return Statement("finding" if observes(said) else "decision", one.text)
    if finds_out(said, names) or takes_back(said) or (one.labelled and names and not looks(said)):
        return Statement("finding", one.text)
    return _aside(one.text)


def _has_words(text: str) -> bool:
    """Beside code and links."""
    return bool(_WORD.search(_POINTING.sub(" ", text)))


def _aside(text: str) -> Statement | None:
    """Rule 4."""
    if looks(text) or supposes(text):
        return None
    said = speech(text)
    changes = bool(said.removed or said.says.turns or said.says.chooses or done(text))
    if not said.turns and not (
        said.names and (changes or any(part.judges or part.denied for part in said.clauses))
    ):
        return None
    judged = any(part.judges or part.denied for part in said.clauses)
    decided = said.removed or said.says.chooses or ((said.says.turns or done(text)) and not judged)
    return Statement("decision" if decided else "finding", text, aside=True)


def _sentences(text: str) -> list[_ReadSentence]:
    """Rule 1, but for what only introduces."""
    found: list[_ReadSentence] = []
    decided, begins = False, True
    options = offered(text[: sentences.TEXT_CHARACTERS])
    for line in unfenced(text[: sentences.TEXT_CHARACTERS]):
        if not line.strip():
            begins = True
            continue
        if _LEAD.match(line.strip()):
            decided = True
            continue
        bare = _MARKS.sub("", line)
        listed = bare != line
        decided = decided and listed
        if sentences.skipped(line) or line.lstrip().startswith(">") or line in options:
            continue
        whole = listed and len(bare) <= STATEMENT_CHARACTERS
        leads = listed or begins or bool(_BOLD.match(line))
        announced_find = False
        for part in [bare] if whole else sentences_of(bare):
            clean = one_line(part, len(part))
            if _stands(clean):
                text, opens = clean.removesuffix(":"), clean.endswith(":")
                found.append(_ReadSentence(text, leads, decided, opens, announced_find))
            leads, announced_find = listed, bool(_FOUND.match(clean))
        begins = False
    return found


def _stands(text: str) -> bool:
    asks = text.rstrip("*_`\"') ").endswith(("?", "？"))
    return not asks and LEAST_CHARACTERS <= len(text) <= STATEMENT_CHARACTERS and count_words(text) >= LEAST_WORDS
