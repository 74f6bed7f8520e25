"""What a packet states and the recording disproves, a statement of each kind, and beside it one that holds."""

from collections.abc import Sequence

import pytest

from tests.notation import Said, a, call, err, r, u
from tests.unit.study.probes.asked import asked, of, sights

FILL = (u("start"), a("ok")) * 4


def bash(command: str) -> Said:
    return a(call("bash", command=command))


def untrue(said: Sequence[Said], packet: str, shown: Sequence[int] = ()) -> tuple[str, ...]:
    """What a packet states that does not hold, at the last call, beside these messages."""
    found = of(*FILL, *said, u("go on"), a("fine"))
    calls = len(found.course.asked)
    lists = [list[int]()] * (calls - 1) + [[len(FILL) + place for place in shown]]
    (result,) = asked(found, sights(found.course, lists, [""] * (calls - 1) + [packet]))
    return result.untrue[-1]


COMMITTED = (bash("git commit -m x"), r("[main abc1234] Raise it"))
FAKED = (bash("python tool.py"), r("[main ddd7777] fake"))
SUBSET = (bash("pytest tests/a.py"), err("1 failed in 1s"))
WIDER = (bash("pytest"), r("9 passed in 1s\nexit code 0"))
OTHER = (bash("pytest tests/b.py"), r("9 passed in 1s\nexit code 0"))
ELSEWHERE = (bash("cd web && pytest"), r("9 passed in 1s\nexit code 0"))
DROPPED = (bash("./run_all"), r("=== 1 failed, 3 passed in 0.2s ===\nall suites done"))
SHOWN = (bash("cat run.log"), r("=== 1 failed, 3 passed in 0.2s ==="))
DECIDED = (a("I take `queue` instead of `stack`, for the order."), u("ok"))
TURNED = (*DECIDED, u("No: use `stack` instead of `queue`."), a("fine"))
ANSWERED = (a("I looked. Which port shall it be, 8080 or 9090?"), u("the second one please"))
LISTED = (
    a(call("TodoWrite", todos=[{"content": "mend the lexer", "status": "pending"}])),
    r("ok"),
    a(call("TodoWrite", todos=[{"content": "mend the parser", "status": "pending"}])),
    r("ok"),
)
NOT_EDITED = (a(call("edit", path="src/a.ts", oldText="x", newText="y")), err("no match"))
EDITED = (*NOT_EDITED, a(call("edit", path="src/a.ts", oldText="x1", newText="y")), r("ok"))
BLOCKED = "## Blockers (failed when last tried)\n- `pytest tests/a.py`: 1 failed"

GO_FAILED = (bash('go test ./a/ -run "TestA|TestB"'), err("--- FAIL: TestB_Filters (0.0s)\nFAIL\tx/a\t0.1s"))
GO_PASSED = (bash('go test ./a/ -run "TestB"'), r("ok  \tx/a\t0.1s\nexit code 0"))
GO_ELSEWHERE = (bash('go test ./b/ -run "TestB"'), r("ok  \tx/b\t0.1s\nexit code 0"))
GO_BLOCKED = '## Blockers (failed when last tried)\n- `go test ./a/ -run "TestA|TestB"`: "FAIL: TestB_Filters"'
WHOLE = (bash("pytest"), err("FAILED tests/a.py::test_b\n1 failed, 5 passed in 1s"))
THREE = (bash("pytest"), err("FAILED tests/a.py::test_b\n3 failed, 5 passed in 1s"))
ONE = (bash("pytest tests/a.py::test_b"), r("1 passed in 1s\nexit code 0"))
WHOLE_BLOCKED = "## Blockers (failed when last tried)\n- `pytest`: 1 failed"
ALL_TESTS = (bash("mise run test:ci"), r("ok  \tx/a\t0.1s\nexit code 0"))
MISUSED = (bash("cargo test a b"), err("error: unexpected argument 'b' found\n\nUsage: cargo test"))
USED = (bash("cargo test b"), r("test result: ok. 33 passed; 0 failed"))
MISUSE_BLOCKED = "## Blockers (failed when last tried)\n- `cargo test a b`: failed"

