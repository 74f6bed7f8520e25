"""What a reply acts on."""

from ctxmgr.closed_loop.references import EarlierCalls, Reference
from ctxmgr.formats import pi
from ctxmgr.session.reading import Reader
from tests.notation import Said, a, call, r, raws, think, u, words

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
        *before, reply = Reader(pi, words).read(raws(u("go"), *said))
        earlier = EarlierCalls()
        earlier.add(before)
        assert earlier.acted_on([reply]) == expected, case
