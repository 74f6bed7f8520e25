"""Finds what a line tells as still to be done with git or its hosts, or as not done, though it was done since.

Rules:
1. A commit, a merge or a push: git did it, and nothing was changed, committed or undone since. A merge or a push is
   told with no name but those of the command.
2. A pull or merge request that is to be opened: one was opened, or the program that opens one worked; no other
   branch was taken since, and the line names nothing that no command of git and of its hosts names.
3. A merge or a rebase that is to be finished, or its conflict resolved: a commit, or what goes on with it, worked
   behind the last that was tried. Whatever file it is told of: a commit leaves none in conflict.
"""

import re
from collections.abc import Sequence

from ctxmgr.engine.judging.untouched import pending, says_no_commit
from ctxmgr.engine.stating import DraftItem
from ctxmgr.engine.text import HeadingKind, content_words, words_of
from ctxmgr.model.saved import Fact

_OPEN: frozenset[HeadingKind] = frozenset(("next", "step", "active", "blocked"))
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

_REQUEST = r"(?:(?:pull|merge)[- ]requests?|PRs?|MRs?)"
_TO_OPEN = re.compile(
    r"^\W*(?:(?:still )?(?:to ?do|to be done|left|remaining|pending)\W+(?:to )?)?"
    rf"(?:open|opening|create|creating|submit|submitting|raise|file|make)(?: up)?"
    rf" (?:(?:an?|the|our|my|this|draft) )*{_REQUEST}\b"
    rf"|\b{_REQUEST} (?:(?:is|has|was|needs|must|still|yet|be|been|have) )*"
    r"(?:not (?:yet )?(?:been )?|to be |unopened)(?:opened|created|submitted|raised|filed)?\b",
    re.IGNORECASE,
)
_OPENS = re.compile(r"\b(?:gh pr|glab mr|hub pull-request|tea pulls?|az repos pr)(?: create| new)?\b")
_OPENED = re.compile(r"/(?:pulls?|merge_requests|pull-requests)/\d+$")
_CREATES = re.compile(r"(?<![^\W_])(?:create|open|new|submit)(?![^\W_])|hub pull-request", re.IGNORECASE)
_OTHER_BRANCH = re.compile(
    r"\bgit (?:checkout|switch|branch)\b|\b(?:gh pr|glab mr) (?:close|checkout|reopen|delete)\b"
)
_OF_HOSTS = re.compile(r"\b(?:git|gh|glab|hub|tea|az)\b")
_NO_NAMES_OF_REQUEST = content_words(
    "open opening create creating submit submitting raise file make pull merge request requests pr prs mr mrs draft"
    " still yet not opened created submitted branch changes review main master base against upstream origin github"
    " gitlab todo pending remaining left needs must has have was"
)

_TO_FINISH = re.compile(
    r"^\W*(?:(?:still )?(?:to ?do|to be done|left|remaining|pending)\W+(?:to )?)?"
    r"(?:resolv(?:e|ing)|fix(?:ing)?|finish(?:ing)?|complet(?:e|ing)|conclud(?:e|ing)|settl(?:e|ing)"
    r"|continu(?:e|ing))"
    r" (?:(?:the|all|any|remaining|open|current|this) )*"
    r"(?:(?:git )?(?:merge|rebase) conflicts?|conflicts?|(?:git )?(?:merge|rebase))\b(?! request)",
    re.IGNORECASE,
)
_CONFLICTS = re.compile(r"^\W*(?:(?:open|unresolved) )?(?:merge |rebase )?conflicts? (?:in|with|between)\b", re.I)
_PATH = r"`?[\w@.~/-]+\.\w+`?"
_FILES = re.compile(rf"\b(?:in|of|inside) {_PATH}(?:(?:,| and|, and) {_PATH})*")
_NO_NAMES_OF_CONFLICT = content_words(
    "resolve resolving fix fixing finish finishing complete completing conclude concluding settle settling continue"
    " continuing merge rebase conflict conflicts git remaining open unresolved current branch remote changes todo"
    " left pending still"
)
_TRIES = ("git merge", "git rebase", "git pull")
_GOES_ON = re.compile(r"\bgit\b[^\n;&|]*\s--continue\b")
_GIVES_UP = re.compile(r"\bgit\b[^\n;&|]*\s--(?:abort|quit)\b")


