"""Single-shot: the whole text is written by one call."""

from ctxmgr.summarize.asking import Asking
from ctxmgr.summarize.attempts import answers
from ctxmgr.summarize.job import Job, Terms, question
from ctxmgr.summarize.reading import Accepted

LABELS = {"history": "history", "turn-prefix": "first part of the turn", "branch": "branch"}


def written(terms: Terms, job: Job) -> Asking[Accepted]:
    """Ask once for all of it. Raises GaveUp."""
    asked = question(
        terms,
        job,
        job.messages,
        job.given,
        output=job.output,
        purpose=job.matter,
        label=LABELS[job.matter],
        left_out=job.left_out,
    )
    (accepted,) = yield from answers((asked,), retries=terms.retries, weigh=terms.weigh, account=terms.account)
    return accepted
