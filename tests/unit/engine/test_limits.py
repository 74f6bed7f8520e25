"""What is as long, as many or as large as a limit says is taken whole; one more is not. The numbers stand here once
more, on purpose: a test that reads a limit from where it stands holds nothing about it."""

from collections.abc import Callable
from typing import Any

from ctxmgr.engine.arrival import counts
from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.instructions.copies import copied
from ctxmgr.engine.memory.markdown import heading
from ctxmgr.engine.memory.wording import code, command_line, key_of, one_line
from ctxmgr.engine.pressure import meter, overflowed
from ctxmgr.engine.protection import returned_positions
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.rewriting.rewrite import shorten
from ctxmgr.engine.tools import dialogue, plans, tasks
from ctxmgr.engine.tools.arguments import CallArguments
from ctxmgr.engine.tools.names import role_of
from ctxmgr.model import Call, Media, Usage
from ctxmgr.model.messages import Block, View
from ctxmgr.model.saved import Meter
from tests.notation import a, call, indexed, r, talk, u
from tests.unit.engine.memory.packets import known, packet, part


def media(size_bytes: int, width: int = 0, pages: int = 1) -> str:
    return marker.media(Media("image", size_bytes, width, 2 * width, pages))


def distilled(size: int) -> bool:
    return marker.is_marker(f"[output distilled — ~9 tokens | x]\n{'a' * size}")


def argument(size: int) -> str:
    return marker.call(Call("read", {"path": "a" * size})).removeprefix('read path="').rstrip('"')


def parts_of(count: int) -> int:
    return len(CallArguments({"edits": [{}] * count}).parts)


def texts_by_file(count: int) -> int:
    return len(CallArguments({"paths": {str(number): "" for number in range(count)}}).parts)


def line_of(value: Any) -> int | None:
    return CallArguments({"line": value}).number("line")


def answered(before: int) -> int:
    """Answers in a result that has so many characters before the first question."""
    return len(dialogue.user_answers({"question": "Why?"}, f'{"x" * before}"Why?"="So"'))


def asked(count: int) -> int:
    questions = [{"question": f"{number}?"} for number in range(count)]
    return len(dialogue.user_answers({"questions": questions}, ", ".join(f'"{n}?"="So"' for n in range(count))))


def in_json(size: int) -> int:
    return len(dialogue.user_answers({"question": "Why?"}, '{"answers": {"0": "' + "a" * (size - 22) + '"}}'))


def plan(title: int) -> int:
    found = plans.plan_answer({"plan": "a" * title}, "Plan approved.")
    assert found is not None
    return len(found.title)


