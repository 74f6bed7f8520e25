"""What is worth asking: the newest of many, by their start, and only what demands or failed at something."""

import pytest

from tests.notation import Said, a, call, err, r, u
from tests.unit.study.probes.built import probes_of

MANY = 45


def many(kind: str) -> list[Said]:
    said: list[Said] = [u("go")]
    for number in range(MANY):
        run = call("bash", command=f"./step{number} --now")
        said += {
            "errors": [a(run), err(f"fatal: {number}")],
            "tests": [a(call("bash", command=f"npm run test:{number}")), r(f"{number} passed")],
            "file.state": [a(call("write", path=f"src/f{number}.ts", content="limit")), r("ok")],
            "question": [a(f"Shall I take part {number}?"), u(f"yes, number {number}")],
            "files.modified": [a(call("write", path=f"src/f{number}.ts", content="limit")), r("ok")],
            "commits": [a(call("bash", command="git commit")), r(f"[x 1a2b3c{number:02d}] message {number}")],
            "constraint": [u(f"never touch part {number}")],
        }[kind]
    return said


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        ("errors", 6),
        ("tests", 3),
        ("file.state", 25),
        ("question", 3),
        ("files.modified", MANY),
        ("commits", MANY),
        ("constraint", MANY),
    ],
)
def test_of_many_the_newest_are_asked(kind: str, most: int) -> None:
    found = probes_of(*many(kind)).of(kind)
    assert len(found) == most
    texts = " ".join(f"{one.question} {one.answer}" for one in found)
    assert str(MANY - 1) in texts
    assert most == MANY or f" {MANY - 1 - most} " not in texts.replace("?", " ").replace("#", " ")


@pytest.mark.parametrize(("kind", "characters"), [("goal", 400), ("asks", 300)])
def test_a_long_request_is_asked_by_its_start(kind: str, characters: int) -> None:
    (found,) = probes_of(u("word " * 200), a("fine")).of(kind)
    assert characters - 5 <= len(found.answer) <= characters


@pytest.mark.parametrize("text", ["why must it never stop?", "look around in there"])
def test_what_demands_nothing_is_no_constraint(text: str) -> None:
    assert probes_of(u(text), a("fine")).of("constraint") == []


def test_a_call_that_the_user_refused_failed_at_nothing() -> None:
    refused = "The user doesn't want to proceed with this tool use."
    assert probes_of(u("go"), a(call("bash", command="./deploy")), err(refused)).of("errors") == []


def test_a_command_that_failed_without_a_word_is_no_error_to_ask_of() -> None:
    assert probes_of(u("go"), a(call("bash", command="./deploy")), err("Exit code 1")).of("errors") == []
