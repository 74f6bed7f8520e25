"""What a provider refuses is heard whatever shape it has, and before anything of an answer went to the program: a
list that was too long goes out again shorter, one of ctxmgr's that is at fault gives way to the program's own."""

import asyncio
import gzip
import json
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from ctxmgr.client import AsyncClientSession, Timing
from ctxmgr.proxy import answers as answers_module
from ctxmgr.proxy import hearing
from tests.unit.proxy.lists import SESSION, compact, conversation, request
from tests.unit.proxy.provider import Answer, answers, one_after_another, turn

TOO_LONG = "prompt is too long: 29000 tokens > 20000 maximum"
ERROR = {"error": {"type": "invalid_request_error", "code": "context_length_exceeded", "message": TOO_LONG}}
HTML = "<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>"
ROLES = "Jinja Exception: After the optional system message, conversation roles must alternate user and assistant"
CHAT, RESPONSES, GEMINI = "/v1/chat/completions", "/v1/responses", "/v1beta/models/m:streamGenerateContent"
MESSAGES = "/v1/messages"


def events(*listed: Any, named: bool = False) -> bytes:
    """A stream of these."""
    name = (lambda one: f"event: {one['type']}\n") if named else (lambda one: "")
    return b"".join(f"{name(one)}data: {json.dumps(one)}\n\n".encode() for one in listed)


def stream(body: bytes) -> Answer:
    return answers(body)


def whole(body: Any, status: int = 200, kind: str = "application/json") -> Answer:
    raw = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else compact(body)
    return answers(raw, status, {"Content-Type": kind})


