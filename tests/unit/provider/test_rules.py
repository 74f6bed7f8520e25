"""What the scripted provider refuses, as each API does, and what it takes."""

from typing import Any

from tests.provider.rules import anthropic, chat, gemini, responses
from tests.provider.seals import sealed

Json = dict[str, Any]
BETA = "mid-conversation-tool-changes-2026-07-01"
MARK = {"cache_control": {"type": "ephemeral"}}
THINKING = {"thinking": {"type": "adaptive"}}
THOUGHT = {"type": "thinking", "thinking": "So.", "signature": sealed("p0s0", "So.")}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def message(role: str, *blocks: Json | str) -> Json:
    return {"role": role, "content": [text(one) if isinstance(one, str) else one for one in blocks]}


def u(*blocks: Json | str) -> Json:
    return message("user", *blocks)


def a(*blocks: Json | str) -> Json:
    return message("assistant", *blocks)


def call(id: str) -> Json:
    return {"type": "tool_use", "id": id, "name": "Read", "input": {}}


def result(id: str, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": "found", **more}


def body(*messages: Json, **more: Any) -> Json:
    return {"model": "m", "max_tokens": 10, "messages": list(messages), **more}


LOOP = (u("go"), a(call("1"), call("2")), u(result("1"), result("2"), "and?"))
MARKED = {**text("go"), **MARK}
ANTHROPIC: list[tuple[Json, str]] = [
    (body({"role": "user", "content": "go"}), ""),
    (body(*LOOP), ""),
    (body(u("go"), {**message("system", "rules"), "output_config": {}}, a(call("1")), u(result("1"))), ""),
    (body(u("go"), a(THOUGHT, call("1")), u(result("1")), **THINKING), ""),
    (body(u(MARKED), system=[MARKED], tools=[{"name": "Read", **MARK}]), ""),
    (body(), "messages: at least one message is required"),
    (body(u("go"), message("tool", "x")), "messages.1.role: Input should be 'user'"),
    (body(a("so"), u("go")), 'messages: first message must use the "user" role'),
    (body(u("go"), a("so")), "This model does not support assistant message prefill"),
    (body(u("")), "messages.0: text content blocks must be non-empty"),
    (body(u({"type": "note"})), "messages.0.content.0: Input tag 'note'"),
    (body(u("go"), a(call("1"), call("2")), u(result("1"))), "messages.1: `tool_use` ids were found without"),
    (body(u("go", result("1"))), "messages.0.content.1: unexpected `tool_use_id` found"),
    (body(u("go"), a(call("1")), u(result("1"), result("1"))), "each tool_use must have a single result"),
    (body(u(*[MARKED] * 4), tools=[{"name": "Read", **MARK}]), "A maximum of 4 blocks with cache_control"),
    (
        body(u("go"), a({**THOUGHT, "thinking": "No."}, "so"), u("and?")),
        "messages.1.content.0: Invalid `signature`",
    ),
    (
        body(u("go"), a("so", call("1")), u(result("1")), **THINKING),
        "messages.1.content.0.type: Expected `thinking`",
    ),
]


def test_the_messages_api() -> None:
    for asked, sentence in ANTHROPIC:
        refused = anthropic.refused(asked, BETA)
        assert refused.startswith(sentence) if sentence else not refused, (asked, refused)
    without_beta = anthropic.refused(body(u("go"), message("system", "rules")), "")
    assert without_beta.startswith("messages.1.role: Input should be")


U, A = {"role": "user", "content": "go"}, {"role": "assistant", "content": "so"}
FOUND = {"role": "tool", "tool_call_id": "1", "content": "found"}


def asks(*ids: str) -> Json:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id} for id in ids]}


def listed(*messages: Json) -> Json:
    return {"model": "m", "messages": list(messages)}


CHAT: list[tuple[Json, str]] = [
    (listed(U, asks("1", "2"), {**FOUND, "tool_call_id": "2"}, FOUND, U, A), ""),
    ({"model": "m"}, "Missing required parameter: 'messages'."),
    (listed({"role": "human", "content": "go"}), "Invalid value: 'human'."),
    (listed({"role": "assistant", "content": None}, U), "Invalid value for 'content'"),
    (listed(U, asks("1"), U, FOUND), "An assistant message with 'tool_calls' must be followed by"),
    ({**listed(U, asks("1"), FOUND, U), "model": "mistral"}, "Unexpected role 'user' after role 'tool'"),
]


