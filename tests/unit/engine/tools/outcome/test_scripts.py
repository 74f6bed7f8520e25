"""Of a script that shows several results the command's own exit code counts."""

import pytest

from ctxmgr.engine.tools import outcome, tool_call

STOPPED = (
    'const stop=await tools.write_stdin({session_id:1,chars:"\\u0003"});\n'
    'const r=await tools.exec_command({cmd:"gh pr checks 1 && git status -sb"});\ntext(JSON.stringify({stop,r}))'
)


@pytest.mark.parametrize(
    ("script", "stop", "r", "expected"),
    [
        (STOPPED, 130, 0, "ok"),
        (STOPPED, 0, 1, "failed"),
        (STOPPED.replace("const r=await ", "const all=[await "), 130, 0, "unknown"),
    ],
)
def test_of_several_results_of_a_script_the_command_s_own_counts(
    script: str, stop: int, r: int, expected: str
) -> None:
    def record(code: int) -> str:
        return f'{{"chunk_id":"a","wall_time_seconds":0.1,"exit_code":{code},"output":"x"}}'

    call = tool_call("exec", {"input": script})
    text = f'Script completed\nOutput:\n\n{{"stop":{record(stop)},"r":{record(r)}}}'
    for is_error, doubtful in ((True, False), (False, False), (False, True)):
        assert outcome(call, text, is_error, doubtful) == expected
