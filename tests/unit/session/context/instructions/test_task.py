"""The task stays whole in every preset: in its place, or word for word in the packet once its message left."""

import json

import pytest

from tests.contract.talk import Fields
from tests.unit.session.context.compacted import PRESETS, Host, packet_of
from tests.unit.session.context.instructions.test_taken_away import EVERYWHERE, quoted

PLAN = "# The move\n\n1. Add the new cache behind a flag.\n2. Write to both.\n3. Read from the zebra cache."
YES = "User has approved your plan. You can now start coding."
REQUEST = (
    "Port the parser to the new grammar. " + "Each public name keeps its meaning, and errors name a line. " * 20
)
LATER = "Now the printer, by the same rules. " + "It prints what the parser reads, and nothing else. " * 20
EACH = pytest.mark.parametrize("preset", PRESETS)


def begun(preset: str, form: str = "pi", request: str = REQUEST, window: int = 40_000, **policy: object) -> Host:
    host = Host(preset, form, window=window, **policy)
    host.said.append(host.make.user(request))
    return host


def called(host: Host, tool: str, result: str, **arguments: object) -> None:
    host.said += [host.make.reply("I do.", host.make.call(tool, **arguments)), host.make.result(result)]


def worked(host: Host, turns: int = 9) -> Fields:
    """Turns in which much is read: more than the window holds."""
    for turn in range(turns):
        for number in range(6):
            text = "\n".join(f"mod_{turn}_{number} row {line}: words of it" for line in range(90))
            called(host, "read", text, path=f"src/mod_{turn}_{number}.py")
        host.context()
        host.turn_end(f"Part {turn} is done.")
        host.said.append(host.make.user(f"And part {turn + 1}?"))
    return host.context()


def shown(answer: Fields) -> str:
    """All texts of an answer, as they were written."""
    return "\n".join(_texts(answer["list"]))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value, *_texts(json.loads(value))] if value.startswith("{") else [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]


def stands(text: str, answer: Fields) -> bool:
    """Whether it is there as it was said, or quoted."""
    return text.strip() in shown(answer) or quoted(text.strip()) in shown(answer)


@EVERYWHERE
def test_an_approved_plan_does_whatever_leaves(preset: str, form: str) -> None:
    host = begun(preset, form)
    called(host, "exit_plan_mode", YES, plan=PLAN)
    answer = worked(host)
    assert answer["report"]["tokens"] < answer["report"]["rawTokens"]
    assert stands(PLAN, answer)


@EACH
def test_a_plan_in_a_file_does_as_it_was_written_last(preset: str) -> None:
    host = begun(preset)
    called(host, "write_file", "ok", file_path="/p/plans/move.md", content=PLAN.replace("zebra", "old"))
    called(host, "replace", "ok", file_path="/p/plans/move.md", old_string="old cache", new_string="zebra cache")
    called(host, "exit_plan_mode", "Plan approved.", plan_path="/p/plans/move.md")
    answer = worked(host)
    assert quoted(PLAN) in shown(answer) or preset == "balanced", "where the calls stay as they were"
    assert "zebra cache" in shown(answer)
    assert "Write to both" in shown(answer)


@EVERYWHERE
def test_long_requests_do_the_first_and_the_newest(preset: str, form: str) -> None:
    host = begun(preset, form)
    worked(host, 3)
    host.said[-1] = host.make.user(LATER)
    answer = worked(host)
    assert stands(REQUEST, answer)
    assert stands(LATER, answer)


@EVERYWHERE
def test_the_hosts_summary_does_after_many_turns(preset: str, form: str) -> None:
    host = begun(preset, form)
    host.worked()
    text = "## Goal\nPort the parser\n\n## Decisions\n" + "\n".join(
        f"- row_{n} is kept by table_{n}" for n in range(60)
    )
    host.compacted(text)
    assert stands(text, host.context())
    assert stands(text, worked(host))


