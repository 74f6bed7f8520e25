"""What status tells people of asking for compactions, and the host that reports no usage."""

from typing import Any

import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved.state import ModelSpec, State
from ctxmgr.session.methods import queries
from ctxmgr.session.methods.queries import BY_ESTIMATE
from ctxmgr.session.reading import Reader
from ctxmgr.session.session import SessionCore
from tests.contract.talk import HOST, Fields, Messages, Talk

WINDOW = 30_000
LONG = "some words of a file\n" * 4_000  # about 20,000 tokens


def grown(talk: Talk, make: Messages) -> list[Fields]:
    """A user's message, which nothing takes away, of most of the window."""
    messages = [make.user(LONG)]
    talk.context(messages)
    return messages


def asked(answer: Fields) -> list[str]:
    return [command["params"]["reason"] for command in answer["commands"]]


def test_a_host_that_reports_no_usage_is_asked_by_the_estimate() -> None:
    talk, make = Talk(window=WINDOW), Messages()
    messages = grown(talk, make)
    answer = talk.call("turn_end", sessionId="s", message=make.reply("Done."))
    assert asked(answer) == ["threshold"]
    assert answer["status"]["notes"] == [BY_ESTIMATE]
    assert (answer["status"]["tokens"], answer["status"]["zone"]) == (None, "compact")
    talk.context([*messages, make.user("Go on.")])
    assert asked(talk.call("turn_end", sessionId="s", message=make.reply("Done."))) == []  # once an episode


def test_the_first_usage_ends_it() -> None:
    talk, make = Talk(window=WINDOW), Messages()
    talk.call("turn_end", sessionId="s", message=make.reply("Done."))
    assert talk.status()["notes"] == [BY_ESTIMATE]
    talk.turn_end(make.reply("Done."), tokens=900)
    assert talk.status()["notes"] == []
    grown(talk, make)
    answer = talk.call("turn_end", sessionId="s", message=make.reply("Done."))  # this one reply has none
    assert (asked(answer), answer["status"]["notes"]) == ([], [])


def test_a_reply_that_failed_without_usage_is_no_host_that_reports_none() -> None:
    talk, make = Talk(window=WINDOW), Messages()
    grown(talk, make)
    failed = make.reply("", stopReason="error", errorMessage="overloaded")
    answer = talk.call("turn_end", sessionId="s", message=failed)
    assert (asked(answer), answer["status"]["notes"]) == ([], [])


@pytest.mark.parametrize(
    ("policy", "switch", "note"),
    [
        ({"preset": "tools"}, False, "no compaction is requested in preset tools"),
        ({"preset": "off"}, False, "no compaction is requested in preset off"),
        ({"preset": "turns"}, True, "no compaction is requested while pruning is switched off"),
        (
            {"preset": "turns", "compaction": {"enabled": False}},
            False,
            "no compaction is asked for: the policy's compaction.enabled is false",
        ),
    ],
)
def test_status_says_where_no_compaction_is_asked_for(policy: Fields, switch: bool, note: str) -> None:
    talk, make = Talk(policy, window=WINDOW), Messages()
    if switch:
        talk.call("setPruning", sessionId="s", enabled=False)
    assert talk.status()["notes"] == [note]
    grown(talk, make)
    answer: Any = talk.turn_end(make.reply("Done."), tokens=WINDOW - 1_000)
    assert (asked(answer), answer["status"]["notes"][-1]) == ([], note)


class Vectors:
    """Stands for an extra that is installed."""

    def __init__(self, failure: str = "") -> None:
        self.failure = failure

    def __call__(self, texts: Any, /) -> None:
        return None


NO_HOST = 'cohesion "host" does nothing: the host does not declare embed'
BROKEN = 'cohesion "embeddings" does nothing: no embeddings: it broke'
NO_EXTRA = 'cohesion "embeddings" does nothing: there are no embeddings here (ctxmgr-sidecar[embeddings])'


@pytest.mark.parametrize(
    ("cohesion", "embeds", "extra", "expected"),
    [
        ("host", False, None, [NO_HOST]),
        ("host", True, None, []),
        ("embeddings", True, None, [NO_EXTRA]),
        ("embeddings", False, Vectors(), []),
        ("embeddings", False, Vectors("no embeddings: it broke"), [BROKEN]),
        ("words", False, None, []),
    ],
)
def test_status_says_where_no_vectors_are_to_be_had(
    cohesion: str, embeds: bool, extra: Any, expected: list[str]
) -> None:
    form, policy = FORMATS["pi"], {"compaction": {"slices": {"cohesion": cohesion}}}
    state, can = State("s", ModelSpec("m", WINDOW)), lifecycle.HostCapabilities(embed=embeds)
    session = SessionCore(state, form, policy, can, Reader(form), extra)
    assert [note for note in queries.notes(session, None) if "cohesion" in note] == expected


