"""How a provider caches prompts: what of a request it reads from its cache, how long it keeps that, who says so.

Facts of a provider, never settings of ours. A host tells a lifetime of its own where it knows it.
"""

from typing import Literal

import msgspec

LIFETIME_MS = 300_000  # of a cached start since it was last read: Anthropic's, and near that of most others


class CacheRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of one provider.

    `kind`: "marks": a start is kept up to each mark that a request sets; "implicit": every start is; "none":
    nothing. `most_marks`: in one request. `look_back_blocks`: a start kept earlier is found where it ends fewer
    content blocks before a mark; 0: however far. `least_tokens`: a shorter start is not kept. `step_tokens`: what
    is read is a multiple of these. `lifetime_ms`: of a start that nobody reads; `renews`: each read begins it anew.
    """

    kind: Literal["marks", "implicit", "none"] = "implicit"
    most_marks: int = 0
    look_back_blocks: int = 0
    least_tokens: int = 0
    step_tokens: int = 1
    lifetime_ms: int = LIFETIME_MS
    renews: bool = True


MARKS = CacheRule("marks", most_marks=4, look_back_blocks=20, least_tokens=1_024)  # Anthropic's
IMPLICIT = CacheRule("implicit", least_tokens=1_024, step_tokens=128)  # OpenAI's
NO_CACHE = CacheRule("none", lifetime_ms=0, renews=False)
