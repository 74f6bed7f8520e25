"""Recordings: the project's own session, files as broken and odd as real ones are, and which reader takes what."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ctxmgr.cli import study
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Recording, Stream, UnreadableRecording
from tests.unit.study.recorded import SHARED, Json, jsonl, messages, pairs_are_right

ROOT = Path(__file__).parents[4]
GREENHOUSE = ROOT / "tests" / "sessions" / "greenhouse.jsonl"
PAGES = ("docs/explanation/proof.md", "docs/guide/replay.md")
AT = "2026-03-02T09:00:00.000Z"
AT_MS = 1_772_442_000_000


def line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


HEADER = line({"type": "session", "version": 3, "id": "x", "timestamp": AT, "cwd": "/w"})


def entry(id: str, parent: str | None, kind: str = "message", **more: Any) -> str:
    if kind == "message":
        more = {"message": {"role": "user", "content": id, "timestamp": 1}, **more}
    return line({"type": kind, "id": id, "parentId": parent, "timestamp": AT, **more})


def read(text: str) -> Recording | Stream:
    return readers.read(readers.source_of("f.jsonl", text.encode()))


def session(text: str) -> Recording:
    recording = read(text)
    assert isinstance(recording, Recording)
    return recording


def ids(recording: Recording) -> list[str]:
    return [entry.id for entry in recording.entries]


def test_greenhouse_is_read_whole() -> None:
    source = readers.source(GREENHOUSE)
    assert readers.kind(source).name == "session"
    recording = readers.read(source)
    assert isinstance(recording, Recording)
    roles = [entry.role for entry in recording.entries if entry.kind == "message"]
    assert len(roles) == 266
    assert roles.count("user") == 14
    assert (recording.model, recording.window, recording.cwd) == ("scripted-1", 200_000, "/home/dev/greenhouse")
    text = GREENHOUSE.read_bytes()
    assert all(entry.message in text for entry in recording.entries if entry.kind == "message")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{HEADER}\n{entry('a', None)}\n{entry('b', 'a')}\n", ["a", "b"]),
        (f"{HEADER}\n{entry('a', None)}\n{entry('b', 'a')}\n{entry('c', 'a')}", ["a", "c"]),  # another branch
        (f"{HEADER}\n{entry('a', 'gone')}\n{entry('b', 'a')}", ["a", "b"]),  # a parent that is not there
        (f"{HEADER}\n{entry('a', 'b')}\n{entry('b', 'a')}", ["a", "b"]),  # a circle
    ],
)
def test_the_active_path(text: str, expected: list[str]) -> None:
    assert ids(session(text)) == expected


def test_entries_become_the_messages_pi_makes_of_them() -> None:
    text = "\n".join(
        [
            HEADER,
            entry("a", None, "custom_message", customType="t", content="c", display=True, details={"n": 1.0}),
            entry("b", "a", "compaction", summary="S", firstKeptEntryId="a", tokensBefore=7),
            entry("c", "b", "branch_summary", summary="B", fromId="x"),
            entry("d", "c", "label", label="l"),
            entry("e", "d", "model_change", provider="p", modelId="other"),
        ]
    )
    recording = session(text)
    assert ids(recording) == ["a", "b", "c", "e"]
    custom, compaction, branch, model = recording.entries
    assert b'"details":{"n": 1.0}' in custom.message or b'"details":{"n":1.0}' in custom.message
    assert json.loads(custom.message)["timestamp"] == AT_MS
    assert json.loads(compaction.message) == {
        "role": "compactionSummary",
        "summary": "S",
        "tokensBefore": 7,
        "timestamp": AT_MS,
    }
    assert compaction.first_kept == "a"
    assert json.loads(branch.message)["role"] == "branchSummary"
    assert (model.kind, model.model) == ("model", "other")


def test_version_1_has_no_ids() -> None:
    header = line({"type": "session", "id": "x", "timestamp": AT, "cwd": "/w", "modelId": "m1", "provider": "p"})
    message = line({"type": "message", "timestamp": AT, "message": {"role": "user", "content": "hello"}})
    compaction = line({"type": "compaction", "timestamp": AT, "summary": "S", "firstKeptEntryIndex": 2})
    recording = session("\n".join([header, message, message, compaction, message]))
    assert ids(recording) == ["00000001", "00000002", "00000003", "00000004"]
    assert recording.entries[2].first_kept == "00000002"
    assert recording.model == "m1"


def test_an_export_names_its_leaf() -> None:
    entries = [json.loads(entry("a", None)), json.loads(entry("b", "a")), json.loads(entry("c", "a"))]
    export = {"header": json.loads(HEADER), "entries": entries, "leafId": "b", "systemPrompt": "", "tools": []}
    assert ids(session(json.dumps(export))) == ["a", "b"]


def test_an_old_role_gets_its_new_name() -> None:
    hook = entry("a", None, message={"role": "hookMessage", "customType": "t", "content": "c", "timestamp": 1})
    assert json.loads(session(f"{HEADER}\n{hook}").entries[0].message)["role"] == "custom"


def test_an_unpaired_surrogate_is_mended() -> None:
    message = '{"role":"user","content":"\\ud83d cut","timestamp":1}'
    text = HEADER + '\n{"type":"message","id":"a","parentId":null,"timestamp":1,"message":' + message + "}"
    assert session(text).entries[0].message == message.replace("\\ud83d", "\\ufffd").encode()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{HEADER}\n{entry('a', None)[:-9]}\n{entry('b', 'a')}", "line 2"),
        (f"{HEADER}\n{entry('a', None)}\nno JSON", "line 3"),
        (f"{HEADER}\n[1,2]", "line 2"),
        (HEADER + '\n["\\ud83d"]', "line 2: not a JSON object"),
        (f'{HEADER}\n{{"id":"a"}}', "line 2: an entry without a type"),
        (f'{HEADER}\n{{"type":"message","id":"a","message":"text"}}', "line 2"),
        (HEADER, "no entries"),
    ],
)
def test_what_can_not_be_read_is_said_with_its_line(text: str, says: str) -> None:
    with pytest.raises(UnreadableRecording, match=r"^f\.jsonl") as caught:
        read(text)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "begun",
    [
        [HEADER, entry("a", None), entry("b", "a")],
        [
            line({"type": "session.start", "data": {}}),
            line({"type": "user.message", "data": {"content": "x\u00e9"}}),
        ],
        [line({"role": "user", "content": "x"}), line({"role": "assistant", "content": "y"})],
    ],
)
def test_a_last_line_that_is_torn_is_warned_of_and_the_rest_is_read(begun: list[str]) -> None:
    whole = "\n".join(begun).encode()
    expected = readers.read(readers.source_of("f", whole))
    for cut in range(1, len(begun[-1].encode())):
        source = readers.source_of("f", whole + b"\n" + begun[-1].encode()[:cut])
        assert source.warning.startswith(f"f: line {len(begun) + 1} ends within a value"), cut
        read = readers.read(source)
        assert isinstance(read, Recording)
        assert isinstance(expected, Recording)
        assert (read.entries, read.notes) == (expected.entries, (source.warning, *expected.notes))
    assert readers.source_of("f", whole + b"\n").warning == ""


def test_other_files_are_refused() -> None:
    for content, says in (
        (b"", "empty"),
        (b'{"a":1}', "neither .*a pi session file.* Codex .* OpenHands .* OpenCode .* SWE-agent .*, or a Claude"),
        (b'[{"role":"model","parts":[{"text":"x"}]}]', "neither"),
        (b'[{"role":"user","content":"x"},{"from":"gpt","value":"x"}]', "neither"),
        (b'[{"ts":1,"type":"say","say":"text","text":"x"}]', "neither"),
        (b'{"type":{},"payload":{}}', "neither"),
        (b'{"messages":[],"info":{}}', "neither"),
        (b"[]", "empty"),
        (b"[1]", "line 1"),
        (b'[\n{"a":1},\n{]', "line 3"),
    ):
        with pytest.raises(UnreadableRecording, match=says):
            readers.kind(readers.source_of("f", content))


def test_a_stream_of_events() -> None:
    context = {"cwd": "/w", "sessionId": "s", "model": {"id": "m", "contextWindow": 20_000}}
    start = line({"event": "session_start", "receivedAt": 5, "payload": {"type": "session_start"}, "ctx": context})
    turn = line({"event": "turn_end", "receivedAt": 6, "payload": {"message": {"n": 1}}, "ctx": context})
    found = read(f"{start}\n{turn}\n")
    assert isinstance(found, Stream)
    assert (found.session_id, found.model, found.window) == ("s", "m", 20_000)
    assert [(event.name, event.time_ms, event.line_number) for event in found.events] == [
        ("session_start", 5, 1),
        ("turn_end", 6, 2),
    ]
    assert bytes(found.events[1].payload["message"]) == b'{"n":1}'
    with pytest.raises(UnreadableRecording, match="line 2"):
        read(f'{start}\n{{"event":"x"}}')
    odd = read(start.replace("20000", '"all of it"'))
    assert (odd.window, odd.says_window) == (200_000, False)


# which reader takes what: by content, whatever the name

CHAT = {"role": "user", "content": "x" * 500}
EVENT = {"id": 1, "timestamp": AT, "source": "user", "action": "message", "args": {"content": "x" * 500}}
CLAUDE = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": {"content": "x"}}


BEGINNINGS = [
    (jsonl({"ctxmgr": {"protocolVersion": "1.0"}}), "transcript"),
    (jsonl({"from": "host", "message": {}}), "transcript"),
    (jsonl({"type": "session", "version": 3, "id": "x"}), "session"),
    (jsonl({"event": "x", "payload": {}}), "events"),
    (jsonl(CLAUDE), "claude-code"),
    (jsonl({"type": "summary", "summary": "x", "leafUuid": "1"}, CLAUDE), "claude-code"),
    (jsonl({"timestamp": AT, "type": "session_meta", "payload": {"id": "x" * 500}}), "codex"),
    (json.dumps({"info": {"id": "s"}, "messages": [{"info": {}, "parts": [CHAT]}]}).encode(), "opencode"),
    (json.dumps({"info": {"projectID": "p"}, "messages": []}, indent=1).encode(), "opencode"),
    (json.dumps([EVENT], indent=1).encode(), "openhands"),
    (jsonl({"instance_id": "x", "history": [EVENT]}), "openhands"),
    (jsonl({"header": True, "instance": "x", "calls": 1}), "openhands-completions"),
    (jsonl({"call": 0, "new_messages": [CHAT]}), "openhands-completions"),
    (
        json.dumps([{"id": "x", "timestamp": AT, "source": "user", "kind": "MessageEvent"}]).encode(),
        "openhands-sdk",
    ),
    (json.dumps({"trajectory": [], "history": [CHAT]}, indent=4).encode(), "swe-agent"),
    (json.dumps({"info": {}, "messages": [CHAT], "trajectory_format": "mini"}).encode(), "swe-agent"),
    (json.dumps([CHAT, {"role": "user", "content": "<returncode>0</returncode>\n"}]).encode(), "swe-agent"),
    (json.dumps([CHAT], indent=2).encode(), "messages"),
    (jsonl(CHAT, {"role": "assistant", "content": [{"type": "text", "text": "x"}]}), "messages"),
    (json.dumps({"model": "m", "messages": [{"role": "system", "content": "x"}, CHAT]}).encode(), "messages"),
    (json.dumps([{**CHAT, "ts": 1}]).encode(), "cline"),
    (json.dumps([CHAT, {"role": "user", "content": "[read_file for 'a'] Result:\nx"}]).encode(), "cline"),
    (json.dumps({"sessionId": "s", "chatMessages": [CHAT], "timeline": []}).encode(), "messages"),
    (jsonl({"sessionId": "s", "projectHash": "p", "kind": "main"}, {"id": "1", "type": "user"}), "gemini-cli"),
    (json.dumps({"sessionId": "s", "projectHash": "p", "messages": []}, indent=2).encode(), "gemini-cli"),
    (jsonl({"type": "session.start", "data": {}, "id": "1", "timestamp": AT}), "copilot-cli"),
]


def test_the_content_decides(tmp_path: Path) -> None:
    for content, expected in BEGINNINGS:
        path = tmp_path / "named-like-nothing"
        path.write_bytes(content)
        assert readers.kind(readers.source(path)).name == expected
    assert {expected for _, expected in BEGINNINGS} == {kind.name for kind in readers.FILE_KINDS}


def test_each_host_is_told_to_users() -> None:
    texts = [study.REPLAY.description] + [(ROOT / name).read_text(encoding="utf-8") for name in PAGES]
    hosts = {kind.host for kind in readers.FILE_KINDS}
    assert [(host, text[:40]) for host in hosts for text in texts if not re.search(rf"\b{host}\b", text)] == []


def test_a_transcript_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(jsonl({"from": "host", "message": {}}))
    with pytest.raises(UnreadableRecording, match=r"^f is a transcript of ctxmgr, not a recording$"):
        readers.read(readers.source(tmp_path / "f"))


# the table of ../shared/recordings/README.md, and why some numbers are others here


class Row(msgspec.Struct, frozen=True):
    """What the table says of a file, or what is known to be otherwise and is not compared."""

    users: int
    results: int
    errors: int
    largest: int
    compactions: int


OTHERWISE: dict[str, Json] = {
    # two lines stand on a branch that was left: a child of the same line went on
    "36_1bace85e2c_0.jsonl": {"users": 11},
    "43_2b48f6b6e6_0.jsonl": {"users": 40},
    # one user message is Codex's own (plugins, AGENTS.md, environment in one); one error is a line of a log
    "mise__72_b840cacfdd.jsonl": {"users": 3, "errors": 8},
    # one error is a stopped command beside the script's own, which ended with 0
    "mise__83_2aefbdd3d8.jsonl": {"users": 3, "errors": 7},
    "mise__22_13a6b781b8.jsonl": {"errors": 12},
    # the editor says that it failed, without an exit code
    "multi_swe_bench__ponylang__ponyc-4595.output.jsonl": {"errors": 6},
    "multi_swe_bench__ponylang__ponyc-4593.output.jsonl": {"errors": 13},
    "multi_swe_bench__ponylang__ponyc-4588.output.jsonl": {"errors": 24},
    # the exit code and the editor's failures stand in the text
    "django__django-11292.completions.jsonl": {"errors": 14},
    # two attempts: the last one is the session
    "astropy__astropy-7166.completions.jsonl": {"users": 2, "results": 18, "errors": 1},
}
TABLE = SHARED / "README.md"


@pytest.mark.skipif(not TABLE.is_file(), reason="the recordings (../shared/recordings) are not here")
def test_real_recordings_hold_what_their_table_says() -> None:
    count = 0
    for text in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace(",", "") for cell in text.strip("|").split("|")]
        name = cells[0].strip("` ")
        if len(cells) != 10 or name.count("/") != 1 or name.startswith("pi"):
            continue
        count += 1
        results = re.findall(r"\d+", cells[5])
        row = Row(int(cells[4]), int(results[0]), int(results[1]), int(cells[8]), int(cells[9]))
        row = msgspec.structs.replace(row, **OTHERWISE.get(name.partition("/")[2], {}))
        recording = readers.read(readers.source(SHARED / name))
        assert isinstance(recording, Recording)
        told = messages(recording)
        roles = [message["role"] for message in told]
        found = Row(
            users=roles.count("user"),
            results=roles.count("toolResult"),
            errors=sum(message.get("isError", False) for message in told),
            largest=max([message["usage"]["totalTokens"] for message in told if "usage" in message], default=0),
            compactions=sum(entry.kind == "compaction" for entry in recording.entries),
        )
        assert found == row, name
        assert not any("pi does not have" in note for note in recording.notes), name
        if "results without a call in the file: 1" not in recording.notes:
            pairs_are_right(recording)
    assert count == 35
