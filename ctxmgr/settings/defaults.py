"""What holds for programs where nobody says otherwise: the policy's own defaults, but for these.

A program behind a proxy fetches again by itself what it needs and no longer sees, so little of what is old has to
stay, as long as an index tells where to look. Measured by `ctxmgr replay` on 16 recorded sessions of 60,000 tokens
and more at a window of 200,000, closed-loop cost of the host alone = 1: 0.61 with the policy's defaults, 0.46 with
these; fetched again 3.7 and 7.9 times in 100 calls.
"""

FOR_PROGRAMS = {"preset": "balanced", "costVersusRecall": 0.0, "newestTokens": 1_000, "indexTokens": 4_000}
