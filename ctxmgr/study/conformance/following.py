"""Says whether a process outside can follow a transcript, or why it can not.

A transcript of ctxmgr may hold what no host can bring about in another process. Such a one is skipped, with the
reason, rather than called a difference:

1. Pressure must be that of the estimate, which any program can compute: a vocabulary is there when it is there.
2. A session that was restored needs the snapshot, and its form is the program's own; a snapshot that was broken
   or held by another process can not be made.
3. A deadline passes when it passes.
4. What an endpoint answered would need that endpoint.
5. Nobody outside sees when a compaction written ahead is ready; only where ctxmgr speaks next need nobody.
6. Faults inside were planted.
7. What an archive gives back of an earlier run, or what is wrong with it, no other process has.
8. A request can be cancelled for sure only while ctxmgr waits for the host; else it may have been answered.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ctxmgr.model import ESTIMATE
from ctxmgr.study.conformance.golden import Golden, Head, head
from ctxmgr.wire import TranscriptLine, errors


def reason(golden: Golden, snapshots: bool) -> str | None:
    """Why it can not be followed; None where it can. `snapshots`: the program reads this ctxmgr's."""
    return next(_reasons(golden, snapshots), None)


def _reasons(golden: Golden, snapshots: bool) -> Iterator[str]:
    yield from _weights(golden)
    heads = [head(line.body) for line in golden.lines]
    archived: set[str] = set()
    for index, line in enumerate(golden.lines):
        where = f"line {line.number}"
        if line.kind == "restored" and (line.fields["refused"] or line.fields["fault"]):
            yield f"{where}: a snapshot that is broken or held by another process"
        elif line.kind == "restored" and not snapshots:
            yield f"{where}: a session is restored, and the form of a snapshot is each program's own"
        elif line.kind == "woke":
            yield f"{where}: a deadline passes"
        elif line.kind == "completed":
            yield f"{where}: an endpoint answers"
        elif line.kind == "archive" and _elsewhere(line, archived):
            yield f"{where}: an archive answers what it has from elsewhere"
        elif line.kind == "stored":
            yield f"{where}: a session goes to a store"
        elif line.kind == "prepared" and _next_sender(golden.lines[index + 1 :]) == "host":
            yield f"{where}: nobody outside sees when the compaction written ahead is ready"
        elif line.sender == "ctxmgr" and _planted(heads[index]):
            yield f"{where}: a fault was planted inside"
        elif heads[index].method == "$/cancelRequest" and _raced(golden.lines, heads, index):
            yield f"{where}: cancels what may have been answered by then"


def _weights(golden: Golden) -> Iterator[str]:
    if (name := golden.header.get("tokenizer", ESTIMATE)) != ESTIMATE:
        yield f"line 1: weights are those of {name}"
    for line in golden.lines:
        if line.kind == "weigher":
            yield f"line {line.number}: weights become those of {line.fields['weigher']}"
    heads = [head(line.body) for line in golden.lines if line.sender == "host"]
    begins = next((message for message in heads if message.method == "initialize"), Head())
    if (
        "session_start" in {message.method for message in heads}
        and _member(begins, "policy", "tokenizer") != ESTIMATE
    ):
        yield f"the policy of initialize does not set the tokenizer to {ESTIMATE}"


def _member(message: Head, *names: str) -> Any:
    """A member of its params, however deep; None where there is none."""
    value = message.fields
    for name in ("params", *names):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _elsewhere(line: TranscriptLine, archived: set[str]) -> bool:
    """Whether an answer of the archive can not follow from what was put before (rule 7); notes what is put."""
    session, answer, row = line.fields["session"], line.fields["answer"], line.fields["answer"].get("row")
    archived.update(f"{session} {handle}" for handle in line.fields["put"] or ())
    given = [hit["handle"] for hit in (row, *answer.get("hits", ())) if hit is not None]
    return any(f"{session} {handle}" not in archived for handle in given) or "fault" in answer or "note" in answer


def _next_sender(lines: Sequence[TranscriptLine]) -> str:
    return next((line.sender for line in lines if line.kind in ("message", "broken")), "")


def _planted(message: Head) -> bool:
    fields = message.fields if isinstance(message.fields, dict) else {}
    error, result = fields.get("error"), fields.get("result")
    if isinstance(error, dict) and error.get("code") == errors.INTERNAL_ERROR:
        return True
    report = result.get("report") if isinstance(result, dict) else None
    return isinstance(report, dict) and str(report.get("reason", "")).startswith("internal fault")


def _raced(lines: Sequence[TranscriptLine], heads: Sequence[Head], index: int) -> bool:
    """Whether a cancel of the host, which was heeded, comes while ctxmgr waits for nothing of the host."""
    if lines[index].sender != "host":
        return False
    id = json.dumps(_member(heads[index], "id"))
    heeded = any(
        message.id == id and not message.method and _code(message) == errors.CANCELLED for message in heads[index:]
    )
    before = list(zip(lines[:index], heads[:index], strict=True))
    asked = {message.id for line, message in before if line.sender == "ctxmgr" and message.method and message.id}
    answered = {message.id for line, message in before if line.sender == "host" and not message.method}
    return heeded and not asked - answered


def _code(message: Head) -> object:
    error = message.fields.get("error") if isinstance(message.fields, dict) else None
    return error.get("code") if isinstance(error, dict) else None
