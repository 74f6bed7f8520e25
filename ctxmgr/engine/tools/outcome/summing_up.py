"""Reads the lines by which a program sums a run up, whatever program it is: `12 checks, 2 failed in 3 s`.

Rules:

1. A line sums up where each of its clauses is a count, a time or a word of how it went: what is told in a sentence
   is none. It counts failures where a clause ends with the word for them, and its number fits that word:
   `404 error` and `step 3 failed` count nothing.
2. What was expected, fixed or left out is no failure, nor what is fixed by another clause of the line.
3. A verdict is a line that says of the whole that it failed (`BUILD FAILED`, `OVERALL: FAIL`), or that begins with
   that word and names what did.
4. The line of a test that passed says nothing else, whatever its name.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from ctxmgr.engine.tools.outcome.report import Count, word_of

SUM_CHARACTERS = 200  # of a line that sums up
MOST_UNREAD = 1  # clauses of a line that counts, which are no count

Sum = Literal["failed", "passed", ""]

HINTS = ("fail", "error", "broken", "crash", "abort", "timed out", "exit")  # of lines that may say that it failed
_WELL_HINTS = ("pass", "ok", "succe", "green")  # and of those that may say that it went well
_COLOURS = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
_PARTS = re.compile(
    r"[,;|(){}\[\]]+|\s[-–—·•]+\s|\.(?=\s|$)|\s{2,}|\s(?:and|with)\s|\t|:\s+(?=\d+ [^\W\d])|(?<=[a-z])\s/\s"
    r"|(?<=\d)\s(?=[^\W\d]+[:=] ?\d)"
)
_NEUTRAL = (
    r"(?:there|were|are|was|had|has|got|found|tests|files|suites|specs|checks|cases|steps|tasks|jobs|total|results"
    r"|run|ran|completed|finished|done|ended|number|of)"
)
_NOUN = r"(?:tests?|files?|suites?|specs?|checks?|cases?|steps?|tasks?|jobs?|examples?|scenarios?|assertions?)"
_OF = r"(?:\s?/\s?|\s(?:out )?of\s(?:the )?)\d+"
_FIRST = re.compile(
    rf"(?:{_NEUTRAL} )*(?P<number>\d{{1,6}})(?:{_OF})?(?P<what>(?: [^\W\d][\w-]*){{0,2}})"
    rf" (?P<word>[^\W\d]+)(?: {_NOUN})?(?: (?:in|across|out of|of|from) \d[\d.,]*(?: ?\S+){{0,2}})?",
    re.IGNORECASE,
)
_LAST = re.compile(
    rf"(?P<what>(?:{_NEUTRAL} )*)(?P<word>[^\W\d]+)(?: {_NOUN})?(?P<tied> ?[:=] ?| )(?P<number>\d{{1,6}})(?:{_OF})?"
    rf"(?: {_NOUN})?",
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?<=[:=])\s+")
_FAILS = re.compile(r"fail(?:ed|ing|s|ures?)?|errors?|errored|broken|crashed|crashes", re.IGNORECASE)
_PASSES = re.compile(r"pass(?:ed|ing|es)?|ok|succeeded|successful|success|successes|green", re.IGNORECASE)
_MENDS = re.compile(r"fixed|mended|corrected|resolved|recovered|repaired|retried|expected|allowed", re.IGNORECASE)
_LEFT = re.compile(r"remaining|remain|left|unfixed", re.IGNORECASE)
_SET_ASIDE = re.compile(
    r"\b(?:fix\w*|mend\w*|resolv\w*|recover\w*|retr[iy]\w*|expect\w*|allow\w*|known|previous\w*|ignor\w*|skip\w*|max"
    r"|maximum|limit|baseline|old|suppress\w*|tolerat\w*|flaky|warning)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE = re.compile(
    r"[\d.,:/% ]*(?:ms|s|m|h|sec\w*|min\w*)?"  # a time
    r"|(?:\S+ ){0,3}[\d.,/%]+\w*(?: ?\S+){0,4}"  # a number of anything
    r"|[A-Z]{2,}(?: [A-Z]+)*|ok|passed|failed|done|(?:[\w-]+ )?(?:result|summary|total)|[^\W\d]+:?",
    re.IGNORECASE,
)
_HEADS = re.compile(r"[^\W\d][\w./-]*(?: [\w./-]+){0,2}")  # what the first clause may name
_WHOLE = (
    r"(?:build|compil\w+|tests?|test run|test suite|suite|checks?|lint\w*|type-?check\w*|verif\w+|validation"
    r"|deploy\w*|pipeline|stage|step|task|job|run|migrations?|release|publish\w*|install\w*|command|process|result"
    r"|status|overall|outcome|verdict)"
)
_VERDICT = re.compile(
    rf"\W*(?P<before>(?:[\w@./-]+[\]: ]+){{0,3}}?)(?i:{_WHOLE})(?: ?[:=]| (?:has|is))? "
    r"(?i:failed|failure|fail|aborted|timed out)(?:: .*| (?:with|in|after|because|due)\b.*|\W*)"
    r"|\W*(?:(?:[\w@./-]+ ){0,2}[\w@./-]+(?:: ?| ))?(?:FAILED|FAILURE|FAIL)(?: in [\d.]+ ?\w+)?\W*"
    r"|\W*(?:(?:[\w-]+ )?exited with|[Ee]xit) (?:code|status):? [1-9]\d*\W*"
)
_UNSURE = re.compile(
    r"\b(?:no|not|never|if|when|whether|until|unless|once|or|0|zero|would|checking)\b", re.IGNORECASE
)
_NAMES_ONE = re.compile(r"\s*(?:-{3} )?(?:FAIL|FAILED)(?::|\s)\s*\S|not ok \d(?!.*# (?:TODO|SKIP))")
_DIAGNOSIS = re.compile(
    r"\s*(?:[\w./@+-]+(?::\d+){1,2}|[\w./@+-]+\(\d+(?:,\d+)?\)|\d+:\d+):? +(?:- )?(?:fatal )?error\b(?!s)"
    r"|error\[\w+\]:|error [A-Z]+\d+:"
)
_ONE_PASSED = re.compile(
    r"^\s*(?:[✓✔√☑]|ok\b|PASS\b|-{3} PASS|\[(?:ok|pass)\])|\b(?:ok|PASSED|passed)$", re.IGNORECASE
)


def may_tell(line: str) -> bool:
    """Has the line a word that any rule here reads? It saves the patterns, which cost a hundred times as much."""
    lower = line.lower()
    return any(hint in lower for hint in HINTS) or (
        any(hint in lower for hint in _WELL_HINTS) and any(mark.isdigit() for mark in line)
    )


def sums_up(line: str) -> Sum:
    """Does this line count failures, or count what ran and no failure? "" where it does neither (rules 1, 2, 4)."""
    found = list(counts_of(line))
    if not found:
        return ""
    failed = sum(number for number, word in found if _FAILS.fullmatch(word))
    left = [number for number, word in found if _LEFT.fullmatch(word)]
    mended = sum(number for number, word in found if _MENDS.fullmatch(word))
    if failed and not (left and not sum(left)) and mended < failed:
        return "failed"
    said = any(_FAILS.fullmatch(word) or _PASSES.fullmatch(word) for _, word in found)
    return "passed" if said and not failed else ""


def counts_of(line: str) -> Iterator[Count]:
    """What a line counts that sums up, zeros too; nothing of another."""
    line = _COLOURS.sub("", line).strip()
    if len(line) > SUM_CHARACTERS or not any(mark.isdigit() for mark in line) or _ONE_PASSED.match(line):
        return
    line = _SPACED.sub(" ", line.replace('"', "")).lstrip("#*=-–—ℹ✖✗✘×❌>! \t")
    found: list[Count] = []
    unread = 0
    for place, part in enumerate(_PARTS.split(line)):
        part = part.strip(" =*_-–—#.!:<>")
        count = _count(part)
        if count is not None:
            found.append(count)
        elif part and not _SAYS_LITTLE.fullmatch(part) and (place or not _HEADS.fullmatch(part)):
            unread += 1
    if unread <= (MOST_UNREAD if len(found) > MOST_UNREAD + 1 else 0):
        yield from found


def _count(part: str) -> Count | None:
    """Of one clause (rules 1 and 2)."""
    last = _LAST.fullmatch(part)
    found = last or _FIRST.fullmatch(part)
    if found is None:
        return None
    number, word = int(found["number"]), found["word"].lower()
    if _FAILS.fullmatch(word):
        sure = _is_no_code(word, last["tied"].strip()) if last else _agree(number, word)
        if not sure or _SET_ASIDE.search(found["what"]):
            return None
    return number, word


def _agree(number: int, word: str) -> bool:
    """Is it a number of these (`1 error`, `3 errors`), and no name of one (`404 error`)?"""
    if word in ("error", "failure"):
        return number == 1
    return number != 1 or word not in ("errors", "failures")


def _is_no_code(word: str, tied: str) -> bool:
    """Does a number behind this word count, as in `failures: 2`, and is no code, as in `error 104`?"""
    return word not in ("error", "failure") or (word == "failure" and bool(tied))


def is_verdict(line: str) -> bool:
    """Does it say of the whole that it failed (rule 3)?"""
    line = _COLOURS.sub("", line)
    found = _VERDICT.fullmatch(line.strip()) if len(line) <= SUM_CHARACTERS else None
    return found is not None and not _UNSURE.search(found["before"] or "")


def names_a_failure(line: str) -> bool:
    """Does it begin with the word for a failure, and name one (rules 3 and 4)?"""
    line = _COLOURS.sub("", line)
    return _NAMES_ONE.match(line) is not None and _ONE_PASSED.search(line) is None


def is_diagnosis(line: str) -> bool:
    """Does it tell of an error at a place of a file, as compilers do?"""
    return _DIAGNOSIS.match(_COLOURS.sub("", line)) is not None


def failing_counts(lines: Iterable[str]) -> list[Count]:
    """What the last line counts that counts failures: what stands before it may be a part of it."""
    failing = [line for line in lines if sums_up(line) == "failed"]
    return [(number, word_of(word)) for number, word in counts_of(failing[-1])] if failing else []
