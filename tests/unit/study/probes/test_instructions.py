"""Instructions: what is asked of a session, and that the lists of each preset that decides can answer all of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from tests.notation import Said, a, call, err, r, u
from tests.unit.study.probes.built import answers, probes_of

GREENHOUSE = Path(__file__).parents[4] / "tests" / "sessions" / "greenhouse.jsonl"
RULE = "Never touch the schema."
RULES = "\n".join(f"- Rule {number}: bed_{number} is watered by valve_{number + 7} alone." for number in range(40))
SKILL = "\n".join(f"{number}. Calibrate probe_{number} before sensor_{number * 3}." for number in range(20))


def entry(number: int, message: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "id": f"told{number}", "timestamp": "2026-03-02T09:00:13.000Z", "message": message}


def reading(number: int, tool: str, arguments: dict[str, Any], text: str) -> list[dict[str, Any]]:
    id, at = f"told-{number}", 1772442013000
    call = {"type": "toolCall", "id": id, "name": tool, "arguments": arguments}
    shown = [{"type": "text", "text": text}]
    asked = {"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": at}
    result = {"role": "toolResult", "toolCallId": id, "toolName": tool, "content": shown, "isError": False}
    return [entry(2 * number, asked), entry(2 * number + 1, {**result, "timestamp": at})]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session, whose model reads rules and a skill right after the first request."""
    path = tmp_path_factory.mktemp("told") / "session.jsonl"
    entries = [json.loads(line) for line in GREENHOUSE.read_text(encoding="utf-8").splitlines()]
    first = next(at for at, one in enumerate(entries) if one["type"] == "message") + 1
    entries[first:first] = [
        *reading(0, "read", {"path": "AGENTS.md"}, RULES),
        *reading(1, "use_skill", {"name": "calibrate"}, SKILL),
    ]
    for before, one in zip(entries[first - 1 :], entries[first : first + 5], strict=False):
        one["parentId"] = before["id"]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in entries), encoding="utf-8")
    return path


def share(
    recording: Path, preset: str, capsys: pytest.CaptureFixture[str], window: int = 140_000
) -> dict[str, float]:
    asked = ["--preset", preset, "--window", str(window), "--probes", "--json"]
    assert main(["replay", str(recording), *asked]) == 0
    probes = json.loads(capsys.readouterr().out)[0]["probes"]
    found = {**probes["policies"], **probes["controls"]}
    return {name: one["kinds"]["instructions"]["all"]["share"] for name, one in found.items()}


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ((a(call("bash", command="cat CLAUDE.md")), r(RULE)), [RULE]),
        ((a(call("bash", command="grep -n tabs CLAUDE.md | head")), r(RULE)), []),
        ((a(call("read", path="CLAUDE.md", offset=3)), r(RULE)), []),
        ((a(call("read", path="CLAUDE.md")), err("no such file")), []),
        ((a(call("read", path="README.md")), r(RULE)), []),
        ((a(call("Skill", skill="pdf")), r(RULE)), [RULE]),
        ((a(call("Skill", skill="pdf")), r("Launching skill: pdf")), []),
        ((a(call("read", path="CLAUDE.md")), r("old"), a(call("read", path="CLAUDE.md")), r(RULE)), [RULE]),
        (
            (a(call("read", path="CLAUDE.md")), r("Be brief."), a(call("read", path="p/CLAUDE.md")), r(RULE)),
            ["Be brief.", RULE],
        ),
        ((u(f"<system-reminder>\nContents of /p/CLAUDE.md (rules):\n{RULE}\n</system-reminder>"),), [RULE]),
        ((u(f"# AGENTS.md instructions for /p\n{RULE}"),), [RULE]),
        ((u("Read CLAUDE.md and tell me."),), []),
    ],
)
def test_instructions_are_asked_of_as_they_were_read_last(said: tuple[Said, ...], asked: list[str]) -> None:
    assert answers(probes_of(u("go"), *said), "instructions") == asked


@pytest.mark.parametrize("preset", ["tools", "turns", "balanced"])
def test_each_preset_can_answer_all(preset: str, recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shares = share(recording, preset, capsys)
    assert shares[preset] == shares["whole list"] == 1.0
    assert shares["empty list"] == shares["sawtooth"] == 0.0
    assert shares["off"] < 0.7
    assert shares["newest 10k"] < 0.5


@pytest.mark.parametrize("preset", ["turns", "balanced"])
def test_what_the_hosts_compactions_took_away_is_answered(
    preset: str, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a window in which the host compacts."""
    shares = share(recording, preset, capsys, window=60_000)
    assert shares[preset] == 1.0
    assert shares["off"] < 0.5
