"""Finds the items of a summary that evidence contradicts, and says what the evidence is.

Rules:
1. A command, in backticks or as it was run, is told to work and failed last, or is told to fail and worked last; or
   a test is told to work that failed last. It is said behind it, on its line, and plainly: not what shall be, what
   was, or both. Each command on a line is judged for itself. What names no command: see `unquoted`.
2. A failure that a later run shows to work, by itself or in a line of several, is none. Not judged is what ended
   differently since as a part of another line, and what may have run elsewhere: in another directory, or after a
   change of it, or where the line names a place; but a check that fails nowhere does not fail.
3. A task is told as open that its list has as done, or is ticked and nobody began it there. It has to be the same
   task: all of its words, and no more.
4. What git or its hosts are still to do, or have not done, was done (`done_since`). A line that has a note already
   is not judged again.
5. What is ticked, in no English words and none of failure, and has a command that checks in brackets behind it: how
   it ended is told where that is a failure. What the line says is not known.
6. A commit is named by letters that stood nowhere in what the model read. Where HEAD is, and what was changed:
   `untouched`.
7. Nothing in code, under a goal or a rule is judged. What is in doubt stands as it is.
"""

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import structs

from ctxmgr.engine.judging.brief import contrary, stated
from ctxmgr.engine.judging.done_since import done_since
from ctxmgr.engine.judging.run_ends import how_it_ended
from ctxmgr.engine.judging.unquoted import PLACE, failed_since, without_mended
from ctxmgr.engine.judging.untouched import untouched
from ctxmgr.engine.judging.worked_since import never_failing, worked_since
from ctxmgr.engine.ledger import SHELL, essential
from ctxmgr.engine.stating import (
    CODE,
    FAILS,
    WORKS,
    Claim,
    DraftItem,
    DraftLines,
    bare_command,
    claims,
    directory_of,
    is_plain,
    tests_named,
)
from ctxmgr.engine.text import NOTE, HeadingKind, content_words, words_of
from ctxmgr.engine.tools import is_checking
from ctxmgr.model.saved import Fact

NOTED_CHARACTERS = 120
_NOT_JUDGED: frozenset[HeadingKind] = frozenset(("goal", "constraint", "messages"))
_TO_DO: frozenset[HeadingKind] = frozenset(("next", "step"))
_UNTICKED = ("", " ", "~", ">", "/")
_FOLDER = re.compile(r"`[^`\s]*/`")
_TEST_ID = re.compile(r"[\w./-]+(?:::[\w.-]+)+")  # a test's place and name
_PROOF = re.compile(r"[(（]`([^`\n]+)`[)）]\W*$")
_ENGLISH = re.compile(  # a word that shows that a line is English: what it says is judged by rule 1
    r"\b(?:\w+ed|the|a|an|of|to|with|by|for|and|is|are|has|have|this|that|it|not|add|adds|run|runs|ran|wrote|write|made|make"
    r"|set|got|get|found|find|saw|see|built|build|did|do|use|try|reproduce|check|show|shows|document|new)\b",
    re.IGNORECASE,
)
SHORT_HASH = 7  # characters that git shows of one; who tells more may have been shown so many
_COMMIT = re.compile(
    r"\b[Cc]ommit(?:s|ted)?(?: (?:as|in|at|hash|id|with))?[ :`*(\"]{1,4}(?=\d*[a-f])([\da-f]{7,40})\b(?![-/.]\w)"
)
_ABSOLUTE = ("/", "~")
_CHANGES_TO = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd)\s+([^\s;&|)]+)")


class Contradiction(msgspec.Struct, frozen=True):
    """`note` goes to the end of the line; `is_done`: its box becomes one of what is done. `text`: of what."""

    line_index: int
    kind: str
    text: str
    note: str
    is_done: bool = False


