"""What a plan shows of its list: the tokens of each message, and what may still be removed.

Carried from call to call: between two epochs a plan only grows at its end, and a call only processes what is new.
"""

from bisect import bisect_left
from collections.abc import Iterator

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step, Steps, carried, carried_with
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.protection import UserTexts
from ctxmgr.engine.retention.layout import parted
from ctxmgr.engine.retention.worth import Kind
from ctxmgr.engine.rewriting import ERRORS_OVER, marker
from ctxmgr.engine.tools import calls_of, result_row, tool_call
from ctxmgr.model import BlockEdit, Decision, Keep, Message, Piece, Plan, once

MARKER_SIZE = 30  # about the size of a marker
LIGHT_SIZE = 2 * MARKER_SIZE  # a result up to this size is not worth one
LONG_CHARACTERS = 800  # of a call's arguments; longer ones are cut


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A block that may be removed once it is old: a result of this `kind`, or arguments. `weight` in tokens.
    `failed`: it may be an error. `sum_after`: tokens of the unmodified list, up to the end of its message.
    """

    ref: BlockRef
    kind: Kind
    weight: int
    failed: bool
    sum_after: int


class Shown(msgspec.Struct, frozen=True):
    """What a plan with these `pieces` and `decisions` shows.

    `tokens` of each shown message, by index. `sums[i]`: of those before message `i`, and `raw_sums[i]` of the
    unmodified list. `late`: omitted messages whose calls a shown result answers. `packets`: those that came back,
    by index. `candidates` without a decision, oldest first.

    For each step by number: its first and last message (`starts`, `ends`), and its `words` in tokens, with markers
    for its results, -1 if it is not shown; `word_sums[n]`: of those before step `n`. `late_steps` end behind the
    start of the next step.
    """

    pieces: tuple[Piece, ...] = ()
    decisions: dict[str, Decision] = {}
    tokens: dict[int, int] = {}
    sums: list[int] = msgspec.field(default_factory=lambda: [0])
    raw_sums: list[int] = msgspec.field(default_factory=lambda: [0])
    late: frozenset[int] = frozenset()
    packets: list[int] = []
    candidates: list[Candidate] = []
    starts: list[int] = []
    ends: list[int] = []
    words: list[int] = []
    word_sums: list[int] = msgspec.field(default_factory=lambda: [0])
    late_steps: frozenset[int] = frozenset()

    def words_before(self, working_set: int) -> int:
        """Of all shown steps that end before the working set, in tokens."""
        count, reaching = self._begun(working_set)
        return self.word_sums[count] - sum(max(0, self.words[number]) for number in reaching)

    def old_steps(self, working_set: int) -> Iterator[tuple[int, int]]:
        """These steps by number, with their words, oldest first."""
        count, reaching = self._begun(working_set)
        for number, words in enumerate(self.words[:count]):
            if words >= 0 and number not in reaching:
                yield number, words

    def _begun(self, working_set: int) -> tuple[int, frozenset[int]]:
        """How many steps begin before the working set, and the numbers of those that reach into it."""
        count = bisect_left(self.starts, working_set)
        last = frozenset((count - 1,) if count else ())
        return count, frozenset(
            number for number in self.late_steps | last if number < count and self.ends[number] >= working_set
        )


@carried_with
def shown(
    conversation: ConversationIndex, before: Shown | None, start: int, plan: Plan, rules: Invariants
) -> Shown:
    """What this plan shows of the list."""
    same = before is not None and before.pieces is plan.pieces and before.decisions is plan.decisions
    if before is not None and same and start == conversation.size:
        return before
    if before is None or not _goes_on(before, plan):
        before, start = Shown(), 0
    messages, steps = conversation.messages, rules.steps(conversation)
    new = Shown(
        pieces=plan.pieces,
        decisions=plan.decisions,
        tokens=dict(before.tokens),
        sums=list(before.sums),
        raw_sums=list(before.raw_sums),
        late=before.late | parted(conversation, plan.decisions, start),
        packets=list(before.packets),
        candidates=list(before.candidates),
        starts=list(before.starts),
        ends=list(before.ends),
        words=list(before.words),
        word_sums=list(before.word_sums),
    )
    for piece in plan.pieces[max(0, len(before.pieces) - 1) :]:
        if isinstance(piece, Keep):
            for index in range(max(start, piece.start), piece.end):
                new.tokens[index] = messages[index].weight
        elif isinstance(piece, BlockEdit) and piece.message_index >= start:
            weight = new.tokens.get(piece.message_index, messages[piece.message_index].weight)
            new.tokens[piece.message_index] = weight - piece.before_tokens + piece.after_tokens
    for index in range(start, conversation.size):
        new.sums.append(new.sums[-1] + new.tokens.get(index, 0))
        new.raw_sums.append(new.raw_sums[-1] + messages[index].weight)
        if index in new.tokens:
            new.candidates.extend(_candidates(conversation, index, plan, new.raw_sums[-1]))
            if messages[index].view.role == "packet":
                new.packets.append(index)
    return _with_steps(new, before, conversation, steps, start)


def _goes_on(before: Shown, plan: Plan) -> bool:
    """Whether this is the same plan with a longer end, without other decisions about the old part."""
    count = len(before.pieces)
    if not count or not plan.goes_on_from(before.pieces):
        return False
    edits = sum(isinstance(piece, BlockEdit) for piece in plan.pieces[count:])
    grown = len(plan.decisions) - len(before.decisions)
    return grown == edits and before.decisions.keys() <= plan.decisions.keys()


def _candidates(conversation: ConversationIndex, index: int, plan: Plan, sum_after: int) -> list[Candidate]:
    message = conversation.messages[index]
    made: list[Candidate] = []
    for number, block in enumerate(message.view.blocks):
        if not block.can_edit:
            continue
        ref, weight = BlockRef(index, number), message.weights[number]
        if plan.decisions and conversation.block_key(ref) in plan.decisions:
            continue
        if block.kind == "result":
            failed = block.is_error or block.doubtful
            long = weight > LIGHT_SIZE and not (failed and len(block.text) <= ERRORS_OVER)
            if long and not marker.is_marker(block.text):
                kind = "media" if block.media else kind_of(conversation, ref)
                made.append(Candidate(ref, kind, weight, failed, sum_after))
        elif block.kind == "call" and len(block.text) > LONG_CHARACTERS:
            made.append(Candidate(ref, "arguments", weight, failed=False, sum_after=sum_after))
    return made


def kind_of(conversation: ConversationIndex, ref: BlockRef) -> Kind:
    """The table row for a result."""
    block, asked_at = conversation.block(ref), conversation.pairs.get(ref)
    if block.is_told:
        return result_row(tool_call(block.tool, {}))
    if asked_at is None:
        return "command"
    return _kinds(conversation.messages[asked_at]).get(block.call_id, "command")


@once
def _kinds(message: Message) -> dict[str, Kind]:
    """Of the results of its calls, by call id."""
    calls = zip(message.view.blocks, calls_of(message), strict=True)
    return {block.call_id: result_row(call) for block, call in calls if call is not None and block.kind == "call"}


def _with_steps(new: Shown, before: Shown, conversation: ConversationIndex, steps: Steps, start: int) -> Shown:
    """Adds the steps that are new or have grown."""
    first = max(0, len(before.starts) - 1)
    if first:  # new content may belong to an older step
        grown = [steps.numbers.get(earlier, first) for _, earlier in conversation.halves(start)]
        first = min((first, *grown))
    for kept in (new.starts, new.ends, new.words):
        del kept[first:]
    del new.word_sums[first + 1 :]
    for step in steps.steps[first:]:
        indices = step.message_indices
        new.starts.append(indices[0])
        new.ends.append(max(indices))
        new.words.append(_words(step, new.tokens) if indices[0] in new.tokens else -1)
        new.word_sums.append(new.word_sums[-1] + max(0, new.words[-1]))
    last = len(new.starts) - 1
    late = {at for at in range(max(0, first - 1), last) if new.ends[at] > new.starts[at + 1]}
    return msgspec.structs.replace(new, late_steps=before.late_steps | late)


class OfNoStep(msgspec.Struct, frozen=True):
    """What belongs to no step: `indices` of all such messages, `sums[n]` tokens of the first `n`. `user_tokens`:
    the total of the users'. `texts`: those that are text only.
    """

    indices: tuple[int, ...] = ()
    sums: list[int] = msgspec.field(default_factory=lambda: [0])
    user_tokens: int = 0
    texts: UserTexts = UserTexts()

    def tokens_before(self, index: int) -> int:
        """Of those before a message."""
        return self.sums[bisect_left(self.indices, index)]


@carried
def of_no_step(conversation: ConversationIndex, before: OfNoStep | None, start: int, rules: Invariants) -> OfNoStep:
    """Of the whole list."""
    before, messages = before or OfNoStep(), conversation.messages
    indices, sums = rules.steps(conversation).fixed_indices, list(before.sums)
    new = indices[len(before.indices) :]
    for index in new:
        sums.append(sums[-1] + messages[index].weight)
    users = [index for index in new if messages[index].view.role == "user"]
    texts = before.texts.having(conversation, users) if users else before.texts
    return OfNoStep(indices, sums, before.user_tokens + conversation.weight_of(users), texts)


def _words(step: Step, tokens: dict[int, int]) -> int:
    """The tokens of a step with markers for its results."""
    spoken = sum(tokens.get(index, 0) for index in step.assistant_indices)
    return spoken + sum(min(tokens.get(index, 0), MARKER_SIZE) for index in step.result_indices)
