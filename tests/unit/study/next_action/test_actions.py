"""The next action of an answer, in each API's words."""

from typing import Any

from ctxmgr.study.next_action.actions import APIS, CUT_OFF, Action, ActionCompletion, action_of


def anthropic(*blocks: dict[str, Any], stop: str = "tool_use") -> dict[str, Any]:
    return {"type": "message", "content": list(blocks), "stop_reason": stop, "usage": {"input_tokens": 5}}


def chat(*calls: tuple[str, str], stop: str = "tool_calls") -> dict[str, Any]:
    made = [{"id": "c", "type": "function", "function": {"name": name, "arguments": told}} for name, told in calls]
    message = {"role": "assistant", "content": None, "tool_calls": made} if made else {"content": "done"}
    return {"choices": [{"index": 0, "message": message, "finish_reason": stop}]}


def use(name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "t", "name": name, "input": given}


def read(api: str, piece: Any) -> ActionCompletion:
    answer = APIS[api].answer(100)
    answer.take(piece)
    made = answer.completion()
    assert isinstance(made, ActionCompletion)
    return made


READ = Action("read", "a.py")
ANSWERS = [
    ("anthropic", anthropic({"type": "text", "text": "I look."}, use("read", path="a.py")), READ),
    ("anthropic", anthropic(use("read", path="a.py"), use("bash", command="make")), READ),
    ("anthropic", anthropic({"type": "text", "text": "Done."}, stop="end_turn"), Action()),
    ("chat", chat(("read", '{"path": "a.py"}'), ("bash", '{"command": "make"}')), READ),
    ("chat", chat(("read", '{"path": ')), Action("read")),
    ("chat", chat(stop="stop"), Action()),
]


def test_it_is_the_first_tool_and_its_target() -> None:
    for api, piece, action in ANSWERS:
        assert read(api, piece).action == action, piece


def test_an_answer_that_was_cut_off_has_none() -> None:
    for api, piece in (("anthropic", anthropic(stop="max_tokens")), ("chat", chat(stop="length"))):
        made = read(api, piece)
        assert (made.action, made.fault) == (None, CUT_OFF), api


def test_a_refusal_has_none() -> None:
    made = read("anthropic", anthropic(stop="refusal"))
    assert made.action is None
    assert made.fault


def test_blanks_and_the_order_of_paths_make_no_other_target() -> None:
    assert action_of("bash", {"command": "make  -j2\n test"}) == action_of("bash", {"command": "make -j2 test"})
    assert action_of("bash", {"command": "make"}) != action_of("bash", {"command": "make test"})
    assert action_of("read", "nothing that is an object") == Action("read")
