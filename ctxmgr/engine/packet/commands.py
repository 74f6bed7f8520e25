"""Turns command facts into lines: what failed when it was last tried, and how everything else last ended.

Rules:

1. What failed blocks until something later shows that it does no more (`ended_by`): the same command, however it
   is quoted, or another of the same program and subcommand worked, of a check one that is of all that it was of; so
   did each test that it quotes, each part that its output names (a test file, a package, a target), or a task of
   all tests; a merge is also ended by a commit; the file of a failed edit was changed.
2. A look that was called wrong blocks nothing. A failure fades: the newest come first, commands that only look, and
   scripts written for one run, last. One that `FADES` other commands have followed, `LOOK_FADES` of such, stands in
   nobody's way.
3. Several that failed with the same error are one line, which names the newest. What an error is wrapped in, and a
   code alone, is not quoted. What ran again since, and nobody knows how that ended, blocks
   no more: it is told as unknown, with how it failed before.
4. How a command ended is told once, for the newest run: of checks always, failures that something ended (and what
   did), what was aborted, and ends that nobody knows among them, but no failure that faded; of another run where
   it worked. What only looks, and a script written for one run, tells nothing; of git the newest of each kind.
   Failures that a run of something else ended have room of their own: it may not be all that failed. So have the
   newest of what is no check, with what showed since that it works: what they failed with is not to be tried again.
"""

import re
from collections.abc import Callable, Container, Mapping, Sequence

import msgspec

from ctxmgr.engine.judging import counts_of, error_line, how_it_ended, quoted_error, reason, was_stopped
from ctxmgr.engine.ledger import SHELL
from ctxmgr.engine.packet.ended_by import Worked
from ctxmgr.engine.text import begins, coded_command, is_script, key_of
from ctxmgr.engine.tools import is_like_a_check, is_lost, is_usage_error
from ctxmgr.model.saved import GOES_ON, Fact

OTHER_CHARACTERS = 120  # of a command beside another
MOST_BLOCKERS = 6
MOST_CHECKS = 4
MOST_AGAIN = 2
MOST_ENDS = 8
MOST_SAME = 3  # other commands of one error that are named
FADES = 120
LOOK_FADES = 40
STOPPED = "aborted before it ended"

_LOOKING = re.compile(
    r"(?:ls|ll|cat|head|tail|less|grep|rg|ag|fd|find|wc|which|type|file|stat|du|df|pwd|echo|printf|sleep|test"
    r"|\[|tree|sed -n|awk|diff|cmp|jq|ps|env|true|cd|open|code|history|date|whoami|uname"
    r"|git (?:status|diff|log|show|branch|remote|grep|blame|rev-parse|ls-files)"
    r"|gh (?:\w+ (?:view|list|status|diff|checks)|auth status|search))(?:\s|$)"
)
_ONE_OFF = re.compile(r"<<|\s-(?:e|c|p)\s+[\"'$]|^(?:kill|pkill|rm|mkdir|touch|mv|cp|ln|chmod|sed)\s")
_GIT_ENDS = ("git merge", "git rebase", "git push", "git commit", "git pull", "git cherry-pick", "git revert")
_DIRECTORY = re.compile(r"^cd\s+(\S+)\s*(?:&&|;)\s*")


class CommandStates(msgspec.Struct, frozen=True):
    """`blockers`: the failures of each error that blocks, newest first, with the line that tells them; those that
    block most first. `ends`: a line for each of the newest commands that do not block (rule 4), checks first.
    `failed`: all that blocks, told elsewhere or not."""

    blockers: tuple[tuple[Sequence[Fact], str], ...]
    ends: tuple[str, ...]
    failed: tuple[Fact, ...] = ()

    def blocker_lines(self) -> list[str]:
        """As many as are told."""
        return [line for _, line in self.blockers[:MOST_BLOCKERS]]


def nothing(fact: Fact) -> bool:
    """Nothing is told elsewhere."""
    return False


def command_states(
    facts: Sequence[Fact],
    changed: Mapping[str, tuple[int, int]] | None = None,
    told: Callable[[Fact], bool] = nothing,
) -> CommandStates:
    """How things stand. `facts`: commands, oldest first; `changed`: when each file was last changed, by path;
    `told`: is how this one ended told elsewhere?"""
    failed = blocking(facts, changed or {})
    again = {fact.key for fact in facts if fact.status == "unknown"}
    groups: dict[str, list[Fact]] = {}
    still = tuple(one for one in failed if one.key not in again)
    for number, fact in enumerate(still):  # rule 3
        groups.setdefault(reason(fact) or f"\n{number}", []).append(fact)
    before = {fact.key: fact for fact in failed if fact.key in again}
    ends = _end_lines(facts, {id(fact) for fact in failed}, told, before)
    untold = filter(None, ([fact for fact in same if not told(fact)] for same in groups.values()))
    return CommandStates(tuple((same, _blocker(same)) for same in untold), tuple(ends), still)


def blocking(facts: Sequence[Fact], changed: Mapping[str, tuple[int, int]]) -> list[Fact]:
    """Those that block, what blocks most first (rules 1 and 2)."""
    worked = Worked()
    runs: list[Fact] = []
    looks: list[Fact] = []
    for age, fact in enumerate(reversed(facts)):
        if fact.status == "ok":
            worked.add(fact)
        elif fact.status == "unknown":
            worked.add_untold(fact)
        elif _fails(fact) and worked.ended(fact) is None and changed.get(_edited(fact), (-1, -1)) <= _when(fact):
            runs_it = _does_something(fact)
            if not runs_it and is_usage_error(error_line(fact)):
                continue
            if age < (FADES if runs_it else LOOK_FADES):
                (runs if runs_it else looks).append(fact)
    return [*runs, *looks]


