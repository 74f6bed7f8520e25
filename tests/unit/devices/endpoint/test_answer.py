"""An answer by itself: pieces in any cut and any shape, and what is made of them."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.endpoint.apis import CHARACTERS_A_TOKEN, CHAT_ENDS, SPARE_CHARACTERS, ChatAnswer, sound
from ctxmgr.devices.endpoint.client import EventStream
from ctxmgr.model.compaction import Completion, CompletionUsage

LIMIT = 100 * CHARACTERS_A_TOKEN + SPARE_CHARACTERS


def piece(text: Any, finish: str | None = None, index: int = 0) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": {"content": text}, "finish_reason": finish}]}


def made_of(*pieces: Any) -> Completion:
    answer = ChatAnswer(100)
    for one in pieces:
        if not answer.take(one):
            break
    return answer.completion()


def failed(fault: str) -> Completion:
    return Completion(stop="error", fault=fault)


TABLE: list[tuple[str, list[Any], Completion]] = [
    ("text and a reason", [piece("a"), piece("b", "stop")], Completion("ab")),
    ("pings alone", [{}, {"choices": []}], failed("what came is no answer of this API")),
    ("text and no reason", [piece("a")], failed("the answer ended without a finish reason")),
    ("another choice", [piece("x", "length", 1), piece("a", "stop")], Completion("a")),
    (
        "usage alone, later",
        [piece("a", "stop"), {"usage": {"prompt_tokens": 3}}],
        Completion("a", usage=CompletionUsage(3, 0)),
    ),
    ("usage in another form", [piece("a", "stop"), {"usage": {"prompt_tokens": "3"}}], Completion("a")),
    (
        "the older call",
        [{"choices": [{"delta": {"function_call": {}}}]}, piece("", "function_call")],
        Completion("", "toolUse"),
    ),
    (
        "an error as text",
        [piece("a", "stop"), {"error": "overloaded"}],
        failed("the server reported an error in the middle of its answer"),
    ),
    ("parts of content", [piece([{"type": "thinking"}, {"type": "text", "text": "a"}], "stop")], Completion("a")),
    ("withheld", [piece("a", "content_filter")], failed("a content filter withheld the answer")),
    ("refused", [{"choices": [{"delta": {"refusal": "No."}}]}], failed("the model refused to answer")),
    ("past the bound", [piece("x" * LIMIT), piece("yz"), piece("", "stop")], Completion("x" * LIMIT, "length")),
]


def test_what_is_made_of_pieces() -> None:
    for title, pieces, done in TABLE:
        assert made_of(*pieces) == done, title


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=60), st.data())
def test_an_answer_is_the_same_however_it_is_cut_into_pieces(text: str, data: st.DataObject) -> None:
    answer, at = ChatAnswer(100), 0
    while at < len(text):
        end = data.draw(st.integers(at + 1, len(text)))
        assert answer.take({"choices": [{"delta": {"content": text[at:end]}}]})
        at = end
    assert answer.take({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    done = answer.completion()
    assert done == Completion(sound(text), "stop")
    assert done.text.encode().decode() == done.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PIECE = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(
            st.fixed_dictionaries(
                {}, optional={"delta": JSON, "message": JSON, "index": JSON, "finish_reason": JSON}
            ),
            max_size=2,
        )
        | JSON,
        "usage": JSON | st.fixed_dictionaries({"prompt_tokens": JSON, "completion_tokens": JSON}),
        "error": JSON,
    },
)


@given(st.lists(JSON | PIECE, max_size=5))
def test_no_piece_does_harm(pieces: list[Any]) -> None:
    """Whatever JSON comes: taken, or refused as garbage; and never a success without a known finish reason."""
    answer, reasons = ChatAnswer(100), set()
    for piece in pieces:
        try:
            answer.take(piece)
        except msgspec.MsgspecError:
            continue
        reasons |= {choice.get("finish_reason") for choice in piece.get("choices") or ()}
    done = answer.completion()
    assert done.stop == "error" or reasons & set(CHAT_ENDS)


STREAMS: list[tuple[str, bytes, list[bytes]]] = [
    ("all three", b"data: a\r\n\ndata: b\r\rdata: c\n\r\n", [b"a", b"b", b"c"]),
    ("CR LF is one end, LF CR two", b"data: a\n\rdata: b\n\r", [b"a", b"b"]),
    ("CR LF between lines", b"data: a\r\ndata: b\r\n\r\n", [b"a\nb"]),
    ("lines of data are joined", b"data: a\ndata: b\ndata\ndata: c\n\n", [b"a\nb\n\nc"]),
    ("one blank is dropped", b"data:  a \n\ndata:b\n\n", [b" a ", b"b"]),
    ("colons in the value", b'data: {"a": 1}\n\n', [b'{"a": 1}']),
    ("empty data is data", b"data\n\ndata:\n\n", [b"", b""]),
    ("comments", b": hm\n\n:\ndata: a\n:data: b\n\n", [b"a"]),
    ("other fields", b"event: ping\nid: 1\nretry: 10\nother: x\n\ndata: a\nevent: b\n\n", [b"a"]),
    ("names are exact", b"Data: a\ndatas: b\n data: c\ndata : d\n\n", []),
    ("a byte order mark", b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
    ("the last event is not ended", b"data: a\n\ndata: b\n", [b"a"]),
    ("characters of several bytes", "data: é😀\n\n".encode(), ["é😀".encode()]),
    ("bytes that are no characters", b"data: \xff\x00\n\n", [b"\xff\x00"]),
]


def read(*pieces: bytes) -> list[bytes]:
    stream = EventStream()
    return [event for piece in pieces for event in stream.feed(piece)]


def test_the_standard_is_kept() -> None:
    for title, came, events in STREAMS:
        assert read(came) == events, title
        assert read(*(came[place : place + 1] for place in range(len(came)))) == events, title


def test_an_event_does_not_wait_for_what_may_follow_a_return() -> None:
    stream = EventStream()
    assert stream.feed(b"data: a\r\r") == [b"a"]
    assert stream.feed(b"") == []
    assert stream.feed(b"\ndata: b\r\n\r") == [b"b"]
    assert stream.feed(b"\n\n") == []
