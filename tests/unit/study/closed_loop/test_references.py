"""What a reply acts on."""

import pytest

from ctxmgr.study.closed_loop.references import Occurrences, Reference, acted_on
from tests.notation import Said, a, call, r, raws, think, u
from tests.unit.study.sighted import known, sights

READ = call("read", path="src/one.py")


def line(text: str) -> Reference:
    return Reference(False, text)


def name(text: str) -> Reference:
    return Reference(True, text)


ACTED_ON: list[tuple[str, tuple[Said, ...], tuple[Reference, ...]]] = [
    ("a path in an argument", (a(READ),), (name("src/one.py"),)),
    ("names in the text or the thinking alone", (a(think("src/two.py"), "max_tokens"),), ()),
    (
        "lines in the order of the edit, then names, sorted",
        (a(call("edit", path="z_last.py", oldText="beta = 1\nalpha = a_name\nbeta = 1")),),
        (line("beta = 1"), line("alpha = a_name"), name("a_name"), name("z_last.py")),
    ),
    ("a line of two letters", (a(call("edit", oldText="  a = b;;;")),), ()),
    ("a call that repeats an earlier one", (a(READ), r("text"), a(READ)), ()),
    (
        "the same tool with another argument",
        (a(READ), r("text"), a(call("read", path="two.py"))),
        (name("two.py"),),
    ),
    ("each once, though two calls have it", (a(READ, call("write", path="src/one.py")),), (name("src/one.py"),)),
]


@pytest.mark.parametrize(("case", "said", "expected"), ACTED_ON, ids=[case for case, _, _ in ACTED_ON])
def test_a_reply_acts_on(case: str, said: tuple[Said, ...], expected: tuple[Reference, ...]) -> None:
    assert acted_on(sights(u("go"), *said), known())[-1] == expected


def test_a_message_has_a_line_verbatim_and_a_name_as_a_name() -> None:
    of = Occurrences([line("x = one"), name("max_tokens"), name("one.py")], known())
    (numbered, longer, thought, called) = raws(
        r("12: x = one  # first", "c"),
        u("max_tokens_all one.pyc"),
        a(think("max_tokens")),
        a(call("read", path="one.py")),
    )
    assert of.within(numbered) == {line("x = one")}
    assert of.within(longer) == frozenset()
    assert of.within(thought) == {name("max_tokens")}
    assert of.within(called) == {name("one.py")}
