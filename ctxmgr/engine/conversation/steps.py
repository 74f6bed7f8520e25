"""Turns a list of messages into steps: what leaves or stays as one, when steps rather than turns are dropped.

Rules:
1. A step is an assistant message (all its items, where a format has several) and the messages that hold nothing
   but results of its calls, wherever they stand.
   With it goes what leads it, and what shares an id with it: a later answer that does is of the same step.
   Where users and the assistant take turns, a user's message goes with the answer that it follows.
2. What else a user or a host said belongs to no step: it is fixed. So is a result without a call and a role not
   known.
3. A step whose call is answered inside a fixed message (a user's, in some formats) is bound: it cannot leave
   whole, for the pair would be parted. Its other results may still be pruned.
4. The user's own shell runs are steps by themselves: output like a tool's, but no pair.
5. A call without a result waits for it, whatever stands after it: tools may run on while others answer, or a user
   writes. It is given up once the assistant has answered a user who spoke after it: a host that cancels a call
   sends no result, and goes on like that. One whose id a later call has is of that call's step. What the provider
   runs, or has to be approved, waits in the same way.

The working set is the newest of a list, which goes out byte for byte:
6. It reaches back until it holds as many tool results and as many tokens of steps as the policy asks for
   (`workingSet`), and on to where the step there began: steps are whole. A user's words count for neither.
7. The newest step is always in it, and so are the results that it has just brought.
8. A result that came late is of it, and the step that asked for it is not. That step stays, for no pair is parted,
   but all that lies between may leave.
"""

from collections.abc import Callable, Mapping

import msgspec

from ctxmgr.engine.conversation.index import ConversationIndex, goes_on, turn_at
from ctxmgr.model import Message, WorkingSet

# (a list, message index) -> whether this item of the assistant's must stay or leave with the one before it
IsOneWithPrevious = Callable[[ConversationIndex, int], bool]
# (a list, message index) -> the index of the answer that a user's message must stay or leave with, -1 for none
AnswerBefore = Callable[[ConversationIndex, int], int]


class Step(msgspec.Struct, frozen=True, gc=False):
    """`assistant_indices`: indices of the assistant's items, and of a user's message that goes with them;
    `result_indices`: of the messages that answer them; `lead_indices`: of the prompts that lead them. `bound`:
    rule 3."""

    assistant_indices: tuple[int, ...]
    result_indices: tuple[int, ...]
    bound: bool = False
    lead_indices: tuple[int, ...] = ()

    @property
    def message_indices(self) -> tuple[int, ...]:
        """The indices of all its messages."""
        return (*self.lead_indices, *self.assistant_indices, *self.result_indices)


class Steps(msgspec.Struct, frozen=True):
    """Steps in the order they began, and the indices of what belongs to none. `numbers`: of the step of each of the
    assistant's items, by index."""

    steps: tuple[Step, ...] = ()
    fixed_indices: tuple[int, ...] = ()
    numbers: Mapping[int, int] = {}


def steps_of(
    conversation: ConversationIndex,
    before: Steps | None,
    start: int,
    is_one_with_previous: IsOneWithPrevious,
    answer_before: AnswerBefore = lambda listed, index: -1,
) -> Steps:
    """The steps of a whole list. `before`: those of its messages up to `start`."""
    before = before or Steps()
    steps, fixed, numbers = list(before.steps), list(before.fixed_indices), dict(before.numbers)
    for position in range(start, conversation.size):
        view = conversation.messages[position].view
        role = view.role
        if view.leads:
            continue  # what stands behind it tells
        leads = _leading(conversation, position)
        if role != "assistant":
            fixed += leads
        if role == "shell":
            steps.append(Step((), (position,)))
        elif role == "assistant":
            if position - 1 not in numbers or not is_one_with_previous(conversation, position):
                numbers[position] = len(steps)
                steps.append(Step((position,), (), lead_indices=leads))
            else:
                numbers[position] = number = numbers[position - 1]
                items = (*steps[number].assistant_indices, position)
                steps[number] = msgspec.structs.replace(steps[number], assistant_indices=items)
            _tie(conversation, position, steps, numbers)
        else:
            asked = _askers(conversation, position, numbers)
            if role == "result" and len(asked) == 1 and -1 not in asked:
                number = next(iter(asked))
                answers = (*steps[number].result_indices, position)
                steps[number] = msgspec.structs.replace(steps[number], result_indices=answers)
            elif (answer := answer_before(conversation, position)) in numbers:
                items = (*steps[numbers[answer]].assistant_indices, position)
                steps[numbers[answer]] = msgspec.structs.replace(steps[numbers[answer]], assistant_indices=items)
            else:
                for number in asked - {-1}:
                    steps[number] = msgspec.structs.replace(steps[number], bound=True)
                fixed.append(position)
    return Steps(tuple(steps), tuple(fixed), numbers)


