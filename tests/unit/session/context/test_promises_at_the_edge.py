"""The working set where it nearly fills the window, where results come late, and where the window or the promise
changes."""

from collections.abc import Sequence

import pytest

from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.context.epochs import step, steps, talk_of

PRESETS = ("balanced", "turns", "tools")
PROMISED = {"results": 5, "tokens": 8_000}
LARGE = 600  # lines of a result: five come to a little more than fits a window of 32,000
BUILT = [{"type": "text", "text": "built"}]


def talk(preset: str, window: int, saved: Sequence[bytes] = ()) -> Talk:
    return talk_of(saved, window, preset=preset, keep=1_700, workingSet=PROMISED)


def results(messages: Sequence[Fields]) -> list[Fields]:
    return [one for one in messages if one["role"] == "toolResult"]


def cut(messages: Sequence[Fields], shown: Sequence[Fields]) -> list[int]:
    """Of the results, by their number, those that are not shown as they came."""
    return [number for number, one in enumerate(results(messages)) if one not in shown]


def read(talk: Talk, make: Messages, count: int, lines: int = LARGE) -> tuple[list[Fields], Fields]:
    """So many steps, a call each: the list, and the last answer."""
    messages, answer = [make.user("Go on.")], Fields()
    for number in range(count):
        messages += step(make, number, lines)
        answer = talk.context(messages, answer="messages")
    return messages, answer


@pytest.mark.parametrize("preset", PRESETS)
def test_what_just_misses_the_window_is_cut_by_no_more_than_has_to_leave(preset: str) -> None:
    """The oldest of the five results; `balanced` stays below where the host would compact by itself."""
    make = Messages()
    messages = [make.user("Go on."), *steps(make, 5, lines=LARGE)]
    answer = talk(preset, 32_000).context(messages, answer="messages")
    assert cut(messages, answer["list"]) == ([0, 1] if preset == "balanced" else [0])
    assert answer["report"]["tokens"] > 0.6 * answer["report"]["rawTokens"]


def test_results_that_come_late_hold_nothing_else_in_the_list() -> None:
    """Every sixth step starts a command beside its read, whose result comes thirty steps later."""
    talking, make = talk("balanced", 60_000), Messages()
    messages, late, answer = [make.user("Go on.")], dict[int, Fields](), Fields()
    for number in range(120):
        asked, result = step(make, number, 140)
        if number % 6 == 0:
            call = make.call("bash", command=f"make {number} &")
            asked["content"].append(call)
            late[number + 30] = {**result, "toolCallId": call["id"], "toolName": "bash", "content": BUILT}
        messages += [asked, result]
        if number in late:
            messages.append(late[number])
        answer = talking.context(messages, answer="messages")
    assert answer["report"]["epoch"] >= 2
    assert answer["report"]["tokens"] < answer["report"]["rawTokens"] / 2
    assert answer["report"].get("blocksCut", 0) == 0


def test_what_left_comes_back_where_more_is_promised() -> None:
    talking, make = talk("balanced", 200_000), Messages()
    messages, _ = read(talking, make, 30, lines=140)
    talking.call("prune", sessionId="s")
    pruned = talking.context(messages, answer="messages")
    assert len(cut(messages, pruned["list"])) > 10
    talking.call("setPolicy", sessionId="s", policy={"workingSet": {"results": 25, "tokens": 0}})
    answer = talking.context(messages, answer="messages")
    assert cut(messages, answer["list"]) == list(range(5))
    assert answer["report"]["checks"] == []
    assert answer["report"]["epoch"] > pruned["report"]["epoch"]
    assert talking.status()["stats"]["fallbacks"] == 0


def test_the_receipt_of_an_epoch_that_is_cut_at_once_tells_what_was_sent() -> None:
    talking, make = talk("balanced", 32_000), Messages()
    _, answer = read(talking, make, 9)
    receipt = talking.call("explain", sessionId="s")["epochs"][-1]
    assert receipt["after"] == answer["report"]["tokens"]
    assert answer["report"]["arithmetic"].endswith(f"{receipt['after']:,} tokens are sent")
    assert "did not fit the window" in {one["why"] for one in receipt["left"]}


@pytest.mark.parametrize("overhead", [45_000, 60_000])
def test_an_overhead_that_leaves_no_room_is_no_fault(overhead: int) -> None:
    talking, make = talk("balanced", 60_000), Messages()
    messages = [make.user("Go on."), *steps(make, 3)]
    for by in (0, 1):
        talking.context(messages, overheadTokens=overhead + by)
    assert talking.status()["stats"]["fallbacks"] == 0
