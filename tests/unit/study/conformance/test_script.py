"""Reading a script: which lines are steps, and each line that is none."""

import json

import pytest

from ctxmgr.study.conformance import FORMAT
from ctxmgr.study.conformance.script import FORMS, MODES, TYPES, ScriptError, parse
from tests.unit.study.conformance.scripts import answer, ask, asked, error, exits, note, process, script

REF, CAPTURE = {"$ref": "a"}, {"$capture": "a"}


def test_lines_become_steps() -> None:
    steps = parse(
        script(
            {"comment": "passed over"},
            ask(1, "getStatus"),
            answer(1, {"zone": CAPTURE}),
            note("turn_end", zone=REF),
            asked(CAPTURE, "complete", {}),
            {"from": "ctxmgr", "message": {"method": "$/progress"}},
            {"from": "host", "broken": "{"},
            {"from": "ctxmgr", "weigher": "o200k_base"},
            error("x", {"code": 1}),
            process("close"),
            exits(0),
            process("kill"),
        )
    ).steps
    kinds = "send expect send expect expect send expect close exit kill"
    assert [step.kind for step in steps] == kinds.split()
    assert [step.number for step in steps] == [3, 4, 5, 6, 7, 8, 10, 11, 12, 13]
    keys = [step.key for step in steps if step.key]
    assert keys == ["answer to id 1", "request `complete`", "notification `$/progress`", 'answer to id "x"']


def test_a_line_without_placeholders_is_sent_byte_for_byte() -> None:
    body = b'{"id": 1.0, "method" : "\\u0061",  "params": {}}'
    (step,) = parse(script() + b'{"from":"host","message":' + body + b"}\n").steps
    assert (step.body, step.pattern) == (body, None)
    (step,) = parse(script(ask(1, "m", a={"$literal": {"$odd": 1}}, b={"$ref": "stateDir"}))).steps
    assert step.pattern is not None


def test_without_match_in_the_header_nothing_is_a_placeholder() -> None:
    read = parse(script(ask(1, "m", a={"$odd": 1}), answer(1, {"$ref": "#/x"}), exits({"$odd": 1}), match=None))
    assert read.mode == "literal"
    assert [step.pattern for step in read.steps if step.kind == "send"] == [None]


WRONG: list[tuple[bytes, str]] = [
    (b"", "line 1 is not the header of a transcript"),
    (b'{"comment":"x"}\n', "line 1 is not the header of a transcript"),
    (script(match="some"), 'line 1: `match` is subset or exact, not "some"'),
    (script() + b"> initialize\n", "line 2 is no line of a transcript"),
    (script({"from": "host", "proces": "kill"}), "line 2: not a line of a script"),
    (script(process("stop")), "line 2: not a line of a script"),
    (script(process(["kill"])), "line 2: not a line of a script"),  # type: ignore[arg-type]
    (script({"from": "ctxmgr", "process": "kill"}), "line 2: not a line of a script"),
    (script({"from": "host", "exit": 0}), "line 2: not a line of a script"),
    (script({"from": "host", "weigher": "x"}), "line 2: not a line of a script"),
    (script({"from": "ctxmgr", "broken": "{"}), "line 2: not a line of a script"),
    (script({"from": "ctxmgr", "message": [1]}), "line 2: a message of ctxmgr is an object"),
    (script() + b'{"from":"host","message":{"a":"\xff"}}', "line 2: it cannot be read"),
    (script() + b'{"from":"host","message":' + b"[" * 900 + b"]" * 900 + b"}", "line 2: it cannot be read"),
    (script(asked(1, {"$any": True}, {})), "the method, or the id of an answer, must be given"),  # type: ignore[arg-type]
    (script(answer({"$any": True}, 1)), "the method, or the id of an answer, must be given"),
    (script(answer(1, {"a b": {"$odd": 1}})), 'line 2, $.result["a b"]: `$odd` is not a placeholder'),
    (script(answer(1, [{"$any": True, "a": 1}])), "line 2, $.result[0]: `a` is not a placeholder"),
    (script(answer(1, {"$any": False})), "`$any` takes true, not false"),
    (script(answer(1, {"$type": ["null"]})), "`$type` takes one of string, number,"),
    (script(answer(1, {"$contains": 1})), "`$contains` takes a text, not 1"),
    (script(answer(1, {"$gt": "1"})), '`$gt` takes a number, not "1"'),
    (script(answer(1, {"$capture": "a b"})), '`$capture` takes a name, not "a b"'),
    (script(answer(1, {"$rest": True})), "`$rest` is for items of an array"),
    (script(answer(1, [{"$rest": True, "$capture": "a"}])), "`$rest` must be the only member"),
    (script(answer(1, {"a": {"$absent": True, "$gt": 1}})), "`$absent` must be the only member"),
    (script(answer(1, {"$not": {"a": CAPTURE}})), "$.result.a: what must not match cannot be captured"),
    (script(answer(1, {"$capture": "stateDir"})), "the name of this run's state directory"),
    (script(answer(1, {"$exact": REF})), "line 2, $.result: no earlier line captures `a`"),
    (script(ask(1, "m", x=REF)), "line 2, $.params.x: no earlier line captures `a`"),
    (script(ask(1, "m", x=[{"$any": True}])), "$.params.x[0]: `$any` can only be in what is expected"),
    (script(ask(1, "m", x={"$literal": 1, "$ref": "stateDir"})), "$.params.x: `$literal` must be the only member"),
    (script(exits({"$odd": 1})), "line 2, $: `$odd` is not a placeholder"),
]


def test_what_is_no_script() -> None:
    for content, words in WRONG:
        with pytest.raises(ScriptError) as caught:
            parse(content)
        assert words in str(caught.value)


def test_the_page_names_every_word_and_its_example_is_a_script() -> None:
    """What the reader takes and the page does not name, nobody finds."""
    assert [word for word in [*FORMS, *TYPES, *MODES, "kill", "close"] if word not in FORMAT] == []
    lines = [line for line in FORMAT.splitlines() if line.startswith("    {")][:4]
    assert [json.loads(line) for line in lines]
    assert len(parse("\n".join(lines).encode()).steps) == 2
