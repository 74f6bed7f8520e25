"""A host whose lists a peer shortens: what it sees, what the model is shown, and the host's own compactions."""

from functools import partial

import msgspec

from ctxmgr.study.driving import HostLimits, ReplayOptions, ReplayResult
from ctxmgr.study.driving.drive import drive_peer
from ctxmgr.study.driving.host import Peer, PeerList
from ctxmgr.study.observations import ProjectedMessage
from ctxmgr.study.recordings.recording import RecordedEntry, Recording
from tests.notation import Said, a, call, r, u, written

LONG = "word " * 400  # 400 tokens


def recording(*talk: Said) -> Recording:
    entries = tuple(
        RecordedEntry("message", f"e{number}", number, msgspec.json.encode(message), message["role"])
        for number, message in enumerate(written(*talk))
    )
    return Recording("tiny", "s", "m", entries)


def driven(peer: Peer, *talk: Said, window: int = 100_000, keep: int = 300) -> ReplayResult:
    options = ReplayOptions(window=window, host=HostLimits(overhead_tokens=0, keep_tokens=keep))
    return drive_peer(recording(*talk), "mine", peer, options)


def whole(given: PeerList) -> tuple[ProjectedMessage, ...]:
    return given.messages


STEP = (a(call("read", path="a.py")), r(LONG))
EMPTY = b'{"role":"toolResult","toolCallId":"","content":[]}'
TALK = (u("go"), *STEP * 3, a("done"), u("more"), *STEP, a("end"))


def emptied(given: PeerList, keep: int) -> tuple[ProjectedMessage, ...]:
    """Results but for the newest so many are emptied."""
    results = [message for message in given.messages if given.role(message) == "toolResult"]
    old = results[: max(0, len(results) - keep)]
    return tuple(
        ProjectedMessage(EMPTY, message.index, False) if message in old else message for message in given.messages
    )


def test_a_call_is_shown_what_the_peer_made_of_what_it_sent_last_and_what_came_since() -> None:
    lists: list[PeerList] = []

    def but_the_newest_two(given: PeerList) -> tuple[ProjectedMessage, ...]:
        lists.append(given)
        return emptied(given, keep=2)

    outcome = driven(but_the_newest_two, *TALK)
    assert outcome.preset == "mine"
    assert outcome.failures == []
    assert [len(given.items) for given in lists] == [1, 3, 5, 7, 9, 11]
    assert [[m.index for m in given.messages if not m.same] for given in lists] == [[], [], [], [], [2], [2]]
    shown = [seen.projected_messages for seen in outcome.observations]
    assert [[m.index for m in messages if not m.same] for messages in shown] == [[], [], [], [2], [2], [2, 4]]
    assert {message.raw for messages in shown for message in messages if not message.same} == {EMPTY}
    assert all(message.raw == seen.items[message.index].raw for seen in outcome.observations
               for message in seen.projected_messages if message.same)  # fmt: skip
    assert [seen.epoch_number for seen in outcome.observations] == [0, 0, 0, 1, 1, 2]
    assert [made.after_tokens < made.before_tokens for made in outcome.calls] == [False] * 3 + [True] * 3


def test_the_host_compacts_at_the_end_of_its_window_by_what_the_peer_sends() -> None:
    assert driven(whole, *TALK, window=2_000).own == 1
    assert driven(partial(emptied, keep=1), *TALK, window=2_000).own == 0


def test_what_a_peer_cleared_stays_so_when_the_host_compacts() -> None:
    def newest_result_once(given: PeerList) -> tuple[ProjectedMessage, ...]:
        if len(given.items) != 7:
            return given.messages
        return (*given.messages[:-1], ProjectedMessage(EMPTY, 6, False))

    talk = (*TALK[:7], a("words " * 600), u("more"), a("end"))
    outcome = driven(newest_result_once, *talk, window=2_000, keep=1_500)
    assert outcome.own == 1
    last = outcome.observations[-1]
    assert [item.role for item in last.items[:3]] == ["compactionSummary", "assistant", "toolResult"]
    assert [message.index for message in last.projected_messages] == list(range(len(last.items)))
    assert [message.index for message in last.projected_messages if message.raw == EMPTY] == [2]
