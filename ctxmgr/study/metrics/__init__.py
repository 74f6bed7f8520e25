"""Measures of what a model was shown: cost, recall, grounding. Know no policy."""

from ctxmgr.closed_loop import (
    SHORTEST,
    MessageCache,
    PriceSheet,
    PromptCache,
    dollars,
    error_codes,
    identifiers,
    input_dollars,
    paths,
    strings,
    without,
)
from ctxmgr.study.metrics import message_cache, ratio, recall, refetch, timeline, user_text_recall
from ctxmgr.study.metrics.billing import Bill, Billed, bill
from ctxmgr.study.metrics.grounding import Grounding, LinePresence, grounding
from ctxmgr.study.metrics.marking import marker
from ctxmgr.study.metrics.observations import (
    PACKET,
    SUMMARY,
    Observation,
    ProjectedMessage,
    in_place,
    new_messages,
    same_start,
)
from ctxmgr.study.metrics.ratio import Ratio
from ctxmgr.study.metrics.recall import FAR_TOKENS, Recall
from ctxmgr.study.metrics.refetch import Refetch
from ctxmgr.study.metrics.timeline import Timeline
from ctxmgr.study.metrics.user_text_recall import UserTextRecall

__all__ = [
    "Bill",
    "Billed",
    "FAR_TOKENS",
    "Grounding",
    "LinePresence",
    "MessageCache",
    "Observation",
    "PACKET",
    "PriceSheet",
    "PromptCache",
    "ProjectedMessage",
    "Ratio",
    "Recall",
    "Refetch",
    "SHORTEST",
    "SUMMARY",
    "Timeline",
    "UserTextRecall",
    "bill",
    "dollars",
    "error_codes",
    "grounding",
    "identifiers",
    "in_place",
    "input_dollars",
    "marker",
    "message_cache",
    "new_messages",
    "paths",
    "ratio",
    "recall",
    "refetch",
    "same_start",
    "strings",
    "timeline",
    "user_text_recall",
    "without",
]
