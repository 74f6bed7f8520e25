"""What an assistant found and decided in another language is kept by its structure alone.

The probes are those of the English session; in the others each asks for the sentence in its place. No probe knows a
word of the engine's, and the engine no word of these languages.
"""

from functools import cache

import pytest

from ctxmgr.study.probes.evidence import Probe, Wording, grade
from ctxmgr.study.probes.kinds import probes
from ctxmgr.study.probes.reading import history, turn, wording
from tests.contract.talk import Fields, Messages
from tests.unit.session.context.epochs import LINES, sent, steps, talk_of
from tests.unit.session.context.languages.translated import GOAL, LANGUAGES, REPLIES, Language

KINDS = ("decisions", "attempts")
BETWEEN = 3  # steps without a word of a finding, after each of REPLIES
LATER = 12  # steps after all of them
LEAST = 0.85  # of what is asked must be in the list, in each language


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


@cache
def asked() -> tuple[Probe, ...]:
    """The probes of the English session."""
    whole = sent({"list": conversation("en")})
    of = history([turn(raw) for raw in whole])
    return tuple(one for one in probes(of, len(whole)) if one.kind in KINDS)


def translated(english: str, language: Language) -> str:
    """The sentence in its place."""
    at = LANGUAGES.index(language)
    return next(one[at] for reply in REPLIES for one in reply if one[0] == english)


def share(language: Language, shown: list[Fields]) -> float:
    """Of what the probes ask for, so much is in the list."""
    said = " ".join(wording.joined(turn(raw).text) for raw in sent({"list": shown}))

    def holds(evidence: object) -> float:
        assert isinstance(evidence, Wording)
        return sum(piece in said for piece in evidence.pieces) / len(evidence.pieces)

    grades = []
    for probe in asked():
        part = probe.parts[0]
        there = Wording(wording.pieces(translated(probe.answer, language)))
        grades.append(grade(Probe(probe.kind, "", "", (type(part)(1.0, (there,)),), used=True), holds))
    return sum(grades) / len(grades)


def test_the_session_asks_for_decisions_and_attempts() -> None:
    assert {probe.kind for probe in asked()} == set(KINDS)
    assert len(asked()) >= 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_found_and_decided_is_kept_in_each_language(language: Language) -> None:
    talk, messages = talk_of(), conversation(language)
    talk.context(messages)
    assert share(language, messages) == 1.0
    talk.call("prune", sessionId="s")
    answer = talk.context(messages, answer="messages")
    dropped = [one for one in messages if one not in answer["list"]]
    assert share(language, [one for one in answer["list"] if one in messages]) < 0.8, "some of it left its place"
    assert len(dropped) > len(messages) / 2
    assert share(language, answer["list"]) >= LEAST
