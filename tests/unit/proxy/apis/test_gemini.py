"""Gemini's API before the proxy: its list, its counts, its errors, and what of it passes."""

import json
from typing import Any

import pytest

from tests.unit.proxy.lists import compact
from tests.unit.proxy.provider import answers, one_after_another

CLI = {"User-Agent": "GeminiCLI/0.61.0/gemini-2.5-pro (linux; x64; terminal)", "x-goog-api-key": "planted-key"}
MODEL = "/v1beta/models/gemini-2.5-pro"
STREAM = f"{MODEL}:streamGenerateContent?alt=sse"
TOOLS = [{"functionDeclarations": [{"name": "read_file"}]}]
COUNTED = {"promptTokenCount": 100, "cachedContentTokenCount": 10, "candidatesTokenCount": 7}
SNAPSHOT = {"parts": [{"text": "Distil the history into a <state_snapshot>."}]}
PROMPT = {"role": "user", "parts": [{"text": "Generate the updated <state_snapshot>. Never edit planted_rule.py."}]}


def contents(steps: int) -> list[dict[str, Any]]:
    """So many files are read, with no ids at the calls, as older models give none."""
    made: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "Read all files."}]}]
    for number in range(steps):
        call = {"name": "read_file", "args": {"file_path": f"/p/{number}.py"}}
        text = "\n".join(f"{number}.{line} = value of line {line} in file {number}" for line in range(200))
        response = {"name": "read_file", "response": {"output": text}}
        made.append({"role": "model", "parts": [{"functionCall": call, "thoughtSignature": f"s{number}"}]})
        made.append({"role": "user", "parts": [{"functionResponse": response}]})
    return made


def body(listed: list[dict[str, Any]], **more: Any) -> bytes:
    return compact({"contents": listed, "systemInstruction": {"parts": []}, "tools": TOOLS} | more)


def piece(text: str = "done", **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, **more}]}


def told_by(count: dict[str, int]) -> list[dict[str, Any]]:
    """The answers of a stream that counts."""
    return [
        {**piece("do"), "usageMetadata": {**count, "candidatesTokenCount": 1}},
        {**piece("ne", finishReason="STOP"), "usageMetadata": count},
    ]


def sse(pieces: list[dict[str, Any]]) -> bytes:
    return b"".join(b"data: " + json.dumps(one).encode() + b"\r\n\r\n" for one in pieces)


async def grown(made: Any, steps: int) -> bytes:
    """The last request of a conversation of so many steps."""
    for number in range(steps + 1):
        await made.post(body(contents(number)), STREAM, CLI)
    return body(contents(steps))


async def test_old_steps_leave_and_all_beside_the_list_stays(rig: Any) -> None:
    made = await rig()
    whole = await grown(made, 12)
    asked = made.upstream.asked[-1]
    assert len(asked.body) < 0.7 * len(whole)
    assert (asked.raw_path, dict(asked.headers)["x-goog-api-key"]) == (STREAM, "planted-key")
    sent, own = json.loads(asked.body), json.loads(whole)
    assert {**sent, "contents": []} == {**own, "contents": []}
    kept = [one for one in sent["contents"] if one["role"] == "model"]
    assert kept == own["contents"][-2 * len(kept) :: 2]  # the newest, as they came
    (conversation,) = made.proxy.conversations.all()
    assert (conversation.key.split(":")[0], conversation.model) == ("gemini", "gemini-2.5-pro")


@pytest.mark.parametrize(
    ("type", "answer"),
    [
        ("text/event-stream", sse(told_by(COUNTED))),
        ("application/json; charset=UTF-8", json.dumps(told_by(COUNTED), indent=2).encode()),
        ("application/json", json.dumps(told_by(COUNTED)[-1]).encode()),
    ],
    ids=["events", "an array", "whole"],
)
async def test_a_turns_usage_is_read_of_each_kind_of_answer(
    rig: Any, usages: list[Any], type: str, answer: bytes
) -> None:
    made = await rig()
    made.upstream.answer = answers(answer, headers={"Content-Type": type})
    for number in range(3):
        await made.post(body(contents(number)), f"{MODEL}:generateContent", CLI)
    assert usages == [COUNTED, COUNTED]
    sent = made.proxy.rewriter.account.sent
    assert (sent.fresh_tokens, sent.read_tokens, sent.output_tokens) == (270, 30, 21)


