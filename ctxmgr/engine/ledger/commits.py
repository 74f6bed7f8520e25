"""Turns what git printed into facts of commits, and these into what became of each.

Rules:
1. A commit is what git prints of one (`[branch hash] subject`) where the command line has it commit, also in a
   script that stands in it. Of all else the same is a value that was printed: a wrapper (`make release`) may have
   committed, and a program prints what it likes. In what only shows texts (`echo`, `cat`) it is not even that.
   Where more is printed than was committed, and the messages are known, the others are printed too.
2. What a call does to a branch counts for commits of the same directory. A call that names none ran where all did
   that name one, where that is one place; in a session of several nobody knows, so it does nothing, and what it
   committed stands.
3. A commit stands on the one before it of its branch. `git reset` takes the branch back, by steps or to a known
   commit: what came behind is reset away, until a reset goes back to it. Where git says on which commit the branch
   is then, that decides; where that one is not known, as many steps as all known commits take all of them.
4. What may have moved a branch by what is not known (a merge, a pull, a commit without a line, a reset to a name)
   is a bound: steps go no further.
5. `commit --amend` takes the place of the one before it. A commit that says `Revert "..."` reverts the newest of
   that subject, and one that reverts the reverting, or says `Reapply "..."`, brings it back.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text import plain
from ctxmgr.engine.tools import GitCall, ToolCall, git_calls, only_shows, paths
from ctxmgr.model.saved import RESET_AWAY, REVERTED, Fact

COMMITTED, PRINTED, MOVED = "committed", "printed", "moved"
_OF_GIT = (f"{COMMITTED}\n", f"{MOVED}\n")
_AMENDED = "amended"

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
_REVERTS = re.compile(r"[0-9a-f]+ Revert \"(.*)\"$")
_REAPPLIES = re.compile(r"[0-9a-f]+ Reapply \"(.*)\"$")
_CHANGES_TO = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd)\s+([^\s;&|)]+)")
_BOUND = ""  # stands in a chain of commits for those that are not known


def commits_of_call(call: ToolCall, lines: Sequence[str], told: tuple[str, str], into: Statements) -> list[str]:
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
    if len(made) == len(commits) and not (others and not made):
        _in_order(calls, commits, (command, list(lines)), into)
    else:
        went = place or (call.shell.directory if call.shell is not None else "")
        for found in commits:
            _add_commit(found, made[0].directory if made else went, command, into)
        for one in calls:
            _add_move(_unknown(one), one.directory, into)
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


def _in_order(
    calls: Sequence[GitCall], commits: Sequence[re.Match[str]], told: tuple[str, list[str]], into: Statements
) -> None:
    """Add what each call did, where each that commits printed one. `told`: the command, and the lines."""
    command, lines = told
    waiting = iter(commits)
    head = next((found[1] for line in lines if (found := _HEAD.match(line))), "")
    for one in calls:
        if one.verb in _COMMITS:
            if one.verb == "commit" and "--amend" in one.words:
                _add_move("amend", one.directory, into)
            _add_commit(next(waiting), one.directory, command, into)
        elif one.verb == "reset":
            _add_move(_reset(one, head), one.directory, into)
        else:
            _add_move(_switch(one, lines), one.directory, into)


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


def with_commits(facts: Iterable[Fact]) -> list[Fact]:
    """Facts with what became of each commit as its status, without those that were amended and what moved a
    branch."""
    facts = list(facts)
    told = [fact for fact in facts if fact.slot == "value" and fact.key.startswith(_OF_GIT)]
    if not told:
        return facts
    became: dict[str, str] = {}
    for some in _by_place(sorted(told, key=_when), facts):
        became |= _became(some)
    found: list[Fact] = []
    for fact in facts:
        if fact.slot != "value" or not fact.key.startswith(_OF_GIT):
            found.append(fact)
        elif fact.key.startswith(f"{COMMITTED}\n") and (status := became.get(_hash(fact), "")) != _AMENDED:
            found.append(structs.replace(fact, status=status))
    return found


def _by_place(told: Sequence[Fact], facts: Iterable[Fact]) -> Iterator[list[Fact]]:
    """What git was told in each place that is known (rule 2)."""
    by: dict[str, list[Fact]] = {}
    for fact in told:
        by.setdefault(fact.status.partition("\n")[2].rstrip("/"), []).append(fact)
    commands = [fact.text for fact in facts if fact.slot == "command"]
    went = {to.strip("\"'").rstrip("/") for text in commands for to in _CHANGES_TO.findall(text)}
    places = {*by, *went} - {""}
    only = next(iter(places), "") if len(places) < 2 else paths.UNKNOWN
    unnamed = by.pop("", [])
    if only == "" or only in by or paths.is_absolute(only):
        by[only] = sorted((*by.get(only, ()), *unnamed), key=_when)
    yield from (some for place, some in by.items() if not place or paths.is_absolute(place))


class _Branches:
    """The commits of each branch of one place, as far as they are known: `chains`, from old to new. `before`: what
    each commit stands on. `on`: the branch, "" for the first, None for one that is not known."""

    def __init__(self) -> None:
        self.chains: dict[str, list[str]] = {}
        self.before: dict[str, list[str]] = {}
        self.amended: set[str] = set()
        self.on: str | None = ""
        self.amends = False

    def commit(self, made: str, branch: str) -> None:
        if branch and branch != self.on:
            self.chains.setdefault(branch, self.chains.pop("", []) if self.on == "" else [])
            self.on, self.amends = branch, self.amends and self.on in ("", branch)
        chain = self.chains.setdefault(self.on or "", [])
        if self.amends and chain and chain[-1] != _BOUND:
            self.amended.add(chain.pop())
        self.amends = False
        self.before[made] = [*chain]
        chain.append(made)

    def move(self, told: str) -> None:
        verb, _, what = told.partition(" ")
        if verb == "lost":
            self.on = None
        elif verb == "switch":
            self.on = what
        if verb in ("lost", "switch") or self.on is None:
            return
        chain = self.chains.setdefault(self.on, [])
        if verb == "amend":
            self.amends = True
        elif verb == "new":
            self.on, self.chains[what] = what, [*chain]
        elif verb == "unknown":
            chain.append(_BOUND)
        else:
            steps, _, head = what.partition(" ") if verb == "back" else ("", "", what)
            self.chains[self.on] = self._reset(chain, int(steps or 0), head)

    def _reset(self, chain: list[str], steps: int, head: str) -> list[str]:
        """Rules 3 and 4. `steps`: 0 for none said; `head`: where the branch is then, "" where that is not said."""
        known = next((one for one in self.before if head and _is_same(one, head)), "")
        if known:
            return [*self.before[known], known]
        bound = len(chain) - chain[::-1].index(_BOUND) if _BOUND in chain else 0
        if not steps or (head and steps < len(chain) - bound):
            return [*chain, _BOUND]
        return chain[: max(bound, len(chain) - steps)]


def _became(facts: Sequence[Fact]) -> dict[str, str]:
    """What became of commits that do not stand, by their hashes; facts of one place, from old to new."""
    branches = _Branches()
    texts: dict[str, str] = {}
    for fact in facts:
        if not fact.key.startswith(f"{COMMITTED}\n"):
            branches.move(fact.text)
            continue
        texts[_hash(fact)] = fact.text
        branches.commit(_hash(fact), fact.status.partition("\n")[0])
    stands = {made for chain in branches.chains.values() for made in chain}
    gone = {made: _AMENDED if made in branches.amended else RESET_AWAY for made in texts if made not in stands}
    standing = {made: text for made, text in texts.items() if made in stands}
    return {**dict.fromkeys(_reverted(standing), REVERTED), **gone}


def _reverted(texts: dict[str, str]) -> list[str]:
    """Of commits from old to new, by their hashes, those that another one reverts (rule 5)."""
    reverted: dict[str, bool] = {}
    before: dict[str, str] = {}
    for made, text in texts.items():
        found, again = _REVERTS.match(text), _REAPPLIES.match(text)
        wanted = found[1] if found else f'Revert "{again[1]}"' if again else ""
        one = _newest(before, wanted)
        if one:
            reverted[one] = True
            undoes = _REVERTS.match(before[one])
            reverted[_newest(before, undoes[1]) if undoes else ""] = False
        before[made] = text
    return [made for made, by in reverted.items() if by]


def _newest(before: dict[str, str], subject: str) -> str:
    """The newest commit of a subject; "" for none."""
    return next((made for made in reversed(before) if subject and before[made].partition(" ")[2] == subject), "")


def _hash(fact: Fact) -> str:
    return fact.key.partition("\n")[2]


def _is_same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _when(fact: Fact) -> tuple[int, int, int]:
    return fact.time_ms, fact.seq, fact.order
