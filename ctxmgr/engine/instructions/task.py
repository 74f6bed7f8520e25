"""Finds the task of a session in a list: what the user wants, and how far the work is. It stays whole.

1. The task is the newest plan that the user approved, the newest summary that the host wrote of what it removed,
   and the user's long requests: those before the first answer, and the newest of the later ones.
2. A plan is in a call and its result, in a text of the assistant, in a user's message, or in a file. For a file, it
   is the last call that wrote it, and the edits since.
3. The parts stay in place as far as their budget allows: the plan first, then the newest request, the summary, the
   other requests.
"""

from bisect import bisect_left
from collections.abc import Container

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, carried
from ctxmgr.engine.instructions.places import Named, globs_of
from ctxmgr.engine.memory import texts_of, users_text
from ctxmgr.engine.tools import approval_in, approved_plan, changes_a_file, file_after, file_named, plan_proposed_by
from ctxmgr.model import View
from ctxmgr.model.saved import InstructionCopy

REQUEST_CHARACTERS = 600  # a longer request is more than a few sentences
PLAN = "- the plan that the user approved:"
SUMMARY = "- the host's summary:"
FIRST_REQUEST = "- the user's request at the start:"
REQUEST = "- the user's newest long request:"
SUMMARY_QUESTIONS = ("What did we do so far?",)  # asked by OpenCode and Kilo Code before their summary in a list
SOURCES = (PLAN, REQUEST, SUMMARY, FIRST_REQUEST)
"""The labels of a task's copies, the highest priority first (rule 3)."""


class TaskPart(msgspec.Struct, frozen=True):
    """`text` is in the block `at`, and `source` is one of `SOURCES`. `blocks` must stay with it. `path`: its file,
    if any.
    """

    source: str
    text: str
    at: BlockRef
    blocks: frozenset[BlockRef]
    path: str = ""


class Task(msgspec.Struct, frozen=True):
    """The parts of a task, in the list's order."""

    parts: tuple[TaskPart, ...] = ()

    @property
    def blocks(self) -> frozenset[BlockRef]:
        """All blocks that must stay."""
        return frozenset[BlockRef]().union(*(part.blocks for part in self.parts))

    def weight(self, conversation: ConversationIndex) -> int:
        """The tokens of all blocks that must stay."""
        return sum(map(conversation.block_weight, self.blocks))

    def messages(self, conversation: ConversationIndex) -> frozenset[int]:
        """The messages with these blocks, and with the calls of their results."""
        blocks = self.blocks
        asked = (conversation.pairs[ref] for ref in blocks if ref in conversation.pairs)
        return frozenset((*(ref.message_index for ref in blocks), *asked))

    def within(self, conversation: ConversationIndex, tokens: float) -> "Task":
        """The parts that fit into `tokens` together (rule 3)."""
        kept: list[TaskPart] = []
        for part in sorted(self.parts, key=lambda part: SOURCES.index(part.source)):
            weight = sum(map(conversation.block_weight, part.blocks))
            if weight <= tokens:
                tokens -= weight
                kept.append(part)
        return Task(tuple(sorted(kept, key=lambda part: part.at)))

    def leaving(self, conversation: ConversationIndex, indices: Container[int]) -> tuple[InstructionCopy, ...]:
        """Copies of the parts whose text is in one of these messages."""
        return tuple(copy_of(conversation, part) for part in self.parts if part.at.message_index in indices)


def copy_of(conversation: ConversationIndex, part: TaskPart) -> InstructionCopy:
    """A copy of the part, for when its message is removed."""
    return InstructionCopy(part.source, part.text, conversation.digest(part.at.message_index))


class _Found(msgspec.Struct, frozen=True):
    """The task according to the messages so far. `begun`: there was an answer or a summary."""

    plan: TaskPart | None = None
    summary: TaskPart | None = None
    first: tuple[TaskPart, ...] = ()
    newest: TaskPart | None = None
    begun: bool = False


def task(conversation: ConversationIndex, named: Named = True, summary: str = "") -> Task:
    """The task in a list. Empty if the policy treats instructions like other output. `summary`: the newest one that
    the host reported, whichever message it is in.
    """
    if globs_of(named) is None:
        return Task()
    found = _found(conversation, summary.strip())
    parts = (*found.first, found.plan, found.summary, found.newest)
    return Task(tuple(sorted((part for part in parts if part is not None), key=lambda part: part.at)))


