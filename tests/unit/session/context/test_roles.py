"""A list that took turns takes turns when it leaves, for a model whose template wants it."""

import json
import re
from typing import Any

import pytest

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields, Talk
from tests.legality import openai
from tests.unit.session.context.epochs import POLICY, talk_of

WINDOW = 16_000  # tokens
CUES = " ".join(f"word {number} of what is said here" for number in range(30))


def asked(number: int) -> list[Fields]:
    function = {"name": "read", "arguments": f'{{"path":"m{number}.py"}}'}
    call = {"id": f"c{number}", "type": "function", "function": function}
    text = "\n".join(f"row {line} of file {number}, with some words" for line in range(50))
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": text},
    ]


def turn(number: int, steps: int, content: Any) -> list[Fields]:
    step = [one for each in range(steps) for one in asked(number * steps + each)]
    return [{"role": "user", "content": content}, *step, {"role": "assistant", "content": f"{number}: {CUES}"}]


PROMPT = {"role": "system", "content": "You code."}
LISTS: dict[str, list[Fields]] = {
    "short turns": [PROMPT, *(one for number in range(30) for one in turn(number, 1, f"{number}: {CUES}"))],
    "long turns": [PROMPT, *(one for number in range(8) for one in turn(number, 5, f"{number}: what of it?"))],
    "words in parts": [
        one for number in range(30) for one in turn(number, 1, [{"type": "text", "text": f"{number}: {CUES}"}])
    ],
    "words alone": [
        one
        for number in range(90)
        for one in (
            {"role": "user", "content": f"{number}: {CUES}"},
            {"role": "assistant", "content": f"{number}: {CUES}"},
        )
    ],
    "prompts inside": [
        one
        for number in range(30)
        for one in (
            *([{"role": "system", "content": f"It is day {number}."}] if number and number % 3 == 0 else []),
            *turn(number, 1, f"{number}: {CUES}"),
        )
    ],
    "one turn": [
        PROMPT,
        {"role": "user", "content": CUES},
        *(one for each in range(60) for one in asked(each)),
    ],
}


def begun(preset: str, window: int = WINDOW, keys: Fields | None = None, **model: Any) -> Talk:
    talk = talk_of(window=window, format="openai", preset=preset, **(keys or {}))
    talk.call("model_select", sessionId="s", model={"contextWindow": window, **model})
    return talk


STRIDE = 5  # of the answers before which a list is sent


def answers(talk: Talk, listed: list[Fields], stride: int = STRIDE) -> list[list[Fields]]:
    """Of each fifth list that ends before an answer, and of the last. None is a fallback."""
    ends = [end for end in range(1, len(listed)) if listed[end]["role"] == "assistant"][::-stride][::-1]
    made = [talk.context(listed[:end], answer="messages") for end in ends]
    assert {check for one in made for check in one["report"]["checks"]} == set()
    assert max(one["report"]["tokens"] for one in made) <= WINDOW
    return [one["list"] for one in made]


def last_answer(talk: Talk, listed: list[Fields]) -> list[Fields]:
    """Of the whole list, sent at once."""
    return answers(talk, listed, len(listed))[-1]


def _end(content: Any) -> str:
    return str(content)[-14:]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("preset", ["balanced", "turns", "tools"])
def test_users_and_the_assistant_take_turns_where_they_did(preset: str, name: str) -> None:
    users = {_end(one["content"]) for one in LISTS[name] if one["role"] == "user"}
    for answer in answers(begun(preset, id="mistral-small"), LISTS[name]):
        assert openai.illegal(answer) == openai.untaken(answer) == []
        assert _end([one for one in answer if one["role"] == "user"][-1]["content"]) in users
    packets = sum("[ctxmgr packet]" in str(one) for one in answer)
    assert packets == 1 if preset == "balanced" else packets <= 1


NO_PACKET = {"packetTokens": dict.fromkeys(("green", "yellow", "red", "compact"), 0)}


@pytest.mark.parametrize("name", LISTS)
def test_where_no_packet_may_tell_of_them_users_leave_with_their_answers_once_the_list_does_not_fit(
    name: str,
) -> None:
    for answer in answers(begun("balanced", keys=NO_PACKET, id="gemma-3"), LISTS[name]):
        assert openai.illegal(answer) == openai.untaken(answer) == []
        assert "[ctxmgr packet]" not in str(answer)


