"""Turns a history into probes of what the user said: goal, constraint, correction, asks, question.

A constraint is a sentence that demands or forbids, a correction one that says that something is not right. A
question counts where the assistant's message before the user's ends with one.
"""

import re
from collections.abc import Iterator

from ctxmgr.study.probes.evidence import Probe, ProbeKind, ProbePart, Wording
from ctxmgr.study.probes.reading import SessionHistory, SessionMessage, mentioned_again, wording

GOAL_CHARACTERS = 400
ASK_CHARACTERS = 300
ASKS = 3
QUESTIONS = 3

# what hosts put there, and commands that they carry out themselves (`/model`)
_NOT_SAID = re.compile(
    r"\s*(?:\[Request interrupted|<(?:bash-|local-command|command-|system-reminder)|/[\w:-]+\s*$)"
)
_DEMANDS = re.compile(
    r"\b(?:must|never|always|don'?t|do not|should(?:n'?t| not)?|need(?:s)? to|has to|have to|make sure|ensure|only"
    r"|no need|required?|not allowed|avoid|without|leave|keep|prefer|instead of|let'?s not|stop)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"(?:^|[,;:.] ?)(?:no|nope|nah|wrong|actually|wait)\b[,. ]|\bnot (?:correct|right|true|what|quite|the)\b"
    r"|\bwrong\b|\bincorrect\b|\bi (?:meant|mean|said|asked)\b|\b(?:still|again) (?:not|broken|fails?|wrong"
    r"|the same)\b"
    r"|\b(?:doesn'?t|does not|didn'?t|did not|isn'?t|is not) (?:work|look|right|correct|what)\w*|\brevert\b"
    r"|\bundo\b|\bshould(?:n'?t| not)? (?:have|be)\b|\bwhy did you\b",
    re.IGNORECASE,
)


def probes(of: SessionHistory, end: int) -> Iterator[Probe]:
    said = [(at, text) for at, one in enumerate(of.turns[:end]) if (text := request(one))]
    if said:
        yield _whole("goal", "What was asked for at the start?", wording.shortened(said[0][1], GOAL_CHARACTERS))
    for _, text in said:
        for sentence in wording.sentences(text):
            if sentence.endswith("?"):
                continue
            if _CORRECTS.search(sentence):
                yield _whole("correction", "What did the user put right?", sentence)
            elif _DEMANDS.search(sentence):
                yield _whole("constraint", "What did the user demand or forbid?", sentence)
    for number, (_, text) in enumerate(reversed(said[-ASKS:]), 1):
        yield _whole("asks", f"What did the user ask for, request {number} from the end?", _start(text))
    yield from _questions(of, end, said)


def request(one: SessionMessage) -> str:
    """The prose of what the user said; "" where a host or nobody said it."""
    if one.role != "user" or not one.text.strip() or _NOT_SAID.match(one.text):
        return ""
    text = wording.prose(one.text)
    return text if wording.pieces(text) else ""


def _start(text: str) -> str:
    return wording.shortened(text, ASK_CHARACTERS)


def _whole(kind: ProbeKind, question: str, answer: str) -> Probe:
    return Probe(
        kind, question, wording.readable(answer), (ProbePart(1.0, (Wording(wording.pieces(answer)),)),), used=True
    )


def _questions(of: SessionHistory, end: int, said: list[tuple[int, str]]) -> Iterator[Probe]:
    for question, answer in list(_answered(of, said))[-QUESTIONS:]:
        names = wording.references(f"{question}\n{answer}")
        yield Probe(
            "question",
            f"What did the user answer to: {question}",
            wording.readable(answer),
            (
                ProbePart(0.5, (Wording(wording.pieces(question)),)),
                ProbePart(0.5, (Wording(wording.pieces(answer)),)),
            ),
            any(mentioned_again(of, name, end) for name in names),
        )


def _answered(of: SessionHistory, said: list[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    """Each question of the assistant, and what the user said to it."""
    for at, text in said:
        before = next((one for one in reversed(of.turns[:at]) if one.role in ("user", "assistant")), None)
        if before is not None and before.role == "assistant" and (question := _asked(before.text)):
            yield question, _start(text)


def _asked(text: str) -> str:
    """The last question of a message, where it ends with one."""
    some = [one for one in wording.sentences(text) if one.rstrip("*_) ").endswith("?")]
    tail = text.rstrip()[-600:]
    return some[-1] if some and "?" in tail else ""