def _leading(conversation: ConversationIndex, position: int) -> tuple[int, ...]:
    """The prompts right before this message that lead one."""
    first = position
    while first > 0 and conversation.messages[first - 1].view.leads:
        first -= 1
    return tuple(range(first, position))


def _tie(conversation: ConversationIndex, position: int, steps: list[Step], numbers: dict[int, int]) -> None:
    """The newest step becomes part of the one that this item of it shares an id with; where these are several, or
    what it shares an id with is of no step, none of them may leave."""
    mine = numbers[position]
    others = {numbers.get(index, -1) for index in conversation.tied.get(position, ())} - {mine}
    if len(others) == 1 and -1 not in others and mine == len(steps) - 1:
        (number,), newest = others, steps.pop()
        steps[number] = msgspec.structs.replace(
            steps[number],
            assistant_indices=(*steps[number].assistant_indices, *newest.assistant_indices),
            result_indices=(*steps[number].result_indices, *newest.result_indices),
            lead_indices=(*steps[number].lead_indices, *newest.lead_indices),
            bound=steps[number].bound or newest.bound,
        )
        numbers.update(dict.fromkeys(newest.assistant_indices, number))
    elif others:
        for number in {mine, *others} - {-1}:
            steps[number] = msgspec.structs.replace(steps[number], bound=True)


def is_waiting(conversation: ConversationIndex, step: Step) -> bool:
    """Whether a call of this step waits for its result (rule 5)."""
    messages = conversation.messages
    results = [block for index in step.result_indices for block in messages[index].view.blocks]
    answered = [block.call_id for block in results if block.kind == "result"]
    for index in step.assistant_indices:
        calls = [block.call_id for block in messages[index].view.blocks if block.kind == "call"]
        ties = [block.tie for block in messages[index].view.blocks if block.tie]
        if any(id not in answered and conversation.calls.get(id) == index for id in calls) or any(
            conversation.ties[id][1] == 1 for id in ties
        ):
            return not _given_up(conversation, index)
    return False


def _given_up(conversation: ConversationIndex, asked_at: int) -> bool:
    """Whether the assistant has answered a user who spoke after this call."""
    following = conversation.turns[turn_at(conversation.turns, asked_at) + 1 :][:1]
    return any(conversation.newest_reply > turn.start for turn in following)


def _askers(conversation: ConversationIndex, position: int, numbers: Mapping[int, int]) -> set[int]:
    """The numbers of the steps whose calls this message answers; -1 for a result without a call."""
    asked = set()
    for ref, _ in conversation.results(position):
        asked_at = conversation.pairs.get(ref)
        asked.add(numbers.get(asked_at, -1) if asked_at is not None else -1)
    return asked | {numbers.get(index, -1) for index in conversation.tied.get(position, ())}


STEP_ROLES = ("assistant", "result", "shell")  # of messages that are, or belong to, a step
NOWHERE = 1 << 60  # past the end of any list


def promised_start(conversation: ConversationIndex, wanted: WorkingSet) -> int:
    """The index of the message with which as much is reached as is asked for, from the newest back; the size of the
    list where nothing is the assistant's."""
    if conversation.newest_reply < 0:
        return conversation.size
    results = tokens = 0
    for index in range(conversation.size - 1, -1, -1):
        if results >= wanted.results and tokens >= wanted.tokens:
            return index + 1
        results += _result_count(conversation.messages[index])
        tokens += _step_tokens(conversation.messages[index])
    return 0


def working_set_start(conversation: ConversationIndex, wanted: WorkingSet) -> int:
    """The index of its first message; the size of the list where nothing is the assistant's. Costs what it
    holds."""
    newest = conversation.newest_reply
    return conversation.size if newest < 0 else _start(conversation, wanted, conversation.size, newest)


def working_set_before(conversation: ConversationIndex, wanted: WorkingSet, end: int) -> int:
    """Where it began when the list ended before the message `end`."""
    return _start(conversation, wanted, end, end)


def _start(conversation: ConversationIndex, wanted: WorkingSet, end: int, needed: int) -> int:
    """Of the list up to `end`. All from `needed` on belongs to it."""
    results = tokens = 0
    index = end
    while index > 0 and (index > needed or results < wanted.results or tokens < wanted.tokens):
        index -= 1
        message = conversation.messages[index]
        tokens += _step_tokens(message)
        results += _result_count(message)
        led = index > 0 and conversation.messages[index - 1].view.leads
        if message.view.role == "result" or led or goes_on(conversation.messages, index):
            needed = min(needed, index - 1)
    return index


def _result_count(message: Message) -> int:
    return sum([block.kind == "result" for block in message.view.blocks])


def _step_tokens(message: Message) -> int:
    """Of a message that is of a step; none of any other."""
    return message.weight if message.view.role in STEP_ROLES else 0
