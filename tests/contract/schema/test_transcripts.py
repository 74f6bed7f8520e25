"""Whatever was said in a transcript fits the schema, unless ctxmgr refused it; answers hold nothing undescribed."""

import json
from collections.abc import Iterator

from ctxmgr.wire.errors import INVALID_PARAMS, INVALID_REQUEST
from scripts.generating.beyond import RULES
from tests.contract.schema.judging import PROTOCOL, SCHEMA, Json, Judge, closed

TRANSCRIPTS = sorted((PROTOCOL / "transcripts").rglob("*.jsonl"))
JUDGE, CLOSED = Judge(SCHEMA), Judge(closed(SCHEMA))


def said(text: str) -> Iterator[tuple[int, str, Json]]:
    for number, line in enumerate(text.split("\n"), 1):
        fields = json.loads(line) if line else {}
        if isinstance(fields.get("message"), dict):
            yield number, fields["from"], fields["message"]


def told_wrong(text: str) -> list[str]:
    """Messages of a transcript that the schema judges otherwise than ctxmgr did when it was recorded."""
    found, asked, codes = [], dict[tuple[str, str], str](), error_codes(text)
    for number, sender, message in said(text):
        id, method = json.dumps(message.get("id")), message.get("method")
        other = "ctxmgr" if sender == "host" else "host"
        judge, code = CLOSED if sender == "ctxmgr" else JUDGE, codes.get(number, 0)
        if not JUDGE.envelope.is_valid(message):
            found += [f"line {number}: the envelope"] if code != INVALID_REQUEST else []
        elif isinstance(method, str) and judge.knows(method, "params"):
            asked[sender, id] = method
            refused = bare(method, sender) and judge.refuses(method, "params", message.get("params", {}))
            beyond = code == INVALID_PARAMS and not refused and method in {rule.method for rule in RULES}
            if refused != (code == INVALID_PARAMS) and not beyond:
                found.append(f"line {number}: params of {method}")
        elif "result" in message and (named := asked.get((other, id))):  # else its request was no JSON
            wrong = judge.refuses(named, "result", message["result"])
            found += [f"line {number}: the result of {named}"] if wrong else []
    return found


def bare(method: str, sender: str) -> bool:
    """Whether it is the sender of the table."""
    return SCHEMA["methods"][method].get("bothWays", False) or SCHEMA["methods"][method]["direction"].endswith(
        "ctxmgr" if sender == "host" else "host"
    )


def error_codes(text: str) -> dict[int, int]:
    """The code that each line of the host was answered with, where that was an error."""
    found, waiting, last = dict[int, int](), dict[str, int](), 0
    for number, sender, message in said(text):
        id = json.dumps(message.get("id"))
        if sender == "host":
            waiting[id] = last = number
        elif "error" in message:
            found[waiting.get(id, last)] = message["error"]["code"]
    return found


def test_transcript() -> None:
    for path in TRANSCRIPTS:
        assert told_wrong(path.read_text(encoding="utf-8")) == [], path


def test_a_planted_fault_in_a_transcript_is_found() -> None:
    text = (PROTOCOL / "transcripts" / "pruning" / "status.jsonl").read_text(encoding="utf-8")
    assert told_wrong(text) == []
    old, new = '"restored":false', '"restored":false,"extra":1'
    assert old in text
    assert any(line.endswith("the result of session_start") for line in told_wrong(text.replace(old, new)))
