"""Turns facts of commits, and of what moved a branch, into what became of each commit.

Rules:
1. What a call does to a branch counts for commits of the same directory. A call that names none ran where all did
   that name one, where that is one place; in a session of several nobody knows, so it does nothing, and what it
   committed stands.
2. A commit stands on the one before it of its branch. `git reset` takes the branch back, by steps or to a known
   commit: what came behind is reset away, until a reset goes back to it. Where git says on which commit the branch
   is then, that decides; where that one is not known, as many steps as all known commits take all of them.
3. What may have moved a branch by what is not known (a merge, a pull, a commit without a line, a reset to a name)
   is a bound: steps go no further.
4. `commit --amend` takes the place of the one before it. A commit that says `Revert "..."` reverts the newest of
   that subject, and one that reverts the reverting, or says `Reapply "..."`, brings it back.
5. A quiet commit has the hash to which the next push took its branch, where it is the newest of it then.
6. What a rebase may have moved has its old hash no more: all of the branch that no other has; where it was onto its
   own upstream, what was not pushed before. Nor has what was amended without a line.
7. A file that was brought back (`git restore`) is changed no more, unless something was committed before: that may
   hold what was changed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import structs

from ctxmgr.engine.ledger.commits import COMMITTED, MOVED, QUIET
from ctxmgr.engine.tools import paths
from ctxmgr.model.saved import BROUGHT_BACK, RESET_AWAY, REVERTED, Fact

_OF_GIT = (f"{COMMITTED}\n", f"{MOVED}\n")
_AMENDED = "amended"

_REVERTS = re.compile(r"Revert \"(.*)\"$")
_REAPPLIES = re.compile(r"Reapply \"(.*)\"$")
_CHANGES_TO = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd)\s+([^\s;&|)]+)")
_BOUND = ""  # stands in a chain of commits for those that are not known


class _Became(msgspec.Struct, frozen=True):
    """`status`: of the fact; `hash`: that a quiet one was found to have; `is_moved`: its hash is an old one."""

    status: str = ""
    hash: str = ""
    is_moved: bool = False


_STANDS = _Became()


def with_commits(facts: Iterable[Fact]) -> list[Fact]:
    """Facts with what became of each commit as its status, and what it is called now, without those that were
    amended and what moved a branch."""
    facts = list(facts)
    told = [fact for fact in facts if fact.slot == "value" and fact.key.startswith(_OF_GIT)]
    if not told:
        return facts
    became: dict[str, _Became] = {}
    for some in _by_place(sorted(told, key=_when), facts):
        became |= _became(some)
    found: list[Fact] = []
    for fact in facts:
        if fact.slot != "value" or not fact.key.startswith(_OF_GIT):
            found.append(fact)
        elif fact.key.startswith(f"{COMMITTED}\n") and (now := became.get(_hash(fact), _STANDS)).status != _AMENDED:
            found.append(_called(structs.replace(fact, status=now.status), now))
    return found


def without_brought_back(facts: Sequence[Fact]) -> list[Fact]:
    """Facts without those of files that were changed and then brought back, where no commit before that may hold
    the change (rule 7)."""
    back = [fact for fact in facts if fact.slot == "file" and fact.status == BROUGHT_BACK]
    if not back:
        return list(facts)
    made = (fact for fact in facts if fact.slot == "value" and fact.key.startswith(f"{COMMITTED}\n"))
    first = min(((fact.time_ms, fact.seq) for fact in made), default=None)
    whole = [one for one in back if first is None or (one.time_ms, one.seq) < first]
    return [
        fact
        for fact in facts
        if fact.slot != "file"
        or (fact.status != BROUGHT_BACK and (fact.status == "read" or not any(_undoes(one, fact) for one in whole)))
    ]


def _undoes(back: Fact, changed: Fact) -> bool:
    """A directory takes no new file along: git does not know it."""
    if (changed.time_ms, changed.seq) > (back.time_ms, back.seq):
        return False
    if f"/{changed.text}".endswith(f"/{back.text}"):
        return True
    within = back.text == "." or f"/{back.text}/" in f"/{changed.text}"
    return within and changed.status != "written"


def _called(fact: Fact, now: "_Became") -> Fact:
    """Rules 5 and 6."""
    if now.hash:
        key, text = f"{COMMITTED}\n{now.hash}", f"{now.hash} {_subject(fact)}"
        return structs.replace(fact, key=key, text=text)
    return structs.replace(fact, text=_subject(fact)) if now.is_moved else fact


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
    each commit stands on. `on`: the branch, "" for the first, None for one that is not known. `pushed`: the newest
    of each branch that a push was told with; `hashes`: those of quiet commits; `moved`: whose hashes are old."""

    def __init__(self) -> None:
        self.chains: dict[str, list[str]] = {}
        self.before: dict[str, list[str]] = {}
        self.amended: set[str] = set()
        self.pushed: dict[str, str] = {}
        self.hashes: dict[str, str] = {}
        self.moved: set[str] = set()
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
        elif verb == "pushed":
            self._push(*what.split(" "))
        elif verb == "rebased":
            self._rebase(chain, what)
        elif verb == "rehashed":
            self.moved.update(one for one in chain[-1:] if one != _BOUND)
        elif verb == "new":
            self.on, self.chains[what] = what, [*chain]
        elif verb == "unknown":
            chain.append(_BOUND)
        else:
            steps, _, head = what.partition(" ") if verb == "back" else ("", "", what)
            self.chains[self.on] = self._reset(chain, int(steps or 0), head)

    def _push(self, head: str, branch: str) -> None:
        """Rule 5."""
        name = branch if branch in self.chains else self.on or ""
        chain = self.chains.get(name, []) if name in (self.on, branch) else []
        newest = chain[-1] if chain else _BOUND
        if newest.startswith(QUIET):
            self.hashes[newest] = head
        if newest != _BOUND:
            self.pushed[name] = newest

    def _rebase(self, chain: list[str], onto: str) -> None:
        """Rule 6. `onto`: "" for what is not known."""
        others = {one for name, some in self.chains.items() if name != self.on for one in some}
        pushed = self.pushed.get(self.on or "") if onto in ("@{u}", f"origin/{self.on}") else None
        own = chain[chain.index(pushed) + 1 :] if pushed in chain else chain
        self.moved.update(one for one in own if one not in others and one != _BOUND)
        chain.append(_BOUND)

    def _reset(self, chain: list[str], steps: int, head: str) -> list[str]:
        """Rules 3 and 4. `steps`: 0 for none said; `head`: where the branch is then, "" where that is not said."""
        known = next((one for one in self.before if head and _is_same(one, head)), "")
        if known:
            return [*self.before[known], known]
        bound = len(chain) - chain[::-1].index(_BOUND) if _BOUND in chain else 0
        if not steps or (head and steps < len(chain) - bound):
            return [*chain, _BOUND]
        return chain[: max(bound, len(chain) - steps)]


