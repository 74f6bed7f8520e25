"""Turns one call, as a host sends it in a message format, into what each reader of calls says of it."""

import json
from typing import Any, NamedTuple

from ctxmgr.engine.compaction import files, scoring
from ctxmgr.engine.memory import PacketText, fold
from ctxmgr.engine.memory.extract import from_message
from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.protection.protection import pinned
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.rewriting.rewrite import shorten
from ctxmgr.formats import FORMATS
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model.epochs import Pin
from ctxmgr.model.messages import Block, Message
from ctxmgr.model.saved.facts import Fact, Ledger
from ctxmgr.model.tools import DeclaredTool
from ctxmgr.session.reading import Reader
from tests.notation import a, call, indexed, quarters, r, u
from tests.translation import TO, said
from tests.unit.engine.tools.known_calls import Known


class Says(NamedTuple):
    """`ledger`: (status, path); `packet`: its lines of files and tasks; `tasks`: their
    states; `pins`: paths by which call and
    result are pinned; `shortened`: the arguments with the hint where to read again, None without; `read` and
    `modified`: a compaction's lists; `scored`: does the call count as a change."""

    ledger: frozenset[tuple[str, str]]
    packet: tuple[str, ...]
    tasks: tuple[str, ...]
    pins: frozenset[str]
    marker: str
    shortened: Any
    read: frozenset[str]
    modified: frozenset[str]
    scored: bool


def raws(form: str, known: Known) -> list[bytes]:
    talk = said(u("do it"), a("so", call(known.tool, **known.arguments)), r("ok"), a("done"))
    return [json.dumps(one).encode() for one in TO[form](talk)]


def says(form: str, known: Known) -> Says:
    """What each reader says of a call that succeeded."""
    lines = raws(form, known)
    own = (DeclaredTool(known.tool, **known.declared),) if known.declared else ()
    reader = Reader(FORMATS[form], quarters, tools=own)
    messages = reader.read(lines)
    index = indexed(messages)
    (answer, asked), *_ = index.pairs.items()
    facts = _facts(messages)
    block = next(one for one in messages[asked].view.blocks if one.kind == "call")
    made = index.call_of(answer)
    branch = [
        one
        for entry in reader.with_tools_in(view_branch.from_messages(FORMATS[form], lines, [""] * len(lines)))
        for one in entry.messages
    ]
    lists = files.lists(files.of_messages(branch))
    changing = scoring.changing_calls(branch)
    paths = frozenset(path for _, path in known.does)
    return Says(
        frozenset((fact.status, fact.text) for fact in facts if fact.kind == "file"),
        tuple(PacketText(fold(Ledger(), facts), "", quarters).within(2_000, ()).split("\n")),
        tuple(fact.status for fact in facts if fact.kind == "task"),
        frozenset(one for one in paths if {asked, answer.message_index} <= pinned(index, [Pin("path", one)])),
        marker.pruned(made, 1),
        shorten(block.made),
        frozenset(lists[0]),
        frozenset(lists[1]),
        bool(changing) and len(changing) >= 2,
    )


def _facts(messages: tuple[Message, ...]) -> list[Fact]:
    calls: dict[str, Block] = {}
    found: list[Fact] = []
    for message in messages:
        for block in message.view.blocks:
            if block.kind == "call":
                calls[block.call_id] = block
        found += from_message(message.view, stamp=Stamp("o", 1), calls=calls, opening=False)
    return found
