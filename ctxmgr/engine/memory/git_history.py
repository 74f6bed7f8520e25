"""Turns what git printed into facts of commits, and facts into the commits that are known to be there.

1. A commit is what git prints of one (`[branch hash] subject`) in the result of a command line that has git commit.
   Where more of them stand there than the line makes, only those count that git's statistics follow.
2. `commit --amend` takes the place of the newest. Behind a reset to another commit, a rebase or what sets a branch
   anew, no earlier commit is known to be there any more. What is in doubt is not told: it can be looked up.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import structs

from ctxmgr.engine.memory.facts import Statements
from ctxmgr.engine.memory.wording import plain, quotation
from ctxmgr.engine.tools import CallOutcome, GitCall
from ctxmgr.model import expression
from ctxmgr.model.saved import Fact

COMMITTED, MOVED = "committed", "moved"
PATH_CHARACTERS = 240  # of a path, and of a subject

_COMMIT = expression(
    r"^\[(?:[^\]\n]{1,120}) (?P<hash>[0-9a-f]{7,40})\] (?P<subject>\S[^\n]*)$(?P<stat>\n )?", re.MULTILINE
)
_LINE = expression(r'commit ([0-9a-f]{7,40}): "(.*)"')
_HASH = expression(r"[0-9a-f]{7,40}")
_REFUSALS = ("fatal: ", "error: cannot ")  # how a line of git begins
_FILE = expression(r"\.{1,2}|.*\.\w{1,5}|.*/")
_COMMITS = frozenset(("commit", "merge", "cherry-pick", "revert", "am", "rebase"))
_MOVES_NOTHING = frozenset(("--abort", "--quit", "--edit-todo", "--show-current-patch"))
_FORCES = {  # by which words git sets a branch to somewhere else
    "checkout": frozenset(("-B",)),
    "switch": frozenset(("-C", "--force-create")),
    "branch": frozenset(("-f", "--force")),
    "pull": frozenset(("--rebase", "-r")),
}
_STAYED = frozenset(("pushed", "new", "switch", "lost"))  # moves that release 0.2 told of, and took none away
_UP_TO_DATE = ("is up to date.", "Already up to date.")


def commits_of_call(calls: Sequence[GitCall], output: str, ended: CallOutcome, into: Statements) -> None:
    """Add what these calls of one line committed and took back, in their order, by what git printed."""
    makers = [call for call in calls if call.verb in _COMMITS]
    commits = list(_COMMIT.finditer(output)) if makers else []
    sure = [commit for commit in commits if commit["stat"]]
    commits = sure if sure and len(commits) > len(makers) else commits
    refused = ended == "failed" and any(line.startswith(_REFUSALS) for line in output.splitlines())
    for call in calls:
        made: list[re.Match[str]] = []
        if call in makers:
            made, commits = (commits, []) if call is makers[-1] else (commits[:1], commits[1:])
        amends = call.verb == "commit" and "--amend" in call.words
        if not refused and (_moves(call, output) or (amends and not made)):
            key = f"{MOVED}\n{into.stamp.origin}\n{len(into.facts())}"  # a message may hold several
            into.add("value", key, "amended" if amends else "elsewhere", "tool")
        for commit in made:
            text = f"{commit['hash']} {plain(commit['subject'])}"
            into.add("value", f"{COMMITTED}\n{commit['hash']}", text, "tool", "", "amended" if amends else "")


def still_there(facts: Iterable[Fact]) -> list[Fact]:
    """Of facts in the order of time the commits that are known to be there."""
    known: list[Fact] = []
    for fact in facts:
        kind = fact.key.partition("\n")[0]
        if fact.kind != "value" or (kind == MOVED and fact.text.partition(" ")[0] in _STAYED):
            continue
        if "amended" in (fact.text, fact.detail):
            del known[-1:]
        elif kind == MOVED:
            known.clear()
        if kind == COMMITTED:
            known.append(fact)
    return [fact for fact in known if _HASH.fullmatch(fact.text.partition(" ")[0])]


def _moves(call: GitCall, output: str) -> bool:
    """Whether this call takes its branch to another commit (rule 2)."""
    if call.verb == "reset":
        named = [word for word in call.words if word is None or not word.startswith("-")]
        if "--" in call.words or len(named) != 1 or named == ["HEAD"]:
            return False  # of files, or to where it is
        return any(word and word.startswith("--") for word in call.words) or not _FILE.fullmatch(named[0] or "")
    if call.verb in ("update-ref", "filter-branch", "filter-repo"):
        return True
    if call.verb != "rebase" and _FORCES.get(call.verb, frozenset()).isdisjoint(call.words):
        return False
    return _MOVES_NOTHING.isdisjoint(call.words) and not any(words in output for words in _UP_TO_DATE)


def commit_line(fact: Fact) -> str:
    """`- commit abc1234: "subject"`."""
    made, _, subject = fact.text.partition(" ")
    return f"- commit {made}: {quotation(subject, PATH_CHARACTERS)}"


def commit_of_line(fact: Fact) -> Fact | None:
    """The commit that such a line of a summary tells; None for another text."""
    made = _LINE.fullmatch(fact.text)
    if made is None:
        return None
    key, text = f"{COMMITTED}\n{made[1]}", f"{made[1]} {made[2]}"
    return structs.replace(fact, kind="value", key=key, text=text, status="")
