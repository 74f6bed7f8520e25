"""Turns what was said so far into the worth of each name: how likely the next steps are to say it again.

Old text is needed again where a later message refers to it, and it does so by names (`names`). Rules, with what
was seen on twelve recorded sessions of four hosts (a name last said more than 12,000 tokens ago: was it said by
the assistant within the next 40 calls?); the weights are round numbers in about these proportions:

1. A name that the assistant has said itself: 11 %. Said more than once, up to 21 %.
2. A name that only a result holds: 3.8 % where that was a file's text, up to 12 % while the file is being worked
   on; 1 % in other output.
3. A sentence by which the assistant decided or found something has a worth of its own beside that of its names:
   about one in six is referred to again, little more than a name that the assistant has said.
4. Worth fades with steps: past about 80 steps a third of it is left, and then it fades no more.

Worth is relative: only proportions count.
"""

from collections.abc import Mapping, Sequence

from ctxmgr.engine.balanced import identifiers
from ctxmgr.engine.conversation import ConversationIndex, Step
from ctxmgr.engine.findings import statements
from ctxmgr.engine.tools import calls_of
from ctxmgr.model import Message, once

SAID = 8.0  # rule 1
EACH_TIME, TIMES_AT_MOST = 0.15, 8
READ, OTHER = 3.0, 1.0  # rule 2
ACTIVE, ACTIVE_STEPS = 2.0, 20  # times, and for so many steps after the file was last touched
STATED = 8.0  # rule 3
HALF_STEPS, FADED = 60, 0.25  # rule 4


def faded(steps: int) -> float:
    """What is left of a worth after so many steps."""
    left: float = 0.5 ** (steps / HALF_STEPS)
    return FADED + (1 - FADED) * left


def worths(conversation: ConversationIndex, steps: Sequence[Step]) -> Mapping[str, float]:
    """The worth of every name in the steps. Linear."""
    messages, count = conversation.messages, len(steps)
    worth = _in_results(messages, steps)
    times: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, step in enumerate(steps):
        here: set[str] = set()
        for position in step.assistant_indices:
            here.update(identifiers.whole(messages[position]))
        for name in here:
            times[name] = times.get(name, 0) + 1
            last[name] = number
    for name, said in times.items():
        often = 1 + EACH_TIME * min(TIMES_AT_MOST, said - 1)
        worth[name] = SAID * often * faded(count - last[name])
    return worth


def stated(messages: Sequence[Message], steps: Sequence[Step]) -> Mapping[int, float]:
    """The worth of what each step's assistant decided and found (rule 3), by the step's number; of others none."""
    found: dict[int, float] = {}
    for number, step in enumerate(steps):
        count = sum(_statements(messages[at]) for at in step.assistant_indices)
        if count:
            found[number] = STATED * count * faded(len(steps) - number)
    return found


@once
def _statements(message: Message) -> int:
    """How many sentences of a reply decide or find something."""
    return sum(len(statements(block.text)) for block in message.view.blocks if block.kind == "text")


def _in_results(messages: Sequence[Message], steps: Sequence[Step]) -> dict[str, float]:
    """Rule 2: a name has the best worth that any result gives it."""
    count = len(steps)
    read: list[dict[str, tuple[str, ...]]] = [_read_by(messages, step) for step in steps]
    touched: dict[str, int] = {}
    for number, calls in enumerate(read):
        for paths in calls.values():
            for path in paths:
                touched[path] = number
    worth: dict[str, float] = {}
    for number, step in enumerate(steps):
        for position in step.result_indices:
            message = messages[position]
            for block, found in zip(message.view.blocks, identifiers.of_message(message), strict=True):
                paths = read[number].get(block.call_id, ())
                value = READ if paths else OTHER
                if any(count - touched[path] < ACTIVE_STEPS for path in paths):
                    value *= ACTIVE
                value *= faded(count - number)
                for name in found:
                    if worth.get(name, 0.0) < value:
                        worth[name] = value
    return worth


def _read_by(messages: Sequence[Message], step: Step) -> dict[str, tuple[str, ...]]:
    """The paths whose text each call of a step asked for, by the call's id."""
    found: dict[str, tuple[str, ...]] = {}
    for position in step.assistant_indices:
        found |= _reads(messages[position])
    return found


@once
def _reads(message: Message) -> dict[str, tuple[str, ...]]:
    calls = zip(message.view.blocks, calls_of(message), strict=True)
    return {block.call_id: paths for block, call in calls if call is not None and (paths := call.read_paths)}
