"""Turns what git printed into facts of commits, and facts into the commits that are there and the files that are
changed still.

Rules:
1. A commit is what git prints of one (`[branch hash] subject`) in the result of a command line that has git commit.
   Where more stand there than it makes, those count that git's own lines follow.
2. `commit --amend` takes the place of the newest. `git reset` takes the branch back: to the commit that git names
   then, or by as many steps as were asked for. Where nobody knows to where, and behind a rebase or what sets a
   branch anew, no commit of that directory is known to be there any more.
3. What is in doubt is not told: a commit that is there and is not told can be looked up. So what happens in one
   directory holds for each that may lie in the same repository: all but absolute ones beside each other.
4. What git takes back of files is a file, as it is told or as its path ends, or a directory with all in it but new
   files, which git does not know. Behind a commit nothing is taken back: it may hold the change.
5. What was deleted, and touched again since or something in it, is there again.
6. What was changed in a directory that was deleted since is gone with it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from ctxmgr.engine.memory.facts import Statements
from ctxmgr.engine.memory.wording import plain, said
from ctxmgr.engine.tools import CallOutcome, GitCall, paths
from ctxmgr.model.saved import BROUGHT_BACK, Fact

COMMITTED, MOVED = "committed", "moved"
UNKNOWN, NEWEST = "unknown", "1"  # where a branch went, else a hash or a number of steps
HASH_CHARACTERS = 7  # at least
PATH_CHARACTERS = 240  # of a path, and of a subject

_COMMIT = re.compile(
    r"^\[(?:[^\]\n]{1,120}) (?P<hash>[0-9a-f]{7,40})\] (?P<subject>\S[^\n]*)$(?P<stat>\n )?", re.MULTILINE
)
_LINE = re.compile(r'commit ([0-9a-f]{7,40}): "(.*)"')
_HASH = re.compile(r"[0-9a-f]{7,40}")
_HEAD = re.compile(r"^HEAD is now at ([0-9a-f]{7,40})\b", re.MULTILINE)
_STEPS = re.compile(r"(?:HEAD|@)(?:~(\d*)|(\^))")
_REFUSED = re.compile(r"^(?:fatal: |error: cannot )", re.MULTILINE)
_MODES = frozenset(("--soft", "--mixed", "--hard", "--keep", "--merge"))  # of a reset that takes no file
_FILE = re.compile(r"\.{1,2}|.*\.\w{1,5}|.*/")
_COMMITS = frozenset(("commit", "merge", "cherry-pick", "revert", "am", "rebase"))
_MOVES_NOTHING = frozenset(("--abort", "--quit", "--edit-todo", "--show-current-patch"))
_REWRITES = frozenset(("update-ref", "filter-branch", "filter-repo"))
_FORCES = {  # by which words git sets a branch to somewhere else
    "checkout": frozenset(("-B",)),
    "switch": frozenset(("-C", "--force-create")),
    "branch": frozenset(("-f", "--force")),
}
_STAYED = frozenset(("pushed", "new", "switch", "lost"))  # moves that release 0.2 told of, and took none away
_UP_TO_DATE = ("is up to date.", "Already up to date.")


def commits_of_call(calls: Sequence[GitCall], output: str, ended: CallOutcome, into: Statements) -> None:
    """Add what these calls of one line committed and took back, in their order, by what git printed."""
    makers = [call for call in calls if call.verb in _COMMITS]
    found = list(_COMMIT.finditer(output)) if makers else []
    sure = [one for one in found if one["stat"]]
    found = sure if sure and len(found) > len(makers) else found
    refused = ended == "failed" and _REFUSED.search(output) is not None
    for call in calls:
        if not refused:
            _moved(_goes_to(call, output), call.directory, into)
        if call in makers:
            made, found = (found, []) if call is makers[-1] else (found[:1], found[1:])
            amends = call.verb == "commit" and "--amend" in call.words
            if amends and not made and not refused:
                _moved(NEWEST, call.directory, into)
            for one in made:
                text = f"{one['hash']} {plain(one['subject'])}"
                key = f"{COMMITTED}\n{one['hash']}"
                into.add("value", key, text, "tool", call.directory, "amended" if amends else "")


def still_there(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Of facts in the order of time the commits that are known to be there."""
    chains: dict[str, list[Fact]] = {}
    for fact in facts:
        kind = fact.key.partition("\n")[0]
        if fact.kind != "value" or kind not in (COMMITTED, MOVED):
            continue
        place = fact.status.rpartition("\n")[2]
        how = fact.text if kind == MOVED else NEWEST if fact.detail == "amended" else ""
        how = "" if how.partition(" ")[0] in _STAYED else how
        if how:
            _take_back([chain for other, chain in chains.items() if _may_be_one(place, other)], how)
        if kind == COMMITTED:
            chains.setdefault(place, []).append(fact)
    for chain in chains.values():
        yield from (fact for fact in chain if _HASH.fullmatch(fact.text.partition(" ")[0]))


