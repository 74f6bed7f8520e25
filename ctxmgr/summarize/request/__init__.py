"""One question to a model: what is asked, asked again, and read of the answer. Makes no completion."""

from ctxmgr.summarize.request import outline, previous_summary, prompt_task, recent_turns, turn_context
from ctxmgr.summarize.request.brief import FinishedSummary, HostContext, Prepared, SummaryInput
from ctxmgr.summarize.request.parse import LEAST_TOKENS, AcceptedAnswer, RejectedAnswer
from ctxmgr.summarize.request.previous_summary import PreviousSummary
from ctxmgr.summarize.request.prompt_task import PromptTask, SummaryTerms, merge_question, question
from ctxmgr.summarize.request.retry import CompletionFailure, ShapedRequest, SummaryFailed, answers, give_up
from ctxmgr.summarize.request.usage import SummaryUsage

__all__ = [
    "AcceptedAnswer",
    "CompletionFailure",
    "FinishedSummary",
    "HostContext",
    "LEAST_TOKENS",
    "Prepared",
    "PreviousSummary",
    "PromptTask",
    "RejectedAnswer",
    "ShapedRequest",
    "SummaryFailed",
    "SummaryInput",
    "SummaryTerms",
    "SummaryUsage",
    "answers",
    "give_up",
    "merge_question",
    "outline",
    "previous_summary",
    "prompt_task",
    "question",
    "recent_turns",
    "turn_context",
]
