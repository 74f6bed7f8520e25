"""The protocol, walked: two machines and one head, operations that are lost, late or done twice, and clocks that
are an hour apart. What is promised holds after each step.

An entry is what a machine saved: it is durable once the machine was told so. The head's `lines` are the entries.
"""

from collections.abc import Generator
from typing import Any

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ctxmgr.store.head import Contents, SessionHead, to_bytes
from ctxmgr.store.protocol import (
    Away,
    Busy,
    Claimed,
    Fenced,
    HeadRead,
    Lost,
    Ownership,
    Pause,
    Read,
    Swap,
    Swapped,
    commit,
    take,
)

LEASE_MS = 6_000
MACHINES = 2


class Machine:
    """One machine's memory: what survives a kill (`ours`) and what does not."""

    def __init__(self, name: str, clock_ms: int) -> None:
        self.name, self.clock_ms = name, clock_ms
        self.ours: frozenset[str] = frozenset()
        self.words = 0
        self.forget()

    def forget(self) -> None:
        self.steps: Generator[Any, Any, Any] | None = None
        self.asked: Any = None
        self.ownership: Ownership | None = None
        self.made = 0
        self.wanted: Contents | None = None

    def word(self) -> str:
        self.words += 1
        word = f"{self.name}{self.words}"
        self.ours |= {word}
        return word


class Walk(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.there = HeadRead()
        self.history: list[SessionHead] = []
        self.late: list[Swap] = []
        self.durable: list[str] = []
        self.machines = [Machine("a", 0), Machine("b", 3_600_000)]
        self.entries = 0

    # the store

    def swap(self, step: Swap) -> Any:
        if self.there.etag != step.etag:
            return Lost()
        content = to_bytes(step.head)
        assert all(to_bytes(one) != content for one in self.history), "two heads are equal"
        before = self.there.head
        if before is not None:
            assert step.head.epoch_number >= before.epoch_number, "a stale head won"
            assert step.head.count > before.count, "a count came again"
            if step.head.epoch_number == before.epoch_number:
                assert step.head.owner == before.owner, "two owners in one epoch"
        self.there = HeadRead(step.head, content.hex())
        self.history.append(step.head)
        return Swapped(content.hex())

    # a machine

    def goes_on(self, machine: Machine, answer: Any) -> None:
        assert machine.steps is not None
        try:
            machine.asked = machine.steps.send(answer)
        except StopIteration as done:
            machine.steps = machine.asked = None
            self.ended(machine, done.value)

    def ended(self, machine: Machine, came: Any) -> None:
        if isinstance(came, Claimed):
            machine.ownership, machine.made = came.ownership, came.ownership.made
        elif isinstance(came, Ownership):
            machine.ownership = came
            assert machine.wanted is not None
            assert came.head.contents == machine.wanted
            if len(machine.wanted.lines) > len(self.durable):
                self.durable = list(machine.wanted.lines)
        elif isinstance(came, Away):
            machine.made = came.made
        elif isinstance(came, Fenced):
            assert self.there.head.epoch_number > machine.ownership.head.epoch_number
            machine.ownership = None
        else:
            assert isinstance(came, Busy)

    machine = st.integers(0, MACHINES - 1)

    @rule(number=machine)
    def claims(self, number: int) -> None:
        machine = self.machines[number]
        if machine.steps is None and machine.ownership is None:
            ours = machine.ours
            machine.steps = take("s", machine.word(), ours, LEASE_MS, machine.made)
            self.goes_on(machine, None)

    @rule(number=machine, holding=st.sampled_from([True, True, False]), more=st.integers(0, 2))
    def commits(self, number: int, holding: bool, more: int) -> None:
        machine = self.machines[number]
        if machine.steps is None and machine.ownership is not None:
            known = machine.ownership.head.contents.lines
            new = []
            for _ in range(more):
                self.entries += 1
                new.append(f"{machine.name}{self.entries}")
            machine.wanted = Contents(machine.ownership.head.owner, (*known, *new))
            held = Ownership(
                machine.ownership.head, machine.ownership.etag, max(machine.made, machine.ownership.made)
            )
            machine.steps = commit(held, machine.wanted, holding)
            self.goes_on(machine, None)

    @rule(number=machine)
    def is_answered(self, number: int) -> None:
        machine = self.machines[number]
        if isinstance(machine.asked, Read):
            self.goes_on(machine, self.there)
        elif isinstance(machine.asked, Swap):
            self.goes_on(machine, self.swap(machine.asked))
        elif isinstance(machine.asked, Pause):
            machine.clock_ms += machine.asked.length_ms
            self.goes_on(machine, None)

    @rule(number=machine)
    def gets_no_answer(self, number: int) -> None:
        """It took effect, and nobody heard of it."""
        machine = self.machines[number]
        if isinstance(machine.asked, Swap):
            self.swap(machine.asked)
        if isinstance(machine.asked, Swap | Read):
            self.goes_on(machine, Lost())

    @rule(number=machine)
    def is_answered_before_it_arrives(self, number: int) -> None:
        """It comes to the store later, or never."""
        machine = self.machines[number]
        if isinstance(machine.asked, Swap):
            self.late.append(machine.asked)
            self.goes_on(machine, Lost())

    @rule(number=machine)
    def is_done_twice(self, number: int) -> None:
        """The second try finds the first one in its way, and its answer is the one that is heard."""
        machine = self.machines[number]
        if isinstance(machine.asked, Swap):
            self.swap(machine.asked)
            self.late.append(machine.asked)
            self.goes_on(machine, Lost())

    @rule(number=machine)
    def is_refused_without_a_reason(self, number: int) -> None:
        machine = self.machines[number]
        if isinstance(machine.asked, Swap):
            self.goes_on(machine, Lost())

    @precondition(lambda self: self.late)
    @rule(which=st.integers(0, 9))
    def arrives_late(self, which: int) -> None:
        self.swap(self.late.pop(which % len(self.late)))

    @rule(number=machine)
    def is_killed(self, number: int) -> None:
        self.machines[number].forget()

    # what holds

    @invariant()
    def what_was_told_durable_is_in_the_head(self) -> None:
        if self.durable:
            assert list(self.there.head.contents.lines[: len(self.durable)]) == self.durable

    @invariant()
    def no_two_machines_own_one_epoch(self) -> None:
        owners: dict[int, str] = {}
        for head in self.history:
            assert owners.setdefault(head.epoch_number, head.owner) == head.owner


Walk.TestCase.settings = settings(stateful_step_count=60)
TestWalk = Walk.TestCase
