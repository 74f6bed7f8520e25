"""Turns raw messages into messages the engine can weigh: decoded once, weighed once. Runs in any thread."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType, ModuleType

from ctxmgr.engine.conversation import digest
from ctxmgr.model import Media, Message, View, Weigh, media

NONE_KNOWN: Mapping[bytes, Message] = MappingProxyType({})


class Reader:
    """Reads messages of one format with one weigher; `name` says which weigher. `rules`: what pictures weigh."""

    def __init__(self, form: ModuleType, weigh: Weigh, name: str, rules: media.MediaRules = media.OTHER) -> None:
        self.form, self.weigh, self.name, self.rules = form, weigh, name, rules

    def media_tokens(self, one: Media) -> int:
        """What the provider counts a picture or a document as."""
        return media.tokens(one, self.rules)

    def read(self, raws: Sequence[bytes], known: Mapping[bytes, Message] = NONE_KNOWN) -> tuple[Message, ...]:
        """One message a raw one, those in `known` as they are."""
        return tuple(known.get(raw) or self._message(raw) for raw in raws)

    def _message(self, raw: bytes) -> Message:
        view: View = self.form.view(raw)
        weights = tuple(
            (self.weigh(block.text) if block.text else 0) + sum(map(self.media_tokens, block.media))
            for block in view.blocks
        )
        return Message(raw, digest(view), view, weights, sum(weights) + self.form.extra_weight(view))
