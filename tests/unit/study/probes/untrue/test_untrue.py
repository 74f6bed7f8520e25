"""What a packet or a list states and does not hold."""

from collections.abc import Sequence

import msgspec
import pytest

from ctxmgr.study.metrics import timeline
from tests.notation import Said, a, call, err, r, u
from tests.unit.study.probes.asked import SESSION, asked, of, sights
from tests.unit.study.sighted import packed


def untrue(said: Sequence[Said], packet: str, shown: Sequence[int] = (), after: str = "") -> tuple[str, ...]:
    """What a packet states that does not hold, at the last call, beside these messages, `after` them another."""
    padded = (*said, u("go on"), a("fine"))
    fill = (u("start"), a("ok")) * 4
    found = of(*fill, *padded)
    calls = len(found.course.asked)
    lists = [list[int]()] * (calls - 1) + [[len(fill) + place for place in shown]]
    seen = sights(found.course, lists, [""] * (calls - 1) + [packet])
    if after:
        both = (*seen[-1].projected_messages, packed(after))
        seen[-1] = msgspec.structs.replace(seen[-1], projected_messages=both)
    (result,) = asked(found, seen)
    assert found.points[-1].call_index == calls - 1
    return result.untrue[-1]


RUN = call("bash", command="npm run test")
FAILED = (a(RUN), err("1 failed"))
WORKED = (a(RUN), r("7 passed"))
FILTER = "cd /w && npm run test 2>&1 | tail -3"
FILTERED = (a(call("bash", command=FILTER)), r("1 failed"))
OTHER = (a(call("bash", command="npm run test -- src/b")), r("1 failed"))
LOOKED = (
    a(call("bash", command="git diff | grep x")),
    err("Exit code 1"),
    a(call("bash", command="git diff")),
    r("+y"),
)
TASK = a(call("TodoWrite", todos=[{"content": "mend the test", "status": "completed"}]))
TASK_LEFT = (
    a(call("TodoWrite", todos=[{"content": "mend the test", "status": "pending"}])),
    r("ok"),
    a(call("TodoWrite", todos=[{"content": "mend the lexer", "status": "pending"}])),
    r("ok"),
)

UNTRUE: list[tuple[Sequence[Said], str, str]] = [
    (FAILED, "## Commands that worked\n- `npm run test`", "told as working, is failed: npm run test"),
    ((*FAILED, *WORKED), "## Blockers\n- `npm run test`: 1 failed", "told as failed, is working: npm run test"),
    ((*FAILED, *WORKED), "- also: `npm run test` (failed); a.ts", "told as failed, is working: npm run test"),
    ((*FAILED, *WORKED), "- also: `npm run test`; a.ts (failed); `ls`", ""),
    ((*FAILED, *WORKED), "- `npm run test`: is_api_error, fail.ts, hosts_failed", ""),
    (WORKED, '- `npm run test` printed: "fail fast when offline"', ""),
    (FAILED, '## Blockers\n- `npm run test`: "unit pass 5m42s"', ""),
    (WORKED, '- `npm run test`: failed; "unit pass 5m42s"', "told as failed, is working: npm run test"),
    (WORKED, "## Commands that worked\n- `npm run test`", ""),
    (FAILED, "## Blockers\n- `npm run test`", ""),
    (FILTERED, "## Commands that worked\n- `npm run test`", f"told as working, is failed: {FILTER}"),
    (FILTERED, "## Blockers\n- `npm run test`: 1 failed", ""),
    (LOOKED, "## Blockers\n- `git diff | grep x`: nothing", ""),
    ((*WORKED, *OTHER), "## Commands that worked\n- `npm run test`", ""),
    (FAILED, "## Left out\n- `npm run test`", ""),
    (FAILED, "## Left out\n- `npm run test`; `npm run lint` (ok)", ""),
    (
        (a(call("write", path="src/a.ts", content="x")), r("ok"), a(call("bash", command="rm src/a.ts")), r("")),
        "- changed src/a.ts",
        "told as changed, is deleted: src/a.ts",
    ),
    ((a(call("write", path="src/a.ts", content="x")), r("ok")), "- changed src/a.ts", ""),
    (
        (
            a(call("bash", command="rm -rf src/parts")),
            r(""),
            a(call("write", path="src/parts/a.ts", content="x")),
            r("ok"),
        ),
        "- changed src/parts/a.ts",
        "",
    ),
    (
        (a(call("write", path="src/a.ts", content="x")), r("ok"), a(call("bash", command="rm src/a.ts")), r("")),
        "- changed src/a.ts, deleted since",
        "",
    ),
    ((TASK, r("ok")), "- [ ] mend the test", "told as open, is done: mend the test"),
    ((TASK, r("ok")), "- [x] mend the test", ""),
    ((TASK, r("ok")), "- [x] mend the test, on to the next", ""),
]


