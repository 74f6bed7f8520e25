"""Turns what holds now into a few lines that say where the work stands: what was asked last, how the newest checks
of each kind ended, what was committed and opened last, how much is open.

1. Only what is known by evidence is told: of each kind of check (tests, linters, builds) the newest run whose end
   is known. That one failed is said without its reason, which stands under the blockers.
2. A run that tested nothing stands for no kind: one that only lists, was stopped, never began, or was called wrong.
   One that worked is told with what still fails of its kind.
3. A line that ran several kinds, or other things, and failed speaks of that kind alone which its counts, the target
   that failed or the command that its error names are of; where they do not say, it is told by its name. Of its
   other kinds nothing is told, nor of a kind that failed and of which something ran since, nobody knows how, or
   whose failure faded. Where its error names what is no check (`curl: (7)`), it speaks of no kind, and how a kind
   ended before stands. A build whose output counts tests ran them as well.
4. What is told here in full need be told nowhere else: `StateOfWork` says what that is.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from ctxmgr.engine.judging import counts_of, error_line, how_it_ended, was_stopped
from ctxmgr.engine.ledger import COMMITTED
from ctxmgr.engine.packet.commands import OTHER_CHARACTERS, CommandStates, nothing
from ctxmgr.engine.packet.ended_by import blamed
from ctxmgr.engine.packet.part import PacketPart, part_of
from ctxmgr.engine.packet.past import RESUME_ASKED_CHARACTERS, quotation
from ctxmgr.engine.packet.values import COMMIT_CHARACTERS, is_opened
from ctxmgr.engine.text import coded_command, quoted
from ctxmgr.engine.tools import TARGET, CheckKind, check_kind, is_lost, is_usage_error, scopes_of, targets_apart
from ctxmgr.model.saved import Fact

HEADING = "## State of the work"
FAILED = "failed when last run"  # of what blocks: how, its own line says
STATE_SHARE = 0.08
COUNTED = 4  # of tasks or failures: fewer are seen at a glance
LAST_ASKED_CHARACTERS = 160
KINDS: tuple[CheckKind, ...] = ("tests", "lint", "build")
_PUSH = "git push"
_TESTS_FAILED = re.compile(r"\b[1-9]\d* (?:tests? )?failed\b")
_TESTED = re.compile(r"\b[1-9]\d* (?:tests? )?(?:passed|failed)\b")
_NEVER_BEGAN = re.compile(
    r"\b(?:ba|z|da|k)?sh(?:: line \d+|: ?\d+)?: .*(?:not found|no such file or directory|permission denied)"
    r"|: command not found$|^env: |\bNo rule to make target\b|\bmissing script:|\bNo module named \w+$"
    r"|\bis not recognized as\b",
    re.IGNORECASE,
)
_Verdict = Literal["worked", "failed", "unknown"]


class StateOfWork(msgspec.Struct, frozen=True):
    """`values`, `ends`: the exact values and the lines of ended commands that it tells."""

    packet_part: PacketPart
    values: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()


def state_of_work(
    held: Mapping[str, Sequence[Fact]],
    states: CommandStates,
    commands: Sequence[Fact],
    request: Fact | None,
    resume: bool,
    told: Callable[[Fact], bool] = nothing,
) -> StateOfWork:
    """`held`: what holds now, by its slot, oldest first, beside the `commands`, and as "commit" the newest commit
    where nothing else tells it; `request`: what was asked last,
    where nothing else tells it; `told`: is how this command ended told elsewhere?"""
    limit = RESUME_ASKED_CHARACTERS if resume else LAST_ASKED_CHARACTERS
    lines = [f"- asked last: {quotation(request, limit)}"] if request is not None else []
    checks = _checks(commands, states.failed, told)
    lines += [line for line, _ in checks]
    values = held.get("value", ())
    commit = next(iter(held.get("commit", ())), None)
    opened = next((fact for fact in reversed(values) if is_opened(fact)), None)
    if made := [
        *([_committed(commit, commands)] if commit else []),
        *([f"opened {opened.text}"] if opened else []),
    ]:
        lines.append(f"- {'; '.join(made)}")
    if counts := _counts(held.get("task", ()), len(states.blockers)):
        lines.append(f"- {counts}")
    exact = frozenset(fact.key.partition("\n")[2] for fact in (commit, opened) if fact is not None)
    return StateOfWork(part_of(HEADING, lines, STATE_SHARE), exact, frozenset(end for _, end in checks if end))


def newest_checks(commands: Sequence[Fact], states: CommandStates) -> list[str]:
    """The lines of ended commands that tell where tests, linters and builds stand, where they worked."""
    return [end for _, end in _checks(commands, states.failed, nothing) if end]


def _checks(
    commands: Sequence[Fact], failed: Sequence[Fact], told: Callable[[Fact], bool]
) -> list[tuple[str, str]]:
    """The lines of the kinds, and of what failed with several, each with the line of ended commands that it tells
    (rules 1 to 3). `failed`: what blocks."""
    blocking = {id(fact) for fact in failed}
    again = {fact.key for fact in commands if fact.status == "failed"}
    newest: dict[CheckKind, tuple[Fact, _Verdict]] = {}
    failing: dict[CheckKind, Fact] = {}  # the newest that blocks
    untold: set[CheckKind] = set()
    for fact in reversed(commands):
        if fact.status == "unknown":
            untold.update(kind for kind in _verdicts(fact) if kind not in newest)
        known = fact.status != "unknown" and (fact.status == "ok" or id(fact) in blocking)
        for kind, verdict in _verdicts(fact).items() if fact.status != "unknown" or fact.key in again else ():
            newest.setdefault(kind, (fact, verdict if known else "unknown"))
            if verdict == "failed" and known:
                failing.setdefault(kind, fact)
    lines: dict[tuple[str, str], list[str]] = {}
    for kind in KINDS:
        if kind not in newest or newest[kind][1] == "unknown" or told(newest[kind][0]):
            continue
        fact, verdict = newest[kind]
        if verdict == "failed" and kind in untold:
            continue
        end = f"- {coded_command(fact.text)}: {how_it_ended(fact)}" if verdict == "worked" else ""
        still = failing.get(kind) if end else None
        also = f"; {coded_command(still.text, OTHER_CHARACTERS)} still fails" if still else ""
        lines.setdefault((f"{end[2:] or FAILED}{also}", end), []).append(kind)
    whose = {id(fact): fact for fact, verdict in newest.values() if verdict == "unknown" and not told(fact)}
    unsaid = [fact for one, fact in whose.items() if one in blocking and "failed" not in _verdicts(fact).values()]
    return [
        *((f"- {', '.join(kinds)}: {said}", end) for (said, end), kinds in lines.items()),
        *((f"- {coded_command(fact.text)}: {FAILED}", "") for fact in unsaid),
    ]


def _verdicts(fact: Fact) -> dict[CheckKind, _Verdict]:
    """What a run says of each kind of check that it ran; nothing of those that it did not test."""
    if not fact.runs or was_stopped(fact):
        return {}
    counts, line = counts_of(fact), error_line(fact)
    every = [one for run in fact.runs.split("\n") for one in targets_apart(run)]
    runs = {one: check_kind(one, bool(counts)) for one in every}
    if "build" in runs.values() and _TESTED.search(counts):  # `mvn package`
        runs[""] = "tests"
    kinds = set(runs.values())
    if not any(kinds):
        return {}
    if fact.status == "ok":
        unsure = [one for one in scopes_of(fact.text) if not one.is_sure and not counts]
        listed = {each for one in unsure for each in targets_apart(one.subject)}
        return {kind: "worked" for run, kind in runs.items() if kind and run not in listed}
    if not counts and (_NEVER_BEGAN.search(line) or is_usage_error(line) or is_lost(line)):
        return {}
    targets = [part.partition(" ")[2] for part in fact.failed_parts.splitlines() if part.startswith(f"{TARGET} ")]
    failed: set[str] = {kind for run, kind in runs.items() if kind and run.rpartition(" ")[2] in targets}
    by = blamed(fact) if fact.status == "failed" and not failed and not counts else None
    if by is not None:
        failed = {check_kind(by.subject)}
    if fact.status == "failed" and failed:
        return {kind: "failed" if kind in failed else "unknown" for kind in kinds if kind} if any(failed) else {}
    if fact.status == "failed" and (len(kinds) == 1 or ("tests" in kinds and _TESTS_FAILED.search(counts))):
        ended = "tests" if len(kinds) > 1 else next(iter(kinds))
        return {kind: "failed" if kind == ended else "unknown" for kind in kinds if kind}
    return {kind: "unknown" for kind in kinds if kind}


def newest_commit(facts: Sequence[Fact]) -> Fact | None:
    """The commit that was made last of those that stand; facts oldest first."""
    made = (fact for fact in reversed(facts) if fact.slot == "value" and fact.key.startswith(f"{COMMITTED}\n"))
    return next((fact for fact in made if not fact.status), None)


def _committed(commit: Fact, commands: Sequence[Fact]) -> str:
    pushes = (fact for fact in commands if fact.status == "ok" and _PUSH in fact.runs.split("\n"))
    pushed = any((fact.time_ms, fact.seq) >= (commit.time_ms, commit.seq) for fact in pushes)
    return f"committed last: {quoted(commit.text, COMMIT_CHARACTERS)}{' (a push worked since)' if pushed else ''}"


def _counts(tasks: Sequence[Fact], failures: int) -> str:
    still = [fact for fact in tasks if fact.status in ("active", "blocked", "open")]
    active = sum(fact.status == "active" for fact in still)
    told = [f"{len(still)} tasks open{f' ({active} begun)' if active else ''}"] if len(still) >= COUNTED else []
    return ", ".join([*told, *([f"{failures} failures not solved"] if failures >= COUNTED else [])])