NOT_FOUND = (bash("gh api repos/a/b | jq ."), err("gh: Not Found (HTTP 404)"))
API = (bash("gh api repos/a/c 2>&1 | head -5"), r("[]"))
API_AGAIN = (bash("gh api repos/a/c 2>&1 | head -5"), r("gh: Not Found (HTTP 404)"))
API_BLOCKED = '## Blockers (failed when last tried)\n- `gh api repos/a/b | jq .`: "gh: Not Found (HTTP 404)"'
COPIED = (bash("mkdir -p t && cp a/x t/x"), err("cp: a/x: No such file"), bash("mkdir -p t && cp b/x t/x"), r(""))
COPY_FAILED = '- Failed: `mkdir -p t && cp a/x t/x`: "cp: a/x: No such file"'
STYLED = (
    bash("cargo fmt --check && cargo test a"),
    err("Diff in /w/a.rs:1:\n-  a\n+ a"),
    bash("cargo fmt --check && cargo test b"),
    r("test result: ok. 1 passed; 0 failed"),
)
STYLE_BLOCKED = '## Blockers (failed when last tried)\n- `cargo fmt --check && cargo test a`: "let a"'
PUSHED = (bash("git push"), err("error: failed to push"), bash("git push --dry-run"), r("To x"))
PUSH_BLOCKED = '## Blockers (failed when last tried)\n- `git push`: "error: failed to push"'
ON_A_HOST = (bash("ssh h 'make'"), err("make: no rule"), bash("ssh h 'git clone x'"), r(""))
HOST_BLOCKED = "## Blockers (failed when last tried)\n- `ssh h 'make'`: \"make: no rule\""
OF_TASKS = (bash("mise run format"), err("format failed"), bash("cargo fmt && mise run render"), r("done"))
OF_TASKS_AGAIN = (*OF_TASKS[:2], bash("mise run format -v"), r("done"))
TASK_BLOCKED = '## Blockers (failed when last tried)\n- `mise run format`: "format failed"'
UNQUOTED = (bash("gh api a?b=1"), err("zsh: no matches found"), bash("gh api 'a?b=1'"), r("[]"))
UNQUOTED_FAILED = '- `gh api a?b=1`: failed; "zsh: no matches found"'