@EVERYWHERE
def test_what_the_host_took_away_of_it_is_told_word_for_word_once(preset: str, form: str) -> None:
    host = begun(preset, form)
    called(host, "exit_plan_mode", YES, plan=PLAN)
    host.worked()
    host.compacted()
    text = packet_of(host.context())
    assert quoted(PLAN) in text
    assert text.count(quoted(REQUEST.strip())) == 1
    assert text.count("Each public name keeps its meaning") == REQUEST.count("Each public name")


@pytest.mark.parametrize("lines", [5, 20, 80])
@pytest.mark.parametrize("before", [0, 3])
def test_a_plan_whose_turn_is_removed_alone_is_whole_in_its_place_or_in_the_packet(lines: int, before: int) -> None:
    """A packet may not have more tokens than what it stands for, and a quote has more than the original."""
    host = Host("turns", "pi", workingSet={"results": 1, "tokens": 100})
    for number in range(before):
        small_turn(host, number)
    plan = "# The plan\n\n" + "\n".join(f"{line}. Move m_{line} to the zebra cache." for line in range(lines))
    host.said.append(host.make.user("Plan it."))
    called(host, "exit_plan_mode", YES, plan=plan)
    assert stands(plan, host.context())
    host.turn_end("Done.")
    for number in range(36):
        assert stands(plan, small_turn(host, number)), number
    assert packet_of(host.context())


def small_turn(host: Host, number: int) -> Fields:
    host.said.append(host.make.user(f"And {number}?"))
    called(host, "read", "a few words of it", path=f"a{number}.py")
    answer = host.context()
    host.turn_end("Ok.")
    return answer


@EACH
def test_what_the_host_removes_of_it_without_a_word_is_in_the_packet_whole(preset: str) -> None:
    """Each time that it removes some, also if nothing else of the list changes."""
    host = begun(preset, window=200_000)
    for number in range(3):
        small_turn(host, number)
    rest = len(host.said)
    host.said.append(host.make.user(LATER))
    called(host, "exit_plan_mode", YES, plan=PLAN)
    for number in range(3):
        small_turn(host, number)
    host.said.append(host.make.user("Go on."))
    host.context()
    del host.said[:rest]
    assert quoted(REQUEST.strip()) in packet_of(host.context())
    del host.said[:-3]
    for part in (REQUEST, LATER, PLAN):
        assert quoted(part.strip()) in packet_of(host.context()), part
    called(host, "exit_plan_mode", YES, plan="1. Another way.")
    answer = host.context()
    assert stands("1. Another way.", answer)
    assert quoted(REQUEST.strip()) in packet_of(answer)


@EACH
def test_explain_says_that_it_stays_or_is_told(preset: str) -> None:
    host = begun(preset)
    answer = worked(host)
    rules = [one["rule"] for one in host.talk.call("explain", sessionId="s")["verdicts"]]
    if preset == "balanced":
        assert rules[0] == "the task stays whole"
    else:
        assert quoted(REQUEST.strip()) in packet_of(answer)
        assert "older turn; word for word in the packet" in rules


@pytest.mark.parametrize("shared", [0, 3])
@pytest.mark.parametrize("leaf", [None, "elsewhere"])
@EACH
def test_a_move_to_another_branch_takes_none_of_it_along(preset: str, leaf: str | None, shared: int) -> None:
    """What was wanted there is not wanted here, and no packet may say so."""
    host = begun(preset)
    called(host, "read", "words of it", path="a.py")
    begin = host.said[:shared]
    called(host, "exit_plan_mode", YES, plan=PLAN)
    host.worked()
    host.compacted("## Goal\nPort the okapi.\n")
    worked(host, 2)
    host.talk.call("session_tree", sessionId="s", newLeafId=leaf, oldLeafId="k")
    host.said[:] = [*begin, host.make.user("Another way: read the notes.")]
    for answer in (host.context(), worked(host)):
        assert "zebra" not in shown(answer)
        assert "okapi" not in shown(answer)
    if begin:
        assert stands(REQUEST, answer)
