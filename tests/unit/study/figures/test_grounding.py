"""Edit grounding: which lines an edit replaces, and which of them can be seen."""

import json

from ctxmgr.closed_loop.references import replaced
from ctxmgr.study.figures.grounding import grounding
from ctxmgr.study.observations import Ratio
from tests.notation import a, call, r, think, u
from tests.unit.study.sighted import changed, known, newest, packed, sights, whole

PATCH = (
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@ def one():\n     kept line\n-    old line\n"
    "+    new line\n }\n*** Add File: c.py\n+brand new\n*** Update File: d.py\n@@\n-other old\n"
    "*** End Patch\n not in it"
)


def test_the_lines_that_a_call_replaces() -> None:
    for arguments, lines in (
        ({"path": "x", "oldText": "one()\n\n  two()  \n}\n    }\none()", "newText": "three"}, ("one()", "  two()")),
        ({"old_string": "alpha", "replace_all": True}, ("alpha",)),
        ({"command": "str_replace", "old_str": "alpha\r\nbeta"}, ("alpha", "beta")),
        ({"edits": [{"oldText": "alpha"}, {"oldText": "beta"}, {"newText": "gamma"}]}, ("alpha", "beta")),
        ({"edits": [{"oldString": "alpha"}], "oldText": None}, ("alpha",)),
        ({"input": PATCH}, ("    kept line", "    old line", "other old")),
        ({"input": f"const p = {json.dumps(PATCH)};\napply(p)"}, ("    kept line", "    old line", "other old")),
        ({"command": ["apply_patch", PATCH]}, ("    kept line", "    old line", "other old")),
        ({"input": '"*** Begin Patch\\x"'}, ()),
        ({"path": "x", "content": "-whole file"}, ()),
        ({"diff": "--- a/x\n+++ b/x\n-gone\n"}, ()),
        (None, ()),
    ):
        assert replaced(arguments) == lines, arguments


READ = r("  1: def one():\n  2:     return 1\n")
TALK = (
    u("change it"),
    a(call("read", path="a.py")),
    READ,
    a(call("edit", oldText="def one():\n    return 1\nnever seen", newText="x")),
)


def test_what_is_held_of_two_lines() -> None:
    for case, show, held in (
        ("all is there", whole, 2),
        ("nothing", newest(0), 0),
        ("a packet does not count", newest(0, packed("def one():\n    return 1")), 0),
        ("shortened", lambda items: changed(2, *TALK[:2], r("1: def one():"))(whole(items)), 1),
    ):
        assert grounding(sights(*TALK, show=show), known())[-1] == Ratio(held, 2), case


def test_lines_stand_in_results_arguments_and_what_was_said_but_not_in_thinking() -> None:
    edit = a(call("edit", oldText="line one\nline two\nline three\nline four"))
    talk = (
        u("here: line one"),
        a(call("write", content="line two\n"), think("line four")),
        r("x\nline three"),
        edit,
    )
    assert grounding(sights(*talk), known())[-1] == Ratio(3, 3)


def test_an_edit_of_nothing_that_was_seen_is_not_asked_for() -> None:
    talk = (u("go"), a(call("edit", oldText="never seen")))
    assert grounding(sights(*talk), known()) == (Ratio(),)


def test_a_line_counts_once_a_call() -> None:
    both = [call("edit", oldText="line one\nline two"), call("edit", oldText="line two\nline three")]
    talk = (u("line one\nline two"), a("ok"), u("line three"), a(*both))
    assert grounding(sights(*talk, show=newest(1)), known())[-1] == Ratio(1, 3)
    assert grounding(sights(*talk, show=newest(3)), known())[-1] == Ratio(3, 3)
