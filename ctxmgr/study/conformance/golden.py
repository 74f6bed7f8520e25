"""What both sides of the conformance kit share: a golden transcript, and when two messages are equal.

1. Values are compared, not spellings: the order of members and `0` for `0.0` make no difference.
2. What a program may choose is ignored: the given paths, such as `$.params.messages[*].timestamp`. A transcript
   marks more of them in its header, under `any`.
3. A message is JSON by the RFC, in UTF-8. `Infinity`, `NaN` and a byte order mark are accepted by many parsers and
   refused by others: to a lenient reader `Infinity` would equal the 1e400 that was said.

A transcript may contain what no host can cause in another process. `reason` says so, and it is skipped:

1. Pressure must come from the estimate, which any program can compute; when a vocabulary is available is not
   controllable.
2. A restored session needs the snapshot, whose form is the program's own; a broken snapshot, or one that another
   process holds, cannot be made.
3. Deadlines cannot be controlled.
4. The answer of an endpoint would need that endpoint.
5. Nobody outside sees when a compaction written ahead is ready, except where ctxmgr speaks next.
6. Internal faults were planted.
7. No other process has what an archive returns of an earlier run, or its faults.
8. A request can be cancelled reliably only while ctxmgr waits for the host; otherwise it may have been answered.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from ctxmgr import __version__
from ctxmgr.model import ESTIMATE
from ctxmgr.study.recordings import UnreadableRecording
from ctxmgr.study.spawning import Framing
from ctxmgr.wire import TranscriptLine, errors, transcript

NOTHING = "nothing"
SHOWN_CHARACTERS = 120
ABSENT = object()  # a missing member
EVERY = "*"  # the step `[*]` or `.*`
_STEP = re.compile(r"\.[A-Za-z_$][\w$]*|\.\*|\[\*\]")

Path = tuple[str, ...]


class Difference(msgspec.Struct, frozen=True):
    """`path` such as `$.result.report.tokens`; what was recorded or expected there and what came, as shortened
    JSON.
    """

    path: str
    recorded: str
    received: str


class Golden(msgspec.Struct, frozen=True):
    """A transcript. `chosen`: what its header lets the host choose."""

    name: str
    lines: tuple[TranscriptLine, ...]
    chosen: tuple[Path, ...] = ()

    @property
    def header(self) -> dict[str, Any]:
        return header_of(self.lines) or {}

    @property
    def framing(self) -> Framing:
        """Transcripts do not name it. A call without `jsonrpc` that was not refused is only accepted in lines."""
        heads = [(line.sender, head(line.body)) for line in self.lines if line.kind == "message"]
        refused = {answer.id for _, answer in heads if answer.member("error", "code") == errors.INVALID_REQUEST}
        bare = (
            (message.method or message.id) and "jsonrpc" not in message.fields and message.id not in refused
            for sender, message in heads
            if sender == "host" and isinstance(message.fields, dict)
        )
        return "ndjson" if any(bare) else "content-length"


class GoldenDifference(msgspec.Struct, frozen=True):
    """One difference: `line_number` of the transcript (0: at its end), `what` is said there, where and how they
    differ.
    """

    line_number: int = msgspec.field(name="line")
    what: str
    path: str
    recorded: str
    received: str = msgspec.field(name="came")

    @staticmethod
    def of(line: int, what: str, difference: Difference) -> "GoldenDifference":
        return GoldenDifference(line, what, difference.path, difference.recorded, difference.received)


class Head(msgspec.Struct, frozen=True):
    """What identifies a message. `id` is its JSON, "" if there is none. `fault`: why it is no message."""

    id: str = ""
    method: str = ""
    fields: Any = None
    fault: str = ""

    def member(self, *names: str) -> Any:
        """A member at any depth; None if there is none."""
        value = self.fields
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    @property
    def queue(self) -> str | None:
        """What a message is matched by: an answer by its id, everything else by order. None is not compared."""
        if self.method == "$/progress":
            return None
        return "said" if self.method else f"answer {self.id}"

    @property
    def what(self) -> str:
        if self.method:
            return f"{self.method} {self.id[:40]}".strip()
        kind = "error" if isinstance(self.fields, dict) and "error" in self.fields else "answer"
        return f"the {kind} to {self.id[:40]}" if self.id else "what is no message"


def read(name: str, content: bytes, rewrite: bool = False) -> Golden:
    """Raises UnreadableRecording: with the broken line, or for rules of another release.

    `rewrite`: it will be recorded again, from the host's lines alone and by this release's rules.
    """
    try:
        golden = Golden(name, tuple(transcript.read(content)))
        if header_of(golden.lines) is None and not rewrite:
            raise ValueError("line 1 is not the header of a transcript")
        if "match" in golden.header:
            raise ValueError("line 1: this is a script; play it with `ctxmgr drive`")
        chosen = tuple(map(path_of, golden.header.get("any", ())))
    except (ValueError, TypeError) as fault:
        raise UnreadableRecording(f"{name}, {fault}") from None
    if not rewrite and (why := transcript.refusal(golden.header, __version__)) is not None:
        raise UnreadableRecording(f"{name}: {why}")
    return msgspec.structs.replace(golden, chosen=chosen)


def header_of(lines: Sequence[TranscriptLine]) -> dict[str, Any] | None:
    """The header that a transcript begins with; None if it begins with something else."""
    return lines[0].fields if lines and lines[0].kind == "header" else None


def head(body: bytes) -> Head:
    """Of any bytes (rule 3)."""
    try:
        fields = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as fault:
        return Head(fault=f"not valid JSON: {fault}")
    if not isinstance(fields, dict):
        return Head(fields=fields)
    method = fields.get("method")
    id = json.dumps(_plain(fields["id"])) if "id" in fields else ""
    return Head(id, method if isinstance(method, str) else "", fields)


def _no_number(name: str) -> Any:
    raise ValueError(name)


def path_of(text: str) -> Path:
    """The steps of a JSON path such as `$.a[*].b.*`. Raises ValueError."""
    steps = tuple(_STEP.findall(text))
    if not steps or text != "$" + "".join(steps):
        raise ValueError(f"not a path: {text}")
    return tuple(EVERY if step == "[*]" else step[1:] for step in steps)


def difference(recorded: Any, received: Any, chosen: Sequence[Path]) -> Difference | None:
    """The first place where two decoded messages differ as values, ignoring what may be chosen."""
    return text_difference(_comparable(recorded, chosen), _comparable(received, chosen))


def _comparable(value: Any, chosen: Sequence[Path]) -> bytes:
    value = _plain(value)
    for path in chosen:
        value = _without(value, path)
    return json.dumps(value, sort_keys=True).encode()


def _plain(value: Any) -> Any:
    """A copy with whole numbers as integers."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _without(value: Any, path: Path) -> Any:
    """The value without what the path leads to; an item of a list becomes null, so that the others keep their
    places.
    """
    step, rest = path[0], path[1:]
    if isinstance(value, list) and step == EVERY:
        return [_without(inner, rest) if rest else None for inner in value]
    if not isinstance(value, dict):
        return value
    within = {name: inner for name, inner in value.items() if rest or step not in (EVERY, name)}
    return {name: _without(inner, rest) if step in (EVERY, name) else inner for name, inner in within.items()}


