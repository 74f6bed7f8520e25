"""Turns a list of messages into what was done to each file, oldest first, and which calls came again.

Rules:

1. Only a result tells that a call did something. A read that failed, or may have, showed nothing; what a pipe shows
   of a file it shows, whatever its status speaks of. A write or an
   edit that may have failed is remembered, but shows no state; nor does that of a shell's call that failed, for it
   may have failed at something else.
2. A read is known twice: what it showed at most (`need`, what a later one has to show to stand for it), and what it
   surely showed (`cover`); see `read_lines`. An edit whose result shows numbered lines has read them too.
3. A path seen from a directory that a shell went to in an earlier call may be another file, as hosts differ in
   whether their shell stays there: it is one by itself.
"""

import json

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.staleness.line_ranges import WHOLE, Lines, read_lines
from ctxmgr.engine.staleness.result_range import Notes, notes
from ctxmgr.engine.tools import EffectKind, FileEffect, ToolCall, calls_of, identity, outcome, paths
from ctxmgr.model import Block, Message, once

_encode = msgspec.json.Encoder(order="deterministic").encode
AWAY = "\0"  # between a directory that a shell went to, and a path seen from there (rule 3)


_OF_TEXT: frozenset[EffectKind] = frozenset(
    ("read", "write", "edit")
)  # of which a result holds nothing but a file's text


class FileEvent(msgspec.Struct, frozen=True, gc=False):
    """One effect that a result tells of. `block` holds the file's text: a read's result, a write's or edit's call.

    `order`: its place among all events; `message_index`: the result's message. `need` and `cover`: rule 2; no cover
    for what shows no state. `grown`: of an edit.
    """

    block: BlockRef
    kind: EffectKind
    order: int
    message_index: int
    need: Lines = WHOLE
    cover: Lines | None = None
    grown: int | None = 0


class FileHistory(msgspec.Struct, frozen=True):
    """`files`: events by path. `mixed`: results that hold more than what their reads show. `failed`: (call, path)
    of writes and edits that failed. `again`: results of looks and checks whose same call has a later result."""

    files: dict[str, list[FileEvent]]
    mixed: frozenset[BlockRef]
    failed: tuple[tuple[BlockRef, str], ...]
    again: tuple[BlockRef, ...]


class CallRecord(msgspec.Struct, frozen=True, gc=False):
    """A call as it was made: its block index, what is known of it, and what makes another the same call."""

    number: int
    call: ToolCall
    same: str


def history(conversation: ConversationIndex) -> FileHistory:
    """What the results of a list tell."""
    return _HistoryBuilder(conversation).build()


class _HistoryBuilder:
    """A list while it is gone through."""

    def __init__(self, conversation: ConversationIndex) -> None:
        self.conversation = conversation
        self.events: dict[str, list[FileEvent]] = {}
        self.mixed: set[BlockRef] = set()
        self.failed: list[tuple[BlockRef, str]] = []
        self.again: dict[str, list[BlockRef]] = {}
        self.order = 0
        self.went = ""  # where a shell was told to go to last

    def build(self) -> FileHistory:
        for result, asked_at in self.conversation.pairs.items():
            block = self.conversation.block(result)
            made = _calls(self.conversation.messages[asked_at]).get(block.call_id)
            if made is not None:
                self.add(result, block, BlockRef(asked_at, made.number), made)
        again = [at for same in self.again.values() if len(same) > 1 for at in self.older(same)]
        known = paths.same(path for path in self.events if AWAY not in path)
        files: dict[str, list[FileEvent]] = {}
        for path, events in self.events.items():
            files.setdefault(known.get(path, path), []).extend(events)
        for path in set(known.values()):
            files[path].sort(key=lambda event: event.order)
        failed = tuple((call, known.get(path, path)) for call, path in self.failed)
        return FileHistory(files, frozenset(self.mixed), failed, tuple(again))

    def older(self, same: list[BlockRef]) -> list[BlockRef]:
        """Those before the newest that is whole."""
        for place in range(len(same) - 1, 0, -1):
            told = _notes(self.conversation.block(same[place]), False)
            if not told.is_cut and told.how in ("shown", "empty", "hidden"):
                return same[:place]
        return []

    def add(self, result: BlockRef, block: Block, call: BlockRef, made: CallRecord) -> None:
        """What one result tells."""
        effects = made.call.effects
        shell = made.call.kind == "run"
        failed = outcome(made.call, block.text, block.is_error, block.doubtful) == "failed"
        unsure = failed or block.is_error or block.doubtful
        reads = sum(effect.kind == "read" for effect in effects)
        if any(effect.kind not in _OF_TEXT for effect in effects):
            self.mixed.add(result)
        for effect in effects:
            self.order += 2
            if effect.kind == "read" and not unsure:
                told = _notes(block, shell)
                need, cover = read_lines(effect, told, len(effects) == 1, shell)
                event = FileEvent(result, "read", self.order, result.message_index, need, cover)
                self.put(effect.path or told.file, shell, event)
            elif effect.kind in ("write", "edit"):
                self.change(result, block, call, effect, shell, reads == 0)
        if made.call.repeats and not (failed or block.doubtful):
            self.again.setdefault(f"{made.same}\0{self.went if shell else ''}", []).append(result)
        if made.call.shell is not None and made.call.shell.directory:
            self.went = made.call.shell.directory

    def change(
        self, result: BlockRef, block: Block, call: BlockRef, effect: FileEffect, shell: bool, quiet: bool
    ) -> None:
        """A write or an edit; `quiet`: its call reads nothing besides."""
        told = _notes(block, shell) if shell or effect.kind == "edit" or not effect.path else Notes()
        path = effect.path or told.file
        if (block.is_error and not shell) or told.how == "refused":
            self.failed.append((call, self.key(path, shell)))
            return
        sure = not (block.is_error or block.doubtful or told.how in ("cleared", "hidden"))
        cover = WHOLE if sure and effect.kind == "write" and effect.exact else None
        self.put(
            path, shell, FileEvent(call, effect.kind, self.order, result.message_index, WHOLE, cover, effect.grown)
        )
        if sure and quiet and effect.kind == "edit" and (lines := told.numbered) is not None:
            self.put(path, shell, FileEvent(result, "read", self.order + 1, result.message_index, lines, lines))

    def put(self, path: str, shell: bool, event: FileEvent) -> None:
        if path:
            self.events.setdefault(self.key(path, shell), []).append(event)

    def key(self, path: str, shell: bool) -> str:
        """Rule 3."""
        return f"{self.went}{AWAY}{path}" if shell and self.went and not paths.is_absolute(path) else path


@once
def _calls(message: Message) -> dict[str, CallRecord]:
    """The calls of a message by their ids, those that touch something."""
    made = enumerate(zip(message.view.blocks, calls_of(message), strict=True))
    return {
        block.call_id: CallRecord(number, call, _same(block) if call.repeats else "")
        for number, (block, call) in made
        if block.kind == "call" and call is not None and (call.effects or call.shell is not None)
    }


@once
def _notes(result: Block, shell: bool) -> Notes:
    return notes(result.text, shell)


def _same(block: Block) -> str:
    """What makes another call the same: its tool and those arguments that count."""
    arguments = identity(block.arguments or {})
    try:
        told = _encode(arguments)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):  # no JSON can say it
        told = json.dumps(arguments, sort_keys=True, default=str).encode()
    return f"{block.tool} {told.decode()}"
