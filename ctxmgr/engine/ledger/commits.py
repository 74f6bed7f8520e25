"""Turns what git printed into facts of commits, and of what moved a branch.

Rules:
1. A commit is what git prints of one (`[branch hash] subject`) where the command line has it commit, also in a
   script that stands in it. Of all else the same is a value that was printed: a wrapper (`make release`) may have
   committed, and a program prints what it likes. In what only shows texts (`echo`, `cat`) it is not even that.
   Where more is printed than was committed, and the messages are known, the others are printed too.
2. A `git commit` that worked and printed none (`-q`) is one by its message, without a hash: `branches` finds that
   by the push that follows, or not at all.
3. What became of commits is not told here (`branches`).
"""

import re
from collections.abc import Mapping, Sequence
from itertools import count

from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text import plain
from ctxmgr.engine.tools import CallOutcome, GitCall, ToolCall, git_calls, only_shows

COMMITTED, PRINTED, MOVED = "committed", "printed", "moved"
QUIET = "~"  # begins what a commit is known by that printed no hash
UNNAMED = "message not known"

_COMMIT = re.compile(r"(?:^|\")\[(?P<branch>[\w./ ()-]{1,120}) (?P<hash>[0-9a-f]{7,40})\] (?P<subject>\S[^\n]*)$")
_ROOT = " (root-commit)"
_HEAD = re.compile(r"^HEAD is now at ([0-9a-f]{7,40})\b")
_SWITCHED = re.compile(r"^Switched to (?:a (?P<new>new) )?branch '(?P<name>[^']{1,200})'$")
_UPDATED = re.compile(r"^Updated \d+ paths?\b")
_COMMITS = frozenset(("commit", "merge", "cherry-pick", "rebase", "revert", "am", "pull"))
_SWITCHES = frozenset(("checkout", "switch"))
_IN_SCRIPT = re.compile(  # of another language, or for a shell that reads it, or what an alias stands for
    rf"\bgit['\",\s]+(?:-\S+\s+)*['\"]?(?:{'|'.join(sorted(_COMMITS - {'pull'}))})\b"
)
_MESSAGE = re.compile(r"-[a-z]*m|--message")
_BACK = re.compile(r"(?:HEAD|@)((?:~\d*|\^)+)")
_STEPS = re.compile(r"~(\d*)|\^")
_HASH = re.compile(r"[0-9a-f]{7,40}")
_QUIET_FLAG = re.compile(r"-[a-zA-Z]*q[a-zA-Z]*|--quiet")
_PUSHED = re.compile(r"\+? *[0-9a-f]{7,40}\.{2,3}(?P<head>[0-9a-f]{7,40}) +(?P<branch>\S+) -> ")
_HEREDOC_MESSAGE = re.compile(
    r"(?:-[a-z]*m|--message)[ =]?\"\$\(cat <<-?\s*['\"]?\w+['\"]?\s*\n\s*(?P<subject>[^\n]+)"
)
_REBASED = "Successfully rebased"
_NOT_REBASING = frozenset(("--abort", "--quit", "--edit-todo", "--show-current-patch"))


def commits_of_call(
    call: ToolCall, lines: Sequence[str], ended: CallOutcome, told: tuple[str, str], into: Statements
) -> list[str]:
    """Add what a result says of commits, and what moved a branch; return the lines that say no commit.

    `lines`: of the output; `told`: the command as the facts tell it, and the directory that the call names.
    """
    line = call.shell.command if call.shell is not None else ""
    commits = [found for one in lines if (found := _COMMIT.search(one))]
    if not commits and "git" not in line:
        return list(lines)
    left = [one for one in lines if not _COMMIT.search(one)]
    if line and only_shows(line):
        return left
    command, place = told
    calls = list(git_calls(line, place))
    made = [one for one in calls if one.verb in _COMMITS]
    others = commits if not (made or _IN_SCRIPT.search(line)) else _not_asked_for(made, commits)
    for found in others:
        into.add("value", f"{PRINTED}\n{found['hash']}", _text(found), "tool", detail=command)
    commits = [found for found in commits if found not in others]
    quiet = _quiet(made, len(commits), _heredoc_subject(line)) if ended == "ok" else {}
    if len(made) == len(commits) + len(quiet) and not (others and not made):
        _in_order(calls, commits, quiet, (command, list(lines)), into)
    else:
        went = place or (call.shell.directory if call.shell is not None else "")
        for found in commits:
            _add_commit(found, made[0].directory if made else went, command, into)
        for one in calls:
            _add_move(_rebased(one, lines, ended), one.directory, into)
            _add_move(_unknown(one), one.directory, into)
            _add_move(_pushed(one, lines), one.directory, into)
        _add_move("unknown" if others else "", went, into)
    return left