CREATED = {"type": "response.created", "response": {"status": "in_progress", "output": [], "error": None}}
FAILED: dict[str, Any] = {"type": "response.failed", "response": {"status": "failed", "output": [], **ERROR}}
ROLE = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
FULL_REASON = "model_context_window_exceeded"
FULL = {"choices": [{"delta": {"content": ""}, "finish_reason": FULL_REASON}]}
START = {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 1}}}
BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
DONE = b"data: [DONE]\n\n"
CUT = {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}
CUT_CHOICE = {"message": {"role": "assistant", "content": ""}, "finish_reason": "length"}
CUT_MESSAGE = {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 1}}
CUT_RESPONSE = {
    "type": "response.incomplete",
    "response": {
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [],
        "usage": {"input_tokens": 150_000, "output_tokens": 49_500},
    },
}
ZIPPED = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
TOO_LONG_ANSWERS: dict[str, tuple[str, Answer]] = {
    "400": (MESSAGES, whole({"type": "error", **ERROR}, 400)),
    "400, compressed": (MESSAGES, answers(gzip.compress(compact(ERROR)), 400, ZIPPED)),
    "200 and a text": (CHAT, whole(f"Error: {TOO_LONG}", 200, "text/plain")),
    "200 and a page": (MESSAGES, whole(HTML, 200, "text/html")),
    "200 and a text of many lines": (RESPONSES, whole(f"upstream said:\n{TOO_LONG}\n", 200)),
    "200 and a text in place of a stream": (GEMINI, answers(TOO_LONG.encode())),
    "200 and an error beside no choice": (CHAT, whole({"id": "x", "choices": [], **ERROR})),
    "200 and an error beside an empty message": (
        MESSAGES,
        whole({"type": "message", "role": "assistant", "content": [], **ERROR}),
    ),
    "200 and an error beside no candidate": (GEMINI, whole({"candidates": [], **ERROR})),
    "200 and an error beside an empty candidate": (
        GEMINI,
        whole({"candidates": [{"content": {"role": "model"}, "finishReason": "OTHER"}], **ERROR}),
    ),
    "200 and an error beside an empty choice": (
        CHAT,
        whole({"choices": [{"message": {"role": "assistant", "content": ""}}], **ERROR}),
    ),
    "400 of nothing but the model's name": (CHAT, whole({"model": "m"}, 400)),
    "200 and an error that repeats the request": (
        CHAT,
        whole({"error": {"message": TOO_LONG, "param": "x" * 90_000}}),
    ),
    "413 in HTML": (CHAT, whole(HTML, 413, "text/html")),
    "413 of nothing": (MESSAGES, whole("", 413)),
    "413 in a text": (RESPONSES, whole("Payload", 413, "text/plain")),
    "422": (CHAT, whole({"detail": "Input validation error: `inputs` must have less than 1024 tokens."}, 422)),
    "500 that says so": (CHAT, whole({"error": {"code": 500, "message": "Context size has been exceeded."}}, 500)),
    "529 that says so": (MESSAGES, whole({"error": {"message": TOO_LONG}}, 529)),
    "an array": (GEMINI, whole([ERROR], 400)),
    "the program's API, another's words": (GEMINI, whole({"message": TOO_LONG, "code": 400}, 400)),
    "200 and a failed response": (
        RESPONSES,
        whole({"object": "response", "status": "failed", "output": [], **ERROR}),
    ),
    "200 and an error": (CHAT, whole(ERROR)),
    "200 and an error in JSON lines": (CHAT, whole(compact(ERROR) + b"\n" + compact(ROLE) + b"\n")),
    "200 and an error of many lines": (CHAT, whole(json.dumps(ERROR, indent=1))),
    "200 and an array": (GEMINI, whole([ERROR])),
    "a stream of a response": (RESPONSES, stream(events(CREATED, FAILED, named=True))),
    "a stream's error event": (RESPONSES, stream(events(CREATED, {"type": "error", **ERROR["error"]}, named=True))),
    "Anthropic's stream": (
        MESSAGES,
        stream(events(START, {"type": "ping"}, {"type": "error", **ERROR}, named=True)),
    ),
    "chat completions' stream": (CHAT, stream(b": waiting\n\n" + events(ROLE, ERROR))),
    "an error beside no choice": (CHAT, stream(events({"choices": [], **ERROR}))),
    "an error beside no candidate": (GEMINI, stream(events({"candidates": [], **ERROR}))),
    "a text that began with nothing": (
        MESSAGES,
        stream(events(START, BLOCK, {"type": "error", **ERROR}, named=True)),
    ),
    "Tencent's, with status 200": (CHAT, whole({"Response": {"Error": {"Code": "X", "Message": TOO_LONG}}})),
    "Qianfan's, with status 200": (CHAT, whole({"error_code": 336103, "error_msg": "Prompt tokens too long"})),
    "a choice that failed": (CHAT, stream(events({"choices": [{"delta": {}, "error": ERROR["error"]}]}))),
    "Gemini's stream": (GEMINI, stream(events({"error": {"code": 400, "message": TOO_LONG}}))),
    "a stream by another type": (CHAT, whole(events(ERROR), 200, "text/plain")),
    "a stream without JSON": (CHAT, stream(f"event: error\r\ndata: {TOO_LONG}\r\n\r\n".encode())),
    "a field of its own": (CHAT, stream(b"error: " + compact(ERROR["error"]) + b"\n\n")),
    "a field of its own, later": (CHAT, stream(events(ROLE) + b"error: " + compact(ERROR["error"]) + b"\n\n")),
    "a stream with a byte order mark": (CHAT, stream(b"\xef\xbb\xbf" + events(ROLE, ERROR))),
    "a stream of CR": (CHAT, stream(events(ROLE, ERROR).replace(b"\n", b"\r"))),
    "a bare line in a stream": (CHAT, stream(events(ROLE) + compact(ERROR) + b"\n")),
    "a bare error in many lines": (CHAT, stream(events(ROLE) + json.dumps(ERROR, indent=1).encode() + b"\n\n")),
    "a body alone, as a stream": (RESPONSES, stream(compact(ERROR))),
    "no name for the error's event": (MESSAGES, stream(events(START, {"type": "error", **ERROR}))),
    "an error behind comments": (MESSAGES, stream(b": ping\n\n:\n\nid: 1\nretry: 9\n" + events(ERROR))),
    "a body with a byte order mark": (CHAT, whole(b"\xef\xbb\xbf" + compact(ERROR), 400)),
    "an event of several lines": (
        CHAT,
        stream(b'event: error\ndata: {"message":\ndata: "%b"}\n\n' % TOO_LONG.encode()),
    ),
    "an error beside choices": (CHAT, stream(events(ROLE, {**ERROR, "choices": [{"delta": {"content": ""}}]}))),
    "a full window, as why it ended": (CHAT, stream(events(ROLE, FULL))),
    "the same, whole": (CHAT, whole({"choices": [{"message": {"content": ""}, "finish_reason": FULL_REASON}]})),
    "the same of Anthropic": (
        MESSAGES,
        stream(events(START, {"type": "message_delta", "delta": {"stop_reason": FULL_REASON}}, named=True)),
    ),
    "cut before it began": (
        CHAT,
        stream(
            events(ROLE, CUT, {"choices": [], "usage": {"prompt_tokens": 30_000, "completion_tokens": 0}}) + DONE
        ),
    ),
    "the same, whole, and the usage of a full window": (
        CHAT,
        whole({"choices": [CUT_CHOICE], "usage": {"prompt_tokens": 199_000, "completion_tokens": 900}}),
    ),
    "the same of Anthropic, cut": (
        MESSAGES,
        stream(events(START, CUT_MESSAGE, {"type": "message_stop"}, named=True)),
    ),
    "the same of a response": (RESPONSES, stream(events(CREATED, CUT_RESPONSE))),
    "the same of Gemini": (
        GEMINI,
        stream(
            events(
                {
                    "candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}],
                    "usageMetadata": {"promptTokenCount": 199_990, "totalTokenCount": 199_990},
                }
            )
        ),
    ),
    "a stream, compressed": (
        CHAT,
        answers(
            gzip.compress(events(ERROR)), headers={"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
        ),
    ),
}
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
OTHER_ANSWERS: dict[str, tuple[str, Answer]] = {
    "a rate limit": (MESSAGES, whole({"error": {"message": "rate limit of 30,000 input tokens per minute"}}, 429)),
    "the reply's cap": (MESSAGES, whole({"error": {"message": "max_tokens: 68000 > 64000, output tokens"}}, 400)),
    "overloaded": (MESSAGES, whole(OVERLOADED, 529)),
    "overloaded, in a stream": (MESSAGES, stream(events(START, OVERLOADED, named=True))),
    "200 and a page that says nothing": (CHAT, whole("<html><title>Welcome to nginx</title></html>", 200)),
    "200 and a text that says nothing": (CHAT, whole("Internal server error", 200, "text/plain")),
    "a key": (CHAT, whole({"error": {"message": "invalid key"}}, 401)),
    "a gateway": (CHAT, whole("<html>502 Bad Gateway</html>", 502, "text/html")),
    **{
        f"500: {words[:30]}": (
            CHAT,
            whole({"error": {"message": words, "type": "server_error", "param": None}}, 500),
        )
        for words in (
            "Internal server error",
            "The server had an error while processing your request. Sorry about that!",
            "An internal error has occurred. Please retry or report in https://developers.google/troubleshooting",
            "upstream connect error or disconnect/reset before headers",
        )
    },
    "500 in HTML": (
        MESSAGES,
        whole(HTML.replace("413 Request Entity Too Large", "500 Internal Server Error"), 500),
    ),
    "a stream's server error": (MESSAGES, stream(events({"type": "error", "error": {"type": "api_error"}}))),
    "cut by its own cap": (
        CHAT,
        stream(
            events(ROLE, CUT, {"choices": [], "usage": {"prompt_tokens": 9_000, "completion_tokens": 500}}) + DONE
        ),
    ),
    "cut, and nobody counted": (CHAT, whole({"choices": [CUT_CHOICE]})),
    "cut behind a word": (
        CHAT,
        stream(
            events(
                {"choices": [{"delta": {"content": "It"}}]},
                CUT,
                {"choices": [], "usage": {"prompt_tokens": 20_000, "completion_tokens": 1}},
            )
            + DONE
        ),
    ),
    "ended, and said nothing": (
        CHAT,
        stream(
            events(
                ROLE,
                {"choices": [{"delta": {}, "finish_reason": "stop"}]},
                {"choices": [], "usage": {"prompt_tokens": 20_000, "completion_tokens": 0}},
            )
            + DONE
        ),
    ),
    "no such model": (RESPONSES, whole({"error": {"message": "no such model"}}, 404)),
}
GOOD: dict[str, bytes] = {
    MESSAGES: turn(),
    CHAT: events({"choices": [{"index": 0, "delta": {"content": "fine"}}]}) + b"data: [DONE]\n\n",
    RESPONSES: events(CREATED, {"type": "response.completed", "response": {"status": "completed", "output": []}}),
    GEMINI: events({"candidates": [{"content": {"parts": [{"text": "fine"}]}, "finishReason": "STOP"}]}),
}


def listed(path: str, ask: str, steps: int = 12) -> bytes:
    """A request of this API, with so many results of about 2,400 tokens."""
    lines = "\n".join(f"{line} = value of a line in a file" for line in range(200))
    calls = [(f"c{number}", {"path": f"{number}.py"}) for number in range(steps)]
    if path == CHAT:
        messages: list[Any] = [{"role": "user", "content": ask}]
        for id, given in calls:
            call = {"id": id, "type": "function", "function": {"name": "read", "arguments": json.dumps(given)}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": id, "content": lines})
        return compact({"model": "m", "messages": messages, "tools": [{"type": "function"}], "stream": True})
    if path == RESPONSES:
        items: list[Any] = [{"type": "message", "role": "user", "content": ask}]
        for id, given in calls:
            items.append({"type": "function_call", "call_id": id, "name": "read", "arguments": json.dumps(given)})
            items.append({"type": "function_call_output", "call_id": id, "output": lines})
        return compact({"model": "m", "input": items, "tools": [{"type": "function"}], "stream": True})
    if path == GEMINI:
        contents: list[Any] = [{"role": "user", "parts": [{"text": ask}]}]
        for _, given in calls:
            answer = {"name": "read", "response": {"output": lines}}
            contents.append({"role": "model", "parts": [{"functionCall": {"name": "read", "args": given}}]})
            contents.append({"role": "user", "parts": [{"functionResponse": answer}]})
        return compact({"contents": contents, "tools": [{"functionDeclarations": []}]})
    return request(conversation(steps, ask, lines=100))


def turns_told(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What ctxmgr is told from now on of each turn's end."""
    told: list[Any] = []
    original = AsyncClientSession.turn_end

    async def turn_end(self: Any, message: Any, results: Any = (), **more: Any) -> Any:
        told.append(message)
        return await original(self, message, results, **more)

    monkeypatch.setattr(AsyncClientSession, "turn_end", turn_end)
    return told


async def posted(made: Any, path: str, body: bytes, *given: Answer) -> tuple[int, bytes, list[bytes]]:
    """The status and the bytes that came, and the bodies that went to the provider; its last answer is good."""
    before = len(made.upstream.asked)
    made.upstream.answer = one_after_another([*given, answers(GOOD[path])])
    response, came = await made.post(body, path)
    return response.status, came, [one.body for one in made.upstream.asked[before:]]


async def test_a_list_that_is_too_long_goes_out_again_shorter_however_it_is_told(rig: Any) -> None:
    made = await rig(window=200_000)
    for name, (path, refused) in TOO_LONG_ANSWERS.items():
        status, came, sent = await posted(made, path, listed(path, name), refused)
        assert (status, came) == (200, GOOD[path]), name
        assert [len(body) < 0.7 * len(sent[0]) for body in sent[1:]] == [True], name


async def test_what_no_other_list_would_mend_passes_as_it_came(rig: Any) -> None:
    made = await rig(window=20_000)  # so that the list is ctxmgr's
    for name, (path, refused) in OTHER_ANSWERS.items():
        body = listed(path, name)
        made.upstream.answer = refused
        before = len(made.upstream.asked)
        _, came = await made.post(body, path)
        assert len(made.upstream.asked) == before + 1, name
        assert len(made.upstream.asked[-1].body) < 0.8 * len(body)
        assert came in await asked_directly(refused), name


async def test_an_error_that_breaks_off_or_never_ends_passes_as_far_as_it_came(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hearing, "HELD_SECONDS", 0.05)
    made, half, read = await rig(), b'{"error": {"message": "rate', asyncio.Event()
    for status, breaks, head in ((429, True, half), (503, False, half), (503, False, b""), (400, True, b"")):

        async def begun(asked: web.Request, body: bytes) -> web.StreamResponse:
            response = web.StreamResponse(status=status, headers={"Retry-After": "7"})  # noqa: B023
            await response.prepare(asked)
            await response.write(head)  # noqa: B023
            if breaks and asked.transport is not None:  # noqa: B023
                asked.transport.close()
            await read.wait()
            return response

        made.upstream.answer, before = begun, len(made.upstream.asked)
        async with asyncio.timeout(8):
            async with made.session.post(made.proxy.url + CHAT, data=listed(CHAT, "hm", 1)) as response:
                assert (response.status, response.headers["Retry-After"]) == (status, "7")
                assert await response.content.readexactly(len(head)) == head
                if breaks:
                    with pytest.raises(aiohttp.ClientError):
                        await response.read()
        assert len(made.upstream.asked) == before + 1
    read.set()


async def test_a_fault_of_our_own_in_hearing_keeps_no_answer_back(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*given: Any) -> Any:
        raise ValueError

    made = await rig(window=200_000)
    monkeypatch.setattr(hearing, "refusal_of", faulty)
    monkeypatch.setattr(answers_module, "failure_in", faulty)
    midst = events({"choices": [{"index": 0, "delta": {"content": "fi"}}]}, ERROR)
    for refused in (whole(ERROR, 400), whole(ERROR), stream(events(ERROR)), stream(midst)):
        _, came, sent = await posted(made, CHAT, listed(CHAT, "Go."), refused)
        assert (came, len(sent)) == (await asked_directly(refused), 1)


async def asked_directly(refused: Answer) -> bytes:
    response = await refused(None, b"")  # type: ignore[arg-type]
    assert isinstance(response, web.Response)
    return bytes(response.body or b"")  # type: ignore[arg-type]


async def test_an_answer_that_may_hardly_have_a_token_is_not_held_to_be_cut_by_the_window(rig: Any) -> None:
    made = await rig(window=200_000)
    told = {"choices": [], "usage": {"prompt_tokens": 30_000, "completion_tokens": 1}}
    given = {**json.loads(listed(CHAT, "Go.")), "max_completion_tokens": 1}
    _, came, sent = await posted(made, CHAT, compact(given), stream(events(ROLE, CUT, told) + DONE))
    assert (len(sent), came) == (1, events(ROLE, CUT, told) + DONE)


async def test_where_thoughts_alone_fill_the_window_the_same_list_goes_out_shorter(rig: Any) -> None:
    made = await rig(window=200_000)
    body = listed(CHAT, "Go.")
    thought = {"choices": [{"delta": {"reasoning_content": "hm"}}]}
    counts = {"choices": [], "usage": {"prompt_tokens": 40_000, "completion_tokens": 159_500}}
    _, _, sent = await posted(made, CHAT, body, stream(events(ROLE, thought, CUT, counts) + DONE))
    assert sent == [body]
    _, _, sent = await posted(made, CHAT, body)
    assert [len(one) < 0.7 * len(body) for one in sent] == [True]


async def test_a_list_of_ctxmgrs_that_was_too_long_is_never_followed_by_a_longer_one(rig: Any) -> None:
    made = await rig(window=20_000)
    for name in ("413 in HTML", "413 of nothing", "chat completions' stream", "a stream of a response"):
        path, refused = TOO_LONG_ANSWERS[name]
        body = listed(path, f"again: {name}")
        _, _, sent = await posted(made, path, body, refused, refused, refused, refused)
        sizes = [len(body), *map(len, sent)]
        assert len(sizes) > 2, name
        assert sizes == sorted(set(sizes), reverse=True), (name, sizes)


TEACHING = (
    "a template",
    "a template behind a gateway",
    "in a stream",
    "200 and a text",
)  # that users and assistants take turns
AT_FAULT: dict[str, tuple[str, Answer]] = {
    "a template": (CHAT, whole({"error": {"code": 500, "message": ROLES, "type": "server_error"}}, 500)),
    "a template behind a gateway": (CHAT, whole(ROLES, 502, "text/plain")),
    "in a stream": (CHAT, stream(events({"error": {"code": 500, "message": ROLES}}))),
    "400": (RESPONSES, whole({"error": {"message": "No tool output found for function call c3."}}, 400)),
    "422": (CHAT, whole({"detail": [{"loc": ["body"], "msg": "Field required"}]}, 422)),
    "200 and a text": (CHAT, whole(ROLES, 200, "text/plain")),
    "Anthropic's stream": (
        MESSAGES,
        stream(
            events({"type": "error", "error": {"type": "invalid_request_error", "message": "unexpected block"}})
        ),
    ),
}


async def test_a_list_of_ctxmgrs_that_is_at_fault_gives_way_to_the_programs_own_and_the_conversation_rests(
    rig: Any,
) -> None:
    made = await rig(window=20_000)
    for name, (path, refused) in AT_FAULT.items():
        body = listed(path, name)
        status, came, sent = await posted(made, path, body, refused)
        assert (status, came, sent[1:]) == (200, GOOD[path], [body]), name
        await asyncio.gather(*made.proxy.conversations.all()[-1]._telling)
        assert made.proxy.conversations.all()[-1].is_paused == (name not in TEACHING), name


UNSAID = whole({"error": {"message": "Value is not callable: null", "type": "server_error"}}, 500)


async def test_where_a_fault_did_not_say_that_the_list_was_the_cause_the_conversation_rests_after_the_second(
    rig: Any,
) -> None:
    made = await rig(window=40_000)
    refused = UNSAID
    paused = []
    for steps in (12, 13, 14):
        body = listed(CHAT, "Go.", steps)
        given = [] if steps == 13 else [refused]
        _, _, sent = await posted(made, CHAT, body, *given)
        assert len(sent) == 1 + len(given)
        (one,) = made.proxy.conversations.all()
        paused.append(one.is_paused)
    assert paused == [False, False, False]  # a list that was taken in between ends the doubt
    await posted(made, CHAT, listed(CHAT, "Go.", 15), refused)
    await asyncio.gather(*one._telling)
    assert one.is_paused


async def test_what_a_refusal_of_the_programs_own_list_says_is_not_learnt_of_ctxmgrs(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await rig(window=40_000)
    heard, (path, too_long) = turns_told(monkeypatch), TOO_LONG_ANSWERS["400"]
    body = listed(path, "Go.", 14)
    _, _, sent = await posted(made, path, body, UNSAID, too_long)
    assert [len(sent[0]) < 0.9 * len(body), sent[1] == body, sent[2] == sent[0]] == [True] * 3
    _, came, sent = await posted(made, path, body, UNSAID)  # it has given way
    assert (came, len(sent)) == (await asked_directly(UNSAID), 1)
    assert [one for one in heard if TOO_LONG in str(one)] == []


async def test_a_guess_is_the_programs_once_where_its_own_list_is_over_the_window(rig: Any) -> None:
    made = await rig(window=20_000)
    _, came, sent = await posted(made, CHAT, listed(CHAT, "Go."), UNSAID)
    assert (came, len(sent)) == (await asked_directly(UNSAID), 1)
    own = []
    for steps in (13, 14, 15):
        body = listed(CHAT, "Go.", steps)
        _, came, sent = await posted(made, CHAT, body, *([UNSAID] if steps == 13 else []))
        own.append((came == GOOD[CHAT], sent.index(body)))
        await asyncio.gather(*made.proxy.conversations.all()[0]._telling)
    assert own == [(True, 1), (True, 0), (True, 0)]


async def test_where_the_programs_own_is_refused_too_it_is_not_asked_for_again_with_each_call(rig: Any) -> None:
    made = await rig(window=40_000)
    asked = []
    for steps in range(12, 26):
        body = listed(CHAT, "Go.", steps)
        made.upstream.answer = AT_FAULT["422"][1]
        before = len(made.upstream.asked)
        _, came = await made.post(body, CHAT)
        assert came == await asked_directly(AT_FAULT["422"][1])
        asked.append(len(made.upstream.asked) - before)
    first = asked.index(2)
    assert asked[first + 1 : first + 10] == [1] * 9
    assert asked[first + 10 :] != [1] * len(asked[first + 10 :])


async def test_a_conversation_that_rests_is_tried_again_after_ten_calls(rig: Any) -> None:
    made = await rig(window=200_000)
    path, refused = AT_FAULT["422"]
    await posted(made, path, listed(path, "Go.", 20))
    (one,) = made.proxy.conversations.all()
    await one.session.request("prune", {})  # the program's own list fits
    _, _, sent = await posted(made, path, listed(path, "Go.", 21), refused)
    assert len(sent) == 2
    await asyncio.gather(*one._telling)
    own = []
    for more in range(1, 13):
        body = listed(path, "Go.", 21 + more)
        _, _, sent = await posted(made, path, body)
        own.append(sent == [body])
    assert own == [True] * 9 + [False] * 3
    assert "for 10 calls, while its list fits the window" in made.said[-1]


async def test_a_conversation_that_rests_is_sent_as_it_came_while_it_fits_the_window(rig: Any) -> None:
    made = await rig(window=40_000)
    path, refused = AT_FAULT["422"]
    await posted(made, path, listed(path, "Go.", 12))
    _, _, sent = await posted(made, path, listed(path, "Go.", 13), refused)
    assert len(sent) == 2
    (one,) = made.proxy.conversations.all()
    await asyncio.gather(*one._telling)
    own = []
    for steps in range(15, 25, 2):
        body = listed(path, "Go.", steps)
        _, _, sent = await posted(made, path, body)
        own.append(sent == [body])
    assert own == [True] * 4 + [False]
    assert one.account.rows[-2].own_tokens < 40_000 < one.account.rows[-1].own_tokens


async def test_a_list_of_a_conversation_that_rests_that_is_too_long_ends_the_rest(rig: Any) -> None:
    made = await rig(window=200_000)
    path, refused = AT_FAULT["422"]
    await posted(made, path, listed(path, "Go.", 20))
    (one,) = made.proxy.conversations.all()
    await one.session.request("prune", {})  # the program's own list fits
    await posted(made, path, listed(path, "Go.", 21), refused)
    await asyncio.gather(*one._telling)
    body = listed(path, "Go.", 22)
    _, _, sent = await posted(made, path, body, TOO_LONG_ANSWERS["413 of nothing"][1])
    assert (sent[0], len(sent)) == (body, 2)
    assert len(sent[1]) < 0.8 * len(body)
    _, _, sent = await posted(made, path, body)
    assert len(sent[0]) < 0.8 * len(body)


async def test_a_program_that_begins_anew_ends_the_rest(rig: Any) -> None:
    made = await rig(window=20_000)
    made.upstream.answer = one_after_another([AT_FAULT["400"][1], answers(turn())])
    await made.post(request(conversation(12, lines=100)), headers=SESSION)
    (one,) = made.proxy.conversations.all()
    await asyncio.gather(*one._telling)
    assert one.is_paused
    summary = "This session is being continued from a previous conversation. " + "They read files. " * 20
    anew = request([*conversation(0, summary), *conversation(12, lines=100)[1:]])
    made.upstream.answer = answers(turn())
    await made.post(anew, headers=SESSION)
    assert len(made.upstream.asked[-1].body) < 0.8 * len(anew)


PAST_THE_CACHE_MS = 6 * 60_000


@pytest.mark.parametrize("lost", ["a pause", "another model", "another tool"])
async def test_a_rest_ends_with_the_providers_cache(rig: Any, lost: str) -> None:
    clock = [1.8e12]
    timing = Timing(timeouts_ms={"context": 30_000, "session_start": 30_000}, now_ms=lambda: clock[0])
    made = await rig(window=200_000, timing=timing)
    path, refused = AT_FAULT["422"]
    await posted(made, path, listed(path, "Go.", 20))
    (one,) = made.proxy.conversations.all()
    await one.session.request("prune", {})  # the program's own list fits
    await posted(made, path, listed(path, "Go.", 21), refused)
    await asyncio.gather(*one._telling)
    body = listed(path, "Go.", 22)
    _, _, sent = await posted(made, path, body)
    assert sent == [body]
    clock[0] += PAST_THE_CACHE_MS if lost == "a pause" else 1_000
    asked = json.loads(listed(path, "Go.", 23))
    asked["model"] = "n" if lost == "another model" else asked["model"]
    asked["tools"] += [{"type": "function", "function": {"name": "new"}}] if lost == "another tool" else []
    body = compact(asked)
    _, _, sent = await posted(made, path, body)
    assert len(sent[0]) < 0.9 * len(body)


STREAM, JSON, NDJSON = "text/event-stream", "application/json", "application/x-ndjson"
SAYS = {"candidates": [{"content": {"parts": [{"text": "a"}], "role": "model"}}]}
DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
REASONS = {"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]}
ITEM = {"type": "response.output_item.added", "item": {"type": "reasoning"}}
FIRST_BYTES: list[tuple[str, str, bytes]] = [  # of answers that say something, or are no stream of events
    (MESSAGES, STREAM, events(START, BLOCK, DELTA)),
    (CHAT, STREAM, events(ROLE, REASONS)),
    (CHAT, STREAM, events(REASONS)[:-1]),  # without the blank line behind it
    (RESPONSES, STREAM, events(CREATED, ITEM)),
    (GEMINI, STREAM, events(SAYS)),
    (GEMINI, "text/plain", events(SAYS)),
    (GEMINI, JSON, b"[" + compact(SAYS) + b"\n,"),
    (GEMINI, NDJSON, compact(SAYS) + b"\n"),
    (GEMINI, JSON, b"\n \n"),
]


async def begins_with(made: Any, path: str, kind: str, first: bytes) -> None:
    """The provider waits behind these bytes until the program has them."""
    seen = asyncio.Event()

    async def slowly(asked: web.Request, body: bytes) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(asked)
        await response.write(first)
        await seen.wait()
        return response

    made.upstream.answer = slowly
    async with asyncio.timeout(8):  # less than is held
        async with made.session.post(made.proxy.url + path, data=listed(path, "hold", 1)) as response:
            assert await response.content.readexactly(len(first)) == first
            seen.set()
            await response.read()


async def test_nothing_of_an_answer_is_held(rig: Any) -> None:
    made = await rig()
    for path, kind, first in FIRST_BYTES:
        await begins_with(made, path, kind, first)


async def test_what_says_nothing_for_long_passes(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "HELD_SECONDS", 0.01)
    await begins_with(await rig(), RESPONSES, STREAM, events(CREATED))


async def test_what_says_nothing_and_is_long_passes(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "HELD_BYTES", 20)
    made = await rig()
    await begins_with(made, RESPONSES, STREAM, events(CREATED))
    await begins_with(made, GEMINI, JSON, b'{"candidates": [' + b" " * 20)


async def test_an_error_in_the_midst_of_an_answer_is_heard_too(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told = turns_told(monkeypatch)
    made = await rig(window=200_000)
    body = listed(CHAT, "Go.")
    broken = events({"choices": [{"index": 0, "delta": {"content": "fi"}}]}, ERROR)
    made.upstream.answer = answers(broken)
    _, came = await made.post(body, CHAT)
    assert came == broken
    assert [TOO_LONG in str(one) for one in told] == [True]
    (one,) = made.proxy.conversations.all()
    await asyncio.gather(*one._telling)
    _, _, sent = await posted(made, CHAT, body)
    assert len(sent[0]) < 0.7 * len(body)


WORDS = (
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different "
    'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
BOUND = whole({"type": "error", "error": {"type": "invalid_request_error", "message": WORDS}}, 400)
DROPS = {"prefix_mismatch_behavior": "drop_block"}
BETA = "thinking-binding-controls-2026-08-01"


def thinking(body: bytes) -> Any:
    return json.loads(body).get("thinking")


async def test_thoughts_behind_another_list_are_asked_to_be_dropped_once_they_were_refused(rig: Any) -> None:
    made = await rig(window=20_000)
    _, came, sent = await posted(made, MESSAGES, listed(MESSAGES, "Go."), BOUND)
    assert (came, len(sent), thinking(sent[0])) == (GOOD[MESSAGES], 2, None)
    assert thinking(sent[1]) == {"type": "adaptive", "block_binding": DROPS}
    first, second = (json.loads(body) for body in sent)
    assert {**second, "thinking": None} == {**first, "thinking": None}
    assert [value for name, value in made.upstream.asked[-1].headers if name == "anthropic-beta"] == [BETA]

    given = {**json.loads(listed(MESSAGES, "Go.", 13)), "thinking": {"type": "enabled", "budget_tokens": 2_000}}
    _, _, sent = await posted(made, MESSAGES, compact(given))
    assert [thinking(body) for body in sent] == [{**given["thinking"], "block_binding": DROPS}]


async def test_the_list_gives_way_where_thoughts_are_refused_all_the_same(rig: Any) -> None:
    made = await rig(window=20_000)
    body = listed(MESSAGES, "Go.")
    _, came, sent = await posted(made, MESSAGES, body, BOUND, BOUND)
    assert (came, len(sent)) == (GOOD[MESSAGES], 3)
    assert json.loads(sent[2])["messages"] == json.loads(body)["messages"]
    assert thinking(sent[2])["block_binding"] == DROPS


async def test_nothing_is_asked_of_thoughts_any_more_where_that_is_refused(rig: Any) -> None:
    made = await rig(window=20_000)
    body = listed(MESSAGES, "Go.")
    words = "thinking.block_binding: Extra inputs are not permitted"
    unknown = whole({"type": "error", "error": {"type": "invalid_request_error", "message": words}}, 400)
    _, came, sent = await posted(made, MESSAGES, body, BOUND, unknown)
    assert came == GOOD[MESSAGES]
    assert sent[2] == body
    assert "anthropic-beta" not in dict(made.upstream.asked[-1].headers)
    _, _, sent = await posted(made, MESSAGES, listed(MESSAGES, "Go.", 13))
    assert [thinking(body) for body in sent] == [None]


async def test_a_refusal_of_thoughts_in_a_list_that_was_never_changed_is_the_programs(rig: Any) -> None:
    made = await rig(window=200_000)
    body = listed(MESSAGES, "Go.", 3)
    _, came, sent = await posted(made, MESSAGES, body, BOUND)
    assert (came, sent) == (await asked_directly(BOUND), [body])


async def test_an_api_that_can_not_be_asked_to_drop_thoughts_gets_the_programs_own_list(
    rig: Any,
) -> None:
    made = await rig(window=20_000)
    body = listed(RESPONSES, "Go.")
    _, came, sent = await posted(made, RESPONSES, body, BOUND)
    assert (came, sent[1:]) == (GOOD[RESPONSES], [body])
