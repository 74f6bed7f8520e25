"""Takes cases for the corpus from the transcripts: what each method takes and returns, and what ctxmgr refused.

1. For each method, the shortest params and the shortest result with the most members. A document without a type
   (`rpc.discover`'s) is no case: `openrpc.json` is that document.
2. Params that were refused with -32602, except those that only ctxmgr can refuse (`scripts.generating.beyond`).
"""

import json
from collections.abc import Mapping
from typing import Any

from ctxmgr.wire import TABLE, errors
from scripts.generating.decoding import fault
from scripts.generating.excerpts import DOCUMENTS, Exchange, best

ACCEPT, REFUSE = "corpus/accept", "corpus/refuse"
PREFIX = "transcript."


def files(transcripts: Mapping[str, str]) -> dict[str, str]:
    """Each case by its path. `transcripts`: texts by path."""
    made: dict[str, str] = {}
    directions = {row.name: row.direction for row in TABLE}
    for name, exchange in best(transcripts, {}).items():
        stem = f"{ACCEPT}/{PREFIX}{name.replace('$/', '').replace('/', '.')}"
        head = {"method": name, "direction": directions[name], "why": f"It was said in {exchange.source}."}
        made[f"{stem}.params.json"] = case({**head, "params": exchange.message.get("params", {})})
        if exchange.answer is not None and name not in DOCUMENTS:
            made[f"{stem}.result.json"] = case({**head, "result": exchange.answer["result"]})
    for path, text in sorted(transcripts.items()):
        for number, refused in enumerate(_refused(path, text), 1):
            name = refused.message["method"]
            if fault(name, "params", refused.message["params"]) is None:
                continue
            area, _, behaviour = path.removeprefix("transcripts/").removesuffix(".jsonl").partition("/")
            head = {"method": name, "direction": directions[name], "why": f"It was refused in {refused.source}."}
            target = f"{REFUSE}/{PREFIX}{area}.{behaviour}.{number}.json"
            made[target] = case({**head, "params": refused.message["params"]})
    return made


def case(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, indent=1) + "\n"


def _refused(path: str, text: str) -> list[Exchange]:
    waiting: dict[str, tuple[int, dict[str, Any]]] = {}
    exchanges = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = json.loads(line) if line else {}
        message, sender = fields.get("message"), fields.get("from")
        if not isinstance(message, dict):
            continue
        id = json.dumps(message.get("id"))
        if sender == "host" and "method" in message:
            waiting[id] = number, message
        elif sender == "ctxmgr" and message.get("error", {}).get("code") == errors.INVALID_PARAMS and id in waiting:
            first_line, request = waiting.pop(id)
            if isinstance(request.get("params"), dict):
                exchanges.append(Exchange(f"{path}, line {first_line}", "host", request))
    return exchanges
