"""Older hosts: what they send is taken, and what they are sent holds nothing that came after them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.model.api import since
from ctxmgr.wire import transcript
from scripts.generating.spec import schema
from tests.contract.talk import HOST, Messages, Talk

ROOT = Path(__file__).parents[2]
FIRST: dict[str, list[str]] = json.loads((Path(__file__).parent / "versions" / "1.0.json").read_text())
DOCUMENT = schema.document()
TYPES: dict[str, Any] = DOCUMENT["$defs"]
MEMBERS = {name: list(of["properties"]) for name, of in TYPES.items() if "properties" in of}


def rows_of(name: str) -> set[str]:
    """Of a policy a host writes the same members that it is answered."""
    return {f"{name.removesuffix('Keys')}.{member}" for member in MEMBERS[name]}


def test_every_member_is_of_the_first_version_or_has_a_row() -> None:
    later = {
        row
        for name in FIRST
        for row in rows_of(name) - {f"{name.removesuffix('Keys')}.{one}" for one in FIRST[name]}
    }
    assert later - since.SINCE.keys() == set(), "a new member needs its row in ctxmgr/model/api/since.py"


def test_every_row_is_of_a_member_that_came_later() -> None:
    every = {row for name in MEMBERS for row in rows_of(name)}
    first = {f"{name.removesuffix('Keys')}.{member}" for name in FIRST for member in FIRST[name]}
    assert since.SINCE.keys() - (every - first) == set()
    assert {version for version in since.SINCE.values() if since.agreed(version) != version} == set()
    assert since.FIRST_VERSION not in since.SINCE.values()


def test_no_member_of_the_first_version_has_left() -> None:
    gone = {f"{name}.{member}" for name in FIRST for member in FIRST[name] if member not in MEMBERS.get(name, ())}
    assert gone == set()


def newer(value: Any, shape: Any) -> list[str]:
    """Members of a value that a type of the first version did not have, by the schema of what it is."""
    if "anyOf" in shape:
        return min((newer(value, one) for one in shape["anyOf"]), key=len)
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        more = (
            [f"{name}.{one}" for one in value if one not in FIRST[name]]
            if name in FIRST and isinstance(value, dict)
            else []
        )
        return more + newer(value, TYPES[name])
    if isinstance(value, list) and isinstance(shape.get("items"), dict):
        return [one for held in value for one in newer(held, shape["items"])]
    if not isinstance(value, dict):
        return []
    known = shape.get("properties", {})
    rest = shape.get("additionalProperties")
    rest = rest if isinstance(rest, dict) else {}
    return [one for name, held in value.items() for one in newer(held, known.get(name, rest))]


TRANSCRIPTS = ROOT / "protocol" / "transcripts"


def test_a_host_of_the_first_version_is_sent_its_members_alone() -> None:
    looked_at = 0
    for path in sorted(TRANSCRIPTS.rglob("*.jsonl")):
        said = list(messages(path))
        versions = {one["params"].get("protocolVersion") for _, one in said if one.get("method") == "initialize"}
        if versions - {"1.0"}:
            continue
        looked_at += 1
        assert sent_to_an_older_host(said) == [], path
    assert looked_at > 100


def sent_to_an_older_host(said: list[tuple[str, Any]]) -> list[str]:
    asked: dict[str, str] = {}
    found: list[str] = []
    for sender, message in said:
        id, method = str(message.get("id")), message.get("method")
        if sender == "host":
            asked |= {id: method} if method else {}
        elif method:
            found += newer(message["params"], DOCUMENT["methods"][method]["params"])
        elif "result" in message and asked.get(id, "rpc.discover") != "rpc.discover":  # which is of the newest
            found += newer(message["result"], DOCUMENT["methods"][asked[id]]["result"])
    return found


def messages(path: Path) -> Iterator[tuple[str, Any]]:
    for line in transcript.read(path.read_bytes()):
        if line.kind == "message":
            try:
                message = json.loads(line.body)
            except ValueError:
                continue
            if isinstance(message, dict):
                yield line.sender, message


def opened(version: str) -> tuple[Talk, dict[str, Any]]:
    talk = Talk(start=False)
    answer = talk.call("initialize", protocolVersion=version, capabilities=HOST, policy={"preset": "turns"})
    talk.call("session_start", sessionId="s", model={"id": "m", "contextWindow": 200_000})
    return talk, answer


def test_answers_requests_and_reports_are_told_in_the_hosts_version(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {
        "Report.reason": "1.1",
        "Status.zone": "1.1",
        "Policy.preset": "1.1",
        "RequestCompactionParams.zone": "1.1",
    }
    monkeypatch.setattr(since, "SINCE", rows)
    monkeypatch.setattr(since, "_known", {})  # what is remembered is of the real rows
    make = Messages()
    reply = make.reply("done", usage={"totalTokens": 180_000})
    for version in ("1.0", "1.1"):
        newest = version == "1.1"
        talk, answer = opened(version)
        assert ("preset" in answer["policy"]) == newest
        assert ("reason" in talk.context([make.user("hi")])["report"]) == newest
        assert ("zone" in talk.status()) == newest
        asked = talk.tell("turn_end", sessionId="s", message=reply)
        assert [("zone" in one["params"]) for one in asked] == [newest]
