"""A program's first call with and without a base URL: what is caught, and what is said of it."""

import sys
from pathlib import Path

import pytest

from ctxmgr.doctor.checks import Diagnosis, Surroundings
from ctxmgr.doctor.first_calls import FirstCall, comparing, first_calls
from ctxmgr.programs.claude import CLAUDE

PROGRAM = """#!{python}
import json, os, sys, urllib.parse, http.client
url = os.environ["ANTHROPIC_BASE_URL"]
assert os.environ["ANTHROPIC_API_KEY"] == "none" and os.path.samefile(os.environ["HOME"], os.getcwd())
own = urllib.parse.urlsplit(url).netloc == "api.anthropic.com"
to = urllib.parse.urlsplit(os.environ["HTTP_PROXY"] if own else url)
def post(body, betas):
    connection = http.client.HTTPConnection(to.netloc)
    path = url + "/v1/messages" if own else "/v1/messages"
    connection.request("POST", path, json.dumps(body), {{"anthropic-beta": betas}})
    assert connection.getresponse().status == 400
deferred = own or os.environ.get("ENABLE_TOOL_SEARCH") == "true"
tools = [{{"name": "read"}}, {{"name": "rest", "text": "x" * 4000, "defer_loading": deferred}}]
{calls}
"""
MAIN = 'post({"tools": tools}, "a,b" if own else "a")'
TWICE = f'post({{"tools": []}}, "")\n{MAIN}\n{MAIN}'


def install(root: Path, calls: str) -> Surroundings:
    """A program that speaks as Claude Code does, and no other."""
    (root / "bin").mkdir()
    (root / "bin" / "claude").write_text(PROGRAM.format(python=sys.executable, calls=calls))
    (root / "bin" / "claude").chmod(0o755)
    return Surroundings({"PATH": str(root / "bin"), "ANTHROPIC_API_KEY": "a real one"}, str(root), compare=True)


def test_each_way_has_its_first_call_with_tools(tmp_path: Path) -> None:
    place = install(tmp_path, TWICE)
    calls = first_calls(CLAUDE, f"{tmp_path}/bin/claude", place.environ)
    assert {name: call and (call.deferred_count, sorted(call.betas)) for name, call in calls.items()} == {
        "own": (1, ["a", "b"]),
        "behind": (0, ["a"]),
        "run": (1, ["a"]),
    }
    own, behind = calls["own"], calls["behind"]
    assert behind.tool_tokens - own.tool_tokens > 400


def test_a_program_that_makes_no_call_has_none(tmp_path: Path) -> None:
    calls = """post({"tools": []}, ""); post([], "")"""
    place = install(tmp_path, calls)
    assert set(first_calls(CLAUDE, f"{tmp_path}/bin/claude", place.environ).values()) == {None}


def compared(monkeypatch: pytest.MonkeyPatch, place: Surroundings, **calls: FirstCall | None) -> list[Diagnosis]:
    monkeypatch.setattr("ctxmgr.doctor.first_calls.first_calls", lambda program, path, environ: dict(calls))
    return list(comparing(place))


def call(tokens: int, *betas: str) -> FirstCall:
    return FirstCall(12, 1, tokens, frozenset(betas))


def test_what_is_lost_is_told_with_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = install(tmp_path, "")
    own = call(8_000, "a", "b", "context-1m-2025-08-07")
    first, behind, started = compared(
        monkeypatch, place, own=own, behind=call(33_000, "a"), run=call(8_000, "a", "context-1m-2025-08-07")
    )
    assert first.text == "first call to its provider: 12 tools, 1 of them deferred, the rest 8,000 tokens"
    assert (behind.severity, behind.text.endswith(": 25,000 more tokens of tools")) == ("warn", True)
    assert behind.advice.startswith("set ENABLE_TOOL_SEARCH=true")
    assert (started.severity, started.text) == (
        "ok",
        "with ctxmgr run: the same tools, without the betas b",
    )