@pytest.mark.parametrize(("said", "packet", "statement"), UNTRUE)
def test_a_packet_that_states_what_does_not_hold(said: Sequence[Said], packet: str, statement: str) -> None:
    assert untrue(said, packet) == ((statement,) if statement else ())


@pytest.mark.parametrize("shown", [[0], [1], []])
def test_a_list_that_shows_the_newer_call_states_nothing_untrue(shown: list[int]) -> None:
    packet = "## Commands that worked\n- `npm run test`"
    assert bool(untrue(FAILED, packet, shown)) == (shown == [])


GONE = (a(call("write", path="src/a.ts", content="x")), r("ok"), a(call("bash", command="rm src/a.ts")), r(""))
CORRECTED = [
    (GONE, "- changed src/a.ts", "- deleted src/a.ts"),
    ((TASK, r("ok")), "- [ ] mend the test", "- [x] mend the test"),
]


@pytest.mark.parametrize(("said", "older", "newer"), CORRECTED)
def test_a_packet_corrects_what_stands_before_it_and_nothing_after_it(
    said: Sequence[Said], older: str, newer: str
) -> None:
    assert untrue(said, older)
    assert not untrue(said, older, after=newer)
    assert untrue(said, newer, after=older)


def test_a_list_without_stand_ins_states_nothing() -> None:
    found = of(*SESSION)
    (result,) = asked(found, timeline.whole(found.course))
    assert set(result.untrue) == {()}


@pytest.mark.parametrize(
    ("said", "packet", "after", "statement"),
    [
        (FAILED, "- `npm run test`: worked", "- `npm run test`: 1 failed", ""),
        (FAILED, "- `npm run test`: worked", "- `npm run test`: aborted before it ended", ""),
        (
            FAILED,
            "- `npm run test`: worked",
            "- `npm run lint`: failed",
            "told as working, is failed: npm run test",
        ),
        (TASK_LEFT, "- [ ] mend the test", "- [x] done since: mend the test", ""),
        (TASK_LEFT, "- [ ] mend the test", "- [ ] mend the lexer", "told as open, is closed: mend the test"),
    ],
)
def test_what_stands_further_on_corrects(said: Sequence[Said], packet: str, after: str, statement: str) -> None:
    assert untrue(said, packet, after=after) == ((statement,) if statement else ())


STATE = "## State of the work"
MISSING = (
    a(call("bash", command="jest src")),
    err("bash: jest: command not found\n\nCommand exited with code 127"),
)
STOPPED = (a(RUN), err("ok 1\nError in the bootloader\n\nCommand aborted"))
LISTED = (a(call("bash", command="pytest --collect-only")), r("4 tests collected"))
LINT = call("bash", command="npm run lint && npm run test")
TESTS_FAIL = "tests told as working, newest is failed: npm run test"
TESTS_WORK = "tests told as failed, newest is working: npm run test"


@pytest.mark.parametrize(
    ("said", "line", "statement"),
    [
        (FAILED, "- tests: failed when last run", ""),
        (WORKED, "- tests: `npm test`: 7 passed", ""),
        (WORKED, "- tests: failed when last run", TESTS_WORK),
        (FAILED, "- tests: `jest b`: 7 passed", TESTS_FAIL),
        ((*WORKED, *MISSING), "- tests: failed when last run", TESTS_WORK),
        ((*WORKED, *STOPPED), "- tests: failed when last run", TESTS_WORK),
        (MISSING, "- tests: failed when last run", "tests told as failed, newest tested nothing: jest src"),
        ((*FAILED, *LISTED), "- tests: `pytest --co`: worked", TESTS_FAIL),
        ((*WORKED, a(LINT), err("2 errors")), "- tests, lint: failed when last run", ""),
        ((*WORKED, a(LINT), err("1 failed")), "- lint: failed when last run", ""),
        ((*WORKED, a(LINT), r("7 passed")), "- tests, lint: failed when last run", "both"),
    ],
)
def test_a_kind_of_check_is_told_as_its_newest_run_ended(said: Sequence[Said], line: str, statement: str) -> None:
    whole = "npm run lint && npm run test"
    both = tuple(f"{kind} told as failed, newest is working: {whole}" for kind in ("tests", "lint"))
    assert untrue(said, f"{STATE}\n{line}") == (both if statement == "both" else (statement,) if statement else ())
    assert untrue(said, f"## Notes\n{line}") == ()
