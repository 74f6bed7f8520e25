"""Single-shot: the whole text is written by one call."""

from ctxmgr.model.compaction import Asking
from ctxmgr.summarize.request import AcceptedAnswer, PromptTask, SummaryTerms, answers, question


def written(terms: SummaryTerms, job: PromptTask) -> Asking[AcceptedAnswer]:
    """Ask once for all of it. Raises GaveUp."""
    asked = question(terms, job, job.messages, job.given, output=job.max_tokens)
    (accepted,) = yield from answers((asked,), retries=terms.retries, weigh=terms.weigh, account=terms.usage)
    return accepted