@carried
def _found(conversation: ConversationIndex, before: _Found | None, start: int, told: str) -> _Found:
    found = before or _Found()
    for index in range(start, conversation.size):
        view = conversation.messages[index].view
        plan = approved_in(conversation, index) or _written_on(conversation, found.plan, index)
        summary = _told_summary(conversation, index, told)
        if plan is not None:
            found = msgspec.structs.replace(found, plan=plan)
        elif summary is None and (request := _request(conversation, index)) is not None:
            source = REQUEST if found.begun else FIRST_REQUEST
            texts = _texts(conversation, index)
            part = TaskPart(source, request, min(texts), texts)
            first = (*found.first, part) if source == FIRST_REQUEST else found.first
            newest = part if source == REQUEST else found.newest
            found = msgspec.structs.replace(found, first=first, newest=newest)
        summary = summary or _asked_summary(conversation, index)
        if summary is not None or (view.summary == "compaction" and view.role != "prompt"):
            summary = _summary(conversation, index) or summary or found.summary
            found = msgspec.structs.replace(found, summary=summary, begun=True)
        elif view.role == "assistant" and not found.begun:
            found = msgspec.structs.replace(found, begun=True)
    return found


def _texts(conversation: ConversationIndex, index: int) -> frozenset[BlockRef]:
    blocks = enumerate(conversation.messages[index].view.blocks)
    return frozenset(BlockRef(index, number) for number, block in blocks if block.kind == "text")


def _request(conversation: ConversationIndex, index: int) -> str | None:
    """The user's own words in this message, if they are a long request."""
    view = conversation.messages[index].view
    if view.role != "user" or sum(len(text) for text in texts_of(view)) <= REQUEST_CHARACTERS:
        return None
    text = users_text(view, conversation.messages[index - 1].view if index else None)
    return text if len(text) > REQUEST_CHARACTERS else None


def _summary(conversation: ConversationIndex, index: int) -> TaskPart | None:
    """The summary that the host put into this message, or None if only the provider can read it."""
    blocks = enumerate(conversation.messages[index].view.blocks)
    refs = [BlockRef(index, number) for number, block in blocks if block.kind == "summary" and block.text.strip()]
    text = "\n".join(conversation.block(ref).text for ref in refs)
    return TaskPart(SUMMARY, text, refs[0], frozenset(refs)) if refs else None


def _asked_summary(conversation: ConversationIndex, index: int) -> TaskPart | None:
    """This message as a summary, if the host's question is before it."""
    view, before = conversation.messages[index].view, conversation.messages[index - 1].view if index else None
    asked = (
        before is not None and before.role == "user" and "\n".join(texts_of(before)).strip() in SUMMARY_QUESTIONS
    )
    if not asked or view.role != "assistant":
        return None
    refs = _texts(conversation, index)
    text = "\n".join(texts_of(view)).strip()
    return TaskPart(SUMMARY, text, min(refs), refs) if text else None


def _told_summary(conversation: ConversationIndex, index: int, told: str) -> TaskPart | None:
    """The summary that the host reported, if this user's message contains it. A short one ("Done.") may also be a
    part of a long request.
    """
    view = conversation.messages[index].view
    if not told or view.role != "user":
        return None
    longest = len(told) + max(len(told), REQUEST_CHARACTERS)  # with the host's words around it
    blocks = [(number, block.text) for number, block in enumerate(view.blocks)]
    refs = [BlockRef(index, number) for number, text in blocks if told in text and len(text) <= longest]
    return TaskPart(SUMMARY, told, refs[0], frozenset(refs)) if refs else None


# the plan


def approved_in(conversation: ConversationIndex, index: int) -> TaskPart | None:
    """The plan that the user approves in this message, or None."""
    for ref, block in conversation.results(index):
        call = conversation.call_of(ref)
        answer = None if block.is_error else approved_plan(call.tool, call.arguments, block.text)
        if answer is None:
            continue
        asked = _call_of(conversation, ref)
        in_file = _in_file(conversation, answer.path, index) if answer.path else None
        if in_file is not None:
            return msgspec.structs.replace(in_file, blocks=in_file.blocks | {ref, *asked})
        if answer.text:
            at = ref if answer.text in block.text or not asked else asked[0]
            return TaskPart(PLAN, answer.text, at, frozenset((ref, *asked)))
    return _approved_by_user(conversation, index)


