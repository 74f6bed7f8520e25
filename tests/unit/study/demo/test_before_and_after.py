"""One call's list as stretches of one fate."""

import json
from typing import Any

from ctxmgr.study.demo import Stretch, pruned_call, stretches
from ctxmgr.study.driving import ReplayedCall, ReplayResult
from ctxmgr.study.observations import PACKET, Observation, ProjectedMessage
from ctxmgr.study.recordings import pi_host


def raw(role: str, content: Any, **more: Any) -> bytes:
    return json.dumps({"role": role, "content": content, **more}).encode()


READ = [{"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.py"}}]
MESSAGES = (
    raw("user", "Mend\n it"),
    raw("assistant", READ),
    raw("toolResult", [{"type": "text", "text": "x = 1"}], toolCallId="c1", toolName="read"),
    raw("assistant", "Mended."),
    raw("user", "Thanks"),
)
ITEMS = tuple(pi_host.item(str(place), message) for place, message in enumerate(MESSAGES))
MARKER = raw("toolResult", [{"type": "text", "text": "[output pruned]"}], toolCallId="c1", toolName="read")


def sight(*sent: ProjectedMessage, epoch: int = 0) -> Observation:
    return Observation(None, ITEMS, sent, ITEMS[3], epoch)


def kept(place: int) -> ProjectedMessage:
    return ProjectedMessage(MESSAGES[place], place, True)


def test_a_message_of_the_user_and_a_shortened_one_are_stretches_of_their_own() -> None:
    found = stretches(sight(kept(0), kept(1), ProjectedMessage(MARKER, 2, False), kept(3), kept(4)), len)
    assert [(one.fate, one.first, one.last, one.what, one.sent_text) for one in found] == [
        ("kept", 1, 1, "user message: Mend it", ""),
        ("kept", 2, 2, "reply: calls read a.py", ""),
        ("shortened", 3, 3, "result of read a.py", "[output pruned]"),
        ("kept", 4, 4, "reply: Mended.", ""),
        ("kept", 5, 5, "user message: Thanks", ""),
    ]
    assert [(one.tokens, one.sent_tokens) for one in found][2] == (len(MESSAGES[2]), len(MARKER))


def test_what_was_removed_is_counted_by_role_and_the_packet_stands_before_what_follows_it() -> None:
    packet = ProjectedMessage(raw("custom", "[ctxmgr packet]"), PACKET, False)
    first, removed, shown, last = stretches(sight(kept(0), packet, kept(4)), len)
    assert (first.last, last.first) == (1, 5)
    assert (removed.fate, removed.first, removed.last) == ("removed", 2, 4)
    assert (removed.what, removed.sent_tokens) == ("2 replies, 1 tool result", 0)
    assert shown == Stretch("packet", 0, 0, "what was removed, in short", 0, len(packet.raw), "[ctxmgr packet]")


def outcome(*calls: tuple[int, int, Observation]) -> ReplayResult:
    return ReplayResult(
        "made-up.jsonl",
        "balanced",
        100_000,
        calls=[ReplayedCall("green", before, after, 0, 0, 0, 0, 0.0) for before, after, _ in calls],
        observations=[seen for *_, seen in calls],
    )


def test_the_call_that_is_shown_begins_an_epoch_and_has_a_packet_where_one_has() -> None:
    packet = ProjectedMessage(raw("custom", "[ctxmgr packet]"), PACKET, False)
    plain = [(90, 90, sight(kept(0))), (90, 10, sight(kept(0), epoch=1)), (99, 9, sight(kept(0), epoch=1))]
    assert pruned_call(outcome(*plain)) == 1
    assert pruned_call(outcome(*plain, (90, 50, sight(kept(0), packet, epoch=2)))) == 3
    assert pruned_call(outcome(plain[0])) is None
