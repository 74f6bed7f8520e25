"""Replaces the oldest pictures and documents of a list by a text that says what each was.

1. If the request does not take as many bytes or items, until they are at 95 % of its limits.
2. If the list has too many tokens, as far as needed; this includes parts with text, such as a search result beside
   a text.
3. Signed content, the model's own output and all other parts stay.
"""

from collections.abc import Callable

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.fit.draft import FitDraft, json_bytes
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.rewriting import cut_edit, marker
from ctxmgr.model import Media, Plan, Weigh

REQUEST_SHARE = 0.95  # of a request's limits, so that the next picture does not exceed them again
ROLES = ("user", "note", "result")

Held = tuple[BlockRef, int, Media]
"""A picture, a document or a part that holds text, and which of its block it is."""


class MediaLimits(msgspec.Struct, frozen=True):
    """A request's limits: bytes of its list, and a number of pictures and documents. `weigh`: tokens of one."""

    most_bytes: float
    most_images: float
    weigh: Callable[[Media], int]


def may_hold_all(conversation: ConversationIndex, plan: Plan, limits: MediaLimits) -> bool:
    """Whether the list was within the request's limits as it came, and so is however it is shown."""
    sums = conversation.sums
    size = sums.size_bytes + conversation.size + (json_bytes(plan.packet.text) if plan.packet else 0)
    return sums.media_count <= limits.most_images and size <= limits.most_bytes


class MediaFitting:
    def __init__(self, draft: FitDraft, rules: Invariants, limits: MediaLimits, weigh: Weigh) -> None:
        self.draft, self.rules, self.limits, self.weigh = draft, rules, limits, weigh

    def to_limits(self) -> None:
        """Rule 1."""
        shown, limits = [item for item in self._held() if item[2].is_shown], self.limits
        size, count = self.draft.size_bytes(), len(shown)
        size_target = size if size <= limits.most_bytes else REQUEST_SHARE * limits.most_bytes
        count_target = count if count <= limits.most_images else -(-limits.most_images * REQUEST_SHARE // 1)
        for item in shown:
            if size <= size_target and count <= count_target:
                break
            if self._mark(item):
                size, count = size - item[2].size_bytes, count - 1

    def to_weight(self, target: float, stays: Callable[[BlockRef, Media], bool]) -> None:
        """Rule 2. `stays`: which of them stay, beside those of rule 3."""
        for item in self._held():
            if self.draft.weight > target and not stays(item[0], item[2]):
                self._mark(item)

    def _held(self) -> list[Held]:
        """Oldest first, without those of rule 3."""
        conversation = self.draft.conversation
        messages = conversation.messages
        return [
            (ref, number, item)
            for index in self.draft.visible()
            if messages[index].view.role in ROLES
            for ref in (BlockRef(index, block) for block in range(len(messages[index].view.blocks)))
            for number, item in self.draft.media(ref)
            if item.kind != "part" and self.rules.may_edit(conversation, ref, "cut")
        ]

    def _mark(self, held: Held) -> bool:
        """Replaces it by a text. Returns False if that would be larger."""
        ref, number, item = held
        draft, text, decision = self.draft, marker.media(item), self.draft.decision(ref)
        after = draft.block_weight(ref) - self.limits.weigh(item) + self.weigh(text)
        if after > draft.conversation.block_weight(ref):
            return False
        media = tuple(sorted((*decision.media, (number, text))))
        decision = msgspec.structs.replace(decision, weight=after, media=media)
        draft.put(cut_edit(draft.conversation, ref, decision), decision)
        return True