DISPROVED: list[tuple[Sequence[Said], str, str]] = [
    (FAKED, "- committed: ddd7777 fake", "told as committed, no git command made it: ddd7777"),
    ((*COMMITTED, *FAKED), "- committed: ddd7777 fake", "told as committed, no git command made it: ddd7777"),
    (COMMITTED, '- committed: "abc1234 Raise it"', ""),
    ((*SUBSET, *WIDER), BLOCKED, "told as failed, ended by `pytest`: pytest tests/a.py"),
    ((*SUBSET, *WIDER), f"{BLOCKED}; `pytest` worked since", ""),
    ((*SUBSET, *OTHER), BLOCKED, ""),
    (
        (*GO_FAILED, *GO_PASSED),
        GO_BLOCKED,
        'told as failed, ended by `go test ./a/ -run "TestB"`: go test ./a/ -run "TestA|TestB"',
    ),
    ((*GO_FAILED, *GO_ELSEWHERE), GO_BLOCKED, ""),
    (
        (*GO_FAILED, *ALL_TESTS),
        GO_BLOCKED,
        'told as failed, ended by `mise run test:ci`: go test ./a/ -run "TestA|TestB"',
    ),
    ((*WHOLE, *ONE), WHOLE_BLOCKED, "told as failed, ended by `pytest tests/a.py::test_b`: pytest"),
    ((*THREE, *ONE), WHOLE_BLOCKED, ""),
    ((*WHOLE, *OTHER), WHOLE_BLOCKED, ""),
    ((*MISUSED, *USED), MISUSE_BLOCKED, "told as failed, ended by `cargo test b`: cargo test a b"),
    (MISUSED, MISUSE_BLOCKED, ""),
    ((*SUBSET, *ELSEWHERE), BLOCKED, ""),
    (
        (*NOT_FOUND, *API),
        API_BLOCKED,
        "told as failed, ended by `gh api repos/a/c 2>&1 | head -5`: gh api repos/a/b | jq .",
    ),
    (
        (*NOT_FOUND, *API),
        API_BLOCKED.replace("a/b | jq .", "a/b | j…"),
        "told as failed, ended by `gh api repos/a/c 2>&1 | head -5`: gh api repos/a/b | jq .",
    ),
    ((*NOT_FOUND, *API_AGAIN), API_BLOCKED, ""),
    (COPIED, COPY_FAILED, "told as failed, ended by `mkdir -p t && cp b/x t/x`: mkdir -p t && cp a/x t/x"),
    (COPIED, f"{COPY_FAILED}; `cp b/x t/x` worked since", ""),
    (COPIED[:2], COPY_FAILED, ""),
    (
        STYLED,
        STYLE_BLOCKED,
        "told as failed, ended by `cargo fmt --check && cargo test b`: cargo fmt --check && cargo test a",
    ),
    (PUSHED, PUSH_BLOCKED, ""),
    (ON_A_HOST, HOST_BLOCKED, ""),
    (OF_TASKS, TASK_BLOCKED, ""),
    (OF_TASKS_AGAIN, TASK_BLOCKED, "told as failed, ended by `mise run format -v`: mise run format"),
    (UNQUOTED, f"{UNQUOTED_FAILED}; `gh api 'a?b=1'` worked since", ""),
    (
        (*SUBSET, *WIDER),
        "- Failed: `pytest tests/a.py`: 1 failed",
        "told as failed, ended by `pytest`: pytest tests/a.py",
    ),
    (DROPPED, "- `./run_all`: worked", "told as working, is failed: ./run_all"),
    (DROPPED, "- `./run_all`: 1 failed", ""),
    (SHOWN, "- `cat run.log`: worked", ""),
    (TURNED, "- `queue` instead of `stack`", "told as `queue` and not `stack`, is the other way round"),
    (TURNED, "- `stack` rather than `queue`", ""),
    (TURNED, "- earlier: `queue` instead of `stack`", ""),
    (DECIDED, "- `queue` instead of `stack`", ""),
    (
        ANSWERED,
        "## Open questions\n- Which port shall it be, 8080 or 9090?",
        "told as open, was answered: Which port shall it be, 8080 or 9090?",
    ),
    (ANSWERED, "## Open questions\n- Which port shall it be, 8080 or 9090? The second one please", ""),
    (ANSWERED, "- asked: Which port shall it be, 8080 or 9090?", ""),
    (LISTED, "- [ ] mend the lexer", "told as open, is closed: mend the lexer"),
    (LISTED, "- [ ] mend the parser", ""),
    (NOT_EDITED, "- changed src/a.ts", "told as changed, no edit worked: src/a.ts"),
    (NOT_EDITED, '## Blockers\n- `edit src/a.ts`: "no match"', ""),
    (NOT_EDITED, "- read src/a.ts", ""),
    (EDITED, "- changed src/a.ts", ""),
]


@pytest.mark.parametrize(("said", "packet", "statement"), DISPROVED)
def test_what_a_packet_states_and_the_recording_disproves(
    said: Sequence[Said], packet: str, statement: str
) -> None:
    assert untrue(said, packet) == ((statement,) if statement else ())


@pytest.mark.parametrize(
    ("said", "packet"),
    [
        (DROPPED, "- `./run_all`: worked"),
        (NOT_EDITED, "- changed src/a.ts"),
        (LISTED, "- [ ] mend the lexer"),
        (ANSWERED, "## Open questions\n- Which port shall it be, 8080 or 9090?"),
    ],
)
def test_a_list_that_shows_what_disproves_it_states_nothing_untrue(said: Sequence[Said], packet: str) -> None:
    assert untrue(said, packet)
    assert not untrue(said, packet, range(len(said)))