def is_argument_shortened(size: int) -> bool:
    return shorten(Call("write", {"content": "a b " * (size // 4)})) is not None


def is_saved_enough(other: int) -> bool:
    """Beside a text that loses 291 of 801 characters so many others stay."""
    return shorten(Call("lookup", {"a": "x" * 801, "b": "y" * other})) is not None


def listed(names: int, length: int = 5) -> str:
    text = "".join(f"{'d' * length}{number:02}/a.py\n" * 2 for number in range(names))
    return counts(text)(0, len(text))


def success(output: int, stop: str, sent: int, said: str = "") -> bool:
    usage = Usage(input_tokens=sent, cache_read_tokens=10, cache_write_tokens=5, output_tokens=output)
    return overflowed(View("assistant", (Block("text", text=said),), stop=stop), usage, 1_000)


def learned(step: int, counted: int) -> float:
    one = meter.observe(Meter(), "claude", 10_000, 8_000, 200_000)
    return meter.ratio(meter.observe(one, "claude", 10_000 + counted, 8_000 + step, 200_000), "claude")


def returned(epoch: int, size: int = 8) -> list[int]:
    """Of a handle that came back in epoch 1 in an argument of so many characters."""
    said = [u("go"), a(call("retrieve", handle="k3f7a2bq" + " " * (size - 8))), r("text")]
    return sorted(returned_positions(indexed(talk(*said)), {"k3f7a2bq": 1}, epoch))


def told_of_a_skill(size: int) -> int:
    said = [u("go"), a(call("Skill", skill="pdf")), r("x" * size)]
    return len(copied(indexed(talk(*said)), BlockRef(2, 0)).text)


def files_in_lines(count: int) -> list[int]:
    said = [one for number in range(count) for one in (a(call("write", path=f"f{number}", content="c")), r("ok"))]
    return [line.count("`, `") + 1 for line in part(packet(u("go"), *said, budget=9_000), "State")]


def facts_told(size: int) -> dict[str, int]:
    return {fact.kind: len(fact.text) for fact in known(u("g" * size))}


def answer_told(question: int, answer: int) -> list[tuple[int, int]]:
    asked, reply = "Q" * (question - 1) + "?", "a" * answer
    said = [a(call("AskUserQuestion", question=asked)), r(f'x: "{asked}"="{reply}". You can now continue')]
    facts = known(u("go"), *said)
    return [(len(fact.text), len(fact.detail)) for fact in facts if fact.kind == "question"]


Limit = tuple[str, Callable[..., Any], list[tuple[Any, Any]]]

# what is limited, a function, and what it gives for what is within the limit, and for what is not
LIMITS: list[Limit] = [
    ("a heading", lambda size: heading("# " + "a" * (size - 2)) is not None, [(200, True), (201, False)]),
    ("a key", lambda size: len(key_of("a" * size)), [(120, 120), (121, 133)]),
    ("a command", lambda size: len(command_line("a" * size)), [(240, 240), (241, 240)]),
    ("a command's lines", command_line, [("a\\\nb", "a b"), ("a\nb", "a; b (2 lines, sha256 7e18f737)")]),
    (
        "what is read of a line",
        lambda size: one_line("a" * size + "b", 10),
        [(9, "aaaaaaaaab"), (10, "aaaaaaaaa…")],
    ),
    ("code", lambda size: code("a`" * size, 4), [(2, "`a'a'`"), (3, "`a'a…`")]),
    ("an argument's name", lambda size: role_of("path_to_" + "a" * (size - 8)), [(80, "path"), (81, "")]),
    (
        "a line's number",
        line_of,
        [(0, 0), (1.5, 1), (2**53 - 1, 2**53 - 1), (2**53, None), (-1, None), (True, None)],
    ),
    ("parts of a list", parts_of, [(0, 0), (200, 200), (201, 200)]),
    ("texts by file", texts_by_file, [(200, 200), (201, 200)]),
    ("a task's id", lambda before: tasks.created_id(" " * before + "Task #7 created"), [(385, "7"), (386, "")]),
    (
        "a refusal of a task",
        lambda before: tasks.refuses_task(" " * before + "error: no"),
        [(393, True), (394, True), (395, False)],
    ),
    (
        "a task's line",
        lambda size: len(tasks.listed_tasks("#1 [open] " + "a" * (size - 10))),
        [(500, 1), (501, 0)],
    ),
    ("before the first question", answered, [(0, 1), (120, 1), (121, 0)]),
    ("questions", asked, [(12, 12), (13, 12)]),
    ("an answer in JSON", in_json, [(20_000, 1), (20_001, 0)]),
    ("a plan's title", plan, [(120, 120), (121, 120)]),
    (
        "a picture's size",
        lambda given: media(*given),
        [
            ((2_000,), "[image left out]"),
            ((2_001,), "[image left out — 2.0 kB]"),
            ((999, 1), "[image left out — 999 bytes, 1 x 2 pixels]"),
            ((1_000, 1), "[image left out — 1.0 kB, 1 x 2 pixels]"),
            ((99_999,), "[image left out — 100.0 kB]"),
            ((100_000,), "[image left out — 0.1 MB]"),
            ((100_000, 0, 1), "[image left out — 0.1 MB]"),
            ((100_000, 0, 2), "[image left out — 0.1 MB, about 2 pages]"),
        ],
    ),
    ("what we distilled", distilled, [(4_000, True), (4_001, False)]),
    ("an argument in a marker", argument, [(120, "a" * 120), (121, "a" * 119 + "…")]),
    (
        "arguments in a marker",
        lambda size: marker.call(Call("lookup", {"x" * size: 1, "y": 2})),
        [(1_494, f"lookup {'x' * 1_494}=1 y=2"), (1_496, f"lookup {'x' * 1_496}=1"), (1_499, "lookup")],
    ),
    ("an argument that is shortened", is_argument_shortened, [(800, False), (804, True)]),
    ("what is saved", is_saved_enough, [(337, True), (338, False)]),
    ("a counted name", lambda size: listed(1, size), [(77, "d" * 77 + "00/ 2"), (78, "d" * 78 + "00 2")]),
    ("how long a request may be", lambda sent: success(0, "stop", sent), [(985, False), (986, True)]),
    ("a reply cut at once", lambda sent: success(0, "length", sent), [(974, False), (975, True)]),
    (
        "a step that teaches",
        lambda step: learned(step, 2 * step),
        [(199, 1.25), (200, 1.4), (-200, 1.4), (-199, 1.25)],
    ),
    ("and its bounds", lambda counted: learned(200, counted), [(900, 1.5), (10, 1.16), (-10, 1.25)]),
    ("epochs after a return", returned, [(1, [2]), (3, [2]), (4, [])]),
    ("a handle's argument", lambda size: returned(1, size), [(200, [2]), (201, [])]),
    ("files in a line", files_in_lines, [(8, [8]), (9, [1, 8])]),
    (
        "what a user said",
        facts_told,
        [
            (600, {"goal": 600, "request": 600}),
            (601, {"goal": 600, "request": 601}),
            (4_000, {"goal": 600, "request": 4_000}),
            (4_001, {"goal": 600, "request": 4_003}),
        ],
    ),
    (
        "a question and its answer",
        lambda sizes: answer_told(*sizes),
        [((240, 400), [(240, 400)]), ((240, 401), [(240, 399)]), ((241, 1), [(239, 1)])],
    ),
    ("what is told of a skill", told_of_a_skill, [(800, 800), (801, 802)]),
]


def test_a_limit() -> None:
    for name, function, rows in LIMITS:
        for value, expected in rows:
            assert function(value) == expected, (name, value)
