"""The prompts and the shapes of the formats. Know no strategy."""

from ctxmgr.summarize.prompts import handoff
from ctxmgr.summarize.prompts.continue_format import CONTINUE, SHORT_SENTENCES
from ctxmgr.summarize.prompts.handoff import HANDOFF
from ctxmgr.summarize.prompts.nine_section import NINE
from ctxmgr.summarize.prompts.on_context import on_context_prompt
from ctxmgr.summarize.prompts.prompts import SYSTEM, Matter, PromptParts, merge_prompt, prompt
from ctxmgr.summarize.prompts.shape import FREE, Shape, asked_for, key_of_title
from ctxmgr.summarize.prompts.structured import BRANCH, STRUCTURED, TURN

__all__ = [
    "BRANCH",
    "CONTINUE",
    "FREE",
    "HANDOFF",
    "Matter",
    "NINE",
    "PromptParts",
    "SHORT_SENTENCES",
    "STRUCTURED",
    "SYSTEM",
    "Shape",
    "TURN",
    "handoff",
    "asked_for",
    "key_of_title",
    "merge_prompt",
    "on_context_prompt",
    "prompt",
]