def _not_asked_for(made: Sequence[GitCall], commits: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Of more than were made, those with a subject that no call's message has; none where that is not known."""
    if len(commits) <= len(made):
        return []
    asked = {_subject(one) for one in made}
    rest = [found for found in commits if plain(found["subject"]) not in asked]
    return rest if "" not in asked and len(rest) < len(commits) else []


def _subject(call: GitCall) -> str:
    """What a commit's message begins with, "" where that is not known."""
    pairs = zip(call.words, call.words[1:], strict=False)
    said = next((text for flag, text in pairs if flag and _MESSAGE.fullmatch(flag)), None)
    return plain((said or "").strip().partition("\n\n")[0]) if call.verb == "commit" else ""


def _quiet(made: Sequence[GitCall], printed: int, heredoc: str) -> dict[int, str]:
    """Which of these calls committed and printed none, with what each said ("" where it kept the message of the
    one that it amends); `printed`: so many printed one; `heredoc`: the subject of a message in the line."""
    commits = [(at, one) for at, one in enumerate(made) if one.verb == "commit"]
    quiet = [(at, one) for at, one in commits if any(word and _QUIET_FLAG.fullmatch(word) for word in one.words)]
    if len(made) - printed != len(quiet):
        quiet = commits if not printed else []
    if len(made) - printed != len(quiet):
        return {}
    return {
        at: _subject(one) or (heredoc if len(commits) == 1 else "") or ("" if "--amend" in one.words else UNNAMED)
        for at, one in quiet
    }


def _heredoc_subject(line: str) -> str:
    found = _HEREDOC_MESSAGE.search(line)
    return plain(found["subject"]) if found else ""


def _in_order(
    calls: Sequence[GitCall],
    commits: Sequence[re.Match[str]],
    quiet: Mapping[int, str],
    told: tuple[str, list[str]],
    into: Statements,
) -> None:
    """Add what each call did, where each that commits printed one, but the `quiet`. `told`: the command, and the
    lines."""
    command, lines = told
    waiting = iter(commits)
    head = next((found[1] for line in lines if (found := _HEAD.match(line))), "")
    places = count()
    for one in calls:
        if one.verb in _COMMITS:
            said = quiet.get(place := next(places))
            if one.verb == "commit" and "--amend" in one.words:
                _add_move("rehashed" if said == "" else "amend", one.directory, into)
            if said:
                name = f"{COMMITTED}\n{QUIET}{into.origin}{place}"
                into.add("value", name, said, "tool", f"\n{one.directory}", command)
            elif said is None:
                _add_commit(next(waiting), one.directory, command, into)
        elif one.verb == "reset":
            _add_move(_reset(one, head), one.directory, into)
        else:
            _add_move(_switch(one, lines) or _pushed(one, lines), one.directory, into)


def _pushed(call: GitCall, lines: Sequence[str]) -> str:
    """The commit that a push took a branch to, and that branch; "" where it does not say."""
    found = next((found for line in lines if (found := _PUSHED.match(line))), None) if call.verb == "push" else None
    return f"pushed {found['head']} {found['branch']}" if found else ""


def _rebased(call: GitCall, lines: Sequence[str], ended: CallOutcome) -> str:
    """What a call moved commits onto, "rebased " where that is not known; "" for one that moved none."""
    if call.verb not in ("rebase", "pull") or not _NOT_REBASING.isdisjoint(call.words):
        return ""
    quiet = (
        call.verb == "rebase" and ended == "ok" and any(one and _QUIET_FLAG.fullmatch(one) for one in call.words)
    )
    if not quiet and not any(line.startswith(_REBASED) for line in lines):
        return ""
    named = [word for word in call.words if word is None or not word.startswith("-")]
    if call.verb == "pull" or (not named and "--continue" not in call.words):
        return "rebased @{u}"
    return f"rebased {named[0] or ''}" if len(named) == 1 else "rebased "


def _unknown(call: GitCall) -> str:
    """What a call may have done of which nobody knows when."""
    return "lost" if call.verb in _SWITCHES else "unknown" if call.verb in (*_COMMITS, "reset") else ""


def _add_commit(found: re.Match[str], place: str, command: str, into: Statements) -> None:
    status = f"{found['branch'].removesuffix(_ROOT)}\n{place}"
    into.add("value", f"{COMMITTED}\n{found['hash']}", _text(found), "tool", status, command)


def _text(found: re.Match[str]) -> str:
    return f"{found['hash']} {plain(found['subject'])}"


def _add_move(told: str, place: str, into: Statements) -> None:
    if told:
        into.add("value", f"{MOVED}\n{into.origin}\n{told}\n{place}", told, "tool", f"\n{place}")


def _reset(call: GitCall, head: str) -> str:
    """What a reset does to its branch: "back 2 HASH", "to HASH", "unknown"; "" for nothing. `head`: the commit that
    git says it is on then."""
    named = [word for word in call.words if word is None or not word.startswith("-")]
    if "--" in call.words or len(named) > 1 or not (named or head):
        return ""
    back = _BACK.fullmatch(named[0] or "") if named else None
    if back:
        return f"back {sum(int(found[1] or 1) for found in _STEPS.finditer(back[1]))} {head}".rstrip()
    if named and _HASH.fullmatch(named[0] or ""):
        return f"to {named[0]}"
    return f"to {head}" if head else ""


def _switch(call: GitCall, lines: Sequence[str]) -> str:
    """The branch that a call goes to: "new NAME", "switch NAME", "lost"; "" for a call that goes to none."""
    if call.verb not in _SWITCHES or "--" in call.words or any(map(_UPDATED.match, lines)):
        return ""
    found = [found for line in lines if (found := _SWITCHED.match(line))]
    return f"{'new' if found[0]['new'] else 'switch'} {found[0]['name']}" if len(found) == 1 else "lost"
