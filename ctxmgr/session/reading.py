"""Turns raw messages into messages that the engine can count: decoded once, counted once. Runs in any thread."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

import msgspec

from ctxmgr.engine.conversation import digest
from ctxmgr.formats import MessageFormat
from ctxmgr.model import Block, DeclaredTools, Media, Message, View, Weigh, WeighAll, estimate, media
from ctxmgr.model.compaction import BranchEntry, BranchMessage
from ctxmgr.model.saved import State
from ctxmgr.session.work import Verb, Weighing

SAMPLE_CHARACTERS = 50_000  # of the newest messages, for calibration; a vocabulary takes 4 ms for this many
NONE_KNOWN: Mapping[bytes, Message] = MappingProxyType({})


class Reader:
    """Reads messages of one format. All decisions use `weigh`, which is the same for a session's life and in the
    next process, so that nothing depends on when a vocabulary is available. `rules`: what pictures count as.
    `tools`: the host's declarations, which are passed to calls.
    """

    def __init__(
        self,
        fmt: MessageFormat,
        weigh: Weigh = estimate,
        rules: media.MediaRules = media.OTHER,
        tools: DeclaredTools = (),
    ) -> None:
        self.fmt, self.weigh, self.rules, self.tools = fmt, weigh, rules, tools

    def reading(self, state: State) -> "Reader":
        """This one, or one for the state's model and tools."""
        rules = media.family(state.model.id)
        if rules is self.rules and state.tools == self.tools:
            return self
        return Reader(self.fmt, self.weigh, rules, state.tools)

    def media_tokens(self, item: Media) -> int:
        """The tokens that the provider counts for a picture or document."""
        return media.tokens(item, self.rules)

    def read(self, raws: Sequence[bytes], known: Mapping[bytes, Message] = NONE_KNOWN) -> tuple[Message, ...]:
        """One message per raw one; those in `known` are reused."""
        if not known:  # nor is it worth hashing each
            return tuple(map(self._message, raws))
        return tuple([known.get(raw) or self._message(raw) for raw in raws])

    def with_tools(self, view: View) -> View:
        """Adds the host's declaration of its tools to each call."""
        if not self.tools or not any(block.kind == "call" for block in view.blocks):
            return view
        blocks = (
            msgspec.structs.replace(block, declared=self.tools) if block.kind == "call" else block
            for block in view.blocks
        )
        return msgspec.structs.replace(view, blocks=tuple(blocks))

    def with_tools_in(self, path: Sequence[BranchEntry]) -> tuple[BranchEntry, ...]:
        """The same for all messages of a branch."""
        return tuple(self._entry(entry) for entry in path) if self.tools else tuple(path)

    def _entry(self, entry: BranchEntry) -> BranchEntry:
        before = entry.unedited
        return msgspec.structs.replace(
            entry,
            messages=self._branch_messages(entry.messages),
            unedited=before if before is None else self._branch_messages(before),
        )

    def _branch_messages(self, messages: Sequence[BranchMessage]) -> tuple[BranchMessage, ...]:
        return tuple(msgspec.structs.replace(message, view=self.with_tools(message.view)) for message in messages)

    def _message(self, raw: bytes) -> Message:
        view = self.with_tools(self.fmt.view(raw))
        weights = tuple(map(self._weight, view.blocks))
        count = sum([item.is_shown for block in view.blocks if block.media for item in block.media])
        return Message(raw, digest(view), view, weights, sum(weights) + self.fmt.extra_weight(view), count)

    def _weight(self, block: Block) -> int:
        weight = self.weigh(block.text) if block.text else 0
        return weight + sum(map(self.media_tokens, block.media)) if block.media else weight


class Calibration:
    """Exact counts of a vocabulary, for how full the window is while usage is unknown. No decision uses it.

    `scale`: tokens of the vocabulary per estimated token, from the newest messages of the last list that was
    measured; 1 before the first, and if there is no text.
    """

    def __init__(self, name: str, weigh: WeighAll) -> None:
        self.name, self.weigh, self.scale = name, weigh, 1.0
        self._measured: Sequence[Message] = ()

    def measured(self, messages: Sequence[Message]) -> Verb[None]:
        """Uses these messages from now on. Raises what counting raises."""
        if messages is not self._measured:
            self.scale = yield Weighing(partial(_scale, self.weigh, messages))
            self._measured = messages


def _scale(weigh: WeighAll, messages: Sequence[Message]) -> float:
    texts: list[str] = []
    room = SAMPLE_CHARACTERS
    for message in reversed(messages):
        for block in message.view.blocks:
            text = block.text[:room]
            if text:
                texts.append(text)
                room -= len(text)
        if room <= 0:
            break
    counted = weigh(texts) if texts else 0
    return counted / sum(map(estimate, texts)) if counted else 1.0
