"""Finds the items of a summary that evidence contradicts, and says what the evidence is.

Rules:
1. A command, in backticks or as it was run, is told to work and failed last, or is told to fail and worked last; or
   a test is told to work that failed last. It is said behind it, on its line, and plainly: not what shall be, what
   was, or both. Each command on a line is judged for itself. All tests, or the build, are told to work, and the
   newest run of any failed.
2. Not judged is what ended differently since as a part of another line, and what may have run elsewhere: in another
   directory, or after a change of it, or where the line names a place.
3. A task is told as open that its list has as done. It has to be the same task: all of its words, and no more.
4. What git is still to do, or has not done, it did: nothing was changed, committed or undone since, and a merge or
   a push is told with no name but those of the command.
5. Nothing in code, under a goal or a rule is judged. What is in doubt stands as it is.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import structs

from ctxmgr.engine.ledger import SHELL, essential
from ctxmgr.engine.packet import how_it_ended
from ctxmgr.engine.stating import (
    CODE,
    Claim,
    DraftItem,
    DraftLines,
    bare_command,
    claims,
    directory_of,
    ending,
    is_plain,
    tests_named,
)
from ctxmgr.engine.text import HeadingKind, content_words, words_of
from ctxmgr.engine.tools import is_checking
from ctxmgr.model.saved import Fact

NOTED_CHARACTERS = 120
NOTE = "[ctxmgr: "  # how one begins; a line that has one is not judged again
_NOT_JUDGED: frozenset[HeadingKind] = frozenset(("goal", "constraint", "messages"))
_TO_DO: frozenset[HeadingKind] = frozenset(("next", "step"))
_OPEN: frozenset[HeadingKind] = frozenset(("next", "step", "active", "blocked"))
_PLACE = re.compile(r"\b(?:in|inside|under|within|at|from|for|on)\b(?!\s*\d)|[\w.~-]*/[\w.-]*", re.IGNORECASE)
_FOLDER = re.compile(r"`[^`\s]*/`")
_EVERY = re.compile(
    r"^\W*(?:(?:all|the|all (?:of )?the|every) )?(?:\d+ )?(?P<kind>tests?|build)(?: suite)? "
    r"(?:are |is |now |all |also )*"
    r"(?P<works>pass|succeed|green|work|clean)",
    re.IGNORECASE,
)
_ABSOLUTE = ("/", "~")
_CHANGES_TO = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd)\s+([^\s;&|)]+)")
_UNDOES = re.compile(
    r"\bgit\b[^\n;&|]*\s(?:reset|revert|rebase|update-ref|filter-\w+|stash|apply|am|checkout|switch|branch\s+-\w|--abort"
    r"|--delete|--dry-run)\b"
)
_DID = {"commit": ("git commit",), "merge": ("git merge", "git commit"), "push": ("git push",)}
_WANTS = re.compile(r"^\W*(?:git )?(commit|merge|push)\b", re.IGNORECASE)
_UNDONE = re.compile(
    r"\b(?:un|not (?:yet )?(?:been )?|to be )(commit|merge|push)(?:t?ed|d)\b",
    re.IGNORECASE,
)
_NO_NAMES = content_words(  # words of a merge or a push that name nothing
    "git merge push commit commits change changes branch current remote upstream unpushed unmerged yet"
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
    """Of each line in their order; several where it tells of several commands. `now` and `past`: the ledger's
    facts, oldest first."""
    commands = [fact for fact in now if fact.slot == "command" and fact.key.startswith(f"{SHELL}\n")]
    home = _home(commands)
    ends = _ends(commands, home)
    tests = _tests(commands) if home is not None else {}
    done = {fact.text: content_words(fact.text) for fact in past if _is_done(fact)}
    still = {words_of(fact.text) for fact in now if fact.slot == "task"}
    changed = [fact for fact in now if fact.slot == "file" and fact.status != "read"]
    for item in draft.items:
        if item.kind in _NOT_JUDGED or item.first_line in draft.fenced or NOTE in item.text:
            continue
        found = _task(item, done, still) or _git(item, commands, changed)
        if found is not None:
            yield found
        elif item.kind not in _TO_DO:
            item = _with_backticks(item, commands)
            wrong = list(_end(item, ends, tests, home))
            yield from wrong or (_every(item, commands) if home is not None else ())


def _is_done(fact: Fact) -> bool:
    return fact.slot == "task" and fact.status == "done" and fact.source == "assistant"


def _ends(commands: Sequence[Fact], home: str | None) -> dict[tuple[str, str], Fact]:
    """How each command ended last, by its directory ("" for `home`) and bare words; without what rule 2 leaves
    out."""
    found: dict[tuple[str, str], Fact | None] = {}
    later: dict[str, set[str]] = {}  # how what runs this ended since
    for fact in reversed(commands):
        place, words = directory_of(fact.text), bare_command(fact.text)
        runs = _runs(fact)
        if words and (place or home is not None):
            ended = set[str]().union(*(later.get(run, ()) for run in runs))
            sure = fact.status in ("ok", "failed") and ended <= {fact.status}
            found.setdefault(("" if place == home else place, words), fact if sure else None)
        for run in runs:
            later.setdefault(run, set()).add(fact.status)
    return {key: fact for key, fact in found.items() if fact is not None}


def _home(commands: Sequence[Fact]) -> str | None:
    """Where all commands ran: the one directory that a session changes to, by its whole path; "" where it never
    changes it; None where nobody knows."""
    places = {place.strip("\"'").rstrip("/") for fact in commands for place in _CHANGES_TO.findall(fact.text)}
    only = next(iter(places), "")
    return only if not places or (len(places) == 1 and only.startswith(_ABSOLUTE)) else None


def _tests(commands: Sequence[Fact]) -> dict[str, Fact]:
    """The newest failure that names a test, by the test's words; none that a later run of anything that works could
    have ended."""
    found: dict[str, Fact] = {}
    for fact in commands:
        if fact.status == "failed" and fact.runs:
            found |= dict.fromkeys(tests_named([fact]), fact)
        elif fact.status != "failed":
            found = {name: one for name, one in found.items() if _runs(one).isdisjoint(_runs(fact))}
    return found


def _end(
    item: DraftItem, ends: dict[tuple[str, str], Fact], tests: dict[str, Fact], home: str | None
) -> Iterator[Contradiction]:
    """Rules 1 and 2."""
    lines = item.text.split("\n")
    told = list(claims(item.text))
    for one in told:
        place = directory_of(one.quoted)
        fact = ends.get(("" if place == home else place, bare_command(one.quoted)))
        if fact is None and one.ending == "works":
            fact = tests.get(words_of(one.quoted))
        if fact is None or not one.ending or (fact.status == "ok") == (one.ending == "works"):
            continue
        if not is_plain(item.text, one.now) or (not place and _is_placed(lines[one.line_index], one, bool(home))):
            continue
        verb = "worked" if fact.status == "ok" else "failed"
        more = how_it_ended(fact).removeprefix(verb).lstrip(",; ")
        which = f"`{one.quoted}` " if sum(other.line_index == one.line_index for other in told) > 1 else ""
        note = f"{which}{verb} when last run{': ' if more else ''}{more}"
        yield Contradiction(item.first_line + one.line_index, "outcome", fact.text, note)


def _with_backticks(item: DraftItem, commands: Sequence[Fact]) -> DraftItem:
    """The item with the commands that were run in backticks where it tells them without; those of one word may be
    words of its own."""
    known = {essential(fact.text).strip() for fact in commands if not CODE.search(fact.text)}
    told = sorted((one for one in known if " " in one and one in item.text), key=len, reverse=True)
    if not told:
        return item
    every = re.compile("|".join(rf"(?<![\w./-]){re.escape(one)}(?=[,;.)]*(?:\s+[^-\s]|\s*$)|:\s)" for one in told))
    pieces = re.split(r"(`[^`\n]*`)", item.text)
    text = "".join(piece if number % 2 else every.sub(r"`\g<0>`", piece) for number, piece in enumerate(pieces))
    return structs.replace(item, text=text)


def _every(item: DraftItem, commands: Sequence[Fact]) -> Iterator[Contradiction]:
    """Rule 1, of all tests, or the build."""
    for number, line in enumerate(item.text.split("\n")):
        said = _EVERY.match(line)
        if not said or ending(line[said.start("works") :]) != "works" or not is_plain(line, now=False):
            continue
        if CODE.search(line) or _PLACE.search(line):
            continue
        kind = said["kind"][:4].lower()
        runs = [fact for fact in commands if any(kind in run and is_checking(run) for run in _runs(fact))]
        if runs and runs[-1].status == "failed":
            command = runs[-1].text.replace("`", "'")[:NOTED_CHARACTERS]
            more = how_it_ended(runs[-1]).removeprefix("failed").lstrip(",; ")
            note = f"`{command}` failed when last run{': ' if more else ''}{more}"
            yield Contradiction(item.first_line + number, "outcome", runs[-1].text, note)


def _is_placed(line: str, claim: Claim, named: bool) -> bool:
    """May the line name a place where it ran? `named`: the session named where it ran, so any word before may."""
    before = CODE.sub(" ", line[: claim.start])
    return bool(_PLACE.search(CODE.sub(" ", line)) or _FOLDER.search(line) or (named and content_words(before)))


def _task(item: DraftItem, done: dict[str, frozenset[str]], still: set[str]) -> Contradiction | None:
    """Rule 3."""
    is_open = item.box in ("", " ", "~", ">", "/") if item.box is not None else item.kind in _TO_DO
    if not is_open or not item.words or words_of(item.text) in still:
        return None
    task = next((text for text, words in done.items() if words == item.words), None)
    if task is None:
        return None
    return Contradiction(item.first_line, "task", task, "done, by the task list", is_done=item.box is not None)


def _git(item: DraftItem, commands: Sequence[Fact], changed: Sequence[Fact]) -> Contradiction | None:
    """Rule 4."""
    wants = _WANTS.match(item.text) if (item.kind in _OPEN or item.box in ("", " ", "~")) else None
    undone = _UNDONE.search(item.text)
    verb = (wants[1] if wants else undone[1] if undone else "").lower()
    if not verb or item.box in ("x", "X"):
        return None
    did = [at for at, fact in enumerate(commands) if _runs(fact) & set(_DID[verb])]
    if not did or commands[did[-1]].status != "ok" or any(_UNDOES.search(one.text) for one in commands[did[-1] :]):
        return None
    last = commands[did[-1]]
    if verb != "commit":
        of = next((commands[at].text for at in reversed(did) if f"git {verb}" in _runs(commands[at])), "")
        if not content_words(item.text) - _NO_NAMES <= content_words(of):
            return None
        merged = _MERGED.search(of)
        if verb == "merge" and not (merged and any(item.names(words_of(one)) for one in _names(merged[1]))):
            return None
    before = changed if verb == "commit" else [one for one in commands if "git commit" in _runs(one)]
    if verb != "merge" and any(_when(fact) > _when(last) for fact in before):
        return None
    command = last.text.replace("`", "'")[:NOTED_CHARACTERS]
    at = item.first_line + (item.text.count("\n", 0, undone.start()) if undone and not wants else 0)
    return Contradiction(at, "git", last.text, f"done since: `{command}` worked")


def _names(arguments: str) -> list[str]:
    return [one for one in arguments.split() if not one.startswith("-")]


def _runs(fact: Fact) -> frozenset[str]:
    return frozenset(fact.runs.split("\n")) - {""}


def _when(fact: Fact) -> tuple[int, int, int]:
    return fact.time_ms, fact.seq, fact.order
