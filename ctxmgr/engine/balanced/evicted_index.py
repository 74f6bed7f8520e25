"""Turns what leaves at an epoch into the packet's index of it: which file or command, and which names it held.

1. Only names that say something by themselves (`identifiers.telling`) and that nothing shown holds, nor the packet
   before the index, are told, the best worth for their length first, each under the newest thing that held it. A
   name is an identifier or a path: no sentence of a tool's reaches the packet by this.
2. A line begins with what to ask for again: the path, whole, or the command and whether its newest run failed; with
   a handle, where the host's model can retrieve by it. What left with a handle and has no name to tell is listed by
   that alone, the newest first, within a share of the budget. The heading says how to get the rest back.
3. User messages that left are told in their own words, shortened, each with its length. None leaves without a
   word: what does not fit is counted.
4. The index never weighs more than its budget.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import msgspec

from ctxmgr.engine.balanced import identifiers as names
from ctxmgr.engine.conversation import BlockRef, Step
from ctxmgr.engine.ledger import essential
from ctxmgr.engine.text import code, one_line
from ctxmgr.engine.tools import CHANGES, Shell, ToolCall, calls_of, is_lost, is_refused, outcome_by
from ctxmgr.model import Block, Message, Weigh, once

HEADING = "## Left out (names it held; for the rest read the file or run the command again)"
BY_HANDLE = "## Left out (names it held; for the rest `retrieve` what is in brackets, or look again)"
SAID_HEADING = "## Said by the user (shortened)"
LABEL_CHARACTERS = 100
PATH_CHARACTERS = 200
LOST_CHARACTERS = 500  # of a result's start, where a shell says that it could not go to a directory
LABELS_SHARE = 0.1  # of the budget, for what has no name to tell
PATHS_WORTH = 0.4  # of a name: of paths so many are said again, and those that were used stand among the files
ALSO = "- also: "
SAID_CHARACTERS = (400, 200, 80)  # of one user message: the first that all fit with
NAME_OVERHEAD, CHARACTERS_A_TOKEN = 1.0, 3.5  # of a name in a list: its comma, and how names are cut up


class Evicted(msgspec.Struct, frozen=True, gc=False):
    """One block that is no longer shown: what to ask for again, the names in it, and the handle by which it is
    retrieved, "" for none."""

    label: str
    names: frozenset[str]
    handle: str = ""


def losses(
    messages: Sequence[Message],
    steps: Sequence[Step],
    dropped: Container[int],
    pruned: Container[BlockRef],
    handle: Callable[[BlockRef], str],
) -> list[Evicted]:
    """Every block that is not shown, oldest first. `handle` of a result; "" for none."""
    found: list[tuple[str, str, str, frozenset[str]]] = []  # asked for, label, handle, names
    failed: dict[str, bool] = {}
    for step in steps:
        calls: dict[str, ToolCall] = {}
        for position in step.assistant_indices:
            gone = position in dropped
            for block, held, call in _blocks(messages[position]):
                if call is not None and block.kind == "call":
                    calls[block.call_id] = call
                if gone and held:
                    found.append(("", _label(call) if call is not None else "", "", held))
        for position in step.result_indices:
            for number, (block, held, own) in enumerate(_blocks(messages[position])):
                if block.kind not in ("result", "shell"):
                    continue
                ref, call = BlockRef(position, number), calls.get(block.call_id, own)
                asked = _asked(call) if call is not None else block.tool
                failed[asked] = _failed(messages[position], number, call.shell if call is not None else None)
                if position in dropped or ref in pruned:
                    label = _label(call) if call is not None else one_line(block.tool, LABEL_CHARACTERS)
                    found.append((asked, label, handle(ref), held))
    return [
        Evicted(f"{label}{' (failed)' if failed.get(asked) else ''}{f' [{by}]' if by else ''}", held, by)
        for asked, label, by, held in found
    ]


@once
def _failed(message: Message, number: int, shell: Shell | None) -> bool:
    """Did the call of this result fail by itself? What `cd` kept from running, or a person refused, did not."""
    block = message.view.blocks[number]
    if block.is_error and is_refused(block.text):
        return False
    if any(map(is_lost, block.text[:LOST_CHARACTERS].splitlines())):
        return False
    return outcome_by(shell, block.text, block.is_error, block.doubtful or block.untold) == "failed"


def _blocks(message: Message) -> Iterable[tuple[Block, frozenset[str], ToolCall | None]]:
    return zip(message.view.blocks, names.of_message(message), calls_of(message), strict=True)


@once
def _path(call: ToolCall) -> str:
    return next((one.path for one in call.effects if one.path and one.kind in ("read", *CHANGES)), "")


@once
def _asked(call: ToolCall) -> str:
    """What to ask for again, whole: as a run is known, whatever filter its output passed."""
    path = _path(call)
    if path or call.shell is None:
        return path or f"{call.tool}\n{call.asked}"
    return essential(call.shell.command, call.shell.status.about != "look")


@once
def _label(call: ToolCall) -> str:
    """What to ask for again."""
    path = _path(call)
    if path:
        return one_line(path, PATH_CHARACTERS)
    if call.shell is not None:
        return code(call.shell.command, LABEL_CHARACTERS)
    return one_line(call.tool, LABEL_CHARACTERS)


def index_of(
    lost: Sequence[Evicted], shown: Container[str], worth: Mapping[str, float], budget: int, weigh: Weigh
) -> str:
    """The index, "" where nothing is to be told or nothing fits; at most `budget` tokens by `weigh`."""
    retrieves = any(one.handle for one in lost)
    head = BY_HANDLE if retrieves else HEADING
    newest, worths = _newest_holders(lost, shown, worth)
    ranked = sorted(newest, key=lambda name: (-worths[name] / _tokens(name), name))
    chosen: list[str] = []
    labels: set[str] = set()
    kept = LABELS_SHARE * budget if retrieves else 0.0
    room: float = budget - kept - weigh(head)
    for name in ranked:
        label = newest[name]
        needed = _tokens(name) + (0 if label in labels else _tokens(label))
        if needed > room:
            break
        room -= needed
        chosen.append(name)
        labels.add(label)
    also = _others(lost, labels, room + kept)
    while chosen or also:
        text = f"{head}\n{_composed(lost, chosen, newest, also)}"
        over = weigh(text) - budget
        if over <= 0:
            return text
        while (chosen or also) and over > 0:  # by estimate, so that few whole texts are weighed
            over -= int(_tokens((also or chosen).pop())) + 1
    return ""


def _newest_holders(
    lost: Sequence[Evicted], shown: Container[str], worth: Mapping[str, float]
) -> tuple[dict[str, str], dict[str, float]]:
    """The label of the newest thing that held each name to be told, and what the name is worth (rule 1)."""
    newest: dict[str, str] = {}
    worths: dict[str, float] = {}
    for one in lost:
        for held in one.names:
            name = "" if held in shown else names.telling(held)
            if name and name not in shown and name not in one.label:  # else the line says it already
                newest[name] = one.label
                by = PATHS_WORTH if "/" in name else 1.0
                worths[name] = max(worths.get(name, 0.0), by * worth.get(held, 0.0))
    return newest, worths


def _others(lost: Sequence[Evicted], told: Container[str], room: float) -> list[str]:
    """The labels of what can be retrieved and is not told of yet, newest first."""
    found: list[str] = []
    for label in dict.fromkeys(one.label for one in reversed(lost) if one.handle):
        if label and label not in told:
            room -= _tokens(label)
            if room < 0:
                break
            found.append(label)
    return found


def _tokens(text: str) -> float:
    return NAME_OVERHEAD + len(text) / CHARACTERS_A_TOKEN


def _composed(
    lost: Sequence[Evicted], chosen: Sequence[str], newest: Mapping[str, str], also: Sequence[str]
) -> str:
    by_label: dict[str, list[str]] = {}
    for name in chosen:
        by_label.setdefault(newest[name], []).append(name)
    order = {one.label: number for number, one in enumerate(lost)}  # the newest place of each
    lines = [
        f"- {label or 'said'}: {', '.join(sorted(by_label[label]))}"
        for label in sorted(by_label, key=lambda label: order[label])
    ]
    if also:
        lines.append(ALSO + "; ".join(reversed(also)))
    return "\n".join(lines)


def quotations(texts: Sequence[str], budget: int, weigh: Weigh) -> str:
    """User messages that left, oldest first, each shortened: as long as all of them fit, and where the shortest do
    not, the newest that do, and how many do not. The least is `counted`, though that be over the budget."""
    if not texts:
        return ""
    for characters in SAID_CHARACTERS:
        lines = [_line(text, characters) for text in texts]
        text = "\n".join((SAID_HEADING, *lines))
        if weigh(text) <= budget:
            return text
    fitting: list[str] = []
    room = budget - weigh(_heading(len(texts)))
    for line in reversed(lines):
        weight = weigh(line + "\n")
        if weight <= room:
            room -= weight
            fitting.append(line)
    missing = len(texts) - len(fitting)
    return "\n".join((_heading(missing), *reversed(fitting))) if fitting else counted(missing)


def counted(missing: int) -> str:
    """That user messages left, where no word of theirs fits."""
    return f"## {missing} user message{'s' if missing > 1 else ''}, not shown"


def _line(text: str, characters: int) -> str:
    return f'- ({len(text):,} characters) "{one_line(text, characters)}"'


def _heading(missing: int) -> str:
    return f"{SAID_HEADING[:-1]}; {missing} not shown)"
