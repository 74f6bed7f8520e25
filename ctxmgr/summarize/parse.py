"""Turns a model's answer into the text of a summary, or says why it cannot be one.

Rules:
1. An answer that failed, was cut off or called a tool is refused. One that lacks sections of its shape is accepted,
   and the missing content is added later (`evidence`). An outline without content is an empty answer.
2. What surrounds the summary is removed: the analysis, tags, a code fence around everything, words before the first
   heading, file lists (they are appended once, from known data). Tags may be missing or unclosed if the sections
   show where the summary is.
3. Repeated sections are merged (`outline`, rule 2). The mark of a turn's context is not part of an answer: what is
   under it stays, as sections.
4. A summary longer than what it replaces is refused.
5. Prose without any section is refused too, and returned as `prose`, which is kept when all attempts fail.
"""

import re
from typing import Literal

import msgspec

from ctxmgr.engine.compaction import without_lists
from ctxmgr.engine.memory import FENCE, outside_fences, plain, sections_of, sentences_of, shorten
from ctxmgr.model import Weigh, expression, without_surrogates
from ctxmgr.model.compaction import Completion, CompletionRequest
from ctxmgr.summarize.formats import SHORT_SENTENCES, Shape
from ctxmgr.summarize.outline import first_section, section_kinds, undoubled
from ctxmgr.summarize.previous_summary import without_turn_mark

Reason = Literal[
    "failed", "cancelled", "called a tool", "truncated", "empty", "no sections", "too long", "does not fit"
]

OVER_MAX = 1.5
"""How far above its `max_tokens` an answer may weigh: the model counts with another vocabulary. A provider that
keeps the limit never gets near it."""

LEAST_TOKENS = 400
"""A summary up to this weight is never too long: an outline of any format, hardly filled in, weighs 100 to 300."""

SHORT_CHARACTERS = 400  # of the short part: two long sentences

