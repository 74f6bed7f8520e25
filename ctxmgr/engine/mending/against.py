"""Finds the items of a summary that evidence contradicts, and says what the evidence is.

Rules:
1. A command in backticks is told to work and failed last, or is told to fail and worked last; or a test is told to
   work that failed last. It is said behind it, and plainly: not what shall be, what was, or both. What ended
   differently in two places is not judged.
2. A task is told as open that its list has as done. It has to be the same task: all of its words, and no more.
3. What git is still to do, or has not done, it did: nothing was changed, or committed, since.
4. Nothing in code, under a goal or a rule is judged. What is in doubt stands as it is.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.engine.ledger import SHELL
from ctxmgr.engine.packet import how_it_ended
from ctxmgr.engine.stating import FAILS, WORKS, DraftItem, DraftLines, bare_command, tests_named
from ctxmgr.engine.text import HeadingKind, content_words, words_of
from ctxmgr.model.saved import Fact

NOTED_CHARACTERS = 120
NOTE = "[ctxmgr: "  # how one begins; a line that has one is not judged again
_NOT_JUDGED: frozenset[HeadingKind] = frozenset(("goal", "constraint", "messages"))
_TO_DO: frozenset[HeadingKind] = frozenset(("next", "step"))
_OPEN: frozenset[HeadingKind] = frozenset(("next", "step", "active", "blocked"))
_CODE = re.compile(r"`([^`\n]+)`")
_NOT_PLAIN = re.compile(
    r"\b(?:not?|never|without|cannot|if|when|once|until|unless|should|must|shall|will|would|could|can|may|might|to"
    r"|make|makes|ensure|verify|check|before|after|earlier|previously|initially|first|then|since|again|was|were"
    r"|had|resolv\w*|fix\w*|mend\w*|expect\w*|zero|0|only|but|except|some|part\w*)\b|n'?t\b|\?",
    re.IGNORECASE,
)
_DID = {"commit": ("git commit",), "merge": ("git merge", "git commit"), "push": ("git push",)}
_WANTS = re.compile(r"^\W*(?:git )?(commit|merge|push)\b", re.IGNORECASE)
_UNDONE = re.compile(
    r"\b(?:un|not (?:yet )?(?:been )?|to be )(commit|merge|push)(?:t?ed|d)\b",
    re.IGNORECASE,
)
_MERGED = re.compile(r"\bgit merge\s+((?:\S+\s*)+)")


class Contradiction(msgspec.Struct, frozen=True):
    """`note` goes to the end of the line; `is_done`: its box becomes one of what is done. `text`: of what."""

    line_index: int
    kind: str
    text: str
    note: str
    is_done: bool = False


def contradictions(draft: DraftLines, now: Sequence[Fact], past: Sequence[Fact]) -> Iterator[Contradiction]:
    """At most one a line, in their order. `now` and `past`: the ledger's facts, oldest first."""
    commands = [fact for fact in now if fact.slot == "command" and fact.key.startswith(f"{SHELL}\n")]
    ends = _ends(commands)
    tests = _tests(commands)
    done = {fact.text: content_words(fact.text) for fact in past if _is_done(fact)}
    still = {words_of(fact.text) for fact in now if fact.slot == "task"}
    changed = [fact for fact in now if fact.slot == "file" and fact.status != "read"]
    for item in draft.items:
        if item.kind in _NOT_JUDGED or item.first_line in draft.fenced or NOTE in item.text:
            continue
        found = _task(item, done, still) or _git(item, commands, changed) or _end(item, ends, tests)
        if found is not None:
            yield found


def _is_done(fact: Fact) -> bool:
    return fact.slot == "task" and fact.status == "done" and fact.source == "assistant"


def _ends(commands: Sequence[Fact]) -> dict[str, Fact]:
    """How each command ended last, by its bare words; those that ended in two ways are left out (rule 1)."""
    found: dict[str, list[Fact]] = {}
    for fact in commands:
        found.setdefault(bare_command(fact.text), []).append(fact)
    return {
        words: same[-1]
        for words, same in found.items()
        if words and {fact.status for fact in same} in ({"ok"}, {"failed"})
    }


def _tests(commands: Sequence[Fact]) -> dict[str, Fact]:
    """The newest failure that names a test, by the test's words; none that a later run of anything that works could
    have ended."""
    found: dict[str, Fact] = {}
    for fact in commands:
        if fact.status == "failed":
            found |= dict.fromkeys(tests_named([fact]), fact)
        else:
            found = {name: one for name, one in found.items() if _runs(one).isdisjoint(_runs(fact))}
    return found


def _end(item: DraftItem, ends: dict[str, Fact], tests: dict[str, Fact]) -> Contradiction | None:
    """Rule 1."""
    if item.kind in _TO_DO or _NOT_PLAIN.search(_CODE.sub(" ", item.text)):
        return None
    quoted = list(_CODE.finditer(item.text))
    for one, end in zip(quoted, (*(one.start() for one in quoted[1:]), len(item.text)), strict=False):
        said = item.text[one.end() : end]
        works, fails = bool(WORKS.search(said)), bool(FAILS.search(said))
        fact = ends.get(bare_command(one[1])) or (tests.get(words_of(one[1])) if works else None)
        if fact is None or works == fails or (fact.status == "ok") == works:
            continue
        verb = "worked" if fact.status == "ok" else "failed"
        more = how_it_ended(fact).removeprefix(verb).lstrip(",; ")
        note = f"{verb} when last run{': ' if more else ''}{more}"
        return Contradiction(item.first_line, "outcome", fact.text, note)
    return None


def _task(item: DraftItem, done: dict[str, frozenset[str]], still: set[str]) -> Contradiction | None:
    """Rule 2."""
    is_open = item.box in ("", " ", "~", ">", "/") if item.box is not None else item.kind in _TO_DO
    if not is_open or not item.words or words_of(item.text) in still:
        return None
    task = next((text for text, words in done.items() if words == item.words), None)
    if task is None:
        return None
    return Contradiction(item.first_line, "task", task, "done, by the task list", is_done=item.box is not None)


def _git(item: DraftItem, commands: Sequence[Fact], changed: Sequence[Fact]) -> Contradiction | None:
    """Rule 3."""
    wants = _WANTS.match(item.text) if (item.kind in _OPEN or item.box in ("", " ", "~")) else None
    undone = _UNDONE.search(item.text)
    verb = (wants[1] if wants else undone[1] if undone else "").lower()
    if not verb or item.box in ("x", "X"):
        return None
    did = [fact for fact in commands if _runs(fact) & set(_DID[verb])]
    if not did or did[-1].status != "ok":
        return None
    last = did[-1]
    if verb == "merge":
        of = next((_MERGED.search(fact.text) for fact in reversed(did) if "git merge" in _runs(fact)), None)
        if of is None or not any(item.names(words_of(name)) for name in of[1].split() if not name.startswith("-")):
            return None
    before = changed if verb == "commit" else [one for one in commands if "git commit" in _runs(one)]
    if verb != "merge" and any(_when(fact) > _when(last) for fact in before):
        return None
    command = last.text.replace("`", "'")[:NOTED_CHARACTERS]
    return Contradiction(item.first_line, "git", last.text, f"done since: `{command}` worked")


def _runs(fact: Fact) -> frozenset[str]:
    return frozenset(fact.runs.split("\n"))


def _when(fact: Fact) -> tuple[int, int, int]:
    return fact.time_ms, fact.seq, fact.order
