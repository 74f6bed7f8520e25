"""What providers refuse of a list: the last look at one before it leaves.

Each format's `accept` goes on from a `Progress`, so a list that only grew is looked at by its new messages alone;
`refused` gives what is wrong at its end. The rules are the providers', read off the bytes that leave; they know
nothing of how the list was made. These providers take messages of one role after each other; the templates of some
models do not (`STRICT_MODELS`), and then it is a fault.
"""

import re
from collections.abc import Iterable

import msgspec

from ctxmgr.formats.spelling import mark_count
from ctxmgr.model import View, expression

STRICT_MODELS = expression(
    # Mistral's templates and mistral-common ("After the optional system message, conversation roles must
    # alternate", "Unexpected role 'user' after role 'tool'")
    r"mistral|mixtral|devstral|magistral|ministral|codestral|pixtral|mathstral|"
    # Google's ("Conversation roles must alternate user/assistant/user/assistant/...")
    r"gemma|"
    # Meta's of Llama 2, and Code Llama's, with the same sentence
    r"llama-?2|code-?llama|"
    # Perplexity ("user or tool message(s) should alternate with assistant message(s)")
    r"(?:^|/)sonar|"
    # DeepSeek ("does not support successive user or assistant messages")
    r"deepseek-(?:reasoner|r1)",
    re.IGNORECASE,
)
"""What the id of a model holds whose template wants users and the assistant to take turns, tool flow left out."""

MARKS_AT_MOST = 4  # of `cache_control`; a fifth is refused
USERS = frozenset(("user", "packet", "summary", "note", "shell"))  # roles that go out as a user's

Said = Iterable[tuple[bytes, View]]
"""The bytes and the view of each message, in order."""


class Progress(msgspec.Struct, frozen=True):
    """`faults` so far. `began`: something that counts as a beginning was there. `waiting`: ids of calls that are
    not answered yet. `role`: the last one that counts. `other`: in this turn something stood that no result may
    follow. `mark_count`: of cache marks. `speaker`: who spoke last, tool flow left out. `opened`: ids
    that blocks share beside calls and results (`Block.tie`)."""

    faults: frozenset[str] = frozenset()
    began: bool = False
    waiting: frozenset[str] = frozenset()
    role: str = ""
    other: bool = False
    mark_count: int = 0
    speaker: str = ""
    opened: frozenset[str] = frozenset()


BEGINNING = Progress()


def refused(progress: Progress, strict: bool = False) -> frozenset[str]:
    """What a provider would refuse, by name, if the list ended here. `strict`: by a template that wants users and
    the assistant to take turns."""
    faults = set(progress.faults) - (frozenset() if strict else {"roles"})
    if not progress.began:
        faults.add("empty list")
    if progress.waiting:
        faults.add("pairs")
    if progress.mark_count > MARKS_AT_MOST:
        faults.add("cache marks")
    return frozenset(faults)


def calls(view: View) -> frozenset[str]:
    """The ids of the calls in a message."""
    return frozenset(block.call_id for block in view.blocks if block.kind == "call")


def answers(view: View) -> list[str]:
    """The ids that its results answer."""
    return [block.call_id for block in view.blocks if block.kind == "result"]


def opens_in_order(view: View, opened: set[str]) -> bool:
    """Whether each block that goes on from another by an id stands behind that; `opened` holds the ids so far, and
    those of this message from then on."""
    for block in view.blocks:
        if block.closes and block.tie not in opened:
            return False
        if block.tie:
            opened.add(block.tie)
    return True


def accept_pairs(
    progress: Progress, messages: Said, *, at_once: bool = False, reasoning_leads: bool = False
) -> Progress:
    """Of APIs that know single calls and results, and no turns of them:

    1. The first message that is no prompt goes out as a user's.
    2. Each call has a result after it, and each result a call before it. They may stand anywhere, as the Responses
       API and programs of their own rules (pi) take them; `at_once`: before anything else is said. Then cache marks
       count too, for providers that have them, and users and the assistant may have to take turns ("roles").
       What goes on from another item by an id (an approval, an outcome) follows that.
    3. `reasoning_leads`: a message of reasoning alone has another of the same answer after it.
    """
    faults, waiting = set(progress.faults), set(progress.waiting)
    began, last, marks = progress.began, progress.role, progress.mark_count if at_once else 0
    speaker, opened = progress.speaker, set(progress.opened)
    for raw, view in messages:
        if at_once:
            marks += mark_count(raw)
            if waiting and view.role != "result":
                faults.add("pairs")
                waiting.clear()
        if not opens_in_order(view, opened):
            faults.add("pairs")
        if at_once and (now := _speaker(view)):
            if now == speaker or (now == "user" and last == "result"):
                faults.add("roles")
            speaker = now
        if view.role != "assistant" and last == "reasoning":
            faults.add("reasoning")
        alone = reasoning_leads and [block.kind for block in view.blocks] == ["thinking"]
        last = "reasoning" if alone else view.role
        for id in answers(view):
            if id not in waiting:
                faults.add("pairs")
            waiting.discard(id)
        if view.role == "prompt":
            continue
        if not began and view.role not in USERS:
            faults.add("first role")
        began = True
        if view.role == "assistant":
            waiting |= calls(view)
    return Progress(
        frozenset(faults),
        began,
        frozenset(waiting),
        last,
        mark_count=marks,
        speaker=speaker,
        opened=frozenset(opened),
    )


def _speaker(view: View) -> str:
    """Who speaks in a message: a user, the assistant without a call, or "" in tool flow."""
    if view.role in USERS:
        return "user"
    return "assistant" if view.role == "assistant" and not calls(view) else ""
