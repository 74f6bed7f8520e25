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

from ctxmgr.model import ESTIMATE
from ctxmgr.study.conformance.golden import Golden, Head, head
from ctxmgr.wire import TranscriptLine, errors

DEVICES = {
    "woke": "a deadline passes",
    "completed": "an endpoint answers",
    "stored": "a session goes to a store",
}


def reason(golden: Golden, snapshots: bool) -> str | None:
    """Why it can not be followed; None where it can. `snapshots`: the program reads this ctxmgr's."""
    return next(_reasons(golden, snapshots), None)


def _reasons(golden: Golden, snapshots: bool) -> Iterator[str]:
    heads = [head(line.body) for line in golden.lines]
    yield from _weights(golden, heads)
    archived: set[str] = set()
    for index, (line, message) in enumerate(zip(golden.lines, heads, strict=True)):
        why = DEVICES.get(line.kind)
        if line.kind == "restored" and (line.fields["refused"] or line.fields["fault"]):
            why = "a snapshot that is broken or held by another process"
        elif line.kind == "restored" and not snapshots:
            why = "a session is restored, and the form of a snapshot is each program's own"
        elif line.kind == "archive" and _elsewhere(line, archived):
            why = "an archive answers what it has from elsewhere"
        elif line.kind == "prepared" and _next_sender(golden.lines[index + 1 :]) == "host":
            why = "nobody outside sees when the compaction written ahead is ready"
        elif line.sender == "ctxmgr" and _is_planted(message):
            why = "a fault was planted inside"
        elif line.sender == "host" and message.method == "$/cancelRequest" and _is_raced(golden, heads, index):
            why = "cancels what may have been answered by then"
        if why:
            yield f"line {line.number}: {why}"


def _weights(golden: Golden, heads: Sequence[Head]) -> Iterator[str]:
    if (name := golden.header.get("tokenizer", ESTIMATE)) != ESTIMATE:
        yield f"line 1: weights are those of {name}"
    others = (line for line in golden.lines if line.kind == "weigher")
    yield from (f"line {line.number}: weights become those of {line.fields['weigher']}" for line in others)
    begins = next((message for message in heads if message.method == "initialize"), Head())
    starts = any(message.method == "session_start" for message in heads)
    if starts and begins.member("params", "policy", "tokenizer") != ESTIMATE:
        yield f"the policy of initialize does not set the tokenizer to {ESTIMATE}"


def _elsewhere(line: TranscriptLine, archived: set[str]) -> bool:
    """Whether an answer of the archive can not follow from what was put before (rule 7); notes what is put."""
    session, answer = line.fields["session"], line.fields["answer"]
    archived.update(f"{session} {handle}" for handle in line.fields["put"] or ())
    given = [hit["handle"] for hit in (answer.get("row"), *answer.get("hits", ())) if hit is not None]
    return any(f"{session} {handle}" not in archived for handle in given) or "fault" in answer or "note" in answer


def _next_sender(lines: Sequence[TranscriptLine]) -> str:
    return next((line.sender for line in lines if line.kind in ("message", "broken")), "")


def _is_planted(message: Head) -> bool:
    fell_back = str(message.member("result", "report", "reason")).startswith("internal fault")
    return fell_back or message.member("error", "code") == errors.INTERNAL_ERROR


def _is_raced(golden: Golden, heads: Sequence[Head], index: int) -> bool:
    """Whether a cancel, which was heeded, comes while ctxmgr waits for nothing of the host."""
    id = json.dumps(heads[index].member("params", "id"))
    heeded = any(answer.id == id and answer.member("error", "code") == errors.CANCELLED for answer in heads[index:])
    before = list(zip(golden.lines[:index], heads[:index], strict=True))
    asked = {message.id for line, message in before if line.sender == "ctxmgr" and message.method and message.id}
    answered = {message.id for line, message in before if line.sender == "host" and not message.method}
    return heeded and not asked - answered
