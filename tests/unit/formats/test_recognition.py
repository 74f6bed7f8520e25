"""Which format messages are in: told from what one format alone writes, and from nothing else."""

import json
from typing import Any

import msgspec
import pytest

from ctxmgr.formats import FORMATS, auto, format_of, recognition, table
from ctxmgr.formats.message_format import MarkedBlock, MarkedMessage
from ctxmgr.formats.recognition import recognised
from ctxmgr.model import InvalidParams
from tests.notation import a, call, r, think, u, written
from tests.translation import TO, plain

Json = dict[str, Any]
# what each format alone writes
MARKED: dict[str, list[Json]] = {
    "pi": [
        {"role": "toolResult", "toolCallId": "c1", "content": []},
        {"role": "assistant", "content": [{"type": "toolCall", "id": "c1", "name": "read", "arguments": {}}]},
        {"role": "assistant", "content": "done", "stopReason": "stop"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "thinkingSignature": "s"}]},
        {"role": "custom", "customType": "note", "content": "x"},
        {"role": "bashExecution", "command": "ls", "output": ""},
        {"role": "compactionSummary", "summary": "x"},
        {"role": "user", "content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
    ],
    "openai": [
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "read"}}]},
        {"role": "assistant", "content": None, "function_call": {"name": "read", "arguments": "{}"}},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": "x", "reasoning_content": "hm"},
        {"role": "user", "name": "compactionSummary", "content": "x"},
        {"choices": [{"message": {"role": "assistant", "content": "x"}}]},
    ],
    "anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "s"}]},
        {"role": "assistant", "content": [{"type": "compaction", "content": "x"}]},
        {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": "AA=="}}]},
        {"role": "assistant", "content": "x", "stop_reason": "end_turn"},
    ],
    "responses": [
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
        {"type": "reasoning", "summary": [], "encrypted_content": "s"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
        {"type": "compaction", "encrypted_content": "s"},
        {"object": "response", "output": []},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "x"}]},
        {"parts": [{"text": "x"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
        {"role": "model"},
        {"candidates": [{"content": {"role": "model", "parts": []}}]},
    ],
}
# what is legal in several
UNMARKED: list[Json] = [
    {"role": "user", "content": "Fix it."},
    {"role": "user", "content": "Fix it.", "timestamp": 1},
    {"role": "user", "content": [{"type": "text", "text": "Fix it.", "cache_control": {"type": "ephemeral"}}]},
    {"role": "assistant", "content": "Done."},
    {"role": "assistant", "content": "Done.", "tool_calls": None, "function_call": None, "refusal": None},
    {"role": "assistant", "content": "Done.", "tool_calls": []},
    {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
    {"role": "system", "content": "Be brief."},
    {"role": "hologram", "content": [{"type": "hologram"}, "odd", None, 1]},
    {},
]


def raw(message: Any) -> bytes:
    return json.dumps(message).encode()


def test_one_message_with_a_mark_tells_its_format() -> None:
    for name, message in [(marked, said) for marked in MARKED for said in MARKED[marked]]:
        assert recognised([raw(message)]) == (name,), name
        assert recognised([raw(one) for one in UNMARKED] + [raw(message)]) == (name,), name


def test_what_several_formats_can_say_tells_none() -> None:
    for message in (*UNMARKED, None, [], 3, "text", [None]):
        assert recognised([raw(message)]) == (), message


def test_what_can_not_be_read_tells_none() -> None:
    for broken in (b"", b"{", b"\xff", b"[", b'{"role":', b"[" * 100_000):
        assert recognised([broken]) == (), broken


def test_one_conversation_is_told_apart_in_all_formats() -> None:
    for name in FORMATS:
        said = written(u("Read it."), a(think("hm"), call("read", path="a.py")), r("x = 1"), a("Done."))
        listed = said if name == "pi" else TO[name](plain(said))
        raws = [raw(one) for one in listed]
        assert recognised(raws) == (name,), name
        for other in FORMATS:
            assert recognised(raws, other) == (name,), name


def test_a_developers_message_is_of_two_formats() -> None:
    raws = [raw({"role": "developer", "content": "Be brief."}), *map(raw, UNMARKED)]
    assert recognised(raws) == ("openai", "responses")
    assert recognised(raws, "responses") == ("responses",)
    assert recognised([*raws, raw(MARKED["responses"][0])]) == ("responses",)


def test_one_mark_of_the_named_format_is_enough() -> None:
    raws = [raw(one) for one in (*MARKED["openai"], MARKED["pi"][0])]
    assert recognised(raws, "pi") == ("pi",)
    assert recognised(raws, "anthropic") == ("openai",)
    assert recognised(raws) == ("openai",)


def test_the_named_format_is_asked_alone_and_a_list_goes_on_where_no_other_can_be_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a process without a file descriptor left."""

    def load(name: str) -> Any:
        if name != "pi":
            raise OSError(24, "Too many open files")
        return real(name)

    real = table.load
    monkeypatch.setattr(table, "load", load)
    pi = real("pi")
    marked = json.dumps({"role": "toolResult", "toolCallId": "c1", "content": []}).encode()
    assert recognition.settled(pi, [marked], "$.messages") is pi
    strange = json.dumps({"role": "system", "content": "be kind"}).encode()
    assert recognition.settled(pi, [strange], "$.messages") is None


def test_a_format_and_its_name() -> None:
    assert [format_of(form.name, "$") for form in (*FORMATS.values(), auto)] == [*FORMATS.values(), auto]
    with pytest.raises(
        InvalidParams, match="`nope` is not one of `pi`, `openai`, `anthropic`, `responses`, `gemini`, `auto`"
    ):
        format_of("nope", "$")


def test_every_format_of_a_provider_has_an_api_in_the_proxy() -> None:
    from ctxmgr.proxy.apis import APIS
    from ctxmgr.settings.keys import APIS as UPSTREAMS

    assert {name: api.format for name, api in APIS.items()} == {name: name for name in UPSTREAMS}
    assert set(APIS) == set(FORMATS) - {"pi"}


@pytest.mark.parametrize("name", FORMATS)
def test_a_users_text_alone_marks_no_format(name: str) -> None:
    """So none is asked, nor loaded, for a session that begins with one."""
    fmt = FORMATS[name]
    assert not fmt.marks_message(MarkedMessage("user", content=msgspec.Raw(b'"x"')))
    assert not fmt.marks_block(MarkedBlock("text"))
    assert ("user" in fmt.own_roles, "text" in fmt.own_blocks) == (False, False)
