"""What a provider takes only together leaves together, wherever its halves stand; a tool that was loaded stays."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.talk import Fields
from tests.legality import anthropic, responses
from tests.unit.session.context.epochs import talk_of

WINDOW = 16_000  # tokens
COUNT = 50


def rows(number: int) -> str:
    return "\n".join(f"row {line} of part {number}, with some words" for line in range(50))


def words(number: int) -> str:
    return " ".join(f"word {number}.{each} of what is said here" for each in range(20))


def said(*blocks: Fields) -> Fields:
    return {"role": "assistant", "content": list(blocks)}


def told(*blocks: Fields) -> Fields:
    return {"role": "user", "content": list(blocks)}


def text(words: str) -> Fields:
    return {"type": "text", "text": words}


def use(number: int, **more: Any) -> Fields:
    return {"type": "tool_use", "id": f"t{number}", "name": "read", "input": {"path": f"m{number}.py"}, **more}


def result(number: int) -> Fields:
    return {"type": "tool_result", "tool_use_id": f"t{number}", "content": rows(number)}


def system(number: int) -> Fields:
    return {"role": "system", "content": f"Reminder {number}."}


def run(number: int) -> Fields:
    return {"type": "server_tool_use", "id": f"s{number}", "name": "code_execution", "input": {"code": "x"}}


def ran(number: int) -> Fields:
    content = {"type": "code_execution_result", "stdout": "", "stderr": "", "return_code": 0, "content": []}
    return {"type": "code_execution_tool_result", "tool_use_id": f"s{number}", "content": content}


def made(number: int, by: int) -> Fields:
    return use(number, caller={"type": "code_execution_20250825", "tool_id": f"s{by}"})


def step(number: int) -> list[Fields]:
    return [said(text(words(number)), use(number)), told(result(number))]


def chain(number: int) -> list[Fields]:
    """The outcome of the code before, and the next code, in one answer; every fifth begins a turn."""
    if number % 5 == 0:
        before = [said(ran(number - 1), text("Done."))] if number else []
        return [
            *before,
            told(text(f"Next {number}.")),
            said(text(words(number)), run(number), made(number, number)),
            told(result(number)),
        ]
    return [said(ran(number - 1), text(words(number)), run(number), made(number, number)), told(result(number))]


def overlapping(number: int) -> list[Fields]:
    """The outcome of code comes two answers later, and further code runs meanwhile."""
    before = [ran(number - 2)] if number > 1 else []
    return [said(*before, text(words(number)), run(number), made(number, number)), told(result(number))]


def item(words: str, role: str = "assistant") -> Fields:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def function(number: int) -> list[Fields]:
    call = {"type": "function_call", "id": f"f{number}", "call_id": f"c{number}", "name": "post", "arguments": "{}"}
    return [call, {"type": "function_call_output", "call_id": f"c{number}", "output": rows(number)}]


def search(number: int, id: str) -> list[Fields]:
    shared = {"call_id": id, "execution": "client", "status": "completed"}
    tool = {"type": "function", "name": "post", "parameters": {}}
    return [
        item(words(number)),
        {"type": "tool_search_call", "id": f"s{number}", "arguments": {}, **shared},
        {"type": "tool_search_output", "id": f"o{number}", "tools": [tool], **shared},
        *function(number),
    ]


REFERENCE = {"type": "tool_reference", "tool_name": "post"}
ASKED = said({"type": "tool_use", "id": "x", "name": "ToolSearch", "input": {"query": "post"}})
FOUND = told({"type": "tool_result", "tool_use_id": "x", "content": [REFERENCE]})
SERVED = said(
    {"type": "server_tool_use", "id": "x", "name": "tool_search_tool_regex", "input": {"query": "post"}},
    {"type": "tool_search_tool_result", "tool_use_id": "x", "content": {"tool_references": [REFERENCE]}},
    use(999),
)
GO = told(text("Go on."))


def steps(make: Callable[[int], list[Fields]]) -> list[Fields]:
    return [one for number in range(COUNT) for one in make(number)]


def turns(number: int) -> list[Fields]:
    return [told(text(f"{number}: {words(number)}")), *step(number), said(text("Done."))]


LISTS: dict[str, tuple[str, list[Fields], str]] = {
    "system in each turn": (
        "anthropic",
        steps(lambda at: [turns(at)[0], system(at), *step(at), system(at), said(text(words(at)))]),
        "",
    ),
    "code in a chain": ("anthropic", steps(chain), ""),
    "code that overlaps": ("anthropic", [GO, *steps(overlapping)], ""),
    "a tool that was found": ("anthropic", [GO, ASKED, FOUND, *steps(step)], "tool_reference"),
    "a tool that the provider found": (
        "anthropic",
        [GO, SERVED, told(result(999)), *steps(step)],
        "tool_reference",
    ),
    "searches that the host runs": (
        "responses",
        [item("Go.", "user"), *steps(lambda at: search(at, f"q{at}"))],
        "tool_search_output",
    ),
}
JUDGES = {"anthropic": anthropic, "responses": responses}


STRIDE = 11  # coprime to the steps' lengths: lists end behind each kind of message


def ends(listed: list[Fields]) -> list[int]:
    """Where lists end that go out: behind results or a system message, and behind what a user says."""
    kinds = ("function_call_output", "user", "system")
    rest = (at for at, one in enumerate(listed) if one.get("type") in kinds or one.get("role") in kinds)
    every = [at + 1 for at in rest if at + 1 == len(listed) or listed[at + 1].get("role") != "system"]
    return every[::-STRIDE][::-1]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("preset", ["balanced", "turns", "tools"])
def test_what_is_taken_only_together_leaves_together(preset: str, name: str) -> None:
    format, listed, holds = LISTS[name]
    talk = talk_of(window=WINDOW, format=format, preset=preset)
    changed = False
    for end in ends(listed):
        answer = talk.context(listed[:end], answer="messages")
        assert JUDGES[format].illegal(listed[:end]) == [], "the test's own list"
        assert JUDGES[format].illegal(answer["list"]) == []
        assert set(answer["report"]["checks"]) <= {"fit"}
        changed = changed or answer["list"] != listed[:end]
    assert changed
    assert holds in str(answer["list"])


THOUGHT = {"type": "thinking", "thinking": "I look at each part.", "signature": "c2lnbmVk"}


def thought_at(number: int, *numbers: int) -> list[Fields]:
    """A step, with a thought at its start where it is one of these."""
    answer, results = step(number)
    return [said(*([THOUGHT] if number in numbers else []), *answer["content"]), results]


THINKING: dict[str, list[Fields]] = {
    "at the start of the turn": [GO, *steps(lambda at: thought_at(at, 0))],
    "before some steps": [GO, *steps(lambda at: thought_at(at, *range(12), 20, 21, 30))],
}


def begins_with_thought(listed: list[Fields]) -> bool:
    """Whether the first answer after the newest message that holds more than results does."""
    start = max(
        at
        for at, one in enumerate(listed)
        if one["role"] == "user" and any(block["type"] != "tool_result" for block in blocks_of(one))
    )
    answers = (one for one in listed[start:] if one["role"] == "assistant")
    first = next(answers, None)
    return first is None or first["content"][0]["type"] == "thinking"


def blocks_of(message: Fields) -> list[Fields]:
    content = message["content"]
    return [text(content)] if isinstance(content, str) else content


@pytest.mark.parametrize("name", THINKING)
@pytest.mark.parametrize("preset", ["balanced", "turns", "tools"])
def test_a_turn_goes_on_from_the_thought_that_it_begins_with(preset: str, name: str) -> None:
    listed = THINKING[name]
    talk = talk_of(window=WINDOW, format="anthropic", preset=preset)
    changed = False
    for end in ends(listed):
        answer = talk.context(listed[:end], answer="messages")
        assert begins_with_thought(listed[:end]), "the test's own list"
        assert begins_with_thought(answer["list"])
        assert answer["report"]["checks"] == []
        changed = changed or len(answer["list"]) < end
    assert changed
