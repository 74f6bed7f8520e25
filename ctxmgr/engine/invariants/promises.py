"""The promises of every projection, one rule class each."""

import itertools
from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.conversation import (
    STEP_ROLES,
    BlockRef,
    ConversationIndex,
    Step,
    Steps,
    carried,
    goes_on,
    is_waiting,
    promised_start,
    steps_of,
)
from ctxmgr.engine.invariants.rule import USER_LIKE, LeftOut, Rule, Walk
from ctxmgr.model import BlockEdit, EditKind, Message, View, once


class NewestStep(Rule):
    """The assistant's newest message is there, unchanged.

    Tally: the newest of the assistant's messages that was edited, -1 for none.
    """

    name = "newest step"
    tally = -1

    def edited(self, tally: int, walk: Walk, edit: BlockEdit) -> int:
        is_reply = walk.conversation.messages[edit.message_index].view.role == "assistant"
        return max(tally, edit.message_index) if is_reply else tally

    def holds(self, tally: int, walk: Walk) -> bool:
        newest = walk.conversation.newest_reply
        return newest < 0 or (newest != tally and newest not in walk.left_out)

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        newest = conversation.newest_reply
        return frozenset((newest,) if newest >= 0 else ())

    def may_edit(self, conversation: ConversationIndex, ref: BlockRef, kind: EditKind) -> bool:
        return ref.message_index != conversation.newest_reply


class NewestUser(Rule):
    """The newest message that opens a turn stays, if there was one. Checked at the end, without a tally."""

    name = "newest user"

    def holds(self, tally: bool, walk: Walk) -> bool:
        return walk.conversation.newest_user not in walk.left_out

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        newest = conversation.newest_user
        return frozenset((newest,) if newest >= 0 else ())


class Order(Rule):
    """What stays keeps its order, without duplicates.

    A plan is laid out in list order, so a chooser has nothing to ask. Tally: whether it is broken.
    """

    name = "order"

    def disordered(self, tally: bool, walk: Walk) -> bool:
        return True


class OnePacket(Rule):
    """At most one packet. `in_front`: before every message that stays except prompts and summaries.

    A plan has one place for a packet, so a chooser has nothing to ask. Tally: whether it is broken.
    """

    name = "packet"

    def __init__(self, in_front: bool = False) -> None:
        self._in_front = in_front

    def inserted(self, tally: bool, walk: Walk) -> bool:
        behind = self._in_front and walk.first_index >= 0
        return tally or behind or len(walk.packets) > 1


