"""Divides a list into steps, which are removed or kept as a whole when steps rather than turns are dropped.

Rules:
1. A step is an assistant message (all its items, if a format has several) and the messages that contain nothing but
   results of its calls, wherever they are. It includes prompts that lead it, and later answers that share an id
   with it. If user and assistant must alternate, a user's message belongs to the answer that it follows.
2. Everything else that a user or host said belongs to no step and is fixed. So are a result without a call and an
   unknown role.
3. A step whose call is answered inside a fixed message (a user's, in some formats) is bound: it cannot be removed
   as a whole, since that would part the pair. Its other results may still be pruned.
4. The user's own shell runs are separate steps: output like a tool's, but no pair.
5. A call without a result waits for it, whatever follows: tools may run on while others answer, or a user writes.
   It counts as given up once the assistant has answered a user who spoke after it, since a host that cancels a call
   sends no result and continues like that. A call whose id a later call repeats belongs to that call's step. Calls
   that the provider runs, or that need approval, wait in the same way.

The working set is the newest part of a list, which is sent byte for byte:
6. It reaches back until it holds as many tool results and tokens of steps as the policy requires (`workingSet`),
   and on to the start of the step there: steps are whole. A user's words count for neither.
7. The newest step is always in it, and so are the results that it just returned.
8. A late result is in it although the step that requested it is not. That step stays, since no pair is parted, but
   everything between may be removed.
"""

from collections.abc import Callable, Mapping

import msgspec

from ctxmgr.engine.conversation.index import ConversationIndex, goes_on, turn_at
from ctxmgr.model import Message, WorkingSet

# (a list, message index) -> whether this assistant item must stay or be removed with the previous one
IsOneWithPrevious = Callable[[ConversationIndex, int], bool]
# (a list, message index) -> the index of the answer that a user's message must stay or be removed with, -1 for none
AnswerBefore = Callable[[ConversationIndex, int], int]


class Step(msgspec.Struct, frozen=True, gc=False):
    """`assistant_indices`: indices of the assistant's items, and of a user's message that belongs to them.
    `result_indices`: of the messages that answer them. `lead_indices`: of the prompts that lead them. `bound`: rule
    3.
    """

    assistant_indices: tuple[int, ...]
    result_indices: tuple[int, ...]
    bound: bool = False
    lead_indices: tuple[int, ...] = ()

    @property
    def message_indices(self) -> tuple[int, ...]:
        """The indices of all its messages."""
        return (*self.lead_indices, *self.assistant_indices, *self.result_indices)


class Steps(msgspec.Struct, frozen=True):
    """Steps in the order they began, and the indices of what belongs to none. `numbers`: the step of each assistant
    item, by index.
    """

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
            continue  # the message behind it decides
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
    """The newest step joins the one that this item shares an id with. If there are several, or the shared id
    belongs to no step, none of them may be removed.
    """
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
NOWHERE = 1 << 60  # beyond the end of any list


def promised_start(conversation: ConversationIndex, wanted: WorkingSet) -> int:
    """The index of the newest message from which on everything required is included; the size of the list if
    nothing is the assistant's.
    """
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
    """The index of its first message; the size of the list if nothing is the assistant's. Takes time in proportion
    to its size.
    """
    newest = conversation.newest_reply
    return conversation.size if newest < 0 else _start(conversation, wanted, conversation.size, newest)


def working_set_before(conversation: ConversationIndex, wanted: WorkingSet, end: int) -> int:
    """Where it began when the list ended before message `end`."""
    return _start(conversation, wanted, end, end)


def _start(conversation: ConversationIndex, wanted: WorkingSet, end: int, needed: int) -> int:
    """For the list up to `end`. Everything from `needed` on is included."""
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
    """Of a message that belongs to a step; 0 for others."""
    return message.weight if message.view.role in STEP_ROLES else 0
