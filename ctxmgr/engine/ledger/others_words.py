"""Tells what in a user's message are others' words: pasted mails, diffs, output and files, and what somebody is
told to have said. They state no rule; they stay in what was asked.

1. By structure first. A mail goes from its headers to a gap or a line that delimits it, a diff as far as its lines
   have its marks, what follows a shell's prompt to the end of the paragraph.
2. What stands below a line that announces others' words ("@notes.md says:", "I get this:") is a block: a paragraph,
   or headings and lists up to the next plain paragraph.
3. In a line, what somebody but the user says ("my colleague said: ...") are others' words up to a sentence that
   begins as one of the user's own. So is what stands in quotes, of several words.
4. In doubt they are others': a rule that is missed is still in the message, a false one misleads.
"""

import re
from collections.abc import Iterator, Sequence

from ctxmgr.engine.text import sentences_of

_SAYS = (
    r"(?:says|said|writes|wrote|reads|claims?|claimed|states|stated|tells? (?:me|us)|told (?:me|us)|thinks"
    r"|suggests|suggested|insists|insisted|argues|argued|replied|answered|commented|complains|complained)"
)
_OWN = r"(?<!\bi )(?<!\bwe )(?<!\bas )(?<!\blike )(?<!\bhave )(?<!['’]ve )(?<!\balready )(?<!\bjust )(?<!\bto )"
_TOLD = re.compile(rf"[\w'’\"`)] +{_OWN}{_SAYS}\b(?: [\w ]{{1,30}})?(?P<colon>:)?", re.IGNORECASE)
_OWN_START = re.compile(r"(?:i|we|please|but|so|still|however|instead|let(?:'|’)?s|yet)\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"\n]*\w\s+\w[^\"\n]*\"|“[^”\n]*\w\s+\w[^”\n]*”|«[^»\n]*\w\s+\w[^»\n]*»")
_ANNOUNCED = re.compile(
    rf".*(?:[\w'’\"`)] +{_OWN}{_SAYS}"
    r"|\b(?:gets?|got|sees?|prints?|printed|shows?|showed|outputs?|returns?|returned)"
    r"(?: (?:this|these|that|me|us|it))*"
    r"|\b(?:output|contents?|logs?|trace|traceback|stderr|stdout|response|mail|e-?mail|diff|patch|errors?|reply"
    r"|transcript|readme)(?: (?:of|from|in|by) [^:]{1,80})?)\s*(?:is|was)?\s*:\s*",
    re.IGNORECASE,
)
_WROTE = re.compile(r".*\S@\S+.*:\s*")  # "On Monday Bob <b@x.y> wrote:", in whatever language
_HEADER = re.compile(r"[^\W\d_][\w-]{0,20}: \S")
_ADDRESS = re.compile(r"\S@\S+\.\w")
_MAILS = re.compile(r"(?:from|to|cc|bcc|subject|date|sent|reply-to): ", re.IGNORECASE)
_DELIMITS = re.compile(r"[ \t]*[-=*_~#]{3,}[ \t]*")
_DIFF = re.compile(r"diff --git |--- \S|\+\+\+ \S|@@ |Index: \S")
_IN_DIFF = re.compile(r"[+\- \\@]|diff --git |index [0-9a-f]|(?:new|deleted|old) (?:file )?mode|(?:rename|copy) ")
_PROMPT = re.compile(r"\s*(?:[$%❯➜λ] |\w+@[\w.-]+(?::\S*)?[$#%] )")
_OUTPUT = re.compile(
    r"\s*(?:(?:fatal|error|err|remote|hint|usage|panic|stderr|stdout|npm ERR!): |\[?(?:ERROR|WARN|INFO|DEBUG)\]?:? "
    r"|npm (?:ERR!|WARN|error|warn) |[\w./-]+:\d+(?::\d+)?: |\+(?![\d\s]))",
    re.IGNORECASE,
)
_ARRANGED = re.compile(r"\s*(?:#{1,6} |[-*+•] |\d{1,3}[.)] |>|\|)|\s{2,}\S")


def others_lines(text: str) -> frozenset[str]:
    """The lines, without blanks around them, that are others' as a whole."""
    lines = text.splitlines()
    return frozenset(lines[at].strip() for at in _places(lines))


def without_theirs(line: str) -> str:
    """A line without the sentences that go on with what others are told to have said (rule 3)."""
    if not _TOLD.search(line):
        return line
    kept: list[str] = []
    theirs = False
    for sentence in sentences_of(line):
        theirs = theirs and not _OWN_START.match(sentence)
        if not theirs:
            kept.append(sentence)
        told = _TOLD.search(sentence)
        theirs = theirs or bool(told and told["colon"])
    return " ".join(kept)


def own_part(sentence: str) -> str:
    """The sentence up to what others are told to have said in it; quotes of several words are left out (rule 3)."""
    told = _TOLD.search(sentence)
    return _QUOTED.sub('""', sentence[: told.start() + 1] if told else sentence)


def _places(lines: Sequence[str]) -> Iterator[int]:
    """Of lines that are others'."""
    at = 0
    while at < len(lines):
        line, end = lines[at], at
        if _is_mail(lines, at):
            end = _mail_end(lines, at)
        elif _DIFF.match(line):
            end = next((n for n in range(at, len(lines)) if not _IN_DIFF.match(lines[n])), len(lines))
        elif _PROMPT.match(line):
            end = _paragraph_end(lines, at)
        elif _OUTPUT.match(line):
            end = at + 1
        elif _ANNOUNCED.fullmatch(line):
            yield at
            at += 1
            end = _block_end(lines, at)
        yield from range(at, end)
        at = max(end, at + (end <= at))


def _is_mail(lines: Sequence[str], at: int) -> bool:
    """Two headers, of which one has an address or both are known; or a line that names who wrote what follows."""
    two = lines[at : at + 2]
    if all(map(_HEADER.match, two)) and len(two) > 1:
        return all(map(_MAILS.match, two)) or any(map(_ADDRESS.search, two))
    return bool(_WROTE.fullmatch(lines[at]) and _ADDRESS.search(lines[at]))


def _mail_end(lines: Sequence[str], at: int) -> int:
    """Rule 1."""
    for number in range(at + 1, len(lines)):
        gap = not lines[number].strip() and not lines[number - 1].strip()
        if gap or _DELIMITS.fullmatch(lines[number]):
            return number
    return len(lines)


def _paragraph_end(lines: Sequence[str], at: int) -> int:
    return next((n for n in range(at, len(lines)) if not lines[n].strip()), len(lines))


def _block_end(lines: Sequence[str], at: int) -> int:
    """Rule 2."""
    first = next((n for n in range(at, len(lines)) if lines[n].strip()), len(lines))
    if first == len(lines) or _DIFF.match(lines[first]) or _is_mail(lines, first):
        return at  # which has an end of its own
    end = _paragraph_end(lines, first)
    if not _ARRANGED.match(lines[first]):
        return end
    while end < len(lines) and (not lines[end].strip() or _ARRANGED.match(lines[end])):
        end = end + 1 if not lines[end].strip() else _paragraph_end(lines, end)
    return end
