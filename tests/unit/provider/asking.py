"""Lists as each API has them, and what an answer says."""

from typing import Any

Json = dict[str, Any]
PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}}
MODEL = {"model": "m", "max_tokens": 99}
GEMINI = "/v1beta/models/gemini-3-pro:generateContent"


def body(path: str, *messages: Json, **more: Any) -> Json:
    """A list and its one tool, as each API has them."""
    match path:
        case "/v1/messages":
            tool, name = {"name": "bash", "input_schema": PARAMETERS}, "messages"
        case "/v1/chat/completions":
            tool, name = {"type": "function", "function": {"name": "bash", "parameters": PARAMETERS}}, "messages"
        case _ if ":" in path:
            contents = [{"role": one["role"], "parts": [{"text": one["content"]}]} for one in messages]
            tool = {"functionDeclarations": [{"name": "bash", "parametersJsonSchema": PARAMETERS}]}
            return {"contents": contents, "tools": [tool], **more}
        case _:
            tool, name = {"type": "function", "name": "bash", "parameters": PARAMETERS}, "input"
            more = {"include": ["reasoning.encrypted_content"], **more}
    return {**MODEL, name: list(messages), "tools": [tool], **more}


def go_on(path: str, asked: Json, answer: Json) -> Json:
    """The list with the answer and the results of its calls."""
    match path:
        case "/v1/messages":
            ids = [one["id"] for one in answer["content"] if one["type"] == "tool_use"]
            results = [{"type": "tool_result", "tool_use_id": id, "content": f"of {id}"} for id in ids]
            more = [{"role": "assistant", "content": answer["content"]}, {"role": "user", "content": results}]
        case "/v1/chat/completions":
            message = answer["choices"][0]["message"]
            ids = [one["id"] for one in message["tool_calls"]]
            more = [message, *({"role": "tool", "tool_call_id": id, "content": f"of {id}"} for id in ids)]
        case _ if ":" in path:
            content = answer["candidates"][0]["content"]
            calls = [one["functionCall"] for one in content["parts"] if "functionCall" in one]
            given = [{**call, "response": {"output": f"of {at}"}} for at, call in enumerate(calls)]
            parts = [{"functionResponse": {k: v for k, v in one.items() if k != "args"}} for one in given]
            return {**asked, "contents": [*asked["contents"], content, {"role": "user", "parts": parts}]}
        case _:
            ids = [one["call_id"] for one in answer["output"] if one["type"] == "function_call"]
            results = [{"type": "function_call_output", "call_id": id, "output": f"of {id}"} for id in ids]
            more = [*answer["output"], *results]
    name = "input" if "input" in asked else "messages"
    return {**asked, name: [*asked[name], *more]}


def texts(value: Any) -> list[str]:
    """Every text in an answer."""
    if isinstance(value, dict):
        own = [value[name] for name in ("text", "content") if isinstance(value.get(name), str)]
        return own + [text for one in value.values() for text in texts(one)]
    return [text for one in value for text in texts(one)] if isinstance(value, list) else []
