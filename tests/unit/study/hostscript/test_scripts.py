"""The language of scripts: what a line is read as, which lines are none, and what a pattern matches."""

import re
from typing import Any

import pytest

from ctxmgr.study.hostscript import scripts
from ctxmgr.study.hostscript.script_matching import match
from ctxmgr.study.hostscript.script_nodes import Anything, Ref, ScriptFault, evaluate
from ctxmgr.study.hostscript.script_reading import Reader
from ctxmgr.study.hostscript.script_steps import (
    Answered,
    Asked,
    Check,
    Let,
    Raw,
    Repeat,
    Reply,
    Say,
    Send,
    Step,
    Turn,
)
from ctxmgr.study.hostscript.scripts import parse
from ctxmgr.study.spawning.differences import ABSENT

NAMES: dict[str, Any] = {"": {"a": [{"b": 1}, 2, 3], "odd name": 7}, "n": 2, "who": {"name": "Ann"}}


def look(ref: Ref) -> Any:
    found = NAMES[ref.name]
    for step in ref.steps:
        found = found[step]
    return found


def value(text: str) -> Any:
    reader = Reader(text, 1)
    node = reader.value()
    reader.finish()
    return evaluate(node, look)


def arguments(text: str) -> Any:
    reader = Reader(text, 1)
    node = reader.arguments()
    reader.finish()
    return evaluate(node, look)


def only(text: str) -> Any:
    (step,) = parse(text)
    return step


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [1, 2.5, -3e2, true, false, null]}', {"a": [1, 2.5, -300.0, True, False, None]}),
        ('{a: {b_1: "x"}, "c d": []}', {"a": {"b_1": "x"}, "c d": []}),
        ('"ab " * 3', "ab ab ab "),
        ('"${n}x" * $n', "2x2x"),
        ('"Hello ${who.name}, $n and {n}"', "Hello Ann, $n and {n}"),
        ('"${who}"', '{"name": "Ann"}'),
        ('"\\u0024{n} \\\\ \\" \\n"', '${n} \\ " \n'),
        ("$.a[0].b", 1),
        ("$.a[-1]", 3),
        ("$.a[1:]", [2, 3]),
        ("$.a[:-1]", [{"b": 1}, 2]),
        ('$["odd name"]', 7),
        ("[$n, $who.name]", [2, "Ann"]),
        ("  {  }  ", {}),
    ],
)
def test_values(text: str, expected: Any) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("a=1 b=src/x.py c=true", {"a": 1, "b": "src/x.py", "c": True}),
        ('a="two words" b={c: 1} d=[1]', {"a": "two words", "b": {"c": 1}, "d": [1]}),
        ("a=$n b=nullable c=null", {"a": 2, "b": "nullable", "c": None}),
        ("{a: 1}", {"a": 1}),
        ("$who", {"name": "Ann"}),
    ],
)
def test_arguments(text: str, expected: Any) -> None:
    assert arguments(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("...", 1),
        ("{a: 1}", {"a": 1.0}),
        ("{a: 0.0}", {"a": 0}),
        ("{a: 1, ...}", {"a": 1, "b": 2}),
        ("{a: ...}", {"a": None}),
        ("{a: !..., ...}", {"b": 1}),
        ("{a: !5}", {"a": 6}),
        ("{a: !5, ...}", {}),
        ("[...]", []),
        ("[1, ...]", [1, 2, 3]),
        ("[..., 3]", [1, 2, 3]),
        ("[1, ..., 3]", [1, 3]),
        ('[..., 2, ..., {a: ~"x"}, ...]', [1, 2, 2, {"a": "axb"}, 5]),
        ("[..., 2, 3]", [2, 2, 3]),
        ('~"owl"', "the owl flies"),
        ('~"owl"', {"a": [{"b": "an owl"}]}),
        ('!~"owl"', {"a": ["a hawk"]}),
        ("> 1", 2),
        ("<= 2.5", 2.5),
        ("$n", 2),
        ('{a: "${n}"}', {"a": "2"}),
        ('"é"', "é"),
    ],
)
def test_what_matches(text: str, value: Any) -> None:
    assert match(Reader(text, 1).value(pattern=True), value, look) is None


