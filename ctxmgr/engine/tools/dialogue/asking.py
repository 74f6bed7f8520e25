"""Turns a call that asks the user, and its result, into what was asked and what the user answered.

Rules:

1. A call asks a list of questions, or one; a question may have an id, and options, each with a description.
2. An answer is read only in a frame that hosts put it into: quoted beside its question (Claude Code, OpenCode), by
   the question's id or number in JSON (Codex, Gemini CLI), or in a tag (Cline, Roo Code). All else is nobody's.
3. What no option says, and a note beside one, the user wrote.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

HEAD_CHARACTERS = 120  # of a result, before the first question that it repeats
MOST_QUESTIONS = 12
ANSWER_CHARACTERS = 20_000

_TAG = re.compile(r"\s*<(answer|user_message)>\s*(.*?)\s*</\1>", re.DOTALL)
_TAIL = re.compile(r"\. (?:You can now continue|Read the answers)[^\n]*\s*\Z")
_PREVIEW = '" selected preview:'
_NOTES = " user notes: "
_NOTE = "user_note: "
_NONE = "Unanswered"  # in the place of an answer (OpenCode)


class UserAnswer(msgspec.Struct, frozen=True):
    """What the user said to one question. `means`: how the options that it names were described; `written`: what
    the user wrote, "" where it only names options."""

    question: str
    reply: str
    means: str = ""
    written: str = ""


class _Question(msgspec.Struct, frozen=True):
    text: str
    names: tuple[str, ...]
    options: dict[str, str]  # label: description


def user_answers(arguments: Mapping[str, Any], result: str) -> tuple[UserAnswer, ...]:
    """One for each question that was answered; none where the result is in no known frame."""
    asked = list(_questions(arguments))[:MOST_QUESTIONS]
    if not asked:
        return ()
    answers = _in_json(asked, result) or _in_tag(asked, result) or _beside(asked, result[:ANSWER_CHARACTERS])
    return tuple(_answer(question, said, note) for question, said, note in answers if said or note)


def _questions(arguments: Mapping[str, Any]) -> Iterator[_Question]:
    listed = _decoded(arguments.get("questions"))
    for number, one in enumerate(listed if isinstance(listed, list) else [arguments]):
        text = one.get("question") if isinstance(one, dict | Mapping) else None
        if isinstance(text, str) and text.strip():
            names = (one.get("id"), str(number), text, one.get("header"))
            given = _decoded(one.get("options") or one.get("follow_up"))
            options = dict(filter(None, map(_option, given))) if isinstance(given, list) else {}
            yield _Question(text, tuple(name for name in names if isinstance(name, str)), options)


def _option(given: Any) -> tuple[str, str] | None:
    if isinstance(given, str):
        return given, ""
    if not isinstance(given, dict):
        return None
    label = next((given[key] for key in ("label", "text", "name") if isinstance(given.get(key), str)), None)
    about = given.get("description")
    return (label, about if isinstance(about, str) else "") if label else None


def _decoded(given: Any) -> Any:
    """A list that a model wrote as JSON in a text."""
    if not isinstance(given, str):
        return given
    try:
        return msgspec.json.decode(given)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


_Said = tuple[_Question, str, str]  # question, answer, note


def _in_json(asked: list[_Question], result: str) -> list[_Said]:
    told = _decoded(result) if result.lstrip().startswith("{") and len(result) <= ANSWER_CHARACTERS else None
    answers = told.get("answers") if isinstance(told, dict) else None
    if not isinstance(answers, dict):
        return []
    return [
        (question, *_parts(answers[name]))
        for question in asked
        for name in [next((one for one in question.names if one in answers), None)]
        if name is not None
    ]


def _parts(given: Any) -> tuple[str, str]:
    """The answer and the note in what JSON holds for one question."""
    if isinstance(given, dict):
        given = given.get("answers")
    parts = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, str)]
    said = ", ".join(one for one in parts if not one.startswith(_NOTE))
    return said, " ".join(one.removeprefix(_NOTE) for one in parts if one.startswith(_NOTE))


def _in_tag(asked: list[_Question], result: str) -> list[_Said]:
    found = _TAG.match(result) if len(asked) == 1 else None
    return [(asked[0], found[2], "")] if found else []


def _beside(asked: list[_Question], result: str) -> list[_Said]:
    """Answers that stand quoted behind their questions, in the order of these."""
    starts: list[tuple[_Question, int, int]] = []
    at = 0
    for question in asked:
        mark = f'"{question.text}"="'
        found = result.find(mark, at)
        if found >= 0:
            starts.append((question, found, at := found + len(mark)))
    if not starts or starts[0][1] > HEAD_CHARACTERS or "\n" in result[: starts[0][1]].strip():
        return []
    ends = [start for _, start, _ in starts[1:]]
    said = [result[start:end].rstrip(", ") for (_, _, start), end in zip(starts, ends, strict=False)]
    said.append(_TAIL.sub("", result[starts[-1][2] :]))
    return [(question, *_quoted(one)) for (question, _, _), one in zip(starts, said, strict=True)]


def _quoted(text: str) -> tuple[str, str]:
    """The answer and the note in what stands behind a question's mark."""
    before, _, note = text.partition(f'"{_NOTES}')
    answer, preview, behind = before.partition(_PREVIEW)
    if preview and not note:
        note = behind.partition(_NOTES)[2]
    answer = answer.removesuffix('"')
    return "" if answer == _NONE else answer, note.strip()


def _answer(question: _Question, said: str, note: str) -> UserAnswer:
    rest, named = said, []
    for label in sorted(question.options, key=len, reverse=True):
        if label and label in rest:
            rest = rest.replace(label, "", 1)
            named.append(label)
    chosen = bool(named) and not rest.strip(", ")
    about = [question.options[label] for label in question.options if chosen and label in named]
    means = "; ".join(filter(None, about))
    written = "\n".join(filter(None, ("" if chosen else said, note)))
    return UserAnswer(question.text, f"{said} ({note})" if said and note else said or note, means, written)