def contradictions(
    draft: DraftLines, now: Sequence[Fact], past: Sequence[Fact], reading: tuple[Callable[[str], bool] | None, bool]
) -> Iterator[Contradiction]:
    """Of each line in their order; several where it tells of several commands. `now` and `past`: the ledger's
    facts, oldest first; `reading`: are these letters of what the model read? None: nobody knows; and is that all
    that it read?"""
    was_read, all_read = reading
    commands = [fact for fact in now if fact.slot == "command" and fact.key.startswith(f"{SHELL}\n")]
    home = _home(commands)
    ends = _ends(commands, home)
    clean = never_failing(commands)
    tests = _tests(commands) if home is not None else {}
    names = _names_in_text(commands)
    done = {fact.text: content_words(fact.text) for fact in past if _is_done(fact)}
    still = {words_of(fact.text): fact for fact in now if fact.slot == "task"}
    for item in draft.items:
        if item.kind in _NOT_JUDGED or item.first_line in draft.fenced or NOTE in item.text:
            continue
        if was_read is not None:
            yield from _unread(item, was_read)
        found = _task(item, done, still) or _git(item, commands, now)
        if found is None and item.box not in _UNTICKED:
            brief = untouched(item.text, [*past, *now], was_read if all_read else None)
            found = Contradiction(item.first_line, *brief) if brief else None
        if found is not None:
            yield found
        elif item.kind not in _TO_DO:
            item = _with_backticks(item, names)
            wrong = list(_end(item, (ends, clean), tests, home)) or list(_proof(item, ends, home))
            if not wrong and item.box not in _UNTICKED:
                wrong = list(_stated(item, commands, ends, home))
                wrong += _unquoted(item, [*past, *now], home) if home is not None and not wrong else []
            yield from wrong


def _unread(item: DraftItem, was_read: Callable[[str], bool]) -> Iterator[Contradiction]:
    """Rule 6."""
    for said in _COMMIT.finditer(item.text):
        if not was_read(said[1].lower()[:SHORT_HASH]):
            at = item.first_line + item.text.count("\n", 0, said.start(1))
            yield Contradiction(at, "git", said[1], f"no message names a commit {said[1]}")


def _stated(
    item: DraftItem, commands: Sequence[Fact], ends: dict[tuple[str, str], Fact], home: str | None
) -> Iterator[Contradiction]:
    """Rule 1, of what is stated in few words (`brief`)."""
    said = stated(item.text)
    if said is None or (home is None and said.works):
        return
    if said.command:
        place = directory_of(said.command)
        fact = ends.get(("" if place == home else place, bare_command(said.command)))
        wrong = fact if fact is not None and (fact.status == "ok") != said.works else None
    else:
        wrong = contrary(said, commands)
    if wrong is not None:
        how = _how(wrong) if said.command else f"{_coded(wrong)} {_how(wrong)}"
        yield Contradiction(item.first_line, "outcome", wrong.text, how)


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
            again = worked_since(fact, commands) if place in ("", home) and home is not None else None
            found.setdefault(("" if place == home else place, words), again or (fact if sure else None))
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
            found |= dict.fromkeys({*tests_named([fact]), *map(words_of, _TEST_ID.findall(fact.detail))}, fact)
        elif fact.status != "failed":
            found = {name: one for name, one in found.items() if _runs(one).isdisjoint(_runs(fact))}
    return found


def _end(
    item: DraftItem,
    known: tuple[dict[tuple[str, str], Fact], dict[str, Fact]],
    tests: dict[str, Fact],
    home: str | None,
) -> Iterator[Contradiction]:
    """Rules 1 and 2. `known`: how each ended, and what fails nowhere."""
    ends, clean = known
    lines = item.text.split("\n")
    told = list(claims(item.text))
    for one in told:
        place = directory_of(one.quoted)
        fact = ends.get(("" if place == home else place, bare_command(one.quoted)))
        if fact is None:
            fact = tests.get(words_of(one.quoted)) if one.ending == "works" else clean.get(bare_command(one.quoted))
        if fact is None or not one.ending or (fact.status == "ok") == (one.ending == "works"):
            continue
        if not is_plain(without_mended(item.text), one.now) or (
            not place and _is_placed(lines[one.line_index], one, bool(home))
        ):
            continue
        which = f"`{one.quoted}` " if sum(other.line_index == one.line_index for other in told) > 1 else ""
        yield Contradiction(item.first_line + one.line_index, "outcome", fact.text, f"{which}{_how(fact)}")