def _approved_by_user(conversation: ConversationIndex, index: int) -> TaskPart | None:
    view, before = conversation.messages[index].view, conversation.messages[index - 1].view if index else None
    if view.role != "user":
        return None
    texts = list(texts_of(view))
    approval = approval_in(texts) or approval_in(filter(None, (users_text(view, before),)))
    if approval is None:
        return None
    said = _texts(conversation, index)
    if approval.plan:
        return TaskPart(PLAN, approval.plan, min(said), said, approval.path)
    if approval.path:
        in_file = _in_file(conversation, approval.path, index)
        return msgspec.structs.replace(in_file, blocks=in_file.blocks | said) if in_file is not None else None
    return _proposed(conversation, index, approval.anywhere)


def _proposed(conversation: ConversationIndex, end: int, anywhere: bool) -> TaskPart | None:
    """The newest plan that a reply before this message proposed."""
    for index in range(end - 1, -1, -1):
        view = conversation.messages[index].view
        if not anywhere and view.role == "user" and _says_something(conversation, index):
            return None
        for number, block in enumerate(view.blocks if view.role == "assistant" else ()):
            if plan := plan_proposed_by(block):
                ref = BlockRef(index, number)
                return TaskPart(PLAN, plan, ref, frozenset((ref,)))
    return None


def _says_something(conversation: ConversationIndex, index: int) -> bool:
    before: View | None = conversation.messages[index - 1].view if index else None
    return bool(users_text(conversation.messages[index].view, before))


def _call_of(conversation: ConversationIndex, ref: BlockRef) -> tuple[BlockRef, ...]:
    """The block of the call that this result answers."""
    asked_at, call_id = conversation.pairs.get(ref), conversation.block(ref).call_id
    if asked_at is None:
        return ()
    blocks = enumerate(conversation.messages[asked_at].view.blocks)
    return tuple(
        BlockRef(asked_at, number) for number, block in blocks if block.kind == "call" and block.call_id == call_id
    )[:1]


def _in_file(conversation: ConversationIndex, path: str, end: int) -> TaskPart | None:
    """The plan that calls before this message wrote to this file, or None if none is known."""
    changes = _file_changes(conversation)
    since: dict[int, None] = {}
    for index, asked in reversed(changes[: bisect_left(changes, (end,))]):
        if file_named(path, conversation.block(asked)):
            since[index] = None
            if _written_to(conversation, path, None, index) is not None:
                break  # the whole file: what comes before does not matter
    part: TaskPart | None = None
    for index in reversed(since):
        part = _written_to(conversation, path, part, index)
    return part


_Change = tuple[int, BlockRef]


@carried
def _file_changes(
    conversation: ConversationIndex, before: tuple[_Change, ...] | None, start: int
) -> tuple[_Change, ...]:
    """Each call that changes a file: the index of its result's message, and its block. In list order."""
    found = list(before or ())
    for index in range(start, conversation.size):
        for ref, _ in conversation.results(index):
            found += [
                (index, asked) for asked in _call_of(conversation, ref) if changes_a_file(conversation.block(asked))
            ]
    return tuple(found)


def _written_on(conversation: ConversationIndex, plan: TaskPart | None, index: int) -> TaskPart | None:
    """The plan after this message's results, if they change its file; otherwise None."""
    if plan is None or not plan.path:
        return None
    part = _written_to(conversation, plan.path, plan, index)
    return part if part is not None and part.text != plan.text else None


def _written_to(conversation: ConversationIndex, path: str, part: TaskPart | None, index: int) -> TaskPart | None:
    """The plan in this file after this message. Its results say which calls were carried out."""
    for ref, result in conversation.results(index):
        for asked in _call_of(conversation, ref) if not result.is_error else ():
            before = part.text if part is not None else None
            text = file_after(before, path, conversation.block(asked))
            if text is None or not text.strip():
                part = None if text is None else part
            elif text != before:
                kept = part.blocks if part is not None and _is_edit(before, path, conversation, asked) else ()
                at = part.at if part is not None and kept else asked
                named = max(path, file_named(path, conversation.block(asked)), key=len)
                part = TaskPart(PLAN, text, at, frozenset((*kept, asked, ref)), named)
    return part


def _is_edit(before: str | None, path: str, conversation: ConversationIndex, asked: BlockRef) -> bool:
    """Whether this call edits the file instead of writing all of it."""
    return before is not None and file_after(None, path, conversation.block(asked)) is None
