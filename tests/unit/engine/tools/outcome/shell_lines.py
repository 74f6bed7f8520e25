"""How a command line of a shell ended, by its output and the status that the host tells."""

from ctxmgr.engine.tools import CallOutcome, outcome, tool_call


def ended(command: str, text: str = "", status: int = 0) -> CallOutcome:
    told = f"{text}\n\nCommand exited with code {status}" if status else text
    return outcome(tool_call("bash", {"command": command}), told, status != 0)
