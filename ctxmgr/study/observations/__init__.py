"""What a model was shown at each call, and the tokens and mentions of its messages: the basis of all measures."""

from ctxmgr.closed_loop import (
    MessageCache,
    PriceSheet,
    dollars,
    error_codes,
    identifiers,
    paths,
    strings,
)
from ctxmgr.study.observations import timeline
from ctxmgr.study.observations.observation import (
    PACKET,
    SUMMARY,
    VOCABULARY,
    Observation,
    ProjectedMessage,
    Ratio,
    in_place,
    message_reader,
    message_weigher,
    new_messages,
    same_start,
    stands_for_others,
    total,
)
from ctxmgr.study.observations.timeline import Timeline

__all__ = [
    "MessageCache",
    "Observation",
    "PACKET",
    "PriceSheet",
    "ProjectedMessage",
    "Ratio",
    "SUMMARY",
    "Timeline",
    "dollars",
    "error_codes",
    "identifiers",
    "in_place",
    "VOCABULARY",
    "message_reader",
    "message_weigher",
    "new_messages",
    "paths",
    "same_start",
    "stands_for_others",
    "strings",
    "timeline",
    "total",
]
