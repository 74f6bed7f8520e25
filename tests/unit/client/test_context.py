"""`context`: what travels, what comes of an answer, and what goes out without one. It never raises."""

import asyncio
from typing import Any

import pytest

from ctxmgr.client import Host, RestartLimits, SidecarFault
from tests.unit.client.scripted import (
    DEATH,
    MODEL,
    SILENCE,
    Refusal,
    Scripted,
    begun,
    conversation,
    listed,
    step,
    user,
)

LATE = {"context": 5.0}
ANSWERED = object()
AT_ONCE = RestartLimits(limit=99, first_delay_ms=0, longest_delay_ms=0)


async def test_kept_messages_are_the_objects_that_were_given_in_a_list_of_their_own(script: Scripted) -> None:
    async with script.client() as client:
        session, messages = await begun(client), conversation(10)
        sent = await session.context(messages)
        assert len(sent) < len(messages)
        assert sent[-1] is messages[-1]
        own = await session.context(messages[:1])
        assert own == messages[:1]
        assert own[0] is messages[0]
        messages.append(user(99))
        assert len(own) == 1


async def test_only_what_is_new_travels(script: Scripted) -> None:
    async with script.client() as client:
        session, messages = await begun(client), conversation(3)
        await session.context(messages[:4])
        assert script.last("context")["messages"] == messages[:4]
        await session.context(messages)
        said = script.last("context")
        assert "messages" not in said
        assert (said["append"]["after"], said["append"]["messages"]) == (4, messages[4:])
        assert said["answer"] == "edits"


