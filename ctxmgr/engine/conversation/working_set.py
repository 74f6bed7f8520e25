"""Turns a list into where its working set begins: the newest of it, which goes out byte for byte.

1. It reaches back until it holds as many tool results and as many tokens of steps as the policy asks for
   (`workingSet`), and on to where the step there began: steps are whole. A user's words count for neither.
2. The newest step is always in it, and so are the results that it has just brought.
3. A result that came late is of it, and the step that asked for it is not. That step stays, for no pair is parted,
   but all that lies between may leave.
"""

from ctxmgr.engine.conversation.index import ConversationIndex
from ctxmgr.engine.conversation.turns import goes_on
from ctxmgr.model import Message, WorkingSet

STEP_ROLES = ("assistant", "result", "shell")  # of messages that are, or belong to, a step
NOWHERE = 1 << 60  # past the end of any list


def promised_start(conversation: ConversationIndex, wanted: WorkingSet) -> int:
    """The index of the message with which as much is reached as is asked for, from the newest back."""
    results = tokens = 0
    for at in range(conversation.size - 1, -1, -1):
        if results >= wanted.results and tokens >= wanted.tokens:
            return at + 1
        results += sum(1 for _ in conversation.results(at))
        tokens += _step_tokens(conversation.messages[at])
    return 0


def working_set_start(conversation: ConversationIndex, wanted: WorkingSet) -> int:
    """The index of its first message; the size of the list where nothing is the assistant's. Costs what it
    holds."""
    newest = conversation.newest_reply
    return conversation.size if newest < 0 else _start(conversation, wanted, conversation.size, newest)


def working_set_before(conversation: ConversationIndex, wanted: WorkingSet, end: int) -> int:
    """Where it began when the list ended before the message `end`."""
    return _start(conversation, wanted, end, end)


def _start(conversation: ConversationIndex, wanted: WorkingSet, end: int, needed: int) -> int:
    """Of the list up to `end`. All from `needed` on belongs to it."""
    results = tokens = 0
    at = end
    while at > 0 and (at > needed or results < wanted.results or tokens < wanted.tokens):
        at -= 1
        message = conversation.messages[at]
        tokens += _step_tokens(message)
        results += sum(1 for _ in conversation.results(at))
        if message.view.role == "result" or goes_on(conversation.messages, at):
            needed = min(needed, at - 1)
    return at


def _step_tokens(message: Message) -> int:
    """Of a message that is of a step; none of any other."""
    return message.weight if message.view.role in STEP_ROLES else 0
