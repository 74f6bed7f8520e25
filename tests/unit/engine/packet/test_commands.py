import pytest

from ctxmgr.engine.packet.commands import MOST_BLOCKERS, MOST_WORKED, blocker_lines, worked_lines
from ctxmgr.model.saved.facts import Fact


def ran(key: str, status: str = "ok", detail: str = "", text: str = "") -> Fact:
    return Fact("command", key, text or key.partition("\n")[2], "tool", status=status, detail=detail)


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (ran("shell\nnpm test", "failed", "Error: x"), '- `npm test`: "Error: x"'),
        (ran("shell\ncd /a/web && npm test", "failed"), "- `npm test` in web"),
        (ran("edit\na.ts", "failed", "no match", "edit a.ts"), '- `edit a.ts`: "no match"'),
        (ran("shell\nnpm test", "ok"), None),
        (ran("shell\ngrep x y", "failed"), None),
        (ran("shell\ngit diff --stat", "failed"), None),
        (ran('shell\nnode -e "x"', "failed"), None),
        (ran("shell\nnpm test", "failed", "Command aborted"), None),
        (ran("shell\nmake", "failed", "Process exited with code 1"), "- `make`"),
        (ran("shell\nmake", "failed", "Error:"), "- `make`"),
        (ran("shell\nmake", "failed", "<tool_use_error>no such rule</tool_use_error>"), '- `make`: "no such rule"'),
        (ran("shell\nmake", "failed", '{"exit_code":1,"output":"\\nno such rule\\n"}'), '- `make`: "no such rule"'),
        (ran("shell\nmake", "failed", '{"exit_code":1,"output":""}'), "- `make`"),
        (ran("shell\ncd /a/web && npm test", "failed", "bash: cd: /a/web: No such file or directory"), None),
        (ran("shell\ncd web && npm test", "failed", "(eval):cd:1: no such file or directory: web"), None),
    ],
)
def test_what_is_a_blocker(fact: Fact, line: str | None) -> None:
    assert blocker_lines([fact]) == ([line] if line else [], 1 if line else 0)


def test_the_same_error_of_several_is_told_once() -> None:
    failed = [ran(f"shell\nmake {name}", "failed", "no linker") for name in ("a", "b")]
    bare = [ran(f"shell\nmake {name}", "failed", "exited with code 2") for name in ("c", "d")]
    told = '- `make b`: "no linker" (so did `make a`)'
    assert blocker_lines([*failed, *bare]) == (["- `make d`", "- `make c`", told], 3)
    many = [ran(f"shell\nmake {number}", "failed", "no linker") for number in range(6)]
    told = '- `make 5`: "no linker" (so did `make 4`, `make 3`, `make 2`, 2 more)'
    assert blocker_lines(many) == ([told], 1)


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        ('go test -run "A|B" 2>&1 | tail', '- `go test -run "A|B"`'),
        ("make -k 'a|b'", "- `make -k 'a|b'`"),
        ("make || make all | head", "- `make || make all`"),
        ("gh pr view 7 --json title", None),
        ("gh pr create --title x", "- `gh pr create --title x`"),
    ],
)
def test_what_worked_is_told_without_what_its_output_passed(runs: str, line: str | None) -> None:
    assert worked_lines([ran(f"shell\n{runs}")]) == ([line] if line else [])


def test_only_the_newest_are_told() -> None:
    failed = [ran(f"shell\nmake {number}", "failed") for number in range(20)]
    lines, total = blocker_lines(failed)
    assert (len(lines), lines[0], total) == (MOST_BLOCKERS, "- `make 19`", 20)
    worked = [ran(f"shell\nmake {number}") for number in range(20)]
    assert (len(worked_lines(worked)), worked_lines(worked)[0]) == (MOST_WORKED, "- `make 19`")


@pytest.mark.parametrize("command", ["ls", "git commit -m x", "sleep 5", "python - <<E", "cd x && ls"])
def test_what_works_but_tells_nothing(command: str) -> None:
    assert worked_lines([ran(f"shell\n{command}"), ran("read\na.ts")]) == []


def test_the_same_command_is_told_once() -> None:
    assert worked_lines([ran("shell\ncd /a && make"), ran("shell\nmake 2>&1 | grep x")]) == ["- `make`"]
