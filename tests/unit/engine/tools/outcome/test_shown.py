"""What a command shows is nothing of its run; what a client of a database says of a statement is."""

import pytest

from ctxmgr.engine.tools import CallOutcome, tool_call, weighed_run
from ctxmgr.engine.tools.outcome.ended import outcome_by
from tests.unit.engine.tools.outcome.shell_lines import ended

REFUSED = "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at x"
RAISED = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad'


@pytest.mark.parametrize("text", [REFUSED, RAISED, "1 failed, 3 passed", "BUILD FAILED"])
@pytest.mark.parametrize(
    "command",
    [
        "docker logs web 2>&1 | tail -20",
        "docker compose logs api | tail",
        "kubectl logs deploy/x | tail",
        "kubectl describe pod x | tail -5",
        "journalctl -u x | tail -3",
        "pm2 logs --nostream | tail",
        "fly logs | tail",
        "aws logs tail /x | tail",
        "tmux capture-pane -p -t x | tail -5",
        "adb logcat -d | tail",
        "curl -s localhost:3000/log | head",
        "psql -c 'select line from log' | tail",
    ],
)
def test_what_is_shown_behind_a_pipe_tells_nothing_of_the_run(command: str, text: str) -> None:
    assert ended(command, text) == "unknown"


def test_its_own_lines_tell_of_it() -> None:
    assert ended("npm view zorp | head", "npm error code E404") == "failed"
    assert ended("curl localhost:1 | head", "curl: (7) Failed to connect to localhost port 1") == "failed"
    assert ended("psql -f a.sql | tail", 'psql:a.sql:9: ERROR:  relation "users" already exists') == "failed"


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        (
            'psql "$DATABASE_URL" -f a.sql',
            'CREATE TABLE\npsql:a.sql:9: ERROR:  relation "x" already exists',
            "failed",
        ),
        ("docker exec -i db psql < a.sql", 'ERROR:  relation "x" already exists\nINSERT 0 1', "failed"),
        ("sqlite3 app.db < a.sql", "Parse error near line 3: no such table: x", "failed"),
        ("mysql --force app < a.sql", "ERROR 1146 (42S02) at line 3: Table 'app.x' doesn't exist", "failed"),
        ("psql -c 'select line from log'", " line\n------\n Error: 1 failed\n(1 row)", "ok"),
        ("sqlite3 app.db 'select line from log'", "1 failed, 3 passed", "ok"),
        ("docker logs web", 'psql:a.sql:9: ERROR:  relation "x" already exists', "ok"),
        ("curl -si localhost:3000/none", "HTTP/1.1 404 Not Found", "ok"),
    ],
)
def test_a_statement_that_failed_is_told_though_its_client_went_on(
    command: str, text: str, expected: CallOutcome
) -> None:
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    assert weighed_run(shell, text, "ok")[0] == expected


@pytest.mark.parametrize(
    "command",
    [
        "tail -n 20 app.log",
        "cat x.log",
        "docker logs app",
        "kubectl logs x",
        "sed -n 1,5p notes.md",
        "head -5 out.txt",
    ],
)
def test_a_shown_text_that_begins_as_an_error_is_a_failure_only_where_the_host_says_so(command: str) -> None:
    shell = tool_call("bash", {"command": command}).shell
    for text in (REFUSED, RAISED):
        assert outcome_by(shell, text, is_error=True, doubtful=True) == "unknown"
        assert outcome_by(shell, text, is_error=True, doubtful=False) == "failed"


def test_an_error_of_ones_own_is_one_though_it_was_guessed() -> None:
    for command, text in (
        ("node a.js", REFUSED),
        ("psql -c 'select 1 from t'", 'ERROR:  relation "t" does not exist'),
    ):
        shell = tool_call("bash", {"command": command}).shell
        assert outcome_by(shell, text, is_error=True, doubtful=True) == "failed"