def _take_back(chains: Sequence[list[Fact]], how: str) -> None:
    """Rule 2."""
    if how.isdigit() and len(how) < HASH_CHARACTERS:
        for chain in chains:
            del chain[max(0, len(chain) - int(how)) :]
        return
    known = [
        [at for at, fact in enumerate(chain) if _is_same(fact.text.partition(" ")[0], how)] for chain in chains
    ]
    for chain, places in zip(chains, known, strict=True):
        if places or not any(known):
            del chain[places[-1] + 1 if places else 0 :]


def _may_be_one(place: str, other: str) -> bool:
    """Rule 3."""
    if not (paths.is_absolute(place) and paths.is_absolute(other)):
        return True
    return f"{place}/".startswith(f"{other}/") or f"{other}/".startswith(f"{place}/")


def _is_same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _moved(how: str, place: str, into: Statements) -> None:
    if how:
        into.add("value", f"{MOVED}\n{into.origin}\n{how}\n{place}", how, "tool", place)


def _goes_to(call: GitCall, output: str) -> str:
    """Where this call takes its branch: a hash, a number of steps, `UNKNOWN`; "" for what moves none."""
    if call.verb == "reset" and "--" not in call.words:
        return _reset(call, output)
    if call.verb in _REWRITES or not _FORCES.get(call.verb, frozenset()).isdisjoint(call.words):
        return UNKNOWN
    rebases = call.verb == "rebase" or (call.verb == "pull" and not {"--rebase", "-r"}.isdisjoint(call.words))
    if not rebases or not _MOVES_NOTHING.isdisjoint(call.words) or any(one in output for one in _UP_TO_DATE):
        return ""
    return UNKNOWN


def _reset(call: GitCall, output: str) -> str:
    named = [word for word in call.words if word is None or not word.startswith("-")]
    head = _HEAD.search(output)
    if head:
        return head[1]
    if len(named) != 1 or named == ["HEAD"]:
        return ""  # of files, or to where it is
    if _MODES.isdisjoint(call.words) and _FILE.fullmatch(named[0] or ""):
        return ""
    steps = _STEPS.fullmatch(named[0] or "")
    return str(int(steps[1] or 1)) if steps else UNKNOWN


WHOLE_DIRECTORY = "."


def still_changed(facts: Sequence[Fact]) -> Iterable[Fact]:
    """Of facts in the order of time those of files that hold, with those of files that were read."""
    files = [fact for fact in facts if fact.kind == "file"]
    back = [fact for fact in files if fact.status == BROUGHT_BACK]
    commits = ((fact.time_ms, fact.seq) for fact in facts if back and fact.key.startswith(f"{COMMITTED}\n"))
    first = min(commits, default=None)
    back = [fact for fact in back if first is None or (fact.time_ms, fact.seq) < first]
    deleted = [fact for fact in files if fact.status == "deleted"]
    for fact in files:
        taken_back = fact.status == BROUGHT_BACK or any(_undoes(one, fact) for one in back)
        there_again = fact.status == "deleted" and any(_is_in(one, fact) for one in files)
        gone = any(_goes_with(one, fact) for one in deleted)
        if fact.status == "read" or not (taken_back or there_again or gone):
            yield fact


def _goes_with(deleted: Fact, changed: Fact) -> bool:
    """Rule 4."""
    return _since(deleted, changed) and changed.text.startswith(f"{deleted.text.rstrip('/')}/")


def _is_in(later: Fact, deleted: Fact) -> bool:
    """Rule 3."""
    within = f"{later.text}/".startswith(f"{deleted.text.rstrip('/')}/")
    return later.status != "deleted" and within and _since(later, deleted)


def _since(one: Fact, other: Fact) -> bool:
    return (one.time_ms, one.seq, one.order) > (other.time_ms, other.seq, other.order)


def _undoes(back: Fact, changed: Fact) -> bool:
    """Rule 1."""
    if (changed.time_ms, changed.seq) > (back.time_ms, back.seq):
        return False
    if f"/{changed.text}".endswith(f"/{back.text}"):
        return True
    within = back.text == WHOLE_DIRECTORY or f"/{back.text}/" in f"/{changed.text}"
    return within and changed.status != "written"


def commit_line(fact: Fact) -> str:
    """`- commit abc1234: "subject"`."""
    made, _, subject = fact.text.partition(" ")
    return f"- commit {made}: {said(subject, PATH_CHARACTERS)}"


def commit_of_line(fact: Fact) -> Fact | None:
    """The commit that such a line of a summary tells; None for another text."""
    made = _LINE.fullmatch(fact.text)
    if made is None:
        return None
    key, text = f"{COMMITTED}\n{made[1]}", f"{made[1]} {made[2]}"
    return structs.replace(fact, kind="value", key=key, text=text, status="")