def _proof(item: DraftItem, ends: dict[tuple[str, str], Fact], home: str | None) -> Iterator[Contradiction]:
    """Rule 5."""
    line = item.text.split("\n")[0]
    named = _PROOF.search(line)
    if item.box not in ("x", "X") or not named or len(CODE.findall(line)) > 1 or _ENGLISH.search(line):
        return
    place = directory_of(named[1])
    fact = ends.get(("" if place == home else place, bare_command(named[1])))
    if fact is None or fact.status != "failed" or not any(map(is_checking, _runs(fact))):
        return
    if not (FAILS.search(line) or WORKS.search(line) or PLACE.search(CODE.sub(" ", line))):
        yield Contradiction(item.first_line, "outcome", fact.text, _how(fact))


def _names_in_text(commands: Sequence[Fact]) -> frozenset[str]:
    """The commands that were run, and the tests that failed; commands of one word may be words of a text's own."""
    known = (essential(fact.text).strip() for fact in commands if "`" not in fact.text)
    tests = (one for fact in commands if fact.status == "failed" for one in _TEST_ID.findall(fact.detail))
    return frozenset((*(one for one in known if " " in one), *tests))


def _with_backticks(item: DraftItem, names: frozenset[str]) -> DraftItem:
    """The item with these in backticks where it tells them without."""
    told = sorted((one for one in names if one in item.text), key=len, reverse=True)
    if not told:
        return item
    every = re.compile("|".join(rf"(?<![\w./-]){re.escape(one)}(?=[,;.)]*(?:\s+[^-\s]|\s*$)|:\s)" for one in told))
    pieces = re.split(r"(`[^`\n]*`)", item.text)
    text = "".join(piece if number % 2 else every.sub(r"`\g<0>`", piece) for number, piece in enumerate(pieces))
    return structs.replace(item, text=text)


def _unquoted(item: DraftItem, facts: Sequence[Fact], home: str) -> Iterator[Contradiction]:
    """Rule 1, of what names no command."""
    for number, fact in failed_since(item.text, facts, home):
        yield Contradiction(item.first_line + number, "outcome", fact.text, f"{_coded(fact)} {_how(fact)}")


def _coded(fact: Fact) -> str:
    command = fact.text.replace("`", "'")[:NOTED_CHARACTERS]
    return f"`{command}`"


def _how(fact: Fact) -> str:
    verb = "worked" if fact.status == "ok" else "failed"
    more = how_it_ended(fact).removeprefix(verb).lstrip(",; ")
    return f"{verb} when last run{': ' if more else ''}{more}"


def _is_placed(line: str, claim: Claim, named: bool) -> bool:
    """May the line name a place where it ran? `named`: the session named where it ran, so any word before may."""
    before = CODE.sub(" ", line[: claim.start])
    return bool(PLACE.search(CODE.sub(" ", line)) or _FOLDER.search(line) or (named and content_words(before)))


def _task(item: DraftItem, done: dict[str, frozenset[str]], still: dict[str, Fact]) -> Contradiction | None:
    """Rule 3."""
    listed = still.get(words_of(item.text))
    if item.box in ("x", "X") and listed and listed.source == "assistant" and listed.status == "open":
        sure = item.words and item.words not in done.values()
        return Contradiction(item.first_line, "task", listed.text, "open, by the task list") if sure else None
    is_open = item.box in _UNTICKED if item.box is not None else item.kind in _TO_DO
    if not is_open or not item.words or words_of(item.text) in still:
        return None
    task = next((text for text, words in done.items() if words == item.words), None)
    if task is None:
        return None
    return Contradiction(item.first_line, "task", task, "done, by the task list", is_done=item.box is not None)


def _git(item: DraftItem, commands: Sequence[Fact], now: Sequence[Fact]) -> Contradiction | None:
    """Rule 4."""
    found = done_since(item, commands, now)
    if found is None:
        return None
    at, did = found
    note = f"done since: {did.text}" if did.slot == "value" else f"done since: {_coded(did)} worked"
    return Contradiction(item.first_line + at, "git", did.text, note, is_done=item.box is not None and at == 0)


def _runs(fact: Fact) -> frozenset[str]:
    return frozenset(fact.runs.split("\n")) - {""}
