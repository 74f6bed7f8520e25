"""A message list as an object: its messages and turns, the call that each result answers, and the keys that
decisions use.

Built once per list and extended as the list grows. Knows no policy, no decision and no plan.
"""

from ctxmgr.engine.conversation.index import (
    DIGESTS,
    SPECIAL,
    BlockRef,
    ConversationIndex,
    block_key,
    carried,
    carried_with,
    digest,
    digest_of,
    extend,
    goes_on,
    step_spans,
    turn_at,
    turn_weights,
)
from ctxmgr.engine.conversation.steps import (
    NOWHERE,
    STEP_ROLES,
    Step,
    Steps,
    is_waiting,
    promised_start,
    steps_of,
    working_set_before,
    working_set_start,
)

__all__ = [
    "DIGESTS",
    "BlockRef",
    "ConversationIndex",
    "NOWHERE",
    "SPECIAL",
    "STEP_ROLES",
    "Step",
    "block_key",
    "carried",
    "carried_with",
    "Steps",
    "steps_of",
    "digest",
    "digest_of",
    "extend",
    "goes_on",
    "is_waiting",
    "step_spans",
    "turn_at",
    "turn_weights",
    "promised_start",
    "working_set_before",
    "working_set_start",
]