async def test_copies_of_messages_are_recognised_by_what_they_hold(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        await session.context(conversation(2))
        sent = await session.context(again := conversation(3))
        assert script.last("context")["append"]["after"] == 6
        assert sent[0] is again[0]


async def test_a_message_that_was_changed_in_place_is_noticed(script: Scripted) -> None:
    async with script.client() as client:
        session, messages = await begun(client), conversation(3)
        await session.context(messages)
        messages[1]["content"][0]["arguments"]["path"] = "b1.py"
        await session.context(messages)
        assert script.last("context")["messages"] == messages


async def test_where_the_base_is_lost_all_is_sent_in_the_same_call(script: Scripted) -> None:
    async with script.client() as client:
        session, messages = await begun(client), conversation(3)
        await session.context(messages[:4])
        script.answers["context"] = lambda params: Refusal(-32801) if "append" in params else None
        sent = await session.context(messages)
        assert [set(params) >= {"append"} for _, name, params in script.asked if name == "context"] == [
            False,
            True,
            False,
        ]
        assert session.outcome.source == "answered"
        assert sent[-1] is messages[-1]
        assert client.trouble is None


ENDS: list[tuple[str, Any, str]] = [
    ("an error", Refusal(-32603), "error"),
    ("a silence", SILENCE, "timeout"),
    ("a death", DEATH, "exited"),
    ("no protocol", b"Traceback (most recent call last):\n\n", "garbage"),
    ("a number", 7, "garbage"),
    ("neither edits nor messages", listed(), "garbage"),
    ("an edit outside", listed(edits=[{"keep": [0, 99]}]), "garbage"),
    ("edits out of order", listed(edits=[{"keep": [2, 3]}, {"keep": [0, 1]}]), "garbage"),
    ("a put that is no message", listed(edits=[{"put": ["x"]}]), "garbage"),
    ("messages that are none", listed(messages=["x"]), "garbage"),
]


@pytest.mark.parametrize(("answer", "kind"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
async def test_without_an_answer_the_last_projection_goes_on(script: Scripted, answer: Any, kind: str) -> None:
    async with script.client(timeouts_ms=LATE) as client:
        session, messages = await begun(client), conversation(12)
        before = await session.context(messages[:30])
        script.answers["context"] = answer
        sent = await session.context(messages)
        assert sent == [*before, *messages[30:]]
        assert (session.outcome.source, session.outcome.fits) == ("kept", True)
        assert session.outcome.fault.kind == kind
        assert client.trouble.kind == kind


async def test_what_does_not_fit_goes_out_untouched_and_says_so(script: Scripted) -> None:
    async with script.client() as client:
        session = await client.session("s", {"id": "m", "contextWindow": 8_000})
        script.answers["context"] = Refusal(-32603)
        messages = conversation(12)
        assert await session.context(messages) == messages
        assert (session.outcome.source, session.outcome.fits) == ("own", False)


async def test_after_a_fault_the_whole_list_travels(script: Scripted) -> None:
    async with script.client() as client:
        session, messages = await begun(client), conversation(3)
        await session.context(messages[:4])
        script.answers["context"] = Refusal(-32603)
        await session.context(messages)
        del script.answers["context"]
        await session.context(messages)
        assert script.last("context")["messages"] == messages
        assert client.trouble is None


async def test_messages_in_place_of_edits_are_the_given_ones_where_they_are(script: Scripted) -> None:
    """As ctxmgr answers where its own projection failed."""
    async with script.client() as client:
        session, messages = await begun(client), conversation(2)
        script.answers["context"] = listed(messages=[user(50, "packet"), *messages[3:]], base="")
        sent = await session.context(messages)
        assert sent[0] == user(50, "packet")
        assert all(one is other for one, other in zip(sent[1:], messages[3:], strict=True))
        del script.answers["context"]
        await session.context(messages)
        assert "messages" in script.last("context")  # an empty base holds for nothing


ODD: list[list[Any]] = [[], [{}], [{"role": 7}], ["text"], [None], [{"role": "user", "content": "\ud83d"}]]
ODD += [[object()], [b'{"role":'], [{"a": {1, 2}}], [{"a": float("nan")}]]


async def test_whatever_is_given_comes_back(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        for messages in ODD:
            assert await session.context(messages) == messages
            assert await session.context(messages) == messages


async def test_a_list_that_holds_itself_comes_back(script: Scripted) -> None:
    knot: dict[str, Any] = {"role": "user"}
    knot["content"] = [knot]
    async with script.client() as client:
        session = await begun(client)
        sent = await session.context([knot])
        assert sent[0] is knot
        assert not session.outcome.fits


async def test_a_list_of_json_gives_a_list_of_json(script: Scripted) -> None:
    import msgspec

    raws = [msgspec.json.encode(message) for message in conversation(10)]
    async with script.client() as client:
        session = await begun(client)
        sent = await session.context(raws)
        assert sent[-1] is raws[-1]
        assert all(isinstance(one, bytes) for one in sent)
        assert [msgspec.json.decode(one) for one in sent] == await session.context(conversation(10))


async def test_who_is_cancelled_takes_his_call_back_and_the_list_travels_whole(script: Scripted) -> None:
    async with script.client() as client:
        session, messages = await begun(client), conversation(2)
        await session.context(messages[:3])
        script.answers["context"] = SILENCE
        waiting = asyncio.get_running_loop().create_task(session.context(messages))
        await script.until(lambda: script.methods().count("context") == 2)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert script.methods()[-1] == "$/cancelRequest"
        del script.answers["context"]
        await session.context(messages)
        assert "messages" in script.last("context")


async def test_trouble_is_told_once_and_once_when_it_is_over(script: Scripted) -> None:
    told: list[SidecarFault | None] = []
    async with script.client(Host(on_trouble=told.append, on_recovery=lambda: told.append(None))) as client:
        session = await begun(client)
        for answer in (Refusal(-32603), Refusal(-32603), listed(), ANSWERED, Refusal(-32603), ANSWERED):
            if answer is ANSWERED:
                del script.answers["context"]
            else:
                script.answers["context"] = answer
            await session.context([user(1)])
        assert [fault and (fault.kind, fault.method) for fault in told] == [("error", "context"), None] * 2
        assert client.trouble is None


async def test_a_process_that_comes_up_and_falls_over_again_is_one_trouble(script: Scripted) -> None:
    told: list[SidecarFault | None] = []
    host = Host(on_trouble=told.append, on_recovery=lambda: told.append(None))
    async with script.client(host, restarts=AT_ONCE) as client:
        session = await begun(client)
        script.answers["context"] = DEATH
        for _ in range(4):
            await session.context([user(1)])
        assert len(script.links) == 4
        assert [fault and fault.kind for fault in told] == ["exited"]
        del script.answers["context"]
        await session.context([user(1)])
        assert [fault and fault.kind for fault in told] == ["exited", None]


async def test_trouble_of_one_session_is_not_over_where_another_is_answered(script: Scripted) -> None:
    told: list[SidecarFault | None] = []
    async with script.client(Host(on_trouble=told.append, on_recovery=lambda: told.append(None))) as client:
        script.answers["session_start"] = lambda params: Refusal(-32803) if params["sessionId"] == "s" else None
        session, other = await begun(client), await client.session("t", MODEL)
        for _ in range(2):
            await session.context([user(1)])
            await other.context([user(1)])
        assert [fault and fault.kind for fault in told] == ["error"]
        await session.end()
        await other.context([user(1)])
        assert [fault and fault.kind for fault in told] == ["error", None]


async def test_a_callback_that_raises_changes_nothing(script: Scripted) -> None:
    async with script.client(Host(on_trouble=lambda fault: 1 // 0)) as client:
        session = await begun(client)
        script.answers["context"] = Refusal(-32603)
        assert await session.context([user(1)]) == [user(1)]


async def test_the_time_of_the_call_is_told(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        await session.context([user(1)])
        assert script.last("context")["at"] == script.clock.now
        await session.context([user(1)], time_ms=7, overhead_tokens=500)
        assert (script.last("context")["at"], script.last("context")["overheadTokens"]) == (7, 500)


async def test_two_at_once_are_both_answered(script: Scripted) -> None:
    async with script.client() as client:
        session, messages = await begun(client), conversation(3)
        await session.context(messages[:3])
        both = await asyncio.gather(session.context(messages), session.context([*messages, *step(9)]))
        assert [len(one) for one in both] == [9, 11]
        assert client.trouble is None
