"""What an assistant found and decided stays where it said it, word for word, in any language; results leave."""

import pytest

from tests.contract.talk import Fields, Messages
from tests.unit.session.context.epochs import LINES, steps, talk_of
from tests.unit.session.context.languages.translated import GOAL, LANGUAGES, REPLIES, Language

BETWEEN = 3  # steps without a word of a finding, after each of REPLIES
LATER = 12  # steps after all of them


def conversation(language: Language) -> list[Fields]:
    make, at = Messages(), LANGUAGES.index(language)
    messages: list[Fields] = [make.user(GOAL[language])]
    for number, reply in enumerate(REPLIES):
        text = "\n".join(f"def part_{number}_{line}(): pass" for line in range(LINES))
        said = " ".join(sentence[at] for sentence in reply)
        messages += [make.reply(said, make.call("read", path=f"src/part_{number}.py")), make.result(text)]
        messages += quiet(make, BETWEEN, start=number * BETWEEN)
    return [*messages, *quiet(make, LATER, start=len(REPLIES) * BETWEEN)]


def quiet(make: Messages, count: int, start: int) -> list[Fields]:
    """Steps whose reply says nothing."""
    found = steps(make, count, start)
    for one in found:
        if one["role"] == "assistant":
            one["content"] = one["content"][1:]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_found_and_decided_stays_in_each_language_while_results_leave(language: Language) -> None:
    talk, messages = talk_of(keep=1_700), conversation(language)
    talk.context(messages)
    talk.call("prune", sessionId="s")
    shown = talk.context(messages, answer="messages")["list"]
    left = [one for one in messages if one not in shown]
    assert len(left) > len(messages) / 5
    assert {one["role"] for one in left} == {"toolResult"}
