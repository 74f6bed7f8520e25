"""Computes `kept`: of what a reply repeats from the conversation, the share that was in the list shown to the
model.

It measures the text itself: how short a reply becomes when compressed against a text. It knows no words, names or
tools.

1. It measures the replies of every second call, beginning with the first, if they have at least LEAST_BYTES. A
   reply, and each message before it, is taken as its content in pi's format as JSON, without usage and message id.
2. A reply's length is its compressed size with zstd, given a text as raw dictionary. `recent`: the newest
   RECENT_BYTES of the conversation. `whole`: all of it, with what has been compacted since. `shown`: the list that
   was sent.
3. The old conversation saves `recent - whole` of a reply, the list saves `recent - shown`. `kept` is the second as
   a share of the first, in bytes over all replies: 1 if nothing is missing, 0 if the list is as good as the newest
   text alone, and negative if it is worse.

It does not recognize a paraphrase, so it is shown beside other measures. Its noise is about .01.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence

import msgspec
import zstandard

from ctxmgr.study.observations import Observation, Ratio, new_messages

EVERY = 2  # of the calls: half the work, and neighbouring replies are alike
LEAST_BYTES = 400  # of a reply: shorter ones repeat little, and most of their length is zstd's own frame
RECENT_BYTES = 24_000  # about 6,000 tokens, which every policy keeps
LEVEL, WINDOW_LOG = 7, 24  # the highest level that is fast; a window of 16 MB, which holds any conversation

_decode = msgspec.json.Decoder().decode


class CodeLengths:
    """The lengths of one recording, for any number of policies. What depends on the conversation alone is computed
    once.
    """

    def __init__(self) -> None:
        self._parameters = zstandard.ZstdCompressionParameters.from_level(
            LEVEL, window_log=WINDOW_LOG, enable_ldm=False, write_content_size=0, write_checksum=0, write_dict_id=0
        )
        self._contents: dict[bytes, bytes] = {}
        self._before: dict[tuple[bytes, bytes], tuple[int, int]] = {}

    def repeats(self, sights: Sequence[Observation]) -> tuple[Ratio, ...]:
        """For each call, in bytes: what the list saves of its reply, of what the old conversation saves (rule
        3).
        """
        before, digest = bytearray(), hashlib.blake2b()
        out = []
        for number, (sight, came) in enumerate(zip(sights, new_messages(sights), strict=True)):
            for message in came:
                piece = self._content(message.raw) if not before else b"\n" + self._content(message.raw)
                before += piece
                digest.update(piece)
            reply = self._content(sight.reply.raw)
            asked = number % EVERY == 0 and len(reply) >= LEAST_BYTES
            out.append(self._repeats(sight, reply, bytes(before), digest.digest()) if asked else Ratio())
        return tuple(out)

    def _repeats(self, sight: Observation, reply: bytes, before: bytes, digest: bytes) -> Ratio:
        lengths = self._before.get((digest, reply))
        if lengths is None:
            lengths = self._length(reply, before[-RECENT_BYTES:]), self._length(reply, before)
            self._before[digest, reply] = lengths
        recent, whole = lengths
        shown = self._joined(message.raw for message in sight.projected_messages)
        return Ratio(recent - (whole if shown == before else self._length(reply, shown)), recent - whole)

    def _length(self, reply: bytes, text: bytes) -> int:
        """Rule 2."""
        if not text:
            return len(zstandard.ZstdCompressor(compression_params=self._parameters).compress(reply))
        raw = zstandard.ZstdCompressionDict(text, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        return len(zstandard.ZstdCompressor(dict_data=raw, compression_params=self._parameters).compress(reply))

    def _joined(self, raws: Iterable[bytes]) -> bytes:
        return b"\n".join(map(self._content, raws))

    def _content(self, raw: bytes) -> bytes:
        """Rule 1, for a message in pi's format. A message without content gives the texts that a model reads
        of it.
        """
        content_bytes = self._contents.get(raw)
        if content_bytes is None:
            message = _decode(raw)
            texts = [message[name] for name in ("summary", "command", "output") if name in message]
            content = message.get("content", "\n".join(map(str, texts)))
            content_bytes = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
            self._contents[raw] = content_bytes
        return content_bytes
