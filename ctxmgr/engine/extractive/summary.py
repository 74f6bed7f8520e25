"""Turns messages that leave the context into a summary, without a model: facts, and the best sentences.

Rules:
1. Never over the budget; where it is short, what has the least right to stay goes (`layout.RIGHTS`).
2. The user's words stand verbatim, tool text only as a quoted error line or a command line.
3. What the previous summary says is carried on, older statements give way first; nothing is told twice. With
   nothing new, a summary of ours is written again as it is.
4. Same messages, same bytes.

File lists are not here: who calls this appends them.
"""

from collections.abc import Sequence

from ctxmgr.engine.extractive.assemble import gather
from ctxmgr.engine.extractive.collecting import carry, moved_or_deleted, open_request
from ctxmgr.engine.extractive.fit import fit
from ctxmgr.engine.extractive.layout import BRANCH, LAYOUTS
from ctxmgr.engine.extractive.lines import Kind, SummaryLines
from ctxmgr.engine.extractive.split import request, split_turn
from ctxmgr.engine.text import one_spaced, sentences_of, shorten
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import BranchMessage, Format

SPLIT = "\n\n---\n\n**Turn Context (split turn):**\n\n"
PREFIX_SHARE = 0.3  # of the budget, for a split turn's part beside a history
REQUEST_START_CHARACTERS = 40  # of a request or a sentence of it, by which it is known again
SHORT_CHARACTERS = 240  # of each of its two sentences
_STATES: tuple[Kind, ...] = ("active", "done", "found")


def summary(
    messages: Sequence[BranchMessage],
    previous: str | None,
    *,
    budget: int,
    weigh: Weigh,
    format: Format = "structured",
    prefix: Sequence[BranchMessage] = (),
) -> str:
    """The summary, at most `budget` tokens; "" where there is nothing to say or no room to say it.

    `messages` are what is removed, oldest first; `previous` stands for what was before them; `prefix` is a split
    turn's part before the cut.
    """
    before = open_request(messages) if prefix else ""
    turn = split_turn(prefix, int(budget * PREFIX_SHARE), weigh, before) if prefix else ""
    rest = budget - weigh(SPLIT + turn) if turn else budget
    newest = (request(prefix) or before) if turn and (messages or previous) else ""
    lines = gather(messages, previous, rest, newest, moved_or_deleted(prefix))
    history = fit(lines.kinds, LAYOUTS[format], max(rest, 0), weigh)
    if not turn:
        return history
    if not history:
        turn = split_turn(prefix, max(budget - weigh(SPLIT), 0), weigh, before)
    text = (history + SPLIT if history else SPLIT.lstrip("\n-")) + turn
    return text if weigh(text) <= budget else history


def turn_context(prefix: Sequence[BranchMessage], budget: int, weigh: Weigh) -> str:
    """What a split turn's part before the cut says: its request, what was done, what goes on from there."""
    return split_turn(prefix, budget, weigh)


def branch(messages: Sequence[BranchMessage], *, budget: int, weigh: Weigh) -> str:
    """A branch summary, at most `budget` tokens: structured, findings under Done, no critical context."""
    return fit(gather(messages, None, budget).kinds, BRANCH, budget, weigh)


def short(messages: Sequence[BranchMessage], previous: str | None = None) -> str:
    """Two sentences: what is worked on, and where it stands; "" where neither is known."""
    lines = gather(messages, previous, SHORT_CHARACTERS)
    kinds = lines.kinds
    about = next((line.text for kind in ("latest", "goal") for line in kinds.get(kind, [])), "")
    state = lines.state or next((one.text for kind in _STATES for one in reversed(kinds.get(kind, []))), "")
    told = state.removeprefix(carry.LATEST)
    if state.startswith('"') and carry.ARROW in state:
        told = state.partition(carry.ARROW)[2]
    found = [_sentence("Asked", about), _sentence("State", told)]
    return " ".join(one for one in found if one)


def _sentence(label: str, text: str) -> str:
    text = shorten(text, SHORT_CHARACTERS).strip()
    return f"{label}: {text}{'' if text[-1] in '.!?…' else '.'}" if text else ""


def untold(messages: Sequence[BranchMessage], text: str) -> int:
    """How many of the user's requests this summary says nothing of: neither how one begins nor a sentence of it."""
    flat = one_spaced(text)
    asked = (request([one]) for one in messages if one.view.role == "user" and one.view.opens_turn)
    return sum(
        bool(words)
        and all(one_spaced(one)[:REQUEST_START_CHARACTERS] not in flat for one in (words, *sentences_of(words)))
        for words in asked
    )


def digest(messages: Sequence[BranchMessage], budget: int, weigh: Weigh) -> str:
    """A few lines on messages that had to be left out: requests, files, errors. At most `budget` tokens."""
    lines = gather(messages, None, budget)
    wanted = _digest_lines(lines)
    text = ""
    for line in wanted:
        longer = f"{text}\n{line}" if text else line
        if weigh(longer) > budget:
            break
        text = longer
    return text


def _digest_lines(lines: SummaryLines) -> list[str]:
    """In their right to stay; of requests the newest first."""
    work, kinds = lines.work, lines.kinds
    count = work.size
    found = [f"Left out: {count} message{'' if count == 1 else 's'}."]
    found += [f"- asked: {shorten(line.text, 160)}" for line in reversed(kinds.get("request", []))][:6]
    changed = [path for path, _ in work.changed.most_common(12)]
    found += [f"- changed: {', '.join(changed)}"] if changed else []
    found += [f"- failed: {line.text}" for kind in ("blocked", "error") for line in kinds.get(kind, [])][:4]
    return found