@pytest.mark.parametrize(
    ("text", "value", "path", "expected", "came"),
    [
        ("{a: 1}", {"a": 2}, "$.a", "1", "2"),
        ("{a: 1}", {"a": True}, "$.a", "1", "true"),
        ("{a: 1}", {"a": 1, "b": 2}, "$.b", "nothing", "2"),
        ("{a: {b: ...}}", {"a": {}}, "$.a.b", "a value", "nothing"),
        ('{"c d": 1}', {"c d": 2}, '$["c d"]', "1", "2"),
        ("{a: 1}", [1], "$", "{a: 1}", "[1]"),
        ("[1, 2]", [1], "$[1]", "2", "nothing"),
        ("[1]", [1, 2], "$[1]", "nothing", "2"),
        ("[..., 3]", [3, 4], "$[1]", "3", "4"),
        ("[1, ..., 2]", [1], "$", "2 items or more", "1 items"),
        ("[1, ..., 7, ...]", [1, 2], "$", "[7] from item 1 on", "[2]"),
        ("{a: !...}", {"a": 1}, "$.a", "not a value", "1"),
        ('{a: ~"x"}', {"a": "y"}, "$.a", '~"x"', '"y"'),
        ("{a: > 3}", {"a": 3}, "$.a", "> 3", "3"),
        ("{a: > 3}", {"a": "4"}, "$.a", "> 3", '"4"'),
        ("{a: > 0}", {"a": True}, "$.a", "> 0", "true"),
        ("$who", {"name": "Bob"}, "$.name", '"Ann"', '"Bob"'),
        ("$.a", [{"b": 1}, 2], "$[2]", "3", "nothing"),
    ],
)
def test_where_it_does_not_match(text: str, value: Any, path: str, expected: str, came: str) -> None:
    found = match(Reader(text, 1).value(pattern=True), value, look)
    assert found is not None
    assert (found.path, found.expected, found.came) == (path, expected, came)


def test_nothing_matches_nothing_alone() -> None:
    assert match(Anything(), ABSENT, look) is not None


def test_lines_become_steps() -> None:
    text = """
        # a comment
        > @a getStatus sessionId=t   # with its own
        >> turn_end tokens=5
        < @a {x: 1,
            y: "# no comment", ...}
        < error -32602 {data: ...}
        ?? $/progress
        = error -32000 "no"
        let base = $.base
        check $base !null
        assistant "Hm." call read path=a.py call bash {command: "ls"}
        result error "denied"
        kill
        raw {"id": 1,  # all of it
        repeat 2 as i
            repeat 3
                > getStatus
            end
        end
    """
    steps = parse(text)
    kinds = [Send, Send, Answered, Answered, Asked, Reply, Let, Check, Say, Say, Turn, Raw, Repeat]
    assert [type(step) for step in steps] == kinds
    assert [step.line for step in steps] == [3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    by_line: dict[int, Any] = {step.line: step for step in steps}
    assert (by_line[3].label, by_line[3].method, by_line[3].request) == ("@a", "getStatus", True)
    assert by_line[4].request is False
    assert by_line[5].pattern.members[1][0] == "y"
    assert (by_line[7].failed, by_line[7].code) == (True, -32602)
    assert (by_line[8].method, by_line[8].request) == ("$/progress", False)
    assert (by_line[9].code, by_line[9].value.value) == (-32000, "no")
    assert [name for name, _ in by_line[12].calls] == ["read", "bash"]
    assert by_line[13].failed is True
    assert by_line[15].body == '{"id": 1,  # all of it'
    inner: Step = by_line[16].steps[0]
    assert isinstance(inner, Repeat)
    assert isinstance(inner.steps[0], Send)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("say hello", 1, "no step begins with: say"),
        ("\n> ", 2, "a method is missing"),
        ("> m {a: 1", 1, "a bracket is not closed"),
        ("> m {\n a: 1\n b: 2}", 3, "`,` is missing"),
        ("> m {a: ...}", 1, "for what is expected"),
        ("> m {a: 1, ...}", 1, "for what is expected"),
        ("> m a", 1, "`a` is no `name=value`"),
        ("> m a= b=1", 1, "a value is missing"),
        ("> m a=1x", 1, "`x` is no `name=value`"),
        ("> m {a: owl}", 1, "a value is missing before: owl"),
        ('user "owl', 1, "double quotes"),
        ('user "\\x"', 1, "no JSON string"),
        ("user", 1, "double quotes"),
        ("assistant call", 1, "a tool's name is missing"),
        ("< error 1.5", 1, "a whole number"),
        ("= error", 1, "the code of the error is missing"),
        ("let list = 1", 1, "can not be a name"),
        ("let x 1", 1, "`=` is missing"),
        ("end", 1, "without a `repeat`"),
        ("> a\nrepeat 2\n> b", 2, "without an `end`"),
        ("kill now", 1, "not understood: now"),
        ('user "${a b}"', 1, "not understood"),
    ],
)
def test_what_is_no_line(text: str, line: int, words: str) -> None:
    with pytest.raises(ScriptFault, match=re.escape(words)) as caught:
        parse(text)
    assert caught.value.line == line


def test_the_page_names_every_word() -> None:
    """What the reader knows and the page does not say, nobody finds."""
    page = scripts.__doc__ or ""
    missing = [word for word in [*scripts._SIGNS, *scripts._WORDS, *scripts.RESERVED] if word not in page]
    assert missing == []


def test_a_long_script_is_read_in_linear_time() -> None:
    """Brackets and comments are looked for once a line: 20 000 lines take a fraction of a second."""
    text = "\n".join(f'user "{number}"  # {{' for number in range(10_000)) + "\n> m [" + ("1,\n" * 10_000) + "1]"
    steps = parse(text)
    assert len(steps) == 10_001
    assert isinstance(only("> getStatus"), Send)
