"""Checks what a provider would refuse in a list: the last check before a list is sent.

Each format's `accept` continues from a `Progress`, so a list that only grew is checked by its new messages alone;
`refused` adds what is wrong at its end. The rules are the providers'. They are applied to the bytes that are sent,
and do not depend on how the list was made. These providers accept consecutive messages of one role; the chat
templates of some models (`STRICT_MODELS`) do not, and then it is a fault.
"""

import re
from collections.abc import Iterable

import msgspec

from ctxmgr.formats.spelling import mark_count
from ctxmgr.model import View, expression

STRICT_MODELS = expression(
    # Mistral's templates and mistral-common ("After the optional system message, conversation roles must
    # alternate", "Unexpected role 'user' after role 'tool'")
    r"mistral|mixtral|devstral|magistral|ministral|codestral|pixtral|mathstral|voxtral|leanstral|"
    # Google's templates ("Conversation roles must alternate user/assistant/user/assistant/...")
    r"gemma|"
    # Meta's templates of Llama 2 and Code Llama, with the same sentence
    r"llama-?2|code-?llama|"
    # Perplexity ("user or tool message(s) should alternate with assistant message(s)")
    r"(?:^|/)sonar|"
    # DeepSeek ("does not support successive user or assistant messages")
    r"deepseek-(?:reasoner|r1)",
    re.IGNORECASE,
)
"""Matches the id of a model whose chat template requires users and the assistant to alternate, ignoring tool calls
and results.
"""

MARKS_AT_MOST = 4  # of `cache_control`; a fifth is refused
USERS = frozenset(("user", "packet", "summary", "note", "shell"))  # roles that are sent as a user's

Said = Iterable[tuple[bytes, View]]
"""The bytes and the view of each message, in order."""


class Progress(msgspec.Struct, frozen=True):
    """What is known of a list so far.

    `faults`: faults found. `began`: a message that may open the list was seen. `waiting`: ids of calls without a
    result. `role`: role of the last message that counts. `other`: this turn already has content that no result may
    follow. `mark_count`: number of cache marks. `speaker`: the last speaker, ignoring tool calls and results.
    `opened`: ids that blocks share other than those of calls and results (`Block.tie`).
    """

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
    """The names of what a provider would refuse if the list ended here. `strict`: the chat template requires users
    and the assistant to alternate.
    """
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
    """The ids of the calls that its results answer."""
    return [block.call_id for block in view.blocks if block.kind == "result"]


def opens_in_order(view: View, opened: set[str]) -> bool:
    """Whether each block that refers to another by id comes after it. Adds the ids of this message to `opened`."""
    for block in view.blocks:
        if block.closes and block.tie not in opened:
            return False
        if block.tie:
            opened.add(block.tie)
    return True


def accept_pairs(
    progress: Progress, messages: Said, *, at_once: bool = False, reasoning_leads: bool = False
) -> Progress:
    """Checks lists of APIs that have single calls and results instead of turns:

    1. The first message that is not a prompt is sent as a user's.
    2. Each call has a result after it, and each result a call before it. The result may come anywhere later, as in
       the Responses API and pi; with `at_once`, before any other message. With `at_once`, cache marks are counted
       too, for providers that have them, and users and the assistant may have to alternate ("roles"). A block that
       refers to another by id (an approval, an outcome) comes after it.
    3. With `reasoning_leads`, a message that is only reasoning is followed by another of the same answer.
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
    """The speaker of a message: "user", "assistant" if it has no call, or "" for tool calls and results."""
    if view.role in USERS:
        return "user"
    return "assistant" if view.role == "assistant" and not calls(view) else ""