def test_chat_completions() -> None:
    for asked, sentence in CHAT:
        refused = chat.refused(asked)
        assert refused.startswith(sentence) if sentence else not refused, (asked, refused)


def item(id: str, prefix: str = "fc_7") -> Json:
    return {"type": "function_call", "id": f"{prefix}{id}", "call_id": id, "name": "shell", "arguments": "{}"}


def output(id: str) -> Json:
    return {"type": "function_call_output", "call_id": id, "output": "found"}


def reasoning(id: str = "rs_1", seal: str = "So.") -> Json:
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": seal and sealed(seal)}


def given(*items: Json, **more: Any) -> Json:
    return {"model": "m", "input": list(items), **more}


LACKS = "was provided without its required"
RESPONSES: list[tuple[Json, str]] = [
    ({"model": "m", "input": "go"}, ""),
    (given(U, item("1"), item("2"), output("2"), output("1"), U), ""),
    (given(U, reasoning(), item("1"), output("1"), reasoning("rs_2"), A, U, reasoning("rs_3")), ""),
    (given(U, {"type": "compaction", "encrypted_content": sealed("All.")}, U), ""),
    (given(), 'One of "input" or'),
    (given(U, previous_response_id="resp_1"), "Previous response with id 'resp_1' not found."),
    (given({"type": "note"}), "Invalid value: 'note'."),
    (given(U, {**reasoning(), "encrypted_content": "AAAA"}, A), "The encrypted content could not be verified."),
    (given(U, item("1")), "No tool output found for function call 1."),
    (given(U, item("1"), item("1", "fc_8"), output("1")), "Duplicate call_id found: 1."),
    (given(U, item("0", "fc_p0s3n"), output("0")), f"Item 'fc_p0s3n0' of type 'function_call' {LACKS}"),
]


def test_responses() -> None:
    for asked, sentence in RESPONSES:
        refused = responses.refused(asked)
        assert refused.startswith(sentence) if sentence else not refused, (asked, refused)


def user(*parts: Json) -> Json:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Json) -> Json:
    return {"role": "model", "parts": list(parts)}


def wants(id: str = "", **signature: str) -> Json:
    return {"functionCall": {"name": "ls", "args": {}, **({"id": id} if id else {})}, **signature}


def gives(id: str = "") -> Json:
    return {"functionResponse": {"name": "ls", "response": {"output": "x"}, **({"id": id} if id else {})}}


def contents(*turns: Json, third: bool = False) -> Json:
    return {"model": "gemini-3-pro" if third else "gemini-2.5-pro", "contents": list(turns)}


GO, SO = user({"text": "go"}), model({"text": "so"})
SIGNED = wants("1", thoughtSignature=sealed("p0s0", gemini.vouched(wants())))
PLEASE, CONTENTS = "Please ensure that", "* GenerateContentRequest.contents"
GEMINI: list[tuple[Json, str]] = [
    (contents({"parts": [{"text": "go"}]}), ""),
    (contents(GO, model(wants("1"), wants("2")), user(gives("2"), gives("1"))), ""),
    (contents(GO, model(wants(), wants()), user(gives(), gives()), GO), ""),
    (contents(GO, model(SIGNED, wants("2")), user(gives("1"), gives("2")), third=True), ""),
    (contents(GO, model(wants("1")), user(gives("1")), SO, GO, model(SIGNED), user(gives("1")), third=True), ""),
    ({"model": "m"}, f"{CONTENTS}: contents is not specified"),
    (contents(SO, GO), f"{PLEASE} function call turn comes immediately after a user turn"),
    (contents(GO, SO), f"{PLEASE} multiturn requests end with a user turn"),
    (contents(GO, model(wants("1")), GO), f"{PLEASE} the number of function response parts is equal"),
    (contents(GO, model(wants("1")), user(gives("1")), third=True), "Function call is missing a thought_signature"),
    (
        contents(GO, model(wants("1", thoughtSignature="AAAA")), user(gives("1")), third=True),
        "Corrupted thought signature.",
    ),
]


def test_gemini() -> None:
    for asked, sentence in GEMINI:
        refused = gemini.refused(asked)
        assert refused.startswith(sentence) if sentence else not refused, (asked, refused)
