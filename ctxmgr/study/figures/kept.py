"""`kept`: of what replies repeat of the conversation, the part that their lists had (`code_length`)."""

from ctxmgr.study.figures.registry import SHARE, Measures, Metric
from ctxmgr.study.observations import Ratio, total


def calls(session: Measures) -> tuple[Ratio, ...]:
    """In bytes, one a call."""
    return session.lengths.repeats(session.observations)


METRICS = (
    Metric(
        path="kept",
        title="kept",
        unit=SHARE,
        about="Of what replies repeat of the old conversation, the share that the list had, by code length.",
        of=lambda session: total(session.once(calls)),
        shown=("brief", "page"),
        total="kept",
        mean="kept",
        columns=("kept_share", "kept_bytes", "repeated_bytes"),
    ),
)
