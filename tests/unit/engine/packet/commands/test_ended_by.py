"""Which later run ends a failure: of what is no check any of the same program and subcommand."""

import pytest

from ctxmgr.engine.packet.commands import FADES, MOST_AGAIN, command_states
from tests.unit.engine.packet.commands.test_commands import blocker_lines, shell

NOT_FOUND = "gh: Not Found (HTTP 404)"
LONG = (
    ' | jq --arg a "$who" \'sort_by([.in_reply_to_id // .id]) | map({thread_id: (.[0].in_reply_to_id // .[0].id)'
    + (", path: .[0].path, line: (.[0].line // .[0].original_line), last_author: .[-1].user.login" * 2 + "})'")
)
NO_FILE = "cp: a/dark.json: No such file or directory"
FORBIDDEN = "HTTP/1.1 403 Forbidden\nContent-Type: text/html\n\n<h1>Forbidden</h1>"
FOUND = "HTTP/1.1 302 Found\nLocation: /thanks/"
REFUSED = "curl: (7) Failed to connect to localhost port 9102 after 0 ms: Connection refused"
DIFF = (
    'Diff in /w/src/main.rs:1:\n fn main() {\n-    let  a = Err("error: no");\n+    let a = Err("error: no");\n }'
)
TOKEN = (
    "curl -s -c j http://a/cart/ >/dev/null; T=$(grep token j | awk '{print $7}');"
    ' curl -i -H "X: $T" -X POST http://a/charge/'
)
RELAY = "go build ./... && ./bin/relay & sleep 2; curl -s localhost:9102/metrics | grep relay_"
TESTED = "test result: ok. 3 passed; 0 failed"

ENDED = [
    ("gh api repos/a/b/pulls/1", NOT_FOUND, "gh api repos/a/c/pulls/1", "[]"),
    ('o="a" && gh api repos/$o/pulls | jq .', NOT_FOUND, "gh api repos/a/b/pulls | jq .", '[{"id": 1}]'),
    (
        f'o="a" && gh api repos/$o/b{LONG}',
        f"{NOT_FOUND}\njq: error (at <stdin>:4): Cannot index string",
        "gh api repos/a/b 2>&1 | head -5",
        "[]",
    ),
    ("mkdir -p t && cp a/dark.json t/x.json", NO_FILE, "mkdir -p t && cp b/dark.json t/x.json", ""),
    ("cp a/dark.json t/x.json", NO_FILE, "cp b/dark.json t/x.json", ""),
    ("cp a/dark.json t/x.json", NO_FILE, "make build && cp b/dark.json t/x.json", "done"),
    ("psql -h db -c 'select 1'", "psql: error: connection refused", "psql -h localhost -c 'select 1'", " 1"),
    ("docker run --rm -p 80:80 shop", "docker: Error: port is taken.", "docker run --rm -p 8080:80 shop", "up"),
    ("curl -i -X POST http://a/charge/", FORBIDDEN, TOKEN, FOUND),
    (RELAY, REFUSED, "curl -s localhost:9110/metrics | grep relay_", "relay_x 0"),
    ("cargo fmt --check && cargo test a b c", DIFF, "cargo fmt --check && cargo test a --exact", TESTED),
    ("cd one && npm install", "npm error code E1", "cd two && npm install", "added 1 package in 1s"),
    ("kubectl apply -f a.yaml", "error: unknown field", "kubectl apply -f b.yaml", "x created"),
]


@pytest.mark.parametrize(("failed", "output", "later", "printed"), ENDED)
def test_what_is_no_check_is_ended_by_the_same_program_and_subcommand(
    failed: str, output: str, later: str, printed: str
) -> None:
    assert blocker_lines([shell(failed, output, 1)])[1] == 1
    assert blocker_lines([shell(failed, output, 1), shell(later, printed)]) == ([], 0)


STANDING = [
    ("gh api repos/a/b", NOT_FOUND, "gh api repos/a/c 2>&1 | head -5", NOT_FOUND),
    ("gh pr create --title x", "pull request create failed: no", "gh pr view 1", "x"),
    ("gh api repos/a/b", NOT_FOUND, "gh --version", "2.0"),
    ("curl -i http://a/", FORBIDDEN, TOKEN, FORBIDDEN),
    ("git push", "error: failed to push", "git push --dry-run", "To x"),
    ("docker run -p 80:80 shop", "docker: Error: port is taken.", "docker ps", "none"),
    ("cat a.txt", "cat: a.txt: No such file or directory", "cat b.txt", "text"),
    ("make part1", "error: no", "make part2", "done"),
    ("npm run dev", "error: no", "npm run docs", "done"),
    ("python load.py", "ValueError: no", "python other.py", "done"),
    ("cargo fmt --check && cargo test", "test a ... FAILED\ntest result: FAILED. 1 failed", "cargo fmt", ""),
]


@pytest.mark.parametrize(("failed", "output", "later", "printed"), STANDING)
def test_another_subcommand_or_the_same_failure_again_ends_nothing(
    failed: str, output: str, later: str, printed: str
) -> None:
    assert blocker_lines([shell(failed, output, 1), shell(later, printed)])[1] >= 1


def test_a_line_is_told_by_what_its_error_names() -> None:
    (line,) = blocker_lines([shell("cargo fmt --check && cargo test a", DIFF, 1)])[0]
    assert line.endswith('"Diff in /w/src/main.rs:1:"')


def test_a_look_that_complains_where_nobody_knows_how_it_ended_says_so() -> None:
    fact = shell("gh api repos/a/b 2>&1 | head -5", NOT_FOUND)
    assert (fact.status, fact.detail) == ("unknown", NOT_FOUND)
    assert command_states([fact]).ends == ()


def test_what_it_failed_with_is_told_with_what_worked_since() -> None:
    failed, later = shell("cp a/dark.json t/x.json", NO_FILE, 1), shell("cp b/dark.json t/x.json")
    line = f'- `cp a/dark.json t/x.json`: failed; "{NO_FILE}"; `cp b/dark.json t/x.json` worked since'
    assert command_states([failed, later]).ends == (line,)
    assert command_states([failed]).ends == ()
    again = shell("cp a/dark.json t/x.json", "", 0, 3)
    assert command_states([failed, again]).ends == ()
    others = [shell(f"./step{number}", at=number + 3) for number in range(FADES)]
    assert all("cp " not in one for one in command_states([failed, later, *others]).ends)
    many = [shell(f"psql -h db{at}", f"psql: error: no db{at}", 1, at) for at in range(5)]
    told = command_states([*many, shell("psql -h localhost", "1", 0, 9)]).ends
    failed_before = [one for one in told if "failed" in one]
    assert failed_before[0].startswith("- `psql -h db4`")
    assert len(failed_before) == MOST_AGAIN
