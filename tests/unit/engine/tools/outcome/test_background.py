import pytest

from ctxmgr.engine.tools.outcome.background import goes_on_as


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("Wall time: 1 seconds\nProcess running with session ID 48225\nOutput:\n", "48225"),
        ("Script running with cell ID 7\nWall time 10.0 seconds", "7"),
        ("Command running in background with ID: b1f2", "b1f2"),
        ('{"chunk_id":"0a","session_id":87353,"output":"one"}', "87353"),
        ("Process exited with code 0\nOutput:\ndone", ""),
        ("a log\n" * 200 + "Process running with session ID 48225", ""),
    ],
)
def test_a_result_says_under_which_id_its_run_goes_on(text: str, run: str) -> None:
    assert goes_on_as(text) == run
