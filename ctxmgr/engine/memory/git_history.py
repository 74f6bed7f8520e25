"""Turns the output of git into facts of commits, and selects the commits that are known to exist.

1. A commit is a line that git prints for one (`[branch hash] subject`) in the result of a command line with git
   commit. If the output has more such lines than the command line makes commits, only those with git's statistics
   below count.
2. `commit --amend` replaces the newest commit. After a reset to another commit, a rebase or a forced branch, no
   earlier commit is known to exist. Uncertain commits are not reported, because the model can look them up.
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
_REFUSALS = ("fatal: ", "error: cannot ")  # how git's error lines begin
_FILE = expression(r"\.{1,2}|.*\.\w{1,5}|.*/")
_COMMITS = frozenset(("commit", "merge", "cherry-pick", "revert", "am", "rebase"))
_MOVES_NOTHING = frozenset(("--abort", "--quit", "--edit-todo", "--show-current-patch"))
_FORCES = {  # options by which git sets a branch to another commit
    "checkout": frozenset(("-B",)),
    "switch": frozenset(("-C", "--force-create")),
    "branch": frozenset(("-f", "--force")),
    "pull": frozenset(("--rebase", "-r")),
}
_STAYED = frozenset(("pushed", "new", "switch", "lost"))  # moves in facts of release 0.2 that removed no commit
_UP_TO_DATE = ("is up to date.", "Already up to date.")


def commits_of_call(calls: Sequence[GitCall], output: str, ended: CallOutcome, into: Statements) -> None:
    """Adds the commits that the git calls of one command line made, and the moves that undo commits, in order,
    according to git's output.
    """
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
            key = f"{MOVED}\n{into.stamp.origin}\n{len(into.facts())}"  # a message may have several
            into.add("value", key, "amended" if amends else "elsewhere", "tool")
        for commit in made:
            text = f"{commit['hash']} {plain(commit['subject'])}"
            into.add("value", f"{COMMITTED}\n{commit['hash']}", text, "tool", "", "amended" if amends else "")


def still_there(facts: Iterable[Fact]) -> list[Fact]:
    """The commits that are known to exist. `facts` are in order of time."""
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
    """Whether this call moves its branch to another commit (rule 2)."""
    if call.verb == "reset":
        named = [word for word in call.words if word is None or not word.startswith("-")]
        if "--" in call.words or len(named) != 1 or named == ["HEAD"]:
            return False  # a reset of files, or to the current commit
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
    """Parses such a line of a summary into its commit. Returns None for other text."""
    made = _LINE.fullmatch(fact.text)
    if made is None:
        return None
    key, text = f"{COMMITTED}\n{made[1]}", f"{made[1]} {made[2]}"
    return structs.replace(fact, kind="value", key=key, text=text, status="")
