"""Finds in the committed transcripts the best example of each method, and shortens it for reading.

1. The best exchange shows the most members; among equals it has the fewest bytes.
2. If no transcript has the method, a case of the corpus is used.
3. Omissions are marked where they are: `… (4,950 characters)` after the start of a text, `… 35 more` in a list. For
   an answer that is a whole document (`rpc.discover`) only an outline is shown, with counts of what its objects
   contain.
4. A status is shown in full once, with `getStatus`; elsewhere what an event changes in it, and a mark. A policy is
   shown in full with `getPolicy`; `initialize` shows some of its keys.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr.wire import TABLE, Method

WIDTH = 104  # characters of a line, shown without scrolling
TEXT = 88  # characters of a text that is shown in full
START = 56  # characters shown of a longer text
ITEMS = 4  # of a list that is shown in full; a longer list shows two
TOLD = ("zone", "pressure", "tokens", "latch", "seq")  # members of a status: rule 4
POLICY_KEYS = ("preset", "zones", "reserve", "tokenizer", "workingSet", "keep")
DEPTH = 2  # levels of members that count for rule 1
OUTLINE = 3  # levels of a document that are shown, and the maximum of members shown of an object in it
OUTLINE_MEMBERS = 30


# methods that answer with a document without a struct
DOCUMENTS = {row.name for row in TABLE if row.result is not None and not isinstance(row.result, type)}


class Exchange(msgspec.Struct, frozen=True):
    """One message with its answer, if it has one. `source`: where it was found."""

    source: str
    sender: str
    message: dict[str, Any]
    answer: dict[str, Any] | None = None

    @property
    def rank(self) -> tuple[int, int]:
        """Rule 1: higher is better."""
        shown = {("params", *member) for member in _members(self.message.get("params"), DEPTH)}
        answer = self.answer or {}
        shown |= {("result", *member) for member in _members(answer.get("result"), DEPTH)}
        return len(shown), -len(json.dumps([self.message, self.answer]))


def best(texts: Mapping[str, str], corpus: Mapping[str, str]) -> dict[str, Exchange]:
    """The best exchange of each method that occurs. `texts`: transcripts; `corpus`: cases; both by path."""
    examples: dict[str, Exchange] = {}
    for path, text in sorted(texts.items()):
        for exchange in exchanges(path, text):
            name = exchange.message["method"]
            if name not in examples or exchange.rank > examples[name].rank:
                examples[name] = exchange
    for row in TABLE:
        stand_in = None if row.name in examples else _from_corpus(row, corpus)
        if stand_in is not None:
            examples[row.name] = stand_in
    return examples


def exchanges(path: str, text: str) -> Iterator[Exchange]:
    """The exchanges of this transcript, in the order of their answers."""
    waiting: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    directions = {row.name: "host" if row.direction == "to ctxmgr" else "ctxmgr" for row in TABLE}
    for number, line in enumerate(text.split("\n"), 1):
        fields = json.loads(line) if line else {}
        message, sender = fields.get("message"), str(fields.get("from"))
        if not isinstance(message, dict):
            continue
        id = json.dumps(message.get("id"))
        if directions.get(str(message.get("method"))) == sender:
            if "id" in message:
                waiting[sender, id] = number, message
            else:
                yield Exchange(f"{path}, line {number}", sender, message)
        other = "ctxmgr" if sender == "host" else "host"
        if "result" in message and (other, id) in waiting:
            first_line, request = waiting.pop((other, id))
            yield Exchange(f"{path}, lines {first_line} and {number}", other, request, message)


def _from_corpus(row: Method, corpus: Mapping[str, str]) -> Exchange | None:
    cases = {path: json.loads(text) for path, text in sorted(corpus.items()) if path.startswith("corpus/accept/")}
    cases = {path: fields for path, fields in cases.items() if fields["method"] == row.name}
    given = [path for path, fields in cases.items() if "params" in fields]
    if not given:
        return None
    sender = "host" if row.direction == "to ctxmgr" else "ctxmgr"
    head: dict[str, Any] = {"jsonrpc": "2.0"} | ({} if row.kind == "notification" else {"id": 1})
    message = {**head, "method": row.name, "params": cases[given[0]]["params"]}
    results = [path for path, fields in cases.items() if "result" in fields]
    if row.kind == "notification" or not results:
        return Exchange(given[0], sender, message)
    answer = {**head, "result": cases[results[0]]["result"]}
    return Exchange(f"{given[0]} and {results[0]}", sender, message, answer)


def _members(value: Any, depth: int) -> Iterator[tuple[str, ...]]:
    """The names of non-empty members, and of those inside them. A list counts by its first item."""
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, dict) and depth:
        for name, inner in value.items():
            if inner is None or inner in ("", [], {}):
                continue
            yield (name,)
            for rest in _members(inner, depth - 1):
                yield (name, *rest)


def shown(exchange: Exchange) -> str:
    """The exchange as a Markdown block."""
    other = "ctxmgr" if exchange.sender == "host" else "host"
    lines = [f"// {exchange.sender}", written(shortened(exchange.message))]
    if exchange.answer is not None:
        answer = _excerpt(exchange.answer, "status", TOLD)
        if exchange.message["method"] == "initialize":
            answer = _excerpt(answer, "policy", POLICY_KEYS)
        if exchange.message["method"] in DOCUMENTS:
            answer = {**answer, "result": _outlined(answer["result"], OUTLINE)}
        lines += [f"// {other}", written(shortened(answer))]
    return "```jsonc\n" + "\n".join(lines) + "\n```\n"


def _excerpt(answer: dict[str, Any], member: str, names: Sequence[str]) -> dict[str, Any]:
    """The answer with only these names of a member of its result, and a mark (rule 4)."""
    result = answer.get("result")
    if not isinstance(result, dict) or not isinstance(result.get(member), dict):
        return answer
    kept = {name: result[member][name] for name in names if name in result[member]}
    return {**answer, "result": {**result, member: {**kept, "…": f"{len(result[member]) - len(kept)} more"}}}


def _outlined(value: Any, depth: int) -> Any:
    """Rule 3, for a document."""
    if isinstance(value, dict) and value and (depth == 0 or len(value) > OUTLINE_MEMBERS):
        return {"…": f"{len(value)} members"}
    if isinstance(value, list) and value:
        shown = [_outlined(value[0], depth - 1)] if depth else []
        left = len(value) - len(shown)
        return [*shown, *([f"… {left} more" if shown else f"… {left} items"] if left else [])]
    return {name: _outlined(item, depth - 1) for name, item in value.items()} if isinstance(value, dict) else value


def shortened(value: Any) -> Any:
    """Rule 3."""
    if isinstance(value, str) and len(value) > TEXT:
        return f"{value[:START].rstrip()} … ({len(value):,} characters)"
    if isinstance(value, list):
        kept = value if len(value) <= ITEMS else value[:2]
        more = [] if kept is value else [f"… {len(value) - 2} more"]
        return [*(shortened(item) for item in kept), *more]
    if isinstance(value, dict):
        return {name: shortened(item) for name, item in value.items()}
    return value


def written(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON on as few lines as fit. `before`: characters already on the first line."""
    flat = json.dumps(value, ensure_ascii=False)
    if indent + before + len(flat) <= WIDTH or not isinstance(value, list | dict) or not value:
        return flat
    inner, pad = indent + 2, " " * (indent + 2)
    if isinstance(value, list):
        parts = [pad + written(item, inner) for item in value]
        return "[\n" + ",\n".join(parts) + "\n" + " " * indent + "]"
    return "{\n" + ",\n".join(_packed(value, inner)) + "\n" + " " * indent + "}"


def _packed(fields: dict[str, Any], indent: int) -> Iterator[str]:
    """Members that fit share a line."""
    pad, line = " " * indent, ""
    for name, value in fields.items():
        head = json.dumps(name, ensure_ascii=False) + ": "
        text = head + written(value, indent, len(head))
        together = f"{line}, {text}" if line else pad + text
        if line and ("\n" in text or len(together) > WIDTH):
            yield line
            together = pad + text
        if "\n" in text:
            yield together
            together = ""
        line = together
    if line:
        yield line
