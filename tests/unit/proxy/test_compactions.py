"""What a program's own compaction, side calls and retries are to its conversation, and what is told of turns."""

import json
from typing import Any

import pytest

from ctxmgr.proxy.apis import APIS
from ctxmgr.proxy.body import list_body
from tests.unit.proxy.lists import SESSION, TOOLS, compact, conversation, marked, request, step
from tests.unit.proxy.provider import answers, one_after_another, turn

SUMMARISING = SESSION | {"anthropic-beta": "claude-code-20250219,fallback-credit-2026-06-01"}
PROMPT = "CRITICAL: Respond with TEXT ONLY. Never call any tools. Always create a detailed summary of it all."
CODEX = {"thread-id": "th-1", "User-Agent": "codex_exec/0.169.0", "x-codex-window-id": "th-1:0"}


def summarising(steps: int) -> list[dict[str, Any]]:
    """The prompt is a text behind the last results."""
    *before, last = conversation(steps, lines=200)
    return marked([*before, {**last, "content": [*last["content"], {"type": "text", "text": PROMPT}]}])


def after_summary() -> list[dict[str, Any]]:
    text = (
        "This session is being continued from a previous conversation that ran out of context. Summary:\n"
        + 60
        * ("The user asked to read all files. The assistant has read /p/1.py to /p/12.py and found nothing odd. ")
    )
    return [
        {"role": "user", "content": text},
        {"role": "system", "content": []},
        *step(12, lines=200),
        {"role": "user", "content": "<system-reminder>The file /p/12.py was read before.</system-reminder>"},
    ]


async def grown(made: Any, steps: int) -> None:
    for number in range(steps + 1):
        await made.post(request(marked(conversation(number, lines=200))), headers=SESSION)


def sent(made: Any) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(made.upstream.asked[-1].body)["messages"]
    return told


async def known(made: Any) -> str:
    (one,) = made.proxy.conversations.all()
    return json.dumps(await one.session.request("getLedger"))


async def test_a_compaction_call_is_rewritten_and_its_prompt_goes_out_whole_at_the_end(rig: Any) -> None:
    made = await rig()
    await grown(made, 12)
    body = request(summarising(12))
    await made.post(body, headers=SUMMARISING)
    assert len(made.upstream.asked[-1].body) < 0.7 * len(body)
    assert sent(made)[-1]["content"][-1]["text"] == PROMPT


async def test_a_compactions_prompt_is_never_learnt_as_a_users_rule(rig: Any) -> None:
    made = await rig()
    done = [*conversation(3), {"role": "assistant", "content": "All is read."}]
    rule = {"role": "user", "content": "Summarize all of it. Never edit planted_rule.py under any circumstances."}
    await made.post(request(marked([*done, rule])), headers=SUMMARISING)
    assert "planted_rule" not in await known(made)
    await made.post(request(marked([*done, {"role": "user", "content": "Go on."}])), headers=SESSION)
    assert "planted_rule" not in await known(made)
    await made.post(request(marked([*done, rule])), headers=SESSION)  # said by a user it is one
    assert "planted_rule" in await known(made)


async def test_a_list_that_begins_anew_after_a_summary_goes_out_with_it(rig: Any) -> None:
    made = await rig()
    await grown(made, 12)
    await made.post(request(summarising(12)), headers=SUMMARISING)
    anew = after_summary()
    await made.post(request(marked(anew)), headers=SESSION)
    assert sent(made)[0]["role"] == "user"
    assert anew[0]["content"] in json.dumps(sent(made)[0], ensure_ascii=False).replace("\\n", "\n")
    await made.post(request(marked([*anew, *step(13, lines=200)])), headers=SESSION)
    assert sent(made)[0]["role"] == "user"
    assert sent(made)[-1]["content"][0]["tool_use_id"] == "t13"


async def test_codexs_compaction_without_tools_is_rewritten(rig: Any) -> None:
    def items(steps: int) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = [said("Read all files.")]
        for number in range(steps):
            text = "\n".join(f"{number}.{line} = value of line {line}" for line in range(200))
            path = json.dumps({"path": f"/p/{number}.py"})
            call = {"type": "function_call", "call_id": f"c{number}", "name": "read_file", "arguments": path}
            made += [call, {"type": "function_call_output", "call_id": f"c{number}", "output": text}]
        return made

    def said(text: str) -> dict[str, Any]:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    made = await rig()
    tools = [{"type": "function", "name": "read_file"}]
    for number in range(13):
        body = compact({"model": "gpt-5.5", "input": items(number), "tools": tools})
        await made.post(body, "/v1/responses", CODEX)
    prompt = said("You are performing a CONTEXT CHECKPOINT COMPACTION. Never forget it.")
    body = compact({"model": "gpt-5.5", "input": [*items(12), prompt]})
    kind = {"x-codex-turn-metadata": json.dumps({"request_kind": "compaction"})}
    await made.post(body, "/v1/responses", CODEX | kind)
    own = json.loads(made.upstream.asked[-1].body)["input"]
    assert own[-1] == prompt
    assert len(made.upstream.asked[-1].body) < 0.7 * len(body)
    anew = [
        said("Read all files."),
        said("Another language model started to solve this problem. Summary: all read."),
    ]
    body = compact({"model": "gpt-5.5", "input": anew, "tools": tools})
    await made.post(body, "/v1/responses", CODEX | {"x-codex-window-id": "th-1:1"})
    sent_anew = json.loads(made.upstream.asked[-1].body)["input"]
    assert [item for item in sent_anew if item in anew] == anew
    assert "CHECKPOINT" not in await known(made)