def test_a_host_may_say_it_and_a_model_may_go_on_with_it() -> None:
    for model, strict in (
        ({"id": "local", "strictRoles": True}, True),
        ({"id": "local"}, False),
        ({"id": "gemma-3-27b", "strictRoles": False}, False),
    ):
        last = last_answer(begun("balanced", **model), LISTS["short turns"])
        assert (openai.untaken(last) == []) == strict, model


def test_a_model_that_takes_over_is_sent_what_it_takes() -> None:
    talk, listed = begun("balanced", id="gpt-5"), LISTS["short turns"]
    assert openai.untaken(last_answer(talk, listed)) != []
    talk.call("model_select", sessionId="s", model={"id": "gemma-3-27b", "contextWindow": WINDOW})
    assert openai.untaken(talk.context(listed, answer="messages")["list"]) == []


def test_a_message_whose_content_is_no_text_holds_no_packet() -> None:
    for content in (5, True, {"a": 1}, None, ""):
        said = [{"role": "user", "content": CUES}, {"role": "assistant", "content": "Yes."}]
        listed = [*said, {"role": "user", "content": content}, *LISTS["one turn"][2:], said[1]]
        last = last_answer(begun("balanced", id="mistral-small"), listed)
        assert len(last) < len(listed), content
        assert "[ctxmgr packet]" in str(last[0 if content else 2]), content


def test_what_was_decided_for_a_strict_model_outlives_a_restart_with_another_format() -> None:
    def started(found: tuple[bytes, ...] = ()) -> Talk:
        talk = Talk(start=False, found=SnapshotLoaded(found))
        talk.call("initialize", protocolVersion="1.1", capabilities={}, policy={**POLICY, "tokenizer": "estimate"})
        model = {"id": "mistral-small", "contextWindow": WINDOW}
        talk.call("session_start", sessionId="s", messageFormat="openai", model=model)
        return talk

    talk, listed = started(), LISTS["short turns"]
    last = last_answer(talk, listed)
    assert started(tuple(talk.saved)).context(listed[:-1], answer="messages")["list"] == last


REFUSALS = {
    "Conversation roles must alternate user/assistant/user/assistant/...": True,
    "After the optional system message, conversation roles must alternate user and assistant roles": True,
    "Unexpected role 'user' after role 'tool'": True,
    "A conversation must alternate between user and assistant roles. Make sure it does and try again.": True,
    "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2])": True,
    "Please ensure that multiturn requests alternate between user and model.": True,
    "Jinja Exception: Value is not callable: null": False,
    "The server is overloaded": False,
    "This model's maximum context length is 16000 tokens": False,
}


def test_a_refusal_for_roles_teaches_that_they_take_turns() -> None:
    listed = LISTS["short turns"]
    for words, learnt in REFUSALS.items():
        talk = begun("balanced", id="local")
        assert openai.untaken(last_answer(talk, listed)) != []
        talk.call("turn_end", sessionId="s", message={"error": {"code": 500, "message": words}})
        assert (openai.untaken(talk.context(listed, answer="messages")["list"]) == []) == learnt, words


def test_a_packet_that_comes_back_inside_a_message_leaves_the_words() -> None:
    talk, listed = begun("balanced", id="mistral-small"), LISTS["long turns"]
    came = last_answer(talk, listed)
    holding = next(one for one in came if "[ctxmgr packet]" in str(one))
    again = begun("balanced", id="mistral-small").context(came, answer="messages")["list"]
    assert [one for one in again if str(one["content"]).endswith(holding["content"][-20:])]


@pytest.mark.parametrize("name", ["short turns", "words in parts", "prompts inside"])
@pytest.mark.parametrize("preset", ["turns", "balanced"])
def test_the_packet_counts_the_messages_that_were_removed_and_no_prompt_that_stays(name: str, preset: str) -> None:
    messages = LISTS[name]
    answer = begun(preset, id="gpt-x").context(messages, answer="messages")
    shown = json.dumps(answer["list"])
    counted = re.findall(r"(\d+) messages with (\d+) tool results were removed", shown)
    gone = [one for one in messages if one not in answer["list"]]
    results = sum(one["role"] == "tool" for one in gone)
    assert counted == [(str(len(gone)), str(results))]
