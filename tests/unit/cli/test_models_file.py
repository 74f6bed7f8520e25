"""`ctxmgr serve --models FILE`: a bad file is told, and the host is served all the same."""

import json
import subprocess
import sys
from pathlib import Path

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "1.1"}}
START = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "session_start",
    "params": {"sessionId": "s", "model": {"id": "acme-1", "contextWindow": 9_000}},
}


def served(own: Path, tmp_path: Path) -> tuple[dict[str, object], str]:
    """`status.model` of a session, and what stood on standard error."""
    said = "".join(json.dumps(one) + "\n" for one in (INITIALIZE, START)).encode()
    command = [sys.executable, "-m", "ctxmgr", "serve", "--state-dir", str(tmp_path), "--models", str(own)]
    done = subprocess.run(command, input=said, capture_output=True, timeout=60, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    (model,) = [one["result"]["status"]["model"] for one in answers if one.get("id") == 2]
    return model, done.stderr.decode()


def test_rows_of_the_file_hold_in_its_sessions(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"models": [{"id": "acme-1", "maxOutputTokens": 77}]}')
    model, stderr = served(own, tmp_path)
    assert (model["maxOutputTokens"], model["outputBy"], stderr) == (77, "registry", "")


def test_a_bad_file_is_told_and_nothing_else_stops(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"models": [{"id": "acme-1", "windw": 77}]}')
    model, stderr = served(own, tmp_path)
    assert model["outputBy"] == "default"
    assert stderr == (
        f'ctxmgr serve: {own}: models[0] ("acme-1") windw: unknown member `windw`; did you mean `window`?; '
        "what is shipped holds\n"
    )
