"""Compactions and branch summaries of what a session was told, by ids, where the host sends no entries."""

import pytest

from tests.contract.talk import Failed, Fields, Messages, Talk

POLICY = {"compaction": {"by": "ctxmgr", "keepRecentTokens": 116, "model": "none"}}
LONG = "It says a good deal about the parser. " * 12


def told(named: bool = True, several: bool = False) -> tuple[Talk, list[Fields]]:
    """Four turns, each of a question and an answer; the host names what it writes."""
    talk, make = Talk(POLICY), Messages()
    messages: list[Fields] = []
    for turn in range(4):
        messages += [make.user(f"Question {turn} about the parser. Never touch file{turn}.py.")]
        messages += [make.user(f"And hurry, {turn}.")] if several else []
        talk.context(messages)
        messages.append(make.reply(LONG))
        user = [f"u{turn}", f"v{turn}"] if several else f"u{turn}"
        ids = {"message": f"a{turn}", **({"user": user} if named else {})}
        talk.turn_end(messages[-1], tokens=1_000 * (turn + 1), entryIds=ids)
    return talk, messages


@pytest.mark.parametrize(("several", "first"), [(False, "u3"), (True, "v3")])
def test_the_kept_part_may_start_with_a_user_message_that_was_named(several: bool, first: str) -> None:
    talk, _ = told(several=several)
    preparation = talk.call("planCompaction", sessionId="s")["preparation"]
    assert preparation["firstKeptEntryId"] == first
    assert not preparation["isSplitTurn"]
    assert talk.call("compact", sessionId="s")["compaction"]["firstKeptEntryId"] == first


def test_a_branch_is_summarised_of_what_the_session_has_seen() -> None:
    talk, _ = told()
    found = talk.call("summarizeBranch", sessionId="s", oldLeafId="a3", targetId="a1")
    assert (found["commonAncestorId"], found["entriesSummarized"]) == ("a1", 4)
    assert "Question 3" in found["summary"]["summary"]
    whole = talk.call("summarizeBranch", sessionId="s", oldLeafId="a3", targetId=None)
    assert (whole["commonAncestorId"], whole["entriesSummarized"]) == (None, 8)


def test_of_an_entry_that_the_session_was_not_told_of_entries_are_asked_for() -> None:
    talk, _ = told(named=False)
    for leaf, target in (("u3", "a1"), ("a3", "nope")):
        with pytest.raises(Failed, match="send entries") as failed:
            talk.call("summarizeBranch", sessionId="s", oldLeafId=leaf, targetId=target)
        assert failed.value.code == -32803
    with pytest.raises(Failed, match="send entries"):
        talk.call("summarizeBranch", oldLeafId="a3", targetId="a1")