def _edited(fact: Fact) -> str:
    """The file of another tool's call."""
    by, _, argument = fact.key.partition("\n")
    return "" if by == SHELL else argument


def _when(fact: Fact) -> tuple[int, int]:
    return fact.time_ms, fact.seq


def _fails(fact: Fact) -> bool:
    """Did it fail by itself? What a person stopped did not, nor what `cd` kept from running."""
    return fact.status == "failed" and not was_stopped(fact) and not is_lost(error_line(fact))


def _does_something(fact: Fact) -> bool:
    runs = _runs(fact)
    if any(map(is_like_a_check, fact.runs.split("\n"))):
        return True
    return not (_LOOKING.match(runs) or _ONE_OFF.search(runs))


def _end_lines(
    facts: Sequence[Fact], blocking: Container[int], told: Callable[[Fact], bool], before: Mapping[str, Fact]
) -> list[str]:
    """`blocking`: the ids of the facts that block; `before`: how what ran again since failed, by its key."""
    checks: dict[str, str] = {}  # "" where it is told elsewhere
    again: list[str] = []  # failures that were tried again by a run of something else
    overcome: list[str] = []  # and those of what is no check
    others: dict[str, str] = {}
    worked = Worked()
    for age, fact in enumerate(reversed(facts)):
        if fact.status == "ok":
            worked.add(fact)
        if age < FADES and len(overcome) < MOST_AGAIN and not told(fact):
            overcome += _overcome(fact, worked)
        stopped = was_stopped(fact)
        if not fact.runs or id(fact) in blocking or (fact.status == "failed" and not _fails(fact) and not stopped):
            continue
        names = fact.runs.split("\n")
        if any(map(is_like_a_check, names)):
            since = _since(worked.ended(fact)) if fact.status == "failed" and not stopped else ""
            if fact.status == "failed" and not stopped and not since and fact.key not in before:
                continue  # it faded
            ended = STOPPED if stopped else f"{how_it_ended(fact)}{since}{_before(before.get(fact.key))}"
            line = f"- {coded_command(fact.text)}: {ended}"
            if since and worked.covering(fact) is None and fact.text not in checks:
                again.append(line)
            else:
                checks.setdefault(fact.text, "" if told(fact) and not since else line)
        elif not stopped and (fact.key in before or (_is_told(fact) and _tells(fact, names))):
            name = names[-1] if names[-1] in _GIT_ENDS else fact.text
            ended = f"{how_it_ended(fact)}{_before(before.get(fact.key))}"
            line = f"- {coded_command(fact.text, OTHER_CHARACTERS)}: {ended}"
            others.setdefault(name, "" if told(fact) else line)
    first = [*list(filter(None, checks.values()))[:MOST_CHECKS], *again[:MOST_AGAIN]]
    return [*first, *list(filter(None, others.values()))[: MOST_ENDS - len(first) - len(overcome)], *overcome]


def _overcome(fact: Fact, worked: Worked) -> list[str]:
    """The line of what is no check and failed, where another line showed since that it works."""
    if not _fails(fact) or not reason(fact) or any(map(is_like_a_check, fact.runs.split("\n"))):
        return []
    by = worked.ended(fact)
    if by is None or by.key == fact.key or key_of(by.text) == key_of(fact.text):
        return []
    return [f"- {coded_command(fact.text)}: {how_it_ended(fact)}{_since(by)}"]


def _since(after: Fact | None) -> str:
    """What ended it."""
    return f"; {coded_command(after.text, OTHER_CHARACTERS)} worked since" if after else ""


def _before(failed: Fact | None) -> str:
    """How it ended when that was known last."""
    return f"; before: {how_it_ended(failed)}" if failed else ""


def _is_told(fact: Fact) -> bool:
    """Is it known how it ended, or what leaves that open?"""
    return fact.status == "ok" or (
        fact.status == "unknown" and bool(fact.detail) and not fact.detail.startswith(GOES_ON)
    )


def _tells(fact: Fact, names: Sequence[str]) -> bool:
    """Is it worth telling that it worked?"""
    return names[-1] in _GIT_ENDS if names[-1].startswith("git ") else _does_something(fact)


def _runs(fact: Fact) -> str:
    """What a shell command runs, without the directory it changed to first, of a script how it begins; "" for
    another tool's call."""
    by, _, argument = fact.key.partition("\n")
    argument = begins(fact.text) if is_script(fact.text) else argument
    return _DIRECTORY.sub("", argument) if by == SHELL else ""


def _blocker(same: Sequence[Fact]) -> str:
    """One line of those that failed with one error, newest first."""
    others = list(dict.fromkeys(coded_command(fact.text, OTHER_CHARACTERS) for fact in same[1:]))
    more = f", {len(others) - MOST_SAME} more" if len(others) > MOST_SAME else ""
    also = f" (so did {', '.join(others[:MOST_SAME])}{more})" if others else ""
    error = reason(same[0])
    said = (
        how_it_ended(same[0]) if counts_of(same[0]) else quoted_error(error) if error else ""
    )  # that it failed the heading says
    return f"- {coded_command(same[0].text)}{': ' if said else ''}{said}{also}"
