"""What is replaced, shortened or left out of pi's messages, with all else as it came."""

from ctxmgr.formats import pi

# raw message, raw message with its result replaced: everything else is as it was, byte for byte
EDITS = [
    (
        '{"role":"toolResult","toolCallId":"c1","content":[{"type":"text","text":"old"}],"isError":false}',
        '{"role":"toolResult","toolCallId":"c1","content":[{"type":"text","text":"new"}],"isError":false}',
    ),
    (
        '{"details":{"b":1.50,"a":1e3,"n":123456789012345678901234567890,"x":1e999},"content":"old","role":"toolResult"}',
        '{"details":{"b":1.50,"a":1e3,"n":123456789012345678901234567890,"x":1e999},"content":[{"type":"text","text":"new"}],"role":"toolResult"}',
    ),
    (
        '{"s":"\\u00e9\\/\\ud83d\\ude00","content":null,"u":[ 1 ],"role":"toolResult"}',
        '{"s":"\\u00e9\\/\\ud83d\\ude00","content":[{"type":"text","text":"new"}],"u":[ 1 ],"role":"toolResult"}',
    ),
    (
        '{"role":"toolResult","toolCallId":"c1"}',
        '{"role":"toolResult","toolCallId":"c1","content":[{"type":"text","text":"new"}]}',
    ),
]


def test_a_replaced_result_keeps_its_other_fields_byte_for_byte() -> None:
    for raw, expected in EDITS:
        assert pi.set_text(raw.encode(), {0: "new"}).decode() == expected, raw


SPELLED = '{"x":1.50,"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},'
SPELLED += '{"k":1e3,"type":"toolCall","id":"c1","name":"read","arguments":%s,"z":[]}%s],"usage":{"input":1.0}}'
SECOND = ',{"type":"toolCall","id":"c2","name":"ls","arguments":{"b":1,"a":2}}'


def test_arguments_are_put_anew_and_all_else_stays() -> None:
    raw = (SPELLED % ('{"path":"x"}', SECOND)).encode()
    assert pi.set_arguments(raw, {1: {"path": "y"}}).decode() == SPELLED % ('{"path":"y"}', SECOND)
    found = pi.view(pi.set_arguments(raw, {1: {"n": 1}, 2: {}})).blocks
    assert [block.arguments for block in found] == [None, {"n": 1}, {}]
    assert pi.set_arguments(raw, {}) == raw


def test_blocks_leave() -> None:
    raw = (SPELLED % ('{"path":"x"}', SECOND)).encode()
    left = pi.drop(raw, frozenset({2}))
    assert left is not None
    assert left.decode() == SPELLED % ('{"path":"x"}', "")
    assert pi.drop(raw, frozenset({0, 1, 2})) is None
