"""A failed call as hosts have it: in any shape, in any format, an assistant's message that failed."""

import json
from typing import Any

from ctxmgr.engine.pressure import overflowed
from ctxmgr.formats import FORMATS, auto
from tests.unit.session.test_message_format import opened

CODE, SAID = "context_length_exceeded", "prompt is too long: 213462 tokens > 200000 maximum"
SHAPES: dict[str, Any] = {
    "a provider's error": {"type": "error", "error": {"type": "invalid_request_error", "message": SAID}},
    "an error object": {"error": {"message": SAID, "code": CODE}},
    "an error's text": {"error": SAID},
    "a top-level code": {"type": "error", "code": CODE, "message": "Your input is refused.", "param": "input"},
    "a code alone": {"type": "error", "code": CODE},
    "a nested code alone": {"error": {"code": CODE}},
    "a failed response": {"type": "response.failed", "response": {"status": "failed", "error": {"code": CODE}}},
    "a failed response with its items": {
        "type": "response.failed",
        "response": {"object": "response", "status": "failed", "output": [], "error": {"code": CODE}},
    },
    "the error within": {"type": "invalid_request_error", "code": CODE, "message": "Your input is refused."},
    "a client's error": {"statusCode": 400, "body": json.dumps({"error": {"code": CODE}})},
    "a status": {"status": 413, "message": "Payload Too Large"},
    "vLLM's before 0.10": {"object": "error", "message": SAID, "type": "BadRequestError", "code": 400},
    "FastAPI's": {"detail": SAID},
    "AWS'": {"__type": "ValidationException", "message": SAID},
    "boto3's": {"Error": {"Code": "ValidationException", "Message": SAID}, "ResponseMetadata": {}},
    "an exception of Bedrock's streams": {"validationException": {"message": SAID}},
    "Databricks'": {"external_model_error": {"error_code": "BAD_REQUEST", "message": SAID}},
    "what caused it": {"name": "Error", "message": "Request failed", "cause": {"message": SAID}},
    "several": {"errors": [{"message": SAID}]},
    "an array, as Gemini's": [{"error": {"code": 400, "message": SAID, "status": "INVALID_ARGUMENT"}}],
    "the AI SDK's": {"name": "AI_APICallError", "statusCode": 400, "responseBody": SAID},
    "OpenCode's": {"name": "APIError", "data": {"message": SAID, "statusCode": 400}},
    "a problem (RFC 9457)": {"type": "about:blank", "title": SAID, "status": 400},
    "Apple's": {"domain": "FoundationModels", "code": 1, "localizedDescription": SAID},
    "MiniMax'": {"base_resp": {"status_code": 2013, "status_msg": SAID}},
    "Apigee's": {"fault": {"faultstring": SAID, "detail": {"errorcode": "x"}}},
    "an event of `codex exec`": {"type": "turn.failed", "error": {"message": SAID}},
    "a name in the type": {"type": "LLMContextLengthExceededError", "message": SAID},
    "fetch's": {"status": 413, "statusText": "Payload Too Large"},
    "Qianfan's": {"error_code": 336103, "error_msg": SAID},
    "Tencent's": {"Response": {"Error": {"Code": "X", "Message": SAID}, "RequestId": "x"}},
    "SiliconFlow's": {"code": 20015, "message": SAID, "data": None},
    "Cline's": {"ts": 1, "type": "say", "say": "error", "text": SAID},
    "Cline's question": {"ts": 1, "type": "ask", "ask": "api_req_failed", "text": SAID},
    "Cline's, with its provider": {
        "type": "ask",
        "ask": "api_req_failed",
        "text": json.dumps({"message": SAID, "status": 400, "code": CODE, "providerId": "anthropic"}),
    },
    "Cline's request that failed in its stream": {
        "type": "say",
        "say": "api_req_started",
        "text": json.dumps({"request": "...", "cancelReason": "streaming_failed", "streamingFailedMessage": SAID}),
    },
    "Roo Code's, tried again": {"type": "say", "say": "api_req_retry_delayed", "text": f"400\n{SAID}"},
    "OpenCode's message": {
        "info": {"id": "m", "sessionID": "s", "role": "assistant", "error": {"name": "ContextOverflowError"}}
    },
    "OpenCode's event": {
        "type": "session.error",
        "properties": {"sessionID": "s", "error": {"name": "APIError", "data": {"message": SAID}}},
    },
    "Copilot CLI's event": {"type": "session.error", "data": {"errorType": "query", "message": SAID}},
    "Gemini CLI's event": {"type": "error", "value": {"error": {"message": SAID, "status": 400}}},
    "Gemini CLI's own check": {
        "type": "context_window_will_overflow",
        "value": {"estimatedRequestTokenCount": 1_200_000, "remainingTokenCount": 1_000},
    },
    "Gemini CLI's output": {"type": "result", "status": "error", "error": {"type": "Error", "message": SAID}},
    "Gemini CLI's chat": {"id": "x", "timestamp": "t", "type": "error", "content": f"[API Error: {SAID}]"},
    "goose's": {"ContextLengthExceeded": SAID},
    "goose's result": {"Err": {"ContextLengthExceeded": SAID}},
    "goose's stream": {"type": "Error", "error": SAID},
    "Claude Agent SDK's": {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "result": "Prompt is too long",
    },
    "Codex' event": {"id": "1", "msg": {"type": "error", "message": SAID}},
    "Codex' rollout": {
        "type": "event_msg",
        "payload": {"type": "error", "message": "x", "codex_error_info": "context_window_exceeded"},
    },
    "an item of `codex exec`": {"type": "item.completed", "item": {"type": "error", "message": SAID}},
    "Codex' app server": {
        "method": "error",
        "params": {"error": {"message": "x", "codexErrorInfo": "contextWindowExceeded"}, "willRetry": False},
    },
    "OpenHands'": {"observation": "error", "content": SAID},
    "Strands'": {"exception_type": "ContextWindowOverflowException", "message": "x"},
    "Zed's": {"PromptTooLarge": {"tokens": 1_200_000}},
    "the AI SDK's interface": {"type": "error", "errorText": SAID},
    "the AWS SDK's": {"$fault": "client", "name": "ValidationException", "message": SAID},
    "reqwest's: its status alone": {"kind": "Status", "status": 413, "url": "x"},
    "pi's event": {"type": "message_end", "message": {"role": "assistant", "content": [], "errorMessage": SAID}},
    "Cohere's stream": {"type": "message-end", "delta": {"error": SAID, "finish_reason": "ERROR"}},
}
REPLIES = {
    "anthropic": {"role": "assistant", "content": [{"type": "text", "text": "a"}]},
    "openai": {"role": "assistant", "content": "a"},
    "responses": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    "gemini": {"role": "model", "parts": [{"text": "a"}]},
    "pi": {"role": "assistant", "content": [{"type": "text", "text": "a"}]},
}
OTHERS: dict[str, Any] = {
    "overloaded": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    "a rate limit": {"type": "error", "code": "rate_limit_exceeded", "message": "too many tokens per minute"},
    "a failed response": {"type": "response.failed", "response": {"status": "failed", "error": {"code": "server"}}},
    "Cline's": {"type": "say", "say": "error", "text": "Overloaded"},
    "an edit of Cline's that did not apply": {"type": "say", "say": "diff_error", "text": "src/a.py"},
    "what a client echoes": {
        "name": "AI_APICallError",
        "requestBodyValues": {"messages": [SAID]},
        "statusCode": 500,
    },
    "what echoes the request": {"detail": [{"loc": ["body"], "msg": "Field required", "input": {"content": SAID}}]},
}