async def test_side_calls_pass_and_are_of_no_conversation(rig: Any) -> None:
    made = await rig()
    title = compact({"model": "m", "messages": [{"role": "user", "content": "<session>"}] * 5, "tools": []})
    await made.post(title, headers=SESSION)
    await made.post(request(conversation(12, lines=200)), "/v1/messages/count_tokens?beta=true", SESSION)
    assert [asked.body for asked in made.upstream.asked] == [title, request(conversation(12, lines=200))]
    assert made.proxy.conversations.all() == []


RESULTS = {
    "/v1/messages": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "It is."}],
    },
    "/v1/chat/completions": {"role": "tool", "tool_call_id": "t1", "content": "It is."},
    "/v1/responses": {"type": "function_call_output", "call_id": "t1", "output": "It is."},
}


@pytest.mark.parametrize(("path", "result"), RESULTS.items())
async def test_a_list_in_which_no_tool_gave_anything_passes_where_none_is_declared(
    rig: Any, path: str, result: dict[str, Any]
) -> None:
    made = await rig()
    name = "input" if path == "/v1/responses" else "messages"
    talk = [{"role": role, "content": "All of a file. " * 4000} for role in ("user", "assistant", "user") * 4]
    body = compact({"model": "m", name: talk})
    await made.post(body, path, {"User-Agent": "some-agent/1"})
    assert made.upstream.asked[0].body == body
    assert made.proxy.conversations.all() == []
    await made.post(compact({"model": "m", name: [*talk, result]}), path)
    assert len(made.proxy.conversations.all()) == 1


async def test_a_turns_usage_is_told_once_with_the_reply_it_counted(rig: Any, usages: list[Any]) -> None:
    made = await rig()
    made.upstream.answer = one_after_another([answers(turn(tokens, 10, 7)) for tokens in (100, 200, 300)])
    for number in range(3):
        await made.post(request(marked(conversation(number))), headers=SESSION)
    assert [usage["cache_creation_input_tokens"] for usage in usages] == [89, 189]
    assert [usage["output_tokens"] for usage in usages] == [7, 7]


async def test_a_retry_and_a_cut_answer_are_told_of_no_turn(rig: Any, usages: list[Any]) -> None:
    made = await rig()
    cut = answers(turn(100)[: turn(100).index(b"event: message_stop")])
    made.upstream.answer = one_after_another([cut, answers(b"{}", 529), answers(turn(200)), answers(turn(300))])
    for steps in (1, 1, 1, 2):
        await made.post(request(marked(conversation(steps))), headers=SESSION)
    assert [usage["cache_creation_input_tokens"] for usage in usages] == [199]


async def test_a_compactions_own_usage_is_no_turns(rig: Any, usages: list[Any]) -> None:
    made = await rig()
    await grown(made, 2)
    before = len(usages)
    made.upstream.answer = answers(turn(7_777))
    await made.post(request(summarising(2)), headers=SUMMARISING)
    await made.post(request(marked(conversation(3, lines=200))), headers=SESSION)
    assert [usage["cache_creation_input_tokens"] for usage in usages[before:]] == [99]


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/v1/messages", {"context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]}}),
        ("/v1/responses", {"previous_response_id": "resp_1"}),
        ("/v1/responses", {"conversation": "conv_1"}),
        ("/v1/responses", {"context_management": [{"type": "compaction", "compact_threshold": 1000}]}),
    ],
)
async def test_what_the_provider_rewrites_itself_is_left_alone_and_said_once(
    rig: Any, path: str, more: dict[str, Any]
) -> None:
    made = await rig()
    name = "input" if path.endswith("responses") else "messages"
    body = compact({"model": "m", name: conversation(12, lines=200), "tools": TOOLS} | more)
    for _ in range(2):
        await made.post(body, path, SESSION)
    assert [asked.body for asked in made.upstream.asked] == [body, body]
    assert len(made.said) == 1
    assert "ctxmgr forwards those calls unchanged" in made.said[0]


async def test_edits_that_clear_thinking_alone_are_no_rival(rig: Any) -> None:
    made = await rig()
    keeps = {"context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}}
    body = request(conversation(12, lines=200), **keeps)
    await made.post(body, headers=SESSION)
    assert len(made.upstream.asked[-1].body) < len(body)
    assert made.said == []


async def test_a_list_that_continues_the_last_one_does_not_begin_anew(rig: Any) -> None:
    made = await rig(window=200_000)
    made.upstream.answer = answers(turn())
    await grown(made, 1)
    (one,) = made.proxy.conversations.all()
    for steps in (1, 2):
        body = list_body(request(conversation(steps, lines=200)), "messages")
        assert body is not None
        call = APIS["anthropic"].call_of("/v1/messages", SESSION, body)
        assert not one.begins_anew(call.body.messages, call)
