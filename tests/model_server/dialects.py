"""The APIs that the scripted server speaks: turns what a test wrote down into pieces, answers and errors of each.

`MESSAGES` refuses what Anthropic's API refuses; servers of chat completions differ in what they take.
"""

import json
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tests.model_server.replies import Reply, Request


class Dialect(Protocol):
    """How one API says it. Pieces are bytes of an event stream."""

    cut_piece: bytes
    end_mark: bytes

    def refusal(self, request: "Request") -> str:
        """What this API would refuse in the request; "" for nothing."""
        ...

    def system(self, body: Any) -> str: ...

    def begin(self, reply: "Reply", model: str) -> bytes: ...

    def piece(self, delta: Any, model: str) -> bytes: ...

    def text(self, text: str, model: str) -> bytes: ...

    def end(self, reply: "Reply", model: str) -> bytes: ...

    def usage(self, reply: "Reply", body: Any) -> bytes:
        """What comes of it after the end; b"" for nothing."""
        ...

    def fault(self, reply: "Reply") -> Any:
        """An error as the body of an answer."""
        ...

    def fault_event(self, reply: "Reply") -> bytes: ...

    def whole(self, reply: "Reply", model: str) -> Any: ...


def event(content: Any, name: str = "") -> bytes:
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(content)}\n\n".encode()


class _Chat:
    cut_piece = b'data: {"choices": [{"index": 0, "delta": {"content": "the re'
    end_mark = b"data: [DONE]\n\n"

    def refusal(self, request: "Request") -> str:
        return ""

    def system(self, body: Any) -> str:
        return "\n".join(one["content"] for one in body["messages"] if one["role"] == "system")

    def begin(self, reply: "Reply", model: str) -> bytes:
        return self.piece({"role": "assistant", "content": ""}, model)

    def piece(self, delta: Any, model: str, finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return event({**self._base("chat.completion.chunk", model), "choices": [choice]})

    def text(self, text: str, model: str) -> bytes:
        return self.piece({"content": text}, model)

    def end(self, reply: "Reply", model: str) -> bytes:
        if reply.stop != "tool":
            return self.piece({}, model, reply.stop)
        function = {"name": "read", "arguments": "{}"}
        call = {"index": 0, "id": "c1", "type": "function", "function": function}
        return self.piece({"tool_calls": [call]}, model, "tool_calls")

    def usage(self, reply: "Reply", body: Any) -> bytes:
        if reply.usage is None or not (body.get("stream_options") or {}).get("include_usage"):
            return b""
        base = self._base("chat.completion.chunk", body["model"])
        return event({**base, "choices": [], **self._usage(reply)})

    def fault(self, reply: "Reply") -> Any:
        return {"error": {"message": reply.text, "type": "error", "param": reply.param, "code": reply.code}}

    def fault_event(self, reply: "Reply") -> bytes:
        return event({"error": {"message": reply.text, "type": "server_error"}})

    def whole(self, reply: "Reply", model: str) -> Any:
        message = {"role": "assistant", "content": reply.text}
        reason = "tool_calls" if reply.stop == "tool" else reply.stop
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {**self._base("chat.completion", model), "choices": [choice], **self._usage(reply)}

    def _base(self, kind: str, model: str) -> dict[str, Any]:
        return {"id": "scripted", "object": kind, "created": 0, "model": model}

    def _usage(self, reply: "Reply") -> dict[str, Any]:
        if reply.usage is None:
            return {}
        taken, given = reply.usage
        tokens = {"prompt_tokens": taken, "completion_tokens": given, "total_tokens": taken + given}
        return {"usage": tokens}


STOP_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool": "tool_use",
    "content_filter": "refusal",
}
TAKEN = {"model", "max_tokens", "messages", "system", "stream"}  # of what the API takes, what is sent it here


class _Messages:
    cut_piece = b'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "the re'
    end_mark = event({"type": "message_stop"}, "message_stop")

    def refusal(self, request: "Request") -> str:
        body, headers = request.body, request.headers
        if headers.get("anthropic-version") != "2023-06-01":
            return "anthropic-version: header is required"
        if "authorization" in headers:
            return "authorization: is another way of letting in"
        if more := set(body) - TAKEN:
            return f"{', '.join(sorted(more))}: Extra inputs are not permitted"
        if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
            return "max_tokens: Field required"
        if not isinstance(body.get("system", "some"), str) or not body.get("system", "some"):
            return "system: text content blocks must be non-empty"
        if [one["role"] for one in body["messages"]] != ["user"] or not body["messages"][0]["content"]:
            return "messages: the one message is the user's and holds something"
        return ""

    def system(self, body: Any) -> str:
        said: str = body.get("system", "")
        return said

    def begin(self, reply: "Reply", model: str) -> bytes:
        message = self._message([], None, model)
        if reply.usage is not None:
            message["usage"] = self._usage((reply.usage[0], 1))
        block = {"type": "text", "text": ""}
        return (
            event({"type": "message_start", "message": message}, "message_start")
            + event({"type": "content_block_start", "index": 0, "content_block": block}, "content_block_start")
            + event({"type": "ping"}, "ping")
        )

    def piece(self, delta: Any, model: str) -> bytes:
        return event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")

    def text(self, text: str, model: str) -> bytes:
        return self.piece({"type": "text_delta", "text": text}, model)

    def end(self, reply: "Reply", model: str) -> bytes:
        ending = event({"type": "content_block_stop", "index": 0}, "content_block_stop")
        if reply.stop == "tool":
            call = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
            ending += event({"type": "content_block_start", "index": 1, "content_block": call})
            ending += event({"type": "content_block_stop", "index": 1}, "content_block_stop")
        delta = {"stop_reason": STOP_REASONS.get(reply.stop, reply.stop), "stop_sequence": None}
        usage = {"usage": {"output_tokens": reply.usage[1]}} if reply.usage is not None else {}
        return ending + event({"type": "message_delta", "delta": delta, **usage}, "message_delta")

    def usage(self, reply: "Reply", body: Any) -> bytes:
        return b""  # came with the reason

    def fault(self, reply: "Reply") -> Any:
        kind = reply.code or "invalid_request_error"
        return {"type": "error", "error": {"type": kind, "message": reply.text}, "request_id": "req_scripted"}

    def fault_event(self, reply: "Reply") -> bytes:
        return event({"type": "error", "error": {"type": "overloaded_error", "message": reply.text}}, "error")

    def whole(self, reply: "Reply", model: str) -> Any:
        block = {"type": "text", "text": reply.text}
        message = self._message([block], STOP_REASONS.get(reply.stop, reply.stop), model)
        return message | ({"usage": self._usage(reply.usage)} if reply.usage is not None else {})

    def _message(self, content: list[Any], reason: str | None, model: str) -> dict[str, Any]:
        head = {"id": "msg_scripted", "type": "message", "role": "assistant", "model": model}
        return {**head, "content": content, "stop_reason": reason, "stop_sequence": None}

    def _usage(self, usage: tuple[int, int]) -> dict[str, int]:
        taken, given = usage
        cached = {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
        return {"input_tokens": taken, **cached, "output_tokens": given}


CHAT, MESSAGES = _Chat(), _Messages()
DIALECTS: dict[str, Dialect] = {"/v1/chat/completions": CHAT, "/v1/messages": MESSAGES}
