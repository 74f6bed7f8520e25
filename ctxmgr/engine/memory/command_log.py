"""Selects the runs of each kind of check that still count, and the commits that are known to exist. Turns git's
output into facts of commits. Converts a run and a commit to its line and back.

Rules:
1. For each kind, the newest run counts, and the newest other one that failed and has no later run that passed.
2. If a project's own check (`npm run check`) passed, it also covers earlier failures of types and lint.
3. A run that continued in the background takes its outcome from the later fact with the same id.
4. Nothing else of a kind is kept: the last words of its turn say what came of it.
5. A commit is a line that git prints for one (`[branch hash] subject`) in the result of a command line with git
   commit. If the output has more such lines than the command line makes commits, only those with git's statistics
   below count.
6. `commit --amend` replaces the newest commit. After a reset to another commit, a rebase or a forced branch, no
   earlier commit is known to exist. Uncertain commits are not reported, because the model can look them up.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from ctxmgr.engine.memory.facts import Statements
from ctxmgr.engine.memory.wording import coded_command, plain, quotation
from ctxmgr.engine.tools import CallOutcome, GitCall, runs_project_check, subjects_of
from ctxmgr.model import expression
from ctxmgr.model.saved import END_OF, GOES_ON, Fact

MOST_IDS = 4  # ids in a row that one run may have: a script's, and that of a shell in it
END_CHARACTERS = 200  # of a run's counts
_OF_ALL = ("types", "lint")  # kinds that a project's own check covers
_WORDS = {"ok": "passed", "failed": "failed", "unknown": "ran"}
_STATUSES = {word: status for status, word in _WORDS.items()}
_RUN_LINE = expression(
    r"(?P<kind>[a-z]{2,12}): `(?P<line>[^`]+)`(?P<script> \(\d+ lines?, sha256 [0-9a-f]{8}\))?"
    r' (?P<ended>passed|failed|ran)(?: after #(?P<after>\d{1,6}))?(?:, outcome not shown|: "(?P<told>.*)")?'
)


def standing_runs(facts: Iterable[Fact]) -> list[Fact]:
    """The runs that count (rule 1). `facts` are in order of time."""
    last: dict[str, Fact] = {}
    failed: dict[str, Fact] = {}
    for fact in facts:
        kind = kind_of_run(fact)
        if not kind:
            continue
        if fact.status == "ok":
            for covered in (kind, *(_OF_ALL if any(map(runs_project_check, subjects_of(fact.text))) else ())):
                failed.pop(covered, None)
                if covered in last and last[covered].status == "failed":
                    del last[covered]
        elif kind in last and last[kind].status == "failed":
            failed[kind] = last[kind]
        last[kind] = fact
    return [*failed.values(), *last.values()]


def kind_of_run(fact: Fact) -> str:
    """The kind as the catalog of commands names it ("test"). Returns "" for a fact of release 0.2, which also
    recorded other commands.
    """
    kind, _, line = fact.key.partition("\n")
    return kind if fact.kind == "command" and line and kind == fact.runs else ""


def with_ends(facts: Iterable[Fact]) -> list[Fact]:
    """All facts. A run that continued gets the outcome that was reported later (rule 3)."""
    known = list(facts)
    ends = {fact.key.removeprefix(END_OF): fact for fact in known if fact.key.startswith(END_OF)}
    return [_ended(fact, ends) if fact.detail.startswith(GOES_ON) else fact for fact in known]


def _ended(fact: Fact, ends: Mapping[str, Fact]) -> Fact:
    for _ in range(MOST_IDS):
        end = ends.get(fact.detail.removeprefix(GOES_ON))
        if end is None or (end.time_ms, end.seq) < (fact.time_ms, fact.seq):
            break
        fact = structs.replace(fact, status=end.status, detail=end.detail, time_ms=end.time_ms, seq=end.seq)
    return fact


def run_line(fact: Fact, after: int, overtaken: bool = False) -> str:
    """`- test: `pytest -q` failed after #3: "1 failed"`. `after`: the number of the user's message before it, or 0.
    `overtaken`: files changed since.
    """
    words = f"- {kind_of_run(fact)}: {coded_command(fact.text)} {_WORDS[fact.status]}"
    words += f" after #{after}" if after else ""
    if fact.status == "unknown":
        return f"{words}, outcome not shown"
    words += ", files changed since" if overtaken else ""
    return f"{words}: {quotation(fact.detail, END_CHARACTERS)}" if fact.detail else words


def run_of_line(fact: Fact) -> Fact | None:
    """Parses such a line of a summary into its run, with the number of the user's message in `seq`. Returns None
    for other text.
    """
    run = _RUN_LINE.fullmatch(fact.text)
    if run is None:
        return None
    line = run["line"] + (run["script"] or "")
    return structs.replace(
        fact,
        kind="command",
        key=f"{run['kind']}\n{line}",
        text=line,
        seq=int(run["after"] or 0),
        status=_STATUSES[run["ended"]],
        detail=run["told"] or "",
        runs=run["kind"],
    )


COMMITTED, MOVED = "committed", "moved"
PATH_CHARACTERS = 240  # of a path, and of a subject

_COMMIT = expression(
    r"^\[(?:[^\]\n]{1,120}) (?P<hash>[0-9a-f]{7,40})\] (?P<subject>\S[^\n]*)$(?P<stat>\n )?", re.MULTILINE
)
_COMMIT_LINE = expression(r'commit ([0-9a-f]{7,40}): "(.*)"')
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
    """Whether this call moves its branch to another commit (rule 6)."""
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
    made = _COMMIT_LINE.fullmatch(fact.text)
    if made is None:
        return None
    key, text = f"{COMMITTED}\n{made[1]}", f"{made[1]} {made[2]}"
    return structs.replace(fact, kind="value", key=key, text=text, status="")
