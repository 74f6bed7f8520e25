"""Whether a tool failed, told from its text alone."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats.outcomes import verdict

FILE = "\n".join(f"{number}: if error: raise ValueError('failed')" for number in range(40))
PLAIN = "\n".join(f"line {number}" for number in range(400))

TABLE = [
    ("", "untold"),
    (PLAIN, "untold"),
    ("Error: no such file", "guessed"),
    ("TypeError: x is not a function\n    at y", "guessed"),
    ("Tool execution error: timeout", "guessed"),
    ("  Traceback (most recent call last):\n  File", "guessed"),
    ("<tool_use_error>String to replace not found</tool_use_error>", "error"),
    ("Exit code 1\nmake: nothing", "error"),
    ("Exit code: 0\nWall time: 1 s\nOutput:\nError: this is what was printed", "fine"),
    ("Exit code: 2\nWall time: 1 s\nOutput:\nfine", "error"),
    ("Chunk ID: 1\nWall time: 1\nProcess exited with code 0\nOutput:\n12 failed", "fine"),
    ("lots of output\n\nCommand exited with code 127", "error"),
    ("lots of output\n\nCommand exited with code 0", "fine"),
    ('{"output":"all failed","metadata":{"exit_code":0,"duration_seconds":0.1}}', "fine"),
    ('Script completed\nOutput:\n\n{"chunk_id":"1","exit_code":127,"output":"x"}', "error"),
    ('Script completed\nOutput:\n\n{"chunk_id":"1","exit_code":0,"output":"1 failed"}', "fine"),
    (
        'Output:\n{"a":{"chunk_id":"1","wall_time_seconds":0,"exit_code":130,"output":"x"},'
        '"b":{"chunk_id":"2","wall_time_seconds":0.8,"exit_code":0,"output":"y"}}',
        "doubtful",
    ),
    (
        'Output:\n{"a":{"chunk_id":"1","wall_time_seconds":0,"exit_code":130,"output":"x"},'
        '"b":{"chunk_id":"2","wall_time_seconds":0.8,"exit_code":1,"output":"y"}}',
        "error",
    ),
    ("<returncode>1</returncode>\n<output>\nx\n</output>", "error"),
    ('{"isError": false, "text": "Error: x"}', "fine"),
    ('{"error": null, "rows": 3}', "fine"),
    ("no error: all is well", "fine"),
    ("cat: x: No such file or directory", "doubtful"),
    ("<system>ERROR: Command failed with exit code: 1.</system>\nboom", "error"),  # Kimi CLI
    (f"{PLAIN}\n3 tests failed", "doubtful"),
    (f"{PLAIN}\n0 errors, 12 warnings", "fine"),
    (f"{PLAIN}\nerror in the middle\n{PLAIN}", "untold"),
    (FILE, "doubtful"),  # of a file whose first line speaks of one nobody can tell
    ('[output pruned — ~500 tokens | read path="x"]', "untold"),
]


def test_what_a_text_tells() -> None:
    for text, expected in TABLE:
        assert verdict(text) == expected, text


def test_what_never_ran_or_was_broken_off_is_an_error_as_codex_says_it() -> None:
    for text in (
        'exec_command failed for `rm -rf build`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
        "exec command rejected by user",
        "patch rejected by user",
        "aborted by user after 0.1s",
        "Wall time: 0.1 seconds\naborted by user",
        "failed in sandbox: rm: cannot remove 'build': Operation not permitted",
        "apply_patch verification failed: Failed to find expected lines in /w/p.py:\na",
    ):
        assert verdict(text) == "error", text
        assert verdict(f"12 rows\n{text}\n12 rows\n" + "x\n" * 20) != "error", text


@given(st.text(max_size=100))
def test_any_text_has_one(text: str) -> None:
    assert verdict(text) in ("error", "guessed", "doubtful", "fine", "untold")