def _became(facts: Sequence[Fact]) -> dict[str, _Became]:
    """What became of commits, by their hashes; facts of one place, from old to new."""
    branches = _Branches()
    texts: dict[str, str] = {}
    for fact in facts:
        if not fact.key.startswith(f"{COMMITTED}\n"):
            branches.move(fact.text)
            continue
        texts[_hash(fact)] = _subject(fact)
        branches.commit(_hash(fact), fact.status.partition("\n")[0])
    stands = {made for chain in branches.chains.values() for made in chain}
    gone = {made: _AMENDED if made in branches.amended else RESET_AWAY for made in texts if made not in stands}
    standing = {made: text for made, text in texts.items() if made in stands}
    states = {**dict.fromkeys(_reverted(standing), REVERTED), **gone}
    return {
        made: _Became(states.get(made, ""), branches.hashes.get(made, ""), made in branches.moved) for made in texts
    }


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
    return next((made for made in reversed(before) if subject and before[made] == subject), "")


def _hash(fact: Fact) -> str:
    return fact.key.partition("\n")[2]


def _subject(fact: Fact) -> str:
    return fact.text if _hash(fact).startswith(QUIET) else fact.text.partition(" ")[2]


def _is_same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _when(fact: Fact) -> tuple[int, int, int]:
    return fact.time_ms, fact.seq, fact.order
