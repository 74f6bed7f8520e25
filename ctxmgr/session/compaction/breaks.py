"""Where a history breaks naturally: told by vectors of the host, or of the embeddings extra.

Rule: what can not be had is done without. Then the words tell, as they do unless the policy says otherwise.
"""

from collections.abc import Sequence

from ctxmgr.engine.compaction import cohesion, slices
from ctxmgr.model.compaction import BranchMessage, Strategy
from ctxmgr.session.compaction.job_context import JobContext
from ctxmgr.session.session import Embedding
from ctxmgr.session.work import Embed, Offload, Routine

SLICED: tuple[Strategy, ...] = ("parallel-stitch", "sequential-accumulated", "sequential-rolling")


def depths(seen: JobContext, messages: Sequence[BranchMessage], strategy: Strategy) -> Routine[list[float] | None]:
    """One depth a step of these messages; None where the words are to tell."""
    wanted = seen.policy.slices
    if wanted.breaks != "natural" or wanted.cohesion == "words" or strategy not in SLICED:
        return None
    steps = slices.steps(messages)
    if len(steps) < 2:  # there is nothing between them to tell
        return None
    texts = yield Offload(lambda: tuple(map(cohesion.step_text, steps)))
    if wanted.cohesion == "host":
        vectors = (yield Embed(texts)) if seen.vectors.by_host else None
    else:
        embed = seen.vectors.embed
        vectors = (yield Offload(lambda: _embedded(embed, texts))) if embed is not None else None
    if vectors is None:
        return None
    found: list[float] = yield Offload(lambda: cohesion.deepened(cohesion.depths_from_vectors(vectors), steps))
    return found


def _embedded(embed: Embedding, texts: tuple[str, ...]) -> list[list[float]] | None:
    """None where the extra can not do it: what it is made of is not ours, and a compaction does not fail for it."""
    try:
        return embed(texts)
    except Exception:  # noqa: BLE001
        return None
