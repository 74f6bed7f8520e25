"""What a list misses is asked for by what the next step knew, never by the answer, and graded with what came
back."""

import pytest

from ctxmgr.study.metrics import timeline
from ctxmgr.study.probes import controls
from ctxmgr.study.probes.evidence import Exact, Probe, ProbeKind, ProbePart
from ctxmgr.study.probes.hints import HINT_CHARACTERS, hints
from ctxmgr.study.probes.missed import MissedProbe, missed
from ctxmgr.study.probes.reading import history, turn
from tests.notation import Said, a, call, err, r, raws, u
from tests.unit.study.probes.asked import of, recording, weigh

SAID = (
    u("Release it."),
    a("The server is pinned to v2.7.13 in deploy.yaml."),
    u("Go on."),
    a("Now the tag.\nThe tag of it is v2.7.13 too.", call("bash", command="git tag v2.7.13")),
    r("done"),
)


def asked(kind: ProbeKind, question: str, answer: str, end: int = 2, said: tuple[Said, ...] = SAID) -> list[str]:
    probe = Probe(kind, question, answer, (ProbePart(1.0, (Exact(answer),)),), used=True)
    return list(hints(history([turn(raw) for raw in raws(*said)], "/p"), probe, end))


def test_a_value_is_asked_for_by_the_line_that_goes_on_to_speak_of_it_without_it() -> None:
    line, *wider = asked("values", "Which exact values were met?", "v2.7.13")
    assert " ".join(line.split()) == "The tag of it is too."
    assert wider[0].startswith("Now the tag.")
    assert all("2.7.13" not in query for query in wider)


def test_a_decision_is_asked_for_by_what_is_said_of_it_and_not_by_its_sentence() -> None:
    chosen = "I'll use parse_rows instead of a stack."
    said = (u("go"), a(chosen), u("on"), a(f"As I said: {chosen} So parse_rows it is."))
    names, line, *_ = asked("decisions", "What was chosen, and why?", chosen, 2, said)
    assert (names, " ".join(line.split())) == ("parse_rows", "As I said: So parse_rows it is.")


def test_an_error_is_asked_for_by_its_command() -> None:
    first, *_ = asked("errors", "What did this fail with: npm test", "ENOSPC")
    assert first == "npm test"


@pytest.mark.parametrize("kind", ["values", "decisions"])
def test_of_what_is_never_spoken_of_again_nobody_asks(kind: ProbeKind) -> None:
    assert asked(kind, "Which?", "v9.9.9 of parse_rows") == []


def test_a_question_is_no_longer_than_people_type() -> None:
    said = (*SAID[:3], a("word " * 2_000 + "v2.7.13"))
    assert max(map(len, asked("values", "Which?", "v2.7.13", 2, said))) == HINT_CHARACTERS


SESSION = (
    u("Release it."),
    a("The server is pinned to v2.7.13 there."),
    *[one for number in range(8) for one in (u(f"Look at {number}."), a("I did."))],
    a(call("bash", command="./pack")),
    err("ENOSPC: no space left"),
    u("And now?"),
    a("I tag the server: v2.7.13, and see to ENOSPC again.", call("bash", command="./pack")),
    r("ok"),
    a("done"),
)


def of_an_empty_list() -> tuple[MissedProbe, ...]:
    found = of(*SESSION)
    lists = controls.empty(found.course)
    return missed(recording(*SESSION), 200_000, lists, weigh, ("values", "errors")).missed


def test_what_the_list_misses_is_told_by_kind_with_its_call() -> None:
    found = missed(recording(*SESSION), 200_000, controls.empty(of(*SESSION).course), weigh, ("values", "errors"))
    assert {one.probe.kind for one in found.missed} == {"values", "errors"}
    kinds = [one.probe.kind for one in found.missed]
    assert {kind: kinds.count(kind) for kind in found.used_counts} == found.used_counts
    assert {one.reply for one in found.missed} <= {str(place) for place in range(len(SESSION))}


def test_what_the_list_holds_is_not_missed() -> None:
    lists = timeline.whole(of(*SESSION).course)
    found = missed(recording(*SESSION), 200_000, lists, weigh, ("values", "errors"))
    assert (found.missed, sum(found.used_counts.values()) > 0) == ((), True)


@pytest.mark.parametrize(
    ("kind", "text", "answered"),
    [
        ("values", "pinned to v2.7.13", True),
        ("values", "pinned to v2.7.1", False),
        ("errors", "./pack\nENOSPC: no space left", True),
        ("errors", 'bash {"command":"./pack","timeout":5}\nENOSPC: no space left', True),
        ("errors", 'bash {"input":"cd a\\n./pack\\n"}\nENOSPC: no space left', True),
        ("errors", "ENOSPC: no space left", False),
    ],
)
def test_what_came_back_is_graded_as_a_list_is(kind: str, text: str, answered: bool) -> None:
    one = next(one for one in of_an_empty_list() if one.probe.kind == kind)
    assert one.answered([text]) is answered
    assert one.answered(["nothing", *text.split("\n")]) is answered
