"""Peers: what others do with a list by their published rules, under their names in tables. They are simulated
without ctxmgr, and measured like the presets. A peer's host compacts at the end of its window like the host of the
presets.

All clear tool results and keep the rest: the text of an old result becomes a placeholder, permanently.

1. `masking`: observation masking (Lindenbauer et al., 2025, arXiv 2508.21433). Results older than the newest few
   are cleared; here in epochs, when that removes `least_tokens`, since otherwise each call would break the prefix.
2. `clear_tool_uses`: Anthropic's context editing, of September 2025. The API edits what a client sends whole at
   each call: above the trigger, all results but the newest three are cleared. Its trigger of 100,000 tokens is half
   of a window of 200,000, so half of any window here; there is no minimum of what is cleared.
3. `opencode`: OpenCode's pruning. When a user's turn has ended, results are counted from the newest on, without
   those of the newest two turns and those behind a summary; results after the first 40,000 tokens are cleared, if
   they are more than 20,000.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from ctxmgr.study.driving.drive import drive_peer
from ctxmgr.study.driving.host import Peer, PeerList
from ctxmgr.study.driving.outcomes import ReplayOptions, ReplayResult
from ctxmgr.study.observations import SUMMARY, ProjectedMessage
from ctxmgr.study.recordings import Recording, pi_host

RESULT, USER = "toolResult", "user"
PLACEHOLDER = "[an old tool result, cleared]"
TRIGGER_SHARE = 0.5  # of the window (rule 2)
NEWEST_USES = 3
PROTECTED_TOKENS, LEAST_TOKENS, PROTECTED_TURNS = 40_000, 20_000, 2  # rule 3
CHARACTERS_A_TOKEN = 4  # as OpenCode estimates

Messages = tuple[ProjectedMessage, ...]


def masked(given: PeerList, newest_count: int, least_tokens: int) -> Messages:
    """Rule 1."""
    results = [index for index, message in enumerate(given.messages) if given.role(message) == RESULT]
    made = _cleared(given, results[: max(0, len(results) - newest_count)])
    saved = given.tokens - sum(given.weigh(message.raw) for message in made)
    return made if saved >= max(1, least_tokens) else given.messages


def clear_tool_uses(given: PeerList) -> Messages:
    """Rule 2."""
    whole_tokens = sum(given.weigh(item.raw) for item in given.items)
    if whole_tokens + given.overhead_tokens <= TRIGGER_SHARE * given.window_tokens:
        return given.messages
    return masked(given, NEWEST_USES, 0)


def opencode(given: PeerList) -> Messages:
    """Rule 3."""
    if not given.messages or given.role(given.messages[-1]) != USER:
        return given.messages
    counted = pruned = turns = 0
    out = []
    for index in range(len(given.messages) - 2, -1, -1):  # the newest message is the next turn's
        message = given.messages[index]
        turns += given.role(message) == USER
        if given.role(message) == SUMMARY or (given.role(message) == RESULT and not message.same):
            break
        if turns >= PROTECTED_TURNS and given.role(message) == RESULT:
            tokens = len(pi_host.text_of(given.items[message.index].message)) // CHARACTERS_A_TOKEN
            counted += tokens
            if counted > PROTECTED_TOKENS:
                pruned += tokens
                out.append(index)
    return _cleared(given, out) if pruned > LEAST_TOKENS else given.messages


def _cleared(given: PeerList, indices: Sequence[int]) -> Messages:
    """The list with these results cleared, unless a placeholder is no shorter."""
    out = list(given.messages)
    for index in indices:
        message = out[index]
        if message.same:
            raw = _with_placeholder(given.items[message.index].message)
            if given.weigh(raw) < given.weigh(message.raw):
                out[index] = ProjectedMessage(raw, message.index, False)
    return tuple(out)


def _with_placeholder(message: dict[str, Any]) -> bytes:
    changed = {**message, "content": [{"type": "text", "text": PLACEHOLDER}]}
    return json.dumps(changed, ensure_ascii=False).encode("utf-8", "replace")


PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "masking-10": partial(masked, newest_count=10, least_tokens=15_000),
        "masking-5": partial(masked, newest_count=5, least_tokens=10_000),
        "clear-tool-uses": clear_tool_uses,
        "opencode": opencode,
    }
)

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "masking-10": "Peer: clears all tool results but the newest 10, once that removes 15,000 tokens.",
        "masking-5": "Peer: clears all tool results but the newest 5, once that removes 10,000 tokens.",
        "clear-tool-uses": "Peer: Anthropic's context editing. Above half of the window, it clears all results "
        "but the newest 3 at each call.",
        "opencode": "Peer: OpenCode's pruning. After a turn, it clears all results but the newest 40,000 tokens.",
    }
)


def driven(recorded: Recording, name: str, options: ReplayOptions) -> ReplayResult:
    """One of `PEERS`. `options`: of a preset's drive, except `write`, which has memory."""
    return drive_peer(recorded, name, PEERS[name], options)
