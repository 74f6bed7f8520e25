"""What a model is taken to ask for when its list misses something: what the next step knew, and never the
answer."""

from ctxmgr.study.probes.evidence import Exact, Probe, ProbePart
from ctxmgr.study.probes.reading import history, turn
from scripts.finding import queries

SAID = [
    b'{"role":"user","content":"Release it."}',
    b'{"role":"assistant","content":[{"type":"text","text":"The server is pinned to v2.7.13 in deploy.yaml."}]}',
    b'{"role":"user","content":"Go on."}',
    b'{"role":"assistant","content":[{"type":"text","text":"Now the tag.\\nThe tag of it is v2.7.13 too."}]}',
]


def asked(kind: str, question: str, answer: str) -> list[str]:
    parts = (ProbePart(1.0, (Exact(answer),)),)
    probe = Probe(kind, question, answer, parts, used=True)  # type: ignore[arg-type]
    return list(queries(history([turn(raw) for raw in SAID], "/p"), probe, 2))


def test_a_value_is_asked_for_by_the_line_that_goes_on_to_speak_of_it_without_it() -> None:
    line, *wider = asked("values", "Which exact values were met?", "v2.7.13")
    assert " ".join(line.split()) == "The tag of it is too."
    assert all("v2.7.13" not in query for query in wider)
    assert wider[0].startswith("Now the tag.")


def test_an_error_is_asked_for_by_its_command() -> None:
    first, *_ = asked("errors", "What did this fail with: npm test", "ENOSPC")
    assert first.strip() == "npm test"