def with_members(body: bytes, **members: Any) -> bytes:
    """A JSON object with these members; everything else byte for byte. Raises msgspec.DecodeError."""
    return msgspec.json.encode({**msgspec.json.decode(body, type=dict[str, msgspec.Raw]), **members})


# two JSON texts


def text_difference(recorded: bytes, received: bytes) -> Difference | None:
    """None if both are the same bytes."""
    if recorded == received:
        return None
    try:
        old, new = json.loads(recorded), json.loads(received)
    except (ValueError, RecursionError):
        return Difference("$", *(_short(text.decode("utf-8", "replace")) for text in (recorded, received)))
    if (found := _walk(old, new, "$")) is not None:
        return found
    index = next((index for index, (a, b) in enumerate(zip(recorded, received, strict=False)) if a != b), 0)
    around = (text[max(0, index - 20) : index + 40].decode("utf-8", "replace") for text in (recorded, received))
    return Difference(f"$ (same values, other bytes from {index} on)", *around)


def difference_at(path: str, recorded: Any, received: Any) -> Difference:
    """For two values; `ABSENT` is a missing one."""
    return Difference(path, rendered(recorded), rendered(received))


def rendered(value: Any) -> str:
    return NOTHING if value is ABSENT else _short(json.dumps(value, ensure_ascii=True))


def step(name: str) -> str:
    """The step of a path into a member."""
    return f".{name}" if name.isidentifier() else f"[{json.dumps(name)}]"


def _walk(old: Any, new: Any, path: str) -> Difference | None:
    if isinstance(old, dict) and isinstance(new, dict):
        inner = [(old.get(name, ABSENT), new.get(name, ABSENT), path + step(name)) for name in {**old, **new}]
    elif isinstance(old, list) and isinstance(new, list):
        pairs = enumerate(zip_longest(old, new, fillvalue=ABSENT))
        inner = [(before, after, f"{path}[{index}]") for index, (before, after) in pairs]
    else:
        return None if type(old) is type(new) and old == new else difference_at(path, old, new)
    for values in inner:  # one frame per level, since texts may be deep
        if (found := _walk(*values)) is not None:
            return found
    return None


def _short(text: str) -> str:
    """The beginning and the end: texts often differ late."""
    half = SHOWN_CHARACTERS // 2
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:half]} ... {text[-half:]}"


DEVICES = {
    "woke": "a deadline passes",
    "completed": "an endpoint answers",
    "stored": "a session goes to a store",
}


def reason(golden: Golden, snapshots: bool) -> str | None:
    """Why it cannot be played; None if it can. `snapshots`: the program reads this ctxmgr's snapshots."""
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
    """Whether an answer of the archive cannot follow from what was put before (rule 7); records what is put."""
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
    """Whether an effective cancel comes while ctxmgr is not waiting for the host."""
    id = json.dumps(heads[index].member("params", "id"))
    heeded = any(answer.id == id and answer.member("error", "code") == errors.CANCELLED for answer in heads[index:])
    before = list(zip(golden.lines[:index], heads[:index], strict=True))
    asked = {message.id for line, message in before if line.sender == "ctxmgr" and message.method and message.id}
    answered = {message.id for line, message in before if line.sender == "host" and not message.method}
    return heeded and not asked - answered
