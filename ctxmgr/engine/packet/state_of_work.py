"""Turns what holds now into a few lines that say where the work stands: what was asked last, how the newest checks
of each kind ended, what was committed and opened last, how much is open.

1. Only what is known by evidence is told: of a kind of check the newest run whose end is known. That one failed is
   said without its reason, which stands under the blockers.
2. What is told here in full need be told nowhere else: `StateOfWork` says what that is.
"""

from collections.abc import Mapping, Sequence

import msgspec

from ctxmgr.engine.ledger import COMMITTED
from ctxmgr.engine.packet.commands import CommandStates
from ctxmgr.engine.packet.part import PacketPart, part_of
from ctxmgr.engine.packet.past import RESUME_ASKED_CHARACTERS, quotation
from ctxmgr.engine.packet.values import COMMIT_CHARACTERS, is_opened
from ctxmgr.engine.text import quoted
from ctxmgr.model.saved import Fact

HEADING = "## State of the work"
FAILED = "failed when last run"  # of what blocks: how, its own line says
STATE_SHARE = 0.08
COUNTED = 4  # of tasks or failures: fewer are seen at a glance
LAST_ASKED_CHARACTERS = 160
_PUSH = "git push"


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
) -> StateOfWork:
    """`held`: what holds now, by its slot, oldest first, beside the `commands`; `request`: what was asked last,
    where nothing else tells it."""
    limit = RESUME_ASKED_CHARACTERS if resume else LAST_ASKED_CHARACTERS
    lines = [f"- asked last: {quotation(request, limit)}"] if request is not None else []
    lines += [f"- {', '.join(one.kinds)}: {one.line[2:] or FAILED}" for one in states.checks]
    values = held.get("value", ())
    commit = next((fact for fact in reversed(values) if _is_commit(fact)), None)
    opened = next((fact for fact in reversed(values) if is_opened(fact)), None)
    if made := [
        *([_committed(commit, commands)] if commit else []),
        *([f"opened {opened.text}"] if opened else []),
    ]:
        lines.append(f"- {'; '.join(made)}")
    if counts := _counts(held.get("task", ()), len(states.blockers)):
        lines.append(f"- {counts}")
    told = frozenset(fact.key.partition("\n")[2] for fact in (commit, opened) if fact is not None)
    return StateOfWork(part_of(HEADING, lines, STATE_SHARE), told, frozenset(one.line for one in states.checks))


def _is_commit(fact: Fact) -> bool:
    return fact.key.startswith(f"{COMMITTED}\n") and not fact.status


def _committed(commit: Fact, commands: Sequence[Fact]) -> str:
    pushes = (fact for fact in commands if fact.status == "ok" and _PUSH in fact.runs.split("\n"))
    pushed = any((fact.time_ms, fact.seq) >= (commit.time_ms, commit.seq) for fact in pushes)
    return f"committed last: {quoted(commit.text, COMMIT_CHARACTERS)}{' (a push worked since)' if pushed else ''}"


def _counts(tasks: Sequence[Fact], failures: int) -> str:
    still = [fact for fact in tasks if fact.status in ("active", "blocked", "open")]
    active = sum(fact.status == "active" for fact in still)
    told = [f"{len(still)} tasks open{f' ({active} begun)' if active else ''}"] if len(still) >= COUNTED else []
    return ", ".join([*told, *([f"{failures} failures not solved"] if failures >= COUNTED else [])])
