"""Turns what git printed into facts of commits, and those into which of them are still there.

Rules:
1. A commit is what git prints of one (`[branch hash] subject`) in the result of a command line that has git commit.
2. `commit --amend` takes the place of the newest. `git reset` takes the branch back: to the commit that git names
   then, or by as many steps as were asked for. Where nobody knows to where, and behind a rebase, no commit of that
   directory is known to be there any more.
3. What is in doubt is not told: a commit that is there and is not told can be looked up.
"""

import re
from collections.abc import Iterable, Iterator

from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text import plain
from ctxmgr.engine.tools import CallOutcome, GitCall, git_calls
from ctxmgr.model.saved import Fact

COMMITTED, MOVED = "committed", "moved"

_COMMIT = re.compile(r"^\[(?:[^\]\n]{1,120}) (?P<hash>[0-9a-f]{7,40})\] (?P<subject>\S[^\n]*)$", re.MULTILINE)
_HEAD = re.compile(r"^HEAD is now at ([0-9a-f]{7,40})\b", re.MULTILINE)
_STEPS = re.compile(r"(?:HEAD|@)(?:~(\d*)|(\^))")
_COMMITS = frozenset(("commit", "merge", "cherry-pick", "revert", "am"))


def commits_of_call(line: str, output: str, ended: CallOutcome, into: Statements) -> None:
    """Add what a command line committed and took back, by what git printed."""
    calls = list(git_calls(line))
    verbs = {call.verb for call in calls}
    place = calls[0].directory if calls else ""
    found = list(_COMMIT.finditer(output)) if verbs & _COMMITS else []
    amends = any(call.verb == "commit" and "--amend" in call.words for call in calls)
    for one in found:
        text = f"{one['hash']} {plain(one['subject'])}"
        into.add("value", f"{COMMITTED}\n{one['hash']}", text, "tool", place, "amended" if amends else "")
    if amends and not found:
        _moved("unknown", place, into)
    if ended != "failed":
        for call in calls:
            if call.verb == "reset" and "--" not in call.words:
                _moved(_reset(call, output), call.directory, into)
            elif call.verb == "rebase" or (call.verb == "pull" and "--rebase" in call.words):
                _moved("unknown", call.directory, into)


def still_there(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Of facts in the order of time the commits that are known to be there."""
    chains: dict[str, list[Fact]] = {}
    for fact in facts:
        kind = fact.key.partition("\n")[0]
        if fact.slot != "value" or kind not in (COMMITTED, MOVED):
            continue
        chain = chains.setdefault(fact.status.rpartition("\n")[2], [])
        if kind == COMMITTED:
            if fact.detail == "amended" and chain:
                chain.pop()
            chain.append(fact)
        else:
            _take_back(chain, fact.text)
    for chain in chains.values():
        yield from chain


def _take_back(chain: list[Fact], how: str) -> None:
    """Rule 2."""
    if how.isdigit():
        del chain[max(0, len(chain) - int(how)) :]
        return
    known = [at for at, fact in enumerate(chain) if how and _is_same(fact.text.partition(" ")[0], how)]
    del chain[known[-1] + 1 if known else 0 :]


def _is_same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _moved(how: str, place: str, into: Statements) -> None:
    if how:
        into.add("value", f"{MOVED}\n{into.origin}\n{how}\n{place}", how, "tool", place)


def _reset(call: GitCall, output: str) -> str:
    """What a reset goes back to: a hash, a number of steps, "unknown"; "" for what moves no branch."""
    named = [word for word in call.words if word is None or not word.startswith("-")]
    head = _HEAD.search(output)
    if head:
        return head[1]
    if named in ([], ["HEAD"]):
        return ""
    steps = _STEPS.fullmatch(named[0] or "") if len(named) == 1 else None
    return str(int(steps[1] or 1)) if steps else "unknown"
