"""What a list misses is asked for by the command or file that it is about, never by the answer, and graded with
what came back."""

from ctxmgr.study.probes import timeline
from scripts.missed import HINT_CHARACTERS, MissedProbe, missed
from tests.notation import a, call, err, r, u
from tests.unit.study.probes.asked import empty, of, recording, weigh

EDIT = call("edit", path="src/limits.py", oldText="limit = 2", newText="limit_of_rows = 7")
AGAIN = call("edit", path="src/limits.py", oldText="limit_of_rows = 7", newText="limit_of_rows = 9")

SESSION = (
    u("Release it."),
    a("I raise the limit.", EDIT),
    r("ok"),
    *[one for number in range(8) for one in (u(f"Look at {number}."), a("I did."))],
    a(call("bash", command="./pack")),
    err("ENOSPC: no space left"),
    u("And now?"),
    a("I see to ENOSPC again.", call("bash", command="./pack"), AGAIN),
    r("ok"),
    r("ok"),
    a("done"),
)


def of_an_empty_list() -> tuple[MissedProbe, ...]:
    found = of(*SESSION)
    lists = empty(found.course)
    return missed(recording(*SESSION), 200_000, lists, weigh, ("file.state", "errors", "goal")).missed


def test_what_the_list_misses_is_told_by_kind_with_its_call() -> None:
    lists = empty(of(*SESSION).course)
    found = missed(recording(*SESSION), 200_000, lists, weigh, ("file.state", "errors", "goal"))
    kinds = [probe.probe.kind for probe in found.missed]
    assert {*kinds} == {"file.state", "errors"}, "nobody asks for what is about no command and no file"
    assert {kind: kinds.count(kind) for kind in found.used_counts} == found.used_counts
    assert {probe.reply for probe in found.missed} <= {str(place) for place in range(len(SESSION))}


def test_it_is_asked_for_by_what_it_is_about_and_then_by_what_the_next_step_says() -> None:
    for kind, by in (("errors", "./pack"), ("file.state", "src/limits.py")):
        one = [one for one in of_an_empty_list() if one.probe.kind == kind][-1]
        narrow, wider = one.hints
        assert narrow == by, kind
        assert wider.startswith(f"{by} I see to ENOSPC again."), kind


def test_a_question_is_no_longer_than_people_type() -> None:
    long = (*SESSION[:-4], a("word " * 2_000, call("bash", command="./pack")), r("ok"), a("done"))
    found = missed(recording(*long), 200_000, empty(of(*long).course), weigh, ("errors",)).missed
    assert max(len(hint) for one in found for hint in one.hints) == HINT_CHARACTERS


def test_what_the_list_holds_is_not_missed() -> None:
    lists = timeline.whole(of(*SESSION).course)
    found = missed(recording(*SESSION), 200_000, lists, weigh, ("file.state", "errors"))
    assert (found.missed, sum(found.used_counts.values()) > 0) == ((), True)


def test_what_came_back_is_graded_as_a_list_is() -> None:
    for kind, text, answered in (
        ("file.state", "changed src/limits.py\nlimit_of_rows = 7", True),
        ("file.state", 'edit {"path":"src/limits.py","newText":"limit_of_rows = 7"}', True),
        ("file.state", "changed src/limits.py\nlimit_of_rows = 8", False),
        ("errors", "./pack\nENOSPC: no space left", True),
        ("errors", 'bash {"command":"./pack","timeout":5}\nENOSPC: no space left', True),
        ("errors", 'bash {"input":"cd a\\n./pack\\n"}\nENOSPC: no space left', True),
        ("errors", "ENOSPC: no space left", False),
    ):
        one = next(one for one in of_an_empty_list() if one.probe.kind == kind)
        assert one.answered([text]) is answered, kind
        assert one.answered(["nothing", *text.split("\n")]) is answered, kind