def done_since(item: DraftItem, commands: Sequence[Fact], now: Sequence[Fact]) -> tuple[int, Fact] | None:
    """The line of the item that is not so, and what did it. `commands` and all facts `now`, oldest first."""
    if item.box in ("x", "X"):
        return None
    is_open = item.kind in _OPEN or item.box in ("", " ", "~")
    did = (_opened(item.text, commands, now) or _finished(item.text, commands)) if is_open else None
    if did is not None:
        return 0, did
    wants = _WANTS.match(item.text) if is_open and not _CONFLICTS.match(item.text) else None
    undone, ever = _UNDONE.search(item.text), says_no_commit(item.text)
    said = wants[1] if wants else undone[1] if undone else "commit" if ever else pending(item.text)
    last = _by_git(item, said.lower(), commands, now, ever=ever) if said else None
    if last is None:
        return None
    return item.text.count("\n", 0, undone.start()) if undone and not wants else 0, last


def _by_git(
    item: DraftItem, verb: str, commands: Sequence[Fact], now: Sequence[Fact], *, ever: bool
) -> Fact | None:
    """Rule 1."""
    did = [at for at, fact in enumerate(commands) if _runs(fact) & set(_DID[verb])]
    if not did or commands[did[-1]].status != "ok" or any(_UNDOES.search(one.text) for one in commands[did[-1] :]):
        return None
    last = commands[did[-1]]
    if verb != "commit":
        of = next((commands[at].text for at in reversed(did) if f"git {verb}" in _runs(commands[at])), "")
        if not content_words(item.text) - _NO_NAMES <= content_words(of):
            return None
        merged = _MERGED.search(of)
        if verb == "merge" and not (
            merged and any(item.names(words_of(one)) for one in merged[1].split() if one[0] != "-")
        ):
            return None
    changed = [fact for fact in now if fact.slot == "file" and fact.status != "read"]
    before = changed if verb == "commit" else [one for one in commands if "git commit" in _runs(one)]
    newer = verb != "merge" and not ever and any(_when(fact) > _when(last) for fact in before)
    return None if newer else last


def _opened(text: str, commands: Sequence[Fact], now: Sequence[Fact]) -> Fact | None:
    """Rule 2."""
    if not _TO_OPEN.search(text):
        return None
    made = [
        fact for fact in now if fact.slot == "value" and _OPENED.search(fact.text) and _CREATES.search(fact.detail)
    ]
    made += [
        one for one in commands if one.status == "ok" and _OPENS.search(one.text) and _CREATES.search(one.text)
    ]
    last = max(made, key=_when, default=None)
    if last is None or any(_OTHER_BRANCH.search(one.text) and _when(one) > _when(last) for one in commands):
        return None
    told = " ".join(f"{one.text} {one.detail}" for one in commands if _OF_HOSTS.search(one.text))
    return last if content_words(text) - _NO_NAMES_OF_REQUEST <= content_words(told) else None


def _finished(text: str, commands: Sequence[Fact]) -> Fact | None:
    """Rule 3."""
    if not (_TO_FINISH.search(text) or _CONFLICTS.search(text)):
        return None
    tries = [at for at, fact in enumerate(commands) if _runs(fact) & set(_TRIES)]
    tried = [at for at in tries if not (_GOES_ON.search(commands[at].text) or _GIVES_UP.search(commands[at].text))]
    if not tried:
        return None
    attempt, since = commands[tried[-1]], commands[tried[-1] + 1 :]
    ends = [
        one for one in since if one.status == "ok" and ("git commit" in _runs(one) or _GOES_ON.search(one.text))
    ]
    last = attempt if attempt.status == "ok" else ends[-1] if ends else None
    if last is None or any(_UNDOES.search(one.text) and not _GOES_ON.search(one.text) for one in since):
        return None
    names = content_words(_FILES.sub(" ", text)) - _NO_NAMES_OF_CONFLICT
    return last if names <= content_words(f"{attempt.text} {attempt.detail}") else None


def _runs(fact: Fact) -> frozenset[str]:
    return frozenset(fact.runs.split("\n")) - {""}


def _when(fact: Fact) -> tuple[int, int, int]:
    return fact.time_ms, fact.seq, fact.order
