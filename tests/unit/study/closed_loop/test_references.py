"""What a reply acts on."""

from ctxmgr.closed_loop import Reference
from ctxmgr.study.closed_loop.uses import Occurrences, acted_on
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


def test_a_reply_acts_on() -> None:
    for case, said, expected in ACTED_ON:
        assert acted_on(sights(u("go"), *said), known())[-1] == expected, case


HOLDS: list[tuple[str, Said, frozenset[Reference]]] = [
    ("a line behind its number", r("12: x = one  # first", "c"), frozenset({line("x = one")})),
    ("a name as part of a longer one", u("self.max_tokens_all"), frozenset({name("max_tokens")})),
    ("a path at the end of a longer one", u("/src/one.py"), frozenset({name("one.py")})),
    ("the string of an argument", a(call("read", path="one.py")), frozenset({name("one.py")})),
    ("thinking: it is not sent again", a(think("max_tokens in one.py")), frozenset()),
    ("a name that is spelled otherwise", u("Max_Tokens one_py"), frozenset()),
]


def test_a_message_holds_what_stands_in_it_verbatim() -> None:
    of = Occurrences([line("x = one"), name("max_tokens"), name("one.py")], known())
    for case, said, expected in HOLDS:
        assert of.within(raws(said)[0]) == expected, case


def test_the_same_text_as_a_line_and_as_a_name_is_held_as_both() -> None:
    both = [line("max_tokens"), name("max_tokens")]
    assert Occurrences(both, known()).within(raws(u("max_tokens"))[0]) == frozenset(both)