def test_a_reply_that_claude_code_wrote_of_an_error_failed() -> None:
    reply = {"role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": SAID}]}
    for is_error in (True, False):
        view = FORMATS["anthropic"].view(json.dumps({**reply, "isApiErrorMessage": is_error}).encode())
        assert overflowed(view, None, 200_000) is is_error


GOOD = {"base_resp": {"status_code": 0, "status_msg": "success"}}


def read(name: str, message: Any) -> Any:
    return FORMATS[name].view(json.dumps(message).encode())


def test_a_refusal_as_too_long_is_known_in_every_shape() -> None:
    for name in FORMATS:
        for shape in SHAPES:
            view = read(name, SHAPES[shape])
            assert (view.role, view.stop) == ("assistant", "error"), (name, shape)
            assert overflowed(view, None, 200_000), (name, shape)
            assert auto.view(json.dumps(SHAPES[shape]).encode()).stop == "error", (name, shape)


def test_another_failure_is_none() -> None:
    for name in FORMATS:
        for shape in OTHERS:
            view = read(name, OTHERS[shape])
            assert view.stop == "error", (name, shape)
            assert not overflowed(view, None, 200_000), (name, shape)


def test_what_is_no_error_is_none() -> None:
    tools = {"role": "tool", "tool_call_id": "c", "content": SAID, "error": SAID}
    for message in (
        {"role": "user", "content": "", "error": "y"},
        {"code": 3},
        {"message": "x"},
        {"type": "say", "say": "text", "text": SAID},
        {"type": "say", "say": "api_req_started", "text": json.dumps({"request": SAID, "tokensIn": 5})},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": SAID}},
        {"type": "tool_use", "name": "list_errors", "text": SAID},
        {"status": 200, "text": SAID},
        tools,
        [],
        {},
        GOOD,
    ):
        for name in FORMATS:
            assert read(name, message).stop == "", (message, name)


def test_an_error_beside_a_models_role_is_of_its_call_and_what_it_said_stays() -> None:
    for name, reply in REPLIES.items():
        for error in ({"message": SAID}, SAID):
            view = read(name, {**reply, "error": error})
            assert overflowed(view, None, 200_000), (name, error)
            assert [block.text for block in view.blocks] == ["a"]
        for nothing in (None, "", {}):
            assert read(name, {**reply, "error": nothing}).stop != "error", (name, nothing)


def test_a_choice_that_failed_is_a_failed_answer() -> None:
    view = read("openai", {"choices": [{"error": {"code": CODE}, "message": {"role": "assistant", "content": ""}}]})
    assert (view.stop, overflowed(view, None, 200_000)) == ("error", True)


def test_a_compaction_is_asked_for_at_once() -> None:
    """One shape a format: which shapes are known is the same for all."""
    for name, shape in zip(FORMATS, SHAPES, strict=False):
        talk = opened(name)
        talk.context([{"role": "user", "content": "Go."}])
        answer = talk.call("turn_end", sessionId="s", message=SHAPES[shape])
        assert [one["params"]["reason"] for one in answer["commands"]] == ["overflow"], (name, shape)


def test_a_lone_text_in_place_of_a_reply_is_what_a_client_was_told() -> None:
    for name in FORMATS:
        for said, reasons in ((SAID, ["overflow"]), ("Overloaded", [])):
            talk = opened(name)
            talk.context([{"role": "user", "content": "Go."}])
            answer = talk.call("turn_end", sessionId="s", message=said)
            assert [one["params"]["reason"] for one in answer["commands"]] == reasons, name
