"""Judges an answered list in a provider's own format against the list that was sent, from the host's side.

Shares no code with ctxmgr's own checks, nor with its formats. Each format has rules of its own (`openai`,
`anthropic`, `responses`): a module with `illegal`, `rewritten`, `is_packet`, `is_prompt`, `is_users`
and `may_leave`.

1. Each answered message is one that was sent, byte for byte, in its order; or one of which nothing but the content
   of tool results differs; or the packet, of which there is one at most.
2. All prompts are there, and the newest user message.
3. A list that its provider would have taken stays one.
4. What is kept is, but for prompts, an unbroken end of the list; summaries and packets may leave out of it, and so
   may as many messages as were told to have left because the list did not fit: nothing that a user said, and not
   the newest message that none did.
5. Without its packet it is not longer than what was sent, but for a little: after a compaction a packet may say
   more than what left, and repeat, whole and word for word, texts of `earlier` messages that are not in what was
   sent.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

import msgspec

PACKET_BYTES = 20_000  # five a token of the largest packet by default
INSTRUCTIONS = "\n## Instructions (word for word"  # a heading in a packet
TASK = "\n## The task (word for word"
QUOTED = re.compile(r"\n- ([^\n]*):((?:\n>[^\n]*)+)")  # below it: a line that tells of what, and its text
HEAD = "(first "  # of a text, that line says
SLACK_BYTES = 64  # a list that loses nothing may still be spelled a little differently

Json = dict[str, Any]
_decode = msgspec.json.Decoder().decode


def faults(
    rules: ModuleType,
    sent: Sequence[bytes],
    out: Sequence[bytes],
    earlier: Iterable[bytes] = (),
    left_to_fit: int = 0,
) -> list[str]:
    """Sentences, none where all is well. `earlier`: messages of lists that came before (rule 5); `left_to_fit`: so
    many messages are told to have left (rule 4)."""
    found: list[str] = []
    places: set[int] = set()
    packets, below = 0, len(sent)
    for place in range(len(out) - 1, -1, -1):  # from the newest back: what is kept is the end of the list
        at = below - 1
        if at >= 0 and sent[at] == out[place]:
            below = at
            places.add(at)
            continue
        if rules.is_packet(_decode(out[place])):
            packets += 1
            continue
        while at >= 0 and sent[at] != out[place] and not rules.rewritten(sent[at], out[place]):
            at -= 1
        if at < 0:
            found.append(f"message {place} is none that was sent, or out of order")
            continue
        below = at
        places.add(at)
    if packets > 1:
        found.append(f"{packets} packets")
    found += [*_missing(rules, sent, places, left_to_fit), *_refused(rules, sent, out)]
    free = sum(
        min(len(raw), PACKET_BYTES + _repeated(raw, sent, earlier)) for raw in out if rules.is_packet(_decode(raw))
    )
    before, after = sum(map(len, sent)), sum(map(len, out)) - free
    if after > before + SLACK_BYTES:
        found.append(f"longer than what was sent: {after} bytes of {before}")
    return found


def _missing(rules: ModuleType, sent: Sequence[bytes], places: set[int], left_to_fit: int) -> list[str]:
    messages = [_decode(raw) for raw in sent]
    found = [f"prompt {at} is gone" for at, one in enumerate(messages) if rules.is_prompt(one) and at not in places]
    spoken = [at for at, one in enumerate(messages) if not rules.is_prompt(one) and not rules.may_leave(one)]
    first = min((at for at in spoken if at in places), default=len(messages))
    missing = [at for at in spoken if at > first and at not in places]
    if left_to_fit and len(missing) == left_to_fit:
        newest = max(at for at in spoken if not rules.is_users(messages[at]))
        missing = [at for at in missing if at == newest or rules.is_users(messages[at])]
    found += [f"message {at} is missing inside what was kept" for at in missing]
    newest = max((at for at, one in enumerate(messages) if rules.is_users(one)), default=-1)
    return (
        [*found, f"the newest user message ({newest}) is gone"] if newest >= 0 and newest not in places else found
    )


def _refused(rules: ModuleType, sent: Sequence[bytes], out: Sequence[bytes]) -> list[str]:
    if rules.illegal([_decode(raw) for raw in sent]):
        return []
    found: list[str] = rules.illegal([_decode(raw) for raw in out])
    return found


def _repeated(packet: bytes, sent: Iterable[bytes], earlier: Iterable[bytes]) -> int:
    """So many bytes of a packet are texts of earlier messages, each told once, or its head, quoted below a line of
    its own."""
    shown = next((one for one in _texts(_decode(packet)) if INSTRUCTIONS in f"\n{one}" or TASK in f"\n{one}"), "")
    before, _, told = f"\n{shown}".partition(INSTRUCTIONS)
    quotations = [(*found, False) for found in QUOTED.findall(told)]
    quotations += [(*found, True) for found in QUOTED.findall(before.partition(TASK)[2])]
    here, there = ({text for raw in lists for text in _texts(_decode(raw))} for lists in (sent, earlier))
    gone = ["\n".join(text.splitlines()) for text in sorted(there - here)]
    size = 0
    for of_what, quoted, is_task in quotations:
        text = re.sub(r"^> ?", "", quoted.strip("\n"), flags=re.MULTILINE)
        head = text.removesuffix("…") if HEAD in of_what else ""
        of = next(
            (
                one
                for one in gone
                if one == text or (head and one.startswith(head)) or (is_task and (head or text) in one)
            ),
            None,
        )
        if of is not None:
            gone.remove(of)
            size += len(json.dumps(quoted)) - 2
    return size


def _texts(value: Any) -> Iterator[str]:
    """Every text in a message, and those of a content together."""
    if isinstance(value, str) and value.strip():
        yield value.strip()
    if isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    if isinstance(value, list):
        yield "\n".join(str(one["text"]) for one in value if isinstance(one, dict) and one.get("text")).strip()
        for one in value:
            yield from _texts(one)
