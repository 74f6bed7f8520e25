"""Turns a list into where its working set begins: the newest of it, which goes out byte for byte.

1. It reaches back until it holds as many tool results and as many tokens as the policy asks for (`workingSet`), and
   on to where the step there began: steps are whole.
2. The newest step is always in it, and so are the results that it has just brought.
"""

from ctxmgr.engine.conversation.block_ref import BlockRef
from ctxmgr.engine.conversation.index import ConversationIndex
from ctxmgr.engine.conversation.turns import goes_on
from ctxmgr.model import WorkingSet

NOWHERE = 1 << 60  # past the end of any list


def promised_start(conversation: ConversationIndex, wanted: WorkingSet) -> int:
    """The index of the message with which as much is reached as is asked for, from the newest back. A step that
    began long before, and whose result came late, is not followed back."""
    results = tokens = 0
    for at in range(conversation.size - 1, -1, -1):
        if results >= wanted.results and tokens >= wanted.tokens:
            return at + 1
        results += sum(1 for _ in conversation.results(at))
        tokens += conversation.messages[at].weight
    return 0


def working_set_start(conversation: ConversationIndex, wanted: WorkingSet | None) -> int:
    """The index of its first message; the size of the list where nothing is promised, or nothing is the
    assistant's. Costs what it holds."""
    newest = conversation.newest_reply
    if newest < 0 or wanted is None:
        return conversation.size
    results = tokens = 0
    needed = newest  # all from here on belongs to it
    at = conversation.size
    while at > 0 and (at > needed or results < wanted.results or tokens < wanted.tokens):
        at -= 1
        message = conversation.messages[at]
        tokens += message.weight
        results += sum(1 for _ in conversation.results(at))
        asked = (conversation.pairs.get(BlockRef(at, number), at) for number in range(len(message.view.blocks)))
        needed = min(needed, at, *asked)
        if goes_on(conversation.messages, at):
            needed = min(needed, at - 1)
    return at