@pytest.mark.parametrize("cut", [sse(told_by(COUNTED)[:1]), json.dumps(told_by(COUNTED)).encode()[:-30]])
async def test_a_cut_answers_count_is_no_turns(rig: Any, usages: list[Any], cut: bytes) -> None:
    made = await rig()
    type = "text/event-stream" if cut.startswith(b"data") else "application/json"
    made.upstream.answer = answers(cut, headers={"Content-Type": type})
    for number in range(2):
        await made.post(body(contents(number)), STREAM, CLI)
    assert usages == [None]


@pytest.mark.parametrize(
    ("path", "more"),
    [
        (f"{MODEL}:countTokens", {}),
        (f"{MODEL}:embedContent", {}),
        (STREAM, {"cachedContent": "cachedContents/1"}),
        (STREAM, {"tools": [], "generationConfig": {"responseMimeType": "application/json"}}),
        (STREAM, {"tools": [{"googleSearch": {}}], "contents": contents(0) * 9}),
        ("/v1internal:generateContent", {"contents": {}}),
    ],
    ids=["a count", "an embedding", "kept by the provider", "beside, for JSON", "a search", "no list"],
)
async def test_what_is_no_conversations_list_passes(rig: Any, path: str, more: dict[str, Any]) -> None:
    made = await rig()
    whole = body(contents(12), **more)
    await made.post(whole, path, CLI)
    assert made.upstream.asked[-1].body == whole
    assert made.proxy.conversations.all() == []


async def test_a_request_for_a_summary_is_rewritten_and_its_prompt_goes_out_whole_at_the_end(rig: Any) -> None:
    made = await rig()
    await grown(made, 12)
    closed = [*contents(12), {"role": "model", "parts": [{"text": "All is read."}]}]
    whole = body([*closed, PROMPT], systemInstruction=SNAPSHOT, tools=[])
    await made.post(whole, f"{MODEL}:generateContent", CLI)
    assert len(made.upstream.asked[-1].body) < 0.7 * len(whole)
    assert json.loads(made.upstream.asked[-1].body)["contents"][-1] == PROMPT
    for one in made.proxy.conversations.all():
        assert "planted_rule" not in json.dumps(await one.session.request("getLedger"))


OVER = 9_000  # tokens: fewer than the newest five results


@pytest.mark.parametrize(
    ("steps", "most"), [(6, OVER), (15, 24_000)], ids=["over what it names", "under what it names"]
)
async def test_a_list_that_was_too_long_goes_out_again_shorter(rig: Any, steps: int, most: int) -> None:
    text = f"The input token count (1048577) exceeds the maximum number of tokens allowed ({most})."
    error = json.dumps({"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}).encode()
    made = await rig(window=200_000)
    for number in range(steps):
        await made.post(body(contents(number)), STREAM, CLI)
    made.upstream.answer = one_after_another(
        [answers(error, 400, {"Content-Type": "application/json"}), answers(sse(told_by(COUNTED)))]
    )
    response, _ = await made.post(body(contents(steps)), STREAM, CLI)
    assert response.status == 200
    shorter = 0.7 if most == OVER else 0.9  # the newest five results, 17,000 tokens, fit what it names
    assert len(made.upstream.asked[-1].body) < shorter * len(made.upstream.asked[-2].body)


@pytest.mark.parametrize(
    ("headers", "before", "code", "status"),
    [({"Host": "evil.test"}, "", 403, "PERMISSION_DENIED"), ({}, "http://127.0.0.1:9", 502, "UNAVAILABLE")],
)
async def test_errors_have_googles_shape(
    rig: Any, headers: dict[str, str], before: str, code: int, status: str
) -> None:
    made = await rig(before=before)
    response, came = await made.post(body(contents(0)), STREAM, headers)
    error = json.loads(came)["error"]
    assert (response.status, error["code"], error["status"]) == (code, code, status)
    assert error["message"].startswith("ctxmgr: ")