AHEAD = {"preset": "turns", "compaction": {"by": "ctxmgr", "prepareAhead": True, "retries": 0}}
CAN = {**HOST, "complete": True}


def ahead(talk: Talk, make: Messages, named: bool = True) -> None:
    """A session in yellow, of a long turn and a short one."""
    messages = [make.user("Do it."), make.reply(LONG * 2), make.user("Go on."), make.reply("Done.")]
    talk.context(messages[:3])
    talk.turn_end(messages[3], tokens=100_000, entryIds={"message": "e4", "user": "e3"} if named else {})


@pytest.mark.parametrize(
    ("policy", "capabilities", "named", "note"),
    [
        (AHEAD, {"complete": True}, True, "prepareAhead does nothing: the host does not declare requestCompaction"),
        ({**AHEAD, "preset": "tools"}, CAN, True, "prepareAhead does nothing: no compaction is asked for"),
        (AHEAD, CAN, False, "prepareAhead wrote nothing: Nothing to compact: no entry that the kept part"),
        (AHEAD, CAN, True, "prepareAhead wrote nothing: no model wrote it"),
    ],
)
def test_why_nothing_was_written_ahead(policy: Fields, capabilities: Fields, named: bool, note: str) -> None:
    talk, make = Talk(policy, capabilities=capabilities), Messages()
    ahead(talk, make, named)
    talk.model(lambda params: {"text": "", "stopReason": "error"})
    assert [one for one in talk.status()["notes"] if one.startswith(note)]


TOOLS = {"preset": "tools", "pruneProtect": 1_000, "pruneMinimum": 500}


def read_files(make: Messages, count: int) -> list[Fields]:
    turns = (make.turn(f"Read {at}.", LONG[:4_000], "read", path=f"{at}.py") for at in range(count))
    return [message for turn in turns for message in turn]


@pytest.mark.parametrize(
    ("policy", "count", "says"),
    [
        ({}, 1, ["nothing is pruned yet: there is no tool output older than the protected turns"]),
        ({"pruneProtect": 90_000}, 5, ["the newest 90000 tokens stay (pruneProtect)"]),
        ({"pruneMinimum": 90_000}, 5, ["tokens of old tool output could be, fewer than pruneMinimum (90000)"]),
        ({}, 5, []),
    ],
)
def test_a_session_that_tools_can_do_nothing_for_says_why(policy: Fields, count: int, says: list[str]) -> None:
    talk, make = Talk({**TOOLS, **policy}), Messages()
    assert not any("pruned yet" in note for note in talk.status()["notes"])
    talk.context([*read_files(make, count), make.user("Thanks.")])
    found = [note for note in talk.status()["notes"] if "pruned yet" in note]
    assert len(found) == len(says)
    assert all(text in note for text, note in zip(says, found, strict=True))


@pytest.mark.parametrize(
    ("preset", "says"),
    [
        ("turns", ["pins do nothing in preset turns"]),
        ("tools", ["pins do nothing in preset tools"]),
        ("balanced", []),
        ("off", []),
    ],
)
def test_pins_that_hold_nothing_are_told(preset: str, says: list[str]) -> None:
    talk = Talk({"preset": preset}, capabilities={})
    before = talk.status()["notes"]
    pinned = talk.call("pin", sessionId="s", path="src/a.py")["status"]["notes"]
    assert [one for one in pinned if one not in before] == says
    assert talk.call("unpin", sessionId="s", path="src/a.py")["status"]["notes"] == before


SUMMARY = {"id": "c", "summary": "## Goal\nPort it\n"}
UNSEEN = "no packet is written in preset off: lists show neither the scratchpad nor what a summary omitted"


def test_status_says_that_off_shows_neither_the_scratchpad_nor_what_a_summary_forgot() -> None:
    for preset, says in (("off", [UNSEEN]), ("tools", []), ("turns", []), ("balanced", [])):
        for compacts in (True, False):
            talk, make = Talk({"preset": preset}), Messages()
            talk.context([make.user("Port it. Never touch the schema.")])
            assert not any("no packet" in note for note in talk.status()["notes"])
            if compacts:
                talk.call("session_compact", sessionId="s", compactionEntry=SUMMARY)
            else:
                talk.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": "port 9090"}])
            assert [note for note in talk.status()["notes"] if "no packet" in note] == says