# the start of an answer
_OPENING = expression(r"\s*(?:#|\*\*|1[.)]\s|<(?:analysis|summary|short)>)", re.IGNORECASE)
_ANALYSIS = expression(r"^[ \t]*<analysis>.*?</analysis>[ \t]*$", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_ANALYSIS_OPEN = expression(r"^[ \t]*<analysis>", re.MULTILINE | re.IGNORECASE)
_ANALYSIS_CLOSE = expression(r"[ \t]*</analysis>[ \t]*$", re.MULTILINE | re.IGNORECASE)
_SUMMARY_OPEN = expression(r"^[ \t]*<summary>[ \t]*", re.MULTILINE | re.IGNORECASE)
_SUMMARY_CLOSE = expression(r"[ \t]*</summary>[ \t]*$", re.MULTILINE | re.IGNORECASE)
_SHORT = expression(r"^[ \t]*<short>(.*?)</short>[ \t]*$\n?", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_TAG_LINE = expression(
    r"\s*</?(?:analysis|summary|previous-summary|conversation|short|part\b[^>]*)>\s*", re.IGNORECASE
)
_PLACEHOLDER = expression(r"\[[^\[\]\n]{20,}\]")


class AcceptedAnswer(msgspec.Struct, frozen=True):
    """The text of a summary. `short`: of the continue format, at most two sentences, else ""."""

    text: str
    short: str = ""


class CompletionFailure(msgspec.Struct, frozen=True):
    """Why there is no summary. `detail`: more about it for people, without conversation. `prose`: the answer, if it
    had no section (rule 5). `label`: of the request.
    """

    reason: Reason
    detail: str = ""
    prose: str = ""
    label: str = ""


def verdict(
    completion: Completion, ask: CompletionRequest, shape: Shape, *, most: int, weigh: Weigh
) -> AcceptedAnswer | CompletionFailure:
    """Judges one answer. `most`: tokens of what it replaces."""
    stopped = _stopped(completion)
    if stopped:
        return stopped
    text = without_surrogates(completion.text)
    if not text.strip():
        return CompletionFailure("empty")
    read = text_of(text, shape)
    answer = read.prose if isinstance(read, CompletionFailure) else read.text
    weight, limit = weigh(answer), max(most, LEAST_TOKENS)
    if isinstance(read, CompletionFailure) and weight <= min(limit, max(ask.max_tokens, LEAST_TOKENS)):
        return read
    if weight > limit:
        return CompletionFailure("too long", f"{weight} tokens for {most}")
    if weight > max(ask.max_tokens * OVER_MAX, LEAST_TOKENS):
        return CompletionFailure("too long", f"{weight} tokens where {ask.max_tokens} were asked for")
    return read


def _stopped(completion: Completion) -> CompletionFailure | None:
    match completion.stop:
        case "stop":
            return None
        case "length":
            return CompletionFailure("truncated")
        case "toolUse":
            return CompletionFailure("called a tool")
        case "cancelled":
            return CompletionFailure("cancelled")
    return CompletionFailure("failed", plain(completion.fault))


def text_of(text: str, shape: Shape) -> AcceptedAnswer | CompletionFailure:
    """Reads a whole answer in a shape (rules 1 to 3)."""
    if shape.is_free:
        body = without_turn_mark(without_lists(_unfenced(text))).strip()
        return AcceptedAnswer(body) if plain(body) else CompletionFailure("empty")
    answer = _unfenced(text)
    short = _SHORT.search(answer) if shape.short else None
    apart = answer[: short.start()] + answer[short.end() :] if short else answer
    body = whole = _unfenced(_untagged(apart, shape))
    body = "\n".join(body.splitlines()[first_section(body, shape) :])
    body = undoubled(_without_tag_lines(without_turn_mark(without_lists(body))), shape)
    there = section_kinds(body, shape)
    if not there:
        prose = _without_tag_lines(without_turn_mark(without_lists(whole))).strip()
        return CompletionFailure("no sections", ", ".join(need.name for need in shape.needs), prose)
    asked = _PLACEHOLDER.findall(shape.outline)
    is_outline = sum(title in body for title in asked) * 2 > len(asked) > 0  # most of its own placeholders
    if is_outline or not sections_of(body):
        return CompletionFailure("empty")
    return AcceptedAnswer(body, _short(short[1] if short else "", body) if shape.short else "")


def _untagged(text: str, shape: Shape) -> str:
    """Drops the analysis and takes the content of <summary>. Only tags before the first section count: below it
    they are part of the conversation's subject.
    """
    opened = _ANALYSIS_OPEN.search(text)
    if opened and _is_before_sections(text, opened.start(), shape):
        closed = _ANALYSIS_CLOSE.search(text, opened.end())
        summary = _SUMMARY_OPEN.search(text, opened.end())
        if closed is None and summary is None:
            return ""  # the sections could be the analysis's own
        text = text[closed.end() if closed else summary.start() if summary else 0 :]
    elif stray := _ANALYSIS_CLOSE.search(text):
        rest = text[stray.end() :]
        text = rest if first_section(rest, shape) < len(rest.splitlines()) else text
    summary = _SUMMARY_OPEN.search(text)
    if summary is None or not _is_before_sections(text, summary.start(), shape):
        return text
    body = text[summary.end() :]
    for closing in reversed(list(_SUMMARY_CLOSE.finditer(body))):
        rest = body[closing.end() :]
        if first_section(rest, shape) == len(rest.splitlines()):
            return body[: closing.start()]
    return body


def _is_before_sections(text: str, position: int, shape: Shape) -> bool:
    return len(text[:position].splitlines()) <= first_section(text, shape)


def _unfenced(text: str) -> str:
    """Drops a code fence around the whole answer, and what follows it."""
    lines = text.strip().splitlines()
    start = next((number for number, line in enumerate(lines) if FENCE.match(line)), -1)
    following = next((line for line in lines[start + 1 :] if line.strip()), "")
    if start < 0 or any(_OPENING.match(line) for line in lines[:start]) or not _OPENING.match(following):
        return text
    fences = [number for number in range(start + 1, len(lines)) if FENCE.match(lines[number])]
    closed = len(fences) % 2 == 1  # inner fences come in pairs
    return "\n".join(lines[start + 1 : fences[-1] if closed else None])


def _without_tag_lines(text: str) -> str:
    """Drops lines that are only a tag: remnants of a second copy, or of unclosed tags."""
    lines = outside_fences(_ANALYSIS.sub("", text).rstrip())
    return "\n".join(line for line, outside in lines if not (outside and _TAG_LINE.fullmatch(line)))


def _short(text: str, body: str) -> str:
    """The short part in at most two sentences; if the model gave none, the start of its first section."""
    if not plain(text):
        named = (section for section in sections_of(body) if section.kind in ("goal", "current"))
        text = " ".join(item.text for section in named for item in section.items)
    return shorten(" ".join(sentences_of(plain(text))[:SHORT_SENTENCES]), SHORT_CHARACTERS)
