"""A call after a pause in which the provider's cache has ended, by an injected clock."""

import json
from typing import Any

import pytest
from aiohttp import web

from ctxmgr.client import Timing
from tests.unit.proxy.lists import HOUR, MARK, SESSION, TOOLS, compact, conversation, marked, request, step
from tests.unit.proxy.provider import answers, turn

MINUTE_MS, NOON = 60_000, 1_800_000_000_000
TOKENS = 4  # bytes of each
KEEP = 1_000_000  # all is worth its place: what leaves leaves for the pause alone
STEPS, EACH = 130, 13  # steps, of 1,500 tokens, and how many come with a call
RULES = "Never touch the schema of the orders. " * 40
JSON = {"Content-Type": "application/json"}
SYSTEM = [{"type": "text", "text": "You are an agent. " * 700}]


async def counted(request: web.Request, asked: bytes) -> web.StreamResponse:
    """The provider counts what it gets, and has read most of it."""
    tokens = len(asked) // TOKENS
    return await answers(turn(tokens, read=tokens * 4 // 5))(request, asked)


class Pausing:
    """A program before the rig's proxy, whose clock a test sets."""

    def __init__(self, made: Any, clock: list[float]) -> None:
        self.made, self.clock = made, clock
        self.messages = conversation(0)
        self.messages += step(0, "/p/CLAUDE.md", 1)
        self.messages[-1]["content"][0]["content"][0]["text"] = RULES
        self.calls = 0

    async def call(self, later_ms: float = 10_000, steps: int = 1) -> tuple[bytes, bytes]:
        """What the program asks after so long, and what went to the provider."""
        self.clock[0] += later_ms
        for _ in range(steps):
            self.calls += 1
            self.messages += step(self.calls, lines=155)
        fields = {"model": "claude-sonnet-4-5", "max_tokens": 8_000, "system": SYSTEM, "tools": TOOLS}
        body = compact({**fields, "messages": marked(self.messages)})
        self.made.upstream.answer = counted
        await self.made.post(body, headers=SESSION)
        return body, self.made.upstream.asked[-1].body


def timing_by(clock: list[float]) -> Timing:
    return Timing(timeouts_ms={"context": 30_000, "session_start": 30_000}, now_ms=lambda: clock[0])


async def begun(rig: Any, **policy: Any) -> Pausing:
    """A session of 200,000 tokens."""
    clock: list[float] = [NOON]
    host = Pausing(await rig(timing=timing_by(clock), window=1_000_000, keep=KEEP, **policy), clock)
    for _ in range(STEPS // EACH):
        body, _ = await host.call(steps=EACH)
    assert 200_000 < len(body) / TOKENS < 230_000
    return host


async def test_after_two_hours_a_session_of_200_000_tokens_costs_a_quarter_of_direct_at_most(rig: Any) -> None:
    """All that a cold call sends is written, at one price: the bytes tell the bill."""
    host = await begun(rig, idle="prune")
    body, sent = await host.call(120 * MINUTE_MS)
    assert len(sent) <= 0.25 * len(body)
    fields, own = json.loads(sent), json.loads(body)
    assert fields["messages"][-10:] == own["messages"][-10:], "the working set: five results and their calls"
    assert RULES in [text for message in fields["messages"] for text in texts(message)], "instructions, too"


async def test_who_comes_back_before_it_has_ended_finds_nothing_changed(rig: Any) -> None:
    hosts = [await begun(rig, idle=idle) for idle in ("say", "prune")]
    for pause in (4 * MINUTE_MS, 10_000):
        say, prune = [(await host.call(pause))[1] for host in hosts]
        assert say == prune


@pytest.mark.parametrize("pauses", [(120 * MINUTE_MS, 10_000)])
async def test_to_say_is_all_that_is_done_by_default(rig: Any, pauses: tuple[float, ...]) -> None:
    default, say = await begun(rig), await begun(rig, idle="say")
    for pause in pauses:
        body, sent = await default.call(pause)
        assert sent == (await say.call(pause))[1]
        assert len(sent) > 0.9 * len(body)


def texts(message: dict[str, Any]) -> list[str]:
    """Those of its tools' results."""
    blocks = message["content"] if isinstance(message["content"], list) else []
    results = [block["content"] for block in blocks if block["type"] == "tool_result"]
    return [one["text"] for content in results if isinstance(content, list) for one in content]


# what is said


async def told(host: Pausing) -> dict[str, Any]:
    """What the page says of the cache."""
    made = host.made
    answer = await made.session.get(made.proxy.url + "/ctxmgr/sessions", headers=made.ours)
    cache: dict[str, Any] = (await answer.json())["sessions"][0]["cache"]
    return cache


async def test_the_page_says_when_the_cache_ends_and_what_the_next_turn_writes_then(rig: Any) -> None:
    host = await begun(rig, idle="prune")
    assert (await told(host))["told"] == "", "it works: nobody asks"
    host.clock[0] += MINUTE_MS
    cache = await told(host)
    raw, pruned = cache["coldCost"]["raw"], cache["coldCost"]["pruned"]
    assert cache["expiresAt"] == host.clock[0] + 4 * MINUTE_MS
    assert cache["told"] == (
        f"the prompt cache ends in 4 min: the next turn then writes {raw['tokens']:,} tokens "
        f"(${raw['dollars']:.2f}), or {pruned['tokens']:,} tokens (${pruned['dollars']:.2f}) pruned"
    )
    assert pruned["tokens"] < 0.25 * raw["tokens"]
    _, sent = await host.call(10 * MINUTE_MS)
    assert pruned["tokens"] == pytest.approx(len(sent) / TOKENS, rel=0.35), "and not nothing"
    host.clock[0] += 5 * MINUTE_MS
    assert (await told(host))["told"].startswith("the prompt cache has ended: the next turn writes ")
    await host.call(MINUTE_MS)
    assert (await told(host))["told"] == ""


async def test_at_its_end_the_proxy_says_it_of_the_conversation_that_was_used_last(rig: Any) -> None:
    host = await begun(rig)
    host.clock[0] += MINUTE_MS
    await host.made.proxy.__aexit__(None, None, None)
    line, *_ = host.made.proxy.cache_lines
    assert line.startswith("the prompt cache ends in 4 min: the next turn then writes 2")


async def test_two_minutes_before_it_ends_the_proxy_says_it_while_the_conversation_rests(rig: Any) -> None:
    host = await begun(rig)
    said = {}
    for passed_min in (0, 2, 4, 6):
        host.clock[0] = NOON + STEPS // EACH * 10_000 + passed_min * MINUTE_MS
        said[passed_min] = await host.made.proxy.pause()
    assert said[4].startswith("the prompt cache ends in 1 min: the next turn then writes 2")
    assert [said[0], said[2], said[6]] == ["", "", ""]
    await host.call(10_000)
    assert await host.made.proxy.pause() == "", "it works again"


async def test_while_an_answer_is_still_coming_there_is_no_pause(rig: Any) -> None:
    host, said = await begun(rig), []

    async def slow(request: web.Request, asked: bytes) -> web.StreamResponse:
        host.clock[0] += 4 * MINUTE_MS
        said.append(await host.made.proxy.pause())
        return await counted(request, asked)

    await host.call()
    host.made.upstream.answer = slow
    body = host.made.upstream.asked[-1].body
    await host.made.post(body, headers=SESSION)
    assert said == [""]
    assert (await host.made.proxy.pause()).startswith("the prompt cache ends in 1 min")


async def test_who_observes_is_not_told_of_pauses(rig: Any) -> None:
    host = await begun(rig, observe=True)
    host.clock[0] += 4 * MINUTE_MS
    assert await host.made.proxy.pause() == ""


@pytest.mark.parametrize(
    ("asks", "hour", "lives_min"),
    [(MARK, None, 5), (HOUR, None, 60), (HOUR, 0, 5), (MARK, 1_000, 60), (HOUR, 1_000, 60)],
)
async def test_how_long_it_lives_the_request_says_and_the_usage_before_it(
    rig: Any, asks: dict[str, Any], hour: int | None, lives_min: int
) -> None:
    """A gateway may not pass a mark's `ttl` on."""
    clock: list[float] = [NOON]
    made = await rig(timing=timing_by(clock), window=1_000_000)
    for number in range(4):
        made.upstream.answer = answers(turn(9_000, read=8_000 - 1, hour=hour))
        await made.post(request(marked(conversation(4 + number, lines=155), asks)), headers=SESSION)
    clock[0] += MINUTE_MS
    answer = await made.session.get(made.proxy.url + "/ctxmgr/sessions", headers=made.ours)
    cache = (await answer.json())["sessions"][0]["cache"]
    assert cache["expiresAt"] == NOON + lives_min * MINUTE_MS


@pytest.mark.parametrize(("retention", "lives_min"), [({}, 5), ({"prompt_cache_retention": "24h"}, 60)])
async def test_openai_keeps_a_start_for_as_long_as_the_request_asks(
    rig: Any, retention: dict[str, str], lives_min: int
) -> None:
    clock: list[float] = [NOON]
    made = await rig(timing=timing_by(clock), window=1_000_000)
    usage = {"input_tokens": 9_000, "input_tokens_details": {"cached_tokens": 8_064}, "output_tokens": 9}
    made.upstream.answer = answers(compact({"status": "completed", "usage": usage}), headers=JSON)
    items: list[dict[str, Any]] = [{"type": "message", "role": "user", "content": "Read all files."}]
    for number in range(6):
        call = {"type": "function_call", "call_id": f"c{number}", "name": "read", "arguments": "{}"}
        text = "\n".join(f"{number}.{line} = value of line {line}" for line in range(800))
        items += [call, {"type": "function_call_output", "call_id": f"c{number}", "output": text}]
        body = compact({"model": "gpt-5.1", "input": items, "tools": TOOLS} | retention)
        await made.post(body, "/v1/responses", {"thread-id": "t-1"})
    clock[0] += MINUTE_MS
    answer = await made.session.get(made.proxy.url + "/ctxmgr/sessions", headers=made.ours)
    cache = (await answer.json())["sessions"][0]["cache"]
    assert cache["expiresAt"] == NOON + lives_min * MINUTE_MS
