"""What a decision remembers of its edit: small, and the text again, whatever it is."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting.cutting import arguments_of, as_written, text_of
from ctxmgr.engine.rewriting.rewrite import distill
from ctxmgr.model import Call
from ctxmgr.model.projection import BlockEdit, Decision

LOG = "\n".join(f"{number:04} the quick brown fox jumps over the lazy dog" for number in range(400))
LINES = st.lists(
    st.sampled_from(["", "x", "a line of more than thirty-two characters", "…", "a\r", "\x0b"]), max_size=8
)
TEXTS = LINES.map("\n".join)


def remembered(text: str, original: str) -> Decision:
    edit = BlockEdit(0, 0, "distilled", text, "k", 100, 7)
    return as_written(Decision("distilled", 40), edit, original)


@given(TEXTS, TEXTS)
def test_the_text_comes_back(text: str, original: str) -> None:
    assert text_of(remembered(text, original).written, original) == text


def test_lines_of_the_original_are_remembered_by_their_places() -> None:
    for limit in (400, 2_000, 8_000):
        text = distill(LOG, limit, Call("bash", {"command": "make"}), 9_000)
        decision = remembered(text, LOG)
        assert text_of(decision.written, LOG) == text, limit
        assert len(msgspec.json.encode(decision.written)) < 260, "however long the text is"


def test_arguments_are_remembered_in_their_order() -> None:
    """A snapshot sorts what it holds."""
    edit = BlockEdit(0, 0, "shortened", "", "k", 100, 7, {"path": "a.py", "content": "…"})
    decision = as_written(Decision("shortened"), edit, LOG)
    assert (decision.kind, decision.weight) == ("shortened", 7)
    on_disk = msgspec.json.Encoder(order="deterministic").encode(decision)
    found = arguments_of(msgspec.json.decode(on_disk, type=Decision).written)
    assert list(found.items()) == [("path", "a.py"), ("content", "…")]