class Pairs(Rule):
    """No call loses its result, no result its call, and blocks that share an id stay together.

    1. This is relative to the input: a call without a result, or a result without a call, has no pair to lose.
    2. A result belongs to the latest earlier call with its id, so the call comes first.
    3. A step with a waiting call stays, so that its result does not arrive after the call is gone.

    Tally: whether a pair is parted.
    """

    name = "pairs"

    def included(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or (bool(walk.left_out.starts) and _parts(walk, run, parted_if_left_out=True))

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        # prompts and summaries make no calls; before any other message is shown, no call is
        return tally or (walk.first_index >= 0 and _parts(walk, run, parted_if_left_out=False))

    def may_cut_at(self, conversation: ConversationIndex, turn_number: int) -> bool:
        return conversation.turns[turn_number].separable

    def may_leave(self, conversation: ConversationIndex, step: Step) -> bool:
        return not step.bound and not is_waiting(conversation, step)


def _parts(walk: Walk, run: range, parted_if_left_out: bool) -> bool:
    """Whether a result in this run has its call on the other side."""
    messages, pairs, tied = walk.conversation.messages, walk.conversation.pairs, walk.conversation.tied
    for index in run:
        for other in tied.get(index, ()):
            if other < run.start and (other in walk.left_out) == parted_if_left_out:
                return True
        if messages[index].view.role in ("assistant", "prompt"):
            continue
        for number, block in enumerate(messages[index].view.blocks):
            asked_at = pairs.get(BlockRef(index, number), index) if block.kind == "result" else index
            if asked_at < run.start and (asked_at in walk.left_out) == parted_if_left_out:
                return True  # a single run parts nothing
    return False


class Prompts(Rule):
    """Every prompt is there. Tally: whether one was removed."""

    name = "prompts"

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        prompts = walk.conversation.prompts
        number = bisect_left(prompts, run.start)
        return tally or (number < len(prompts) and prompts[number] < run.stop)

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        return frozenset(conversation.prompts)


@carried
def loading_places(conversation: ConversationIndex, before: dict[str, int] | None, start: int) -> dict[str, int]:
    """By tool, the index of the newest message that loads it."""
    new = {
        tool: index
        for index in range(start, conversation.size)
        for block in conversation.messages[index].view.blocks
        for tool in block.loads
    }
    return {**before, **new} if before and new else before or new


@once
def loading_steps(conversation: ConversationIndex) -> frozenset[int]:
    """The messages of the steps that last loaded a tool, by index."""
    places = frozenset(loading_places(conversation).values())
    steps = _steps(conversation).steps if places else ()
    return frozenset(
        index for step in steps if not places.isdisjoint(step.message_indices) for index in step.message_indices
    )


@carried
def _steps(conversation: ConversationIndex, before: Steps | None, start: int) -> Steps:
    return steps_of(conversation, before, start, lambda listed, index: goes_on(listed.messages, index))


class LoadedTools(Rule):
    """The message that last loaded a tool stays, whatever must be removed: without it the model cannot call the
    tool.

    Tally: whether one was removed.
    """

    name = "loaded tools"

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        loading = self.must_stay(walk.conversation)
        return tally or any(index in loading for index in (run if loading else ()))

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        return frozenset(loading_places(conversation).values())


class ThoughtInTurn(msgspec.Struct, frozen=True):
    """Of the newest turn. `turn_start`: its first message; `thoughtful`: the newest answer that begins with a
    signed thought, while all before it do, -1 for none; `is_over`: an answer with a call came that does not."""

    turn_start: int = 0
    thoughtful: int = -1
    is_over: bool = False


@carried
def thought_in_turn(conversation: ConversationIndex, before: ThoughtInTurn | None, start: int) -> ThoughtInTurn:
    messages, found = conversation.messages, before or ThoughtInTurn()
    for index in range(start, conversation.size):
        view = messages[index].view
        if view.opens_turn:
            found = ThoughtInTurn(index)
        elif view.role == "assistant" and not found.is_over and not goes_on(messages, index):
            first = view.blocks[0] if view.blocks else None
            thinks = first is not None and first.must_lead and len(view.blocks) > 1
            if thinks:
                found = ThoughtInTurn(found.turn_start, index)
            elif any(block.kind == "call" for block in view.blocks):
                found = ThoughtInTurn(found.turn_start, found.thoughtful, True)
    return found


class LeadingThought(Rule):
    """The newest turn begins with a thought where it came so and its provider refuses it otherwise (`must_lead`):
    Anthropic does. Where a thought is an item of its own, none does.

    1. Where a later call of the turn has no thought in front, the last answer before that one stays.
    2. The packet stands before the turn then, since behind a user's words the turn would begin anew.

    Tally: whether that answer left.
    """

    name = "thinking"

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or any(index in run for index in self.must_stay(walk.conversation))

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        thought = thought_in_turn(conversation)
        return frozenset((thought.thoughtful,) if thought.is_over and thought.thoughtful >= 0 else ())

    def packet_index(self, conversation: ConversationIndex, message_index: int, left: LeftOut) -> int:
        turn_start = thought_in_turn(conversation).turn_start
        return min(message_index, turn_start) if self.must_stay(conversation) else message_index


# roles whose words may be cut to fit; hosts put reminders beside results
CUT_ROLES = ("user", "note", "shell", "result")


class Signed(Rule):
    """Only words of tools and users and arguments of calls are edited, and nothing that a signature may cover.

    1. A result may be rewritten if it is not signed itself. Text of a user, a note or a user's shell run may be cut
       to fit.
    2. A call's arguments may be shortened or cut if nothing in its message is signed. If several items form one
       answer, none of them may contain anything signed.

    Tally: whether something was edited that must not be.
    """

    name = "signed"

    def edited(self, tally: bool, walk: Walk, edit: BlockEdit) -> bool:
        return tally or not self.may_edit(
            walk.conversation, BlockRef(edit.message_index, edit.block_index), edit.kind
        )

    def may_edit(self, conversation: ConversationIndex, ref: BlockRef, kind: EditKind) -> bool:
        block = conversation.block(ref)
        if kind == "shortened" or (kind == "cut" and block.kind == "call"):
            return block.kind == "call" and _unsigned(conversation.messages, ref.message_index)
        if kind == "cut" and (block.kind in ("text", "shell") or block.media):
            return conversation.messages[ref.message_index].view.role in CUT_ROLES and not block.signed
        return block.kind == "result" and not block.signed


def _unsigned(messages: Sequence[Message], index: int) -> bool:
    """Rule 2 of `Signed`."""
    if not _is_plain(messages[index].view):
        return False
    for step in (-1, 1):
        other = index + step
        while 0 <= other < len(messages) and messages[index].view.joins:
            view = messages[other].view
            if view.role != "assistant" or not view.joins:
                break
            if not _is_plain(view):
                return False
            other += step
    return True


def _is_plain(view: View) -> bool:
    return view.role == "assistant" and not any(block.signed for block in view.blocks)


NOTHING, PACKET = -1, -2  # nothing shown so far; shown first


def set_aside(conversation: ConversationIndex, message_index: int) -> bool:
    """Whether this is a prompt that may precede what the list starts with."""
    messages = conversation.messages
    return messages[message_index].view.role == "prompt" == messages[0].view.role


class Start(Rule):
    """The list starts with something a provider takes as a user message, if the input did.

    Prompts before it are ignored if the input had one in front. If the input had a user's message in front, its
    provider takes prompts only inside a list, and none may be first.

    Tally: the index of the first message shown that may not be ignored.
    """

    name = "start"
    tally = NOTHING

    def included(self, tally: int, walk: Walk, run: range) -> int:
        if tally != NOTHING:
            return tally
        return next((index for index in run if not set_aside(walk.conversation, index)), NOTHING)

    def inserted(self, tally: int, walk: Walk) -> int:
        return PACKET if tally == NOTHING else tally

    def holds(self, tally: int, walk: Walk) -> bool:
        return tally < 0 or self.may_start_with(walk.conversation, tally)

    def may_start_with(self, conversation: ConversationIndex, message_index: int) -> bool:
        messages, turns = conversation.messages, conversation.turns
        came_so = not turns or messages[turns[0].start].view.role not in USER_LIKE
        may_be_first = messages[message_index].view.role in USER_LIKE or set_aside(conversation, message_index)
        return came_so or may_be_first


class Users(Rule):
    """A user's message is there as it came, or a packet repeats it, unless the list did not fit.

    Tally: the number of user messages removed from a list that fits.
    """

    name = "users"
    tally = 0

    def left_out(self, tally: int, walk: Walk, run: range) -> int:
        messages = walk.conversation.messages
        users = (index for index in run if messages[index].view.role == "user")
        return tally + sum(not _left_to_fit(walk, index) for index in users)

    def holds(self, tally: int, walk: Walk) -> bool:
        return not tally or bool(walk.packets)

    def may_leave_untold(self, conversation: ConversationIndex, message_index: int) -> bool:
        return conversation.messages[message_index].view.role != "user"


class Weight(Rule):
    """A projection has the tokens that the plan says, and no more than the input, except for a packet that stands
    for what the host removed. Tally: tokens of what is shown, without packets.
    """

    name = "weight"
    tally = 0

    def included(self, tally: int, walk: Walk, run: range) -> int:
        return tally + walk.conversation.weight_of(run)

    def edited(self, tally: int, walk: Walk, edit: BlockEdit) -> int:
        return tally + edit.after_tokens - walk.conversation.messages[edit.message_index].weights[edit.block_index]

    def holds(self, tally: int, walk: Walk) -> bool:
        weight, packets = walk.plan.weight, walk.packet_weight()
        most = walk.conversation.raw_weight + min(packets, walk.plan.allowance)
        return tally + packets == weight and weight <= most

    def may_stand_for(self, weight: int, replaced_weight: int) -> bool:
        return weight <= replaced_weight


class WholeSteps(Rule):
    """Items that together form one message of the assistant are all there, or none of them.

    Tally: whether an item is parted from the previous one.
    """

    name = "step"

    def included(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or self._parts(walk, run.start, parted_if_left_out=True)

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or self._parts(walk, run.start, parted_if_left_out=False)

    def is_one_with_previous(self, conversation: ConversationIndex, message_index: int) -> bool:
        return message_index > 0 and goes_on(conversation.messages, message_index)

    def _parts(self, walk: Walk, index: int, parted_if_left_out: bool) -> bool:
        """A single run parts nothing; only its first message may."""
        joined = self.is_one_with_previous(walk.conversation, index)
        return joined and (index - 1 in walk.left_out) == parted_if_left_out


class Alternation(Rule):
    """User and assistant alternate, ignoring tool flow, as far as they did in the input.

    1. An answer without a call stays, and so does a call that a user's message follows: without it two user
       messages would be adjacent, or a user's message would follow a tool result. Where single steps are removed
       (`by_steps`), an answer and the user's message behind it are removed together; the first user's message
       stays.
    2. The packet goes inside a user's message that is shown: the one it would precede, else the nearest one above.

    `formats.acceptance` lists the templates that require this. The format checks what is sent, so a checker has
    nothing to ask.
    """

    name = "roles"
    packet_inside = True

    def __init__(self, by_steps: bool = False) -> None:
        self._by_steps = by_steps

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        users = (index for index, message in enumerate(conversation.messages) if message.view.role == "user")
        return frozenset(itertools.islice(users, 1 if self._by_steps else 0))

    def may_leave(self, conversation: ConversationIndex, step: Step) -> bool:
        messages, indices = conversation.messages, step.assistant_indices
        if any(messages[index].view.role == "user" for index in indices):
            return True
        return not any(_answers(messages[index].view) or _parts_users(messages, index) for index in indices)

    def answer_before(self, conversation: ConversationIndex, message_index: int) -> int:
        messages, index = conversation.messages, message_index - 1
        if not self._by_steps or messages[message_index].view.role != "user":
            return -1
        while index >= 0 and messages[index].view.role == "prompt":
            index -= 1
        return index if index >= 0 and _answers(messages[index].view) else -1

    def packet_index(self, conversation: ConversationIndex, message_index: int, left: LeftOut) -> int:
        messages, above = conversation.messages, range(message_index, -1, -1)
        users = (index for index in above if _takes_words(messages[index].view) and not left(index))
        return next(users, message_index)


def _takes_words(view: View) -> bool:
    """Whether it is a user's message that text can be added to."""
    return view.role == "user" and any(block.can_edit for block in view.blocks)


def _parts_users(messages: Sequence[Message], index: int) -> bool:
    """Whether a user's message follows this one, ignoring prompts."""
    following = (message.view.role for message in itertools.islice(messages, index + 1, None))
    return next((role for role in following if role != "prompt"), "") in USER_LIKE


def _answers(view: View) -> bool:
    """Whether it is an answer without a call."""
    return view.role == "assistant" and all(block.kind != "call" for block in view.blocks)


NO_TURN = ("summary", "packet", "prompt")  # roles that may precede the message a turn starts with
OF_STEPS = ("assistant", "result", "shell")


class WholeTurnsRule(Rule):
    """A turn stays or is removed as a whole.

    1. A summary or a returned packet may be removed alone. A summary may stay alone before all turns that stay, and
       so may a step that last loaded a tool. `Prompts` covers prompts.
    2. After the first message that stays, ignoring rules 1 and 3, nothing is removed; and that message begins its
       turn.
    3. What was dropped to fit the window may be removed alone if no user or host said it, but not the newest
       answer. Only the fit step decides that (`Decision.to_fit`), and `WholeSteps` and `Pairs` apply.
    4. A list without a user message is not removed as a whole; if there is one, the newest stays (`NewestUser`).

    A plan of whole turns names the first that stays, so a chooser has nothing to ask. Tally: whether a part of a
    turn that stays was removed.
    """

    name = "turns"
    by_turns = True

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or (walk.first_index >= 0 and not all(_may_leave_alone(walk, index) for index in run))

    def holds(self, tally: bool, walk: Walk) -> bool:
        messages, first = walk.conversation.messages, walk.first_index
        if first < 0:
            return walk.conversation.newest_user >= 0 or all(message.view.role in NO_TURN for message in messages)
        before = first
        while before > 0 and _may_leave_alone(walk, before - 1):
            before -= 1
        begins = before == 0 or any(messages[index].view.opens_turn for index in range(before, first + 1))
        return begins and not tally


def _may_leave_alone(walk: Walk, index: int) -> bool:
    """Rules 1 and 3 of `WholeTurnsRule`."""
    conversation = walk.conversation
    role = conversation.messages[index].view.role
    if role in NO_TURN:
        return True
    return _left_to_fit(walk, index) and role in OF_STEPS and index != conversation.newest_reply


def _left_to_fit(walk: Walk, index: int) -> bool:
    decision = walk.plan.decisions.get(walk.conversation.key(index))
    return decision is not None and decision.to_fit and decision.kind == "dropped"


class WorkingSetWhole(Rule):
    """The newest results and steps are there byte for byte, as many as the policy says, except what was cut because
    the list did not fit the window, and results without a call, which belong to no step. Tally: the newest message
    that was edited or removed, -1 for none.
    """

    name = "working set"
    tally = -1

    def edited(self, tally: int, walk: Walk, edit: BlockEdit) -> int:
        counts = edit.kind != "cut" and _is_of_step(walk.conversation, edit.message_index)
        return max(tally, edit.message_index) if counts else tally

    def left_out(self, tally: int, walk: Walk, run: range) -> int:
        return max(tally, next((index for index in reversed(run) if self._counts(walk, index)), -1))

    def holds(self, tally: int, walk: Walk) -> bool:
        return tally < 0 or tally < promised_start(walk.conversation, walk.plan.working_set)

    def _counts(self, walk: Walk, index: int) -> bool:
        """Whether it belongs to a step and was removed although the list fits."""
        if index < walk.plan.fit_floor or not _is_of_step(walk.conversation, index):
            return False
        decision = walk.plan.decisions.get(walk.conversation.key(index))
        return decision is None or not decision.to_fit


def _is_of_step(conversation: ConversationIndex, index: int) -> bool:
    role = conversation.messages[index].view.role
    if role == "result":
        return any(ref in conversation.pairs for ref, _ in conversation.results(index))
    return role in STEP_ROLES
