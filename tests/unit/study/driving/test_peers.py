"""Peers that clear tool results: by their published rules, and nothing but results."""

import json
from functools import partial

import pytest

from ctxmgr.study.driving import PEERS, peers
from ctxmgr.study.driving.host import Peer, PeerList
from ctxmgr.study.observations import ProjectedMessage
from ctxmgr.study.recordings.pi_host import item
from tests.notation import Said, a, call, r, raws, summary, u

LONG = "word " * 100
STEP = (a("look", call("read", path="a.py")), r(LONG))  # its result weighs 100


def weigh(raw: bytes) -> int:
    """Words of the texts of a result; all else weighs 1."""
    message = json.loads(raw)
    return len(message["content"][0]["text"].split()) if message["role"] == "toolResult" else 1


def listed(*talk: Said, window: int = 1_000_000, overhead: int = 0) -> PeerList:
    items = tuple(item(str(index), raw) for index, raw in enumerate(raws(*talk)))
    whole = tuple(ProjectedMessage(host_message.raw, index, True) for index, host_message in enumerate(items))
    return PeerList(whole, items, window, overhead, weigh)


def cleared(peer: Peer, given: PeerList) -> list[int]:
    """The results that are cleared, by their number among the results; all else is as it was."""
    made = tuple(peer(given))
    assert [message.index for message in made] == [message.index for message in given.messages]
    results = [message for message in made if given.role(message) == "toolResult"]
    for message in made:
        if not message.same:
            changed, before = json.loads(message.raw), given.items[message.index].message
            assert {**changed, "content": ""} == {**before, "content": ""}
            assert changed["content"] == [{"type": "text", "text": peers.PLACEHOLDER}]
    assert all(message.same for message in made if message not in results)
    return [number for number, message in enumerate(results) if not message.same]


def test_masking_clears_results_older_than_the_newest_when_that_is_enough_at_once() -> None:
    """A placeholder weighs 5 words, so three of them save 285."""
    for newest, least, gone in ((2, 0, [0, 1, 2]), (5, 0, []), (2, 250, [0, 1, 2]), (2, 300, [])):
        peer = partial(peers.masked, newest_count=newest, least_tokens=least)
        assert cleared(peer, listed(u("go"), *STEP * 5)) == gone


def test_what_masking_cleared_stays_as_it_is_until_there_is_enough_again() -> None:
    peer = partial(peers.masked, newest_count=1, least_tokens=190)
    given = listed(u("go"), *STEP * 3)
    first = tuple(peer(given))
    assert cleared(peer, given) == [0, 1]
    longer = listed(u("go"), *STEP * 4)
    came = PeerList((*first, *longer.messages[len(first) :]), longer.items, 0, 0, weigh)
    assert tuple(peer(came)) == came.messages  # one more is not enough
    longest = listed(u("go"), *STEP * 5)
    came = PeerList((*first, *longest.messages[len(first) :]), longest.items, 0, 0, weigh)
    again = tuple(peer(came))
    assert [message.same for message in again if longest.role(message) == "toolResult"] == [False] * 4 + [True]
    assert again[: len(first) - 1] == first[:-1]


def test_clearing_of_tool_uses_begins_above_half_the_window_and_keeps_three() -> None:
    """The list weighs 506."""
    for window, overhead, gone in ((1_012, 0, []), (1_011, 0, [0, 1]), (1_020, 5, [0, 1])):
        given = listed(u("go"), *STEP * 5, window=window, overhead=overhead)
        assert given.tokens == 506, window
        assert cleared(peers.clear_tool_uses, given) == gone, window


def test_clearing_of_tool_uses_goes_by_what_the_client_sends_and_not_by_what_is_left_of_it() -> None:
    given = listed(u("go"), *STEP * 5, window=1_000)
    once = PeerList(tuple(peers.clear_tool_uses(given)), given.items, 1_000, 0, weigh)
    longer = listed(u("go"), *STEP * 6, window=1_000)
    came = PeerList((*once.messages, *longer.messages[len(once.messages) :]), longer.items, 1_000, 0, weigh)
    assert came.tokens < 500
    assert sum(not message.same for message in peers.clear_tool_uses(came)) == 3


BIG = (a(call("read", path="a.py")), r("word " * 20_000))  # 25,000 tokens as OpenCode estimates


def test_opencode_prunes_when_a_turn_has_ended() -> None:
    for case, talk, gone in (
        ("after the first 40,000", (u("1"), *BIG * 4, u("2"), a("x"), u("3"), a("y"), u("4")), [0, 1, 2]),
        ("no more than one", (u("1"), *BIG * 2, u("2"), a("x"), u("3"), a("y"), u("4")), [0]),
        ("not as much as is protected", (u("1"), *BIG, *STEP, u("2"), a("x"), u("3"), a("y"), u("4")), []),
        ("the newest two turns are protected", (u("1"), *BIG * 4, u("2"), a("x"), u("3")), []),
        ("a turn goes on", (u("1"), *BIG * 4, u("2"), a("x"), u("3"), a("y")), []),
        ("not behind a summary", (*BIG, summary("s"), u("1"), *BIG, u("2"), a("x"), u("3"), a("y"), u("4")), []),
    ):
        assert cleared(peers.opencode, listed(*talk)) == gone, case


def test_opencode_stops_where_it_pruned_before() -> None:
    given = listed(u("1"), *BIG * 4, u("2"), a("x"), u("3"), a("y"), u("4"))
    pruned = PeerList(tuple(peers.opencode(given)), given.items, 0, 0, weigh)
    assert tuple(peers.opencode(pruned)) == pruned.messages


def test_a_peer_takes_an_empty_list_and_a_short_one_as_they_are() -> None:
    for name in PEERS:
        for talk in ((), (u("go"),), (u("go"), *STEP, u("and?"))):
            given = listed(*talk)
            assert tuple(PEERS[name](given)) == given.messages, name


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_parts_no_call_from_its_result(name: str) -> None:
    given = listed(u("go"), *BIG * 12, u("and?"), *BIG * 3, window=200_000)
    made = list(PEERS[name](PeerList(given.messages, given.items, 200_000, 5_000, lambda raw: len(raw) // 4)))
    calls = {block["id"] for message in made for block in blocks(message) if block.get("type") == "toolCall"}
    answered = {json.loads(message.raw).get("toolCallId") for message in made} - {None}
    assert calls == answered
    assert calls


def blocks(message: ProjectedMessage) -> list[dict[str, str]]:
    content = json.loads(message.raw)["content"]
    return content if isinstance(content, list) else []
