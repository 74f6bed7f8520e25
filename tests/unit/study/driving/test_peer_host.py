"""A host whose lists a peer shortens: what it sees, what the model is shown, and the host's own compactions."""

import msgspec

from ctxmgr.study.driving import HostLimits, Peer, PeerList, ReplayOptions, ReplayResult, drive_peer
from ctxmgr.study.observations import PACKET, ProjectedMessage
from ctxmgr.study.recordings.recording import RecordedEntry, Recording
from tests.notation import Said, a, call, r, u, written

LONG = "word " * 400  # 400 tokens


def recording(*said: Said) -> Recording:
    entries = tuple(
        RecordedEntry("message", f"e{number}", number, msgspec.json.encode(message), message["role"])
        for number, message in enumerate(written(*said))
    )
    return Recording("tiny", "s", "m", entries)


def driven(peer: Peer, *said: Said, window: int = 100_000) -> ReplayResult:
    options = ReplayOptions(window=window, host=HostLimits(overhead_tokens=0, keep_tokens=300))
    return drive_peer(recording(*said), "mine", peer, options)


def whole(given: PeerList) -> tuple[ProjectedMessage, ...]:
    return given.messages


STEP = (a(call("read", path="a.py")), r(LONG))
TALK = (u("go"), *STEP * 3, a("done"), u("more"), *STEP, a("end"))


def test_a_call_is_shown_what_the_peer_made_of_what_it_sent_last_and_what_came_since() -> None:
    asked: list[PeerList] = []

    def without_the_oldest(given: PeerList) -> tuple[ProjectedMessage, ...]:
        asked.append(given)
        return given.messages[1:] if len(given.messages) > 4 else given.messages

    outcome = driven(without_the_oldest, *TALK)
    assert outcome.preset == "mine"
    assert outcome.failures == []
    assert [len(one.items) for one in asked] == [1, 3, 5, 7, 9, 11]
    assert [len(one.messages) for one in asked] == [1, 3, 5, 6, 7, 8]
    shown = [one.projected_messages for one in outcome.observations]
    assert [len(one) for one in shown] == [1, 3, 4, 5, 6, 7]
    assert [one.index for one in shown[-1]] == [4, 5, 6, 7, 8, 9, 10]
    assert all(one.same and one.raw == sight.items[one.index].raw for sight in outcome.observations
               for one in sight.projected_messages)  # fmt: skip
    assert [one.epoch_number for one in outcome.observations] == [0, 0, 1, 2, 3, 4]
    assert [one.after_tokens < one.before_tokens for one in outcome.calls] == [False, False, True, True, True, True]


def test_what_a_peer_changes_and_puts_in_is_shown_so() -> None:
    def stubbed(given: PeerList) -> tuple[ProjectedMessage, ...]:
        changed = b'{"role":"user","content":"changed"}'
        stub = b'{"role":"custom","customType":"stub","content":"old","display":false}'
        first, *others = (one for one in given.messages if one.index != PACKET)
        return (ProjectedMessage(stub, PACKET, False), ProjectedMessage(changed, first.index, False), *others)

    last = driven(stubbed, *TALK).observations[-1].projected_messages
    assert [(one.index, one.same) for one in last[:3]] == [(PACKET, False), (0, False), (1, True)]
    assert b"changed" in last[1].raw


def test_the_host_compacts_at_the_end_of_its_window_by_what_the_peer_sends() -> None:
    def newest(given: PeerList) -> tuple[ProjectedMessage, ...]:
        return given.messages[-2:] if given.role(given.messages[-1]) == "toolResult" else given.messages[-1:]

    assert driven(whole, *TALK, window=2_000).own == 1
    assert driven(newest, *TALK, window=2_000).own == 0


def test_what_a_peer_left_out_and_changed_stays_so_when_the_host_compacts() -> None:
    def third_changed_second_out(given: PeerList) -> tuple[ProjectedMessage, ...]:
        if len(given.items) != 7 or any(not one.same for one in given.messages):
            return given.messages
        *others, one = given.messages
        changed = msgspec.json.encode({**given.items[one.index].message, "content": "changed"})
        return (*others[:1], *others[3:], ProjectedMessage(changed, one.index, False))

    talk = (*TALK[:7], a("words " * 600), u("more"), a("end"))
    outcome = driven(third_changed_second_out, *talk, window=2_000)
    assert outcome.own == 1
    last = outcome.observations[-1]
    roles = [last.items[one.index].role for one in last.projected_messages]
    assert roles[0] == "compactionSummary"
    assert [one.index for one in last.projected_messages] == list(range(len(last.items)))
