"""Turns a stretch of work into what it came to: an outcome, an answer, or neither.

Rules:
1. An outcome is a sentence that states one (`done`), or files that were changed; details stand beside
   it. That the user went on to something else makes nothing done.
2. Else what was said last is an answer: what was found, not what was done.
3. A fault that was found in something that was changed later is not told: it is likely mended. Why something failed
   is, and so is another finding about it: it says that a change came later.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from ctxmgr.engine.extractive.collecting.work import Stretch, WorkHistory
from ctxmgr.engine.findings import Sentence, causes, done, proposes, sentences, wrong
from ctxmgr.engine.text import count_words, identifiers, one_line, plain, sentences_of, shorten, unfenced

CLOSING_CHARACTERS = 520  # of what a stretch came to: about 130 tokens
ANSWER_CHARACTERS = 360
MOST_CHANGED = 8  # files named where nothing else tells what a request came to
LEAST_STEM = 4  # of a file's name that stands for the file in a sentence
_SET = re.compile(
    r"`[^`]+`[^`]{0,20}(?::|→)|→|^[\w./-]+\.\w+: "
)  # "`off` → `dim`", "notes.md: ...": what is how now
LATER = " (before later changes)"


class StretchOutcome(msgspec.Struct, frozen=True):
    """`text` at length, `brief` in a sentence; both "" where nothing tells."""

    what: Literal["done", "found", ""] = ""
    text: str = ""
    brief: str = ""


class Changes:
    """When the files were changed last that a sentence may name: by path, by name, or by name without ending."""

    def __init__(self, work: WorkHistory) -> None:
        self._last: dict[str, int] = {}
        for path, at in work.changed_at.items():
            name = path.rpartition("/")[2]
            for key in {name.casefold(), _stem(name)}:
                self._last[key] = max(self._last.get(key, -1), at)

    def after(self, text: str, at: int) -> bool:
        """Whether a file that the text names was changed after `at`."""
        if not self._last:
            return False
        coded = text.split("`")[1::2]
        found = (name.rpartition("/")[2] for name in (*identifiers(text), *coded))
        return any(self._last.get(key, -1) > at for name in found for key in (name.casefold(), _stem(name)))

    def standing(self, said: Sequence[Sentence]) -> list[Sentence]:
        """Without faults in what was changed later (rule 3)."""
        return [one for one in said if not self.is_mended(one.text, one.text_index)]

    def is_mended(self, text: str, at: int, found: str = "") -> bool:
        """Is it likely? `found`: the part of the text that says the fault, where it is not all of it."""
        fault = found or text
        return wrong(fault) and not causes(fault) and self.after(text, at)


def _stem(name: str) -> str:
    """A file's name as a class or a heading would spell it; "" where it is too short to tell."""
    letters = "".join(letter for letter in name.partition(".")[0].casefold() if letter.isalnum())
    return letters if len(letters) >= LEAST_STEM else ""


def closing(
    stretch: Stretch, changes: Changes, weights: dict[str, float], told: Sequence[str] = ()
) -> StretchOutcome:
    """What a stretch came to, from its last text that states something; of one that broke off, from all of them."""
    texts = [changes.standing(sentences.standalone(text, at)) for at, text in stretch.texts]
    if not stretch.finished:
        return _broken_off(stretch, [one for said in texts for one in said], changes, weights, told)
    said = next((said for said in reversed(texts) if said), [])
    results = [one for one in said if done(one.text)]
    if results:
        first = results[0].sentence_index
        details = [
            one
            for one in said
            if done(one.text)
            or not ((one.sentence_index < first and not one.listed) or wrong(one.text) or proposes(one.text))
        ]
        return StretchOutcome("done", *_from(results, details, weights, told, CLOSING_CHARACTERS))
    if stretch.changed:
        listed = [one for one in said if one.listed and _SET.search(one.text) and not wrong(one.text)]
        chosen = sentences.best(listed, weights, characters=CLOSING_CHARACTERS // 2, without=told)
        return _changed(stretch, [one.text for one in chosen])
    if not said or not (stretch.request.endswith("?") or any(sentences.finds(one) for one in said)):
        return StretchOutcome()
    return _answer(*_from(said, said, weights, told, ANSWER_CHARACTERS), changes, said[-1].text_index)


def _broken_off(
    stretch: Stretch, said: Sequence[Sentence], changes: Changes, weights: dict[str, float], told: Sequence[str]
) -> StretchOutcome:
    results = [one for one in said if done(one.text) and not one.leans]
    chosen = sentences.best(results, weights, characters=CLOSING_CHARACTERS // 2, without=told)
    if chosen or stretch.changed:
        return _changed(stretch, [one.text for one in chosen])
    found = sentences.best(
        [one for one in said if sentences.finds(one)], weights, characters=ANSWER_CHARACTERS, without=told
    )
    if not found:
        return StretchOutcome()
    return _answer(sentences.joined(one.text for one in found), found[-1].text, changes, found[-1].text_index)


def _answer(text: str, brief: str, changes: Changes, at: int) -> StretchOutcome:
    late = changes.after(text, at)
    return StretchOutcome("found", f"{text}{LATER}" if late else text, f"{brief}{LATER}" if late else brief)


def changed_files(stretch: Stretch) -> str:
    """The files that were changed, "" for none."""
    return _changed(stretch, ()).text


def _changed(stretch: Stretch, told: Sequence[str]) -> StretchOutcome:
    names = list(dict.fromkeys(path.rpartition("/")[2] for path in stretch.changed))
    more = f" and {len(names) - MOST_CHANGED} more" if len(names) > MOST_CHANGED else ""
    changed = [f"changed {', '.join(names[:MOST_CHANGED])}{more}"] if names else []
    return StretchOutcome("done", sentences.joined([*told, *changed]), sentences.joined(changed or told[-1:]))


def _from(
    leads: Sequence[Sentence],
    said: Sequence[Sentence],
    weights: dict[str, float],
    told: Sequence[str],
    characters: int,
) -> tuple[str, str]:
    """The sentence that leads, and the best of the others, in their order.

    The lead is the first that is no list item and leans on nothing before it, where there is one.
    """
    lead = min(leads, key=lambda one: (one.listed or one.leans, one.listed, one.sentence_index))
    others = [one for one in said if one is not lead]
    chosen = sentences.best(others, weights, characters=characters - len(lead.text), without=(lead.text, *told))
    shown = sorted((lead, *chosen), key=lambda one: one.sentence_index)
    return sentences.joined(one.text for one in shown), lead.text


def last_words(stretch: Stretch, limit: int) -> str:
    """The last thing said, narration and open questions too: where the work stood when it was cut."""
    for at, text in reversed(stretch.texts):
        lines = [plain(line) for line in unfenced(text) if not sentences.skipped(line)]
        found = [one for line in lines for one in sentences_of(line) if count_words(one) >= sentences.LEAST_WORDS]
        found = [one for one in found if at > stretch.answered_index or not one.rstrip("*_ ").endswith(("?", "？"))]
        stated = [one for one in found if sentences.stands(one)]
        if found:
            chosen = (stated or found)[-1] if stretch.finished else found[-1]
            return shorten(one_line(chosen, limit).rstrip(":"), limit)
    return ""
