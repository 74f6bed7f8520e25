"""The state machine of compaction requests.

Rules:
1. One request per episode, and only on a `turn_end` with a real reading in red or above.
2. A compaction, or two calm readings in a row (below 0.9 of red), ends the episode and resets the failures.
3. A refusal, a failed compaction, or no outcome within 20 turn_ends starts a cooldown that doubles: 4, 8 turn_ends.
   The third failure in a row stops requests until rule 2.
4. A context-overflow error requests a compaction in any zone and state, once per user message.
5. A restored "asked" becomes a cooldown, since it is unknown whether the host received the request.

`TABLE` is all of it: (state, event) -> (next state, effect). An event without a row changes nothing.
"""

from typing import Literal

import msgspec

from ctxmgr.model.saved import Latch, LatchState

Event = Literal["high", "calm", "over", "lost", "accepted", "refused", "failed", "compacted", "overflow"]
Effect = Literal["", "ask", "back off", "forgive"]
Reading = Literal["high", "middle", "low", "unknown"]

FAILURES_TO_REST = 3  # failures in a row
COOLDOWN_FIRST = 4  # turn_ends; doubles with each failure
OUTCOME_WITHIN = 20  # turn_ends
CALM_READINGS = 2  # in a row

TABLE: dict[tuple[LatchState, Event], tuple[LatchState, Effect]] = {
    ("idle", "high"): ("asked", "ask"),
    ("idle", "calm"): ("idle", "forgive"),
    ("idle", "failed"): ("cooldown", "back off"),
    ("idle", "compacted"): ("idle", "forgive"),
    ("idle", "overflow"): ("asked", "ask"),
    ("asked", "calm"): ("idle", "forgive"),
    ("asked", "lost"): ("cooldown", "back off"),
    ("asked", "accepted"): ("asked", ""),
    ("asked", "refused"): ("cooldown", "back off"),
    ("asked", "failed"): ("cooldown", "back off"),
    ("asked", "compacted"): ("idle", "forgive"),
    ("asked", "overflow"): ("asked", "ask"),
    ("cooldown", "over"): ("idle", ""),
    ("cooldown", "calm"): ("idle", "forgive"),
    ("cooldown", "failed"): ("cooldown", "back off"),
    ("cooldown", "compacted"): ("idle", "forgive"),
    ("cooldown", "overflow"): ("asked", "ask"),
    ("resting", "calm"): ("idle", "forgive"),
    ("resting", "compacted"): ("idle", "forgive"),
    ("resting", "overflow"): ("asked", "ask"),
}


def apply(latch: Latch, event: Event) -> tuple[Latch, bool]:
    """The latch after one event, and whether to request a compaction now."""
    row = TABLE.get((latch.state, event))
    if row is None:
        return latch, False
    state, effect = row
    if effect == "forgive":
        return Latch(overflowed=latch.overflowed, calm=latch.calm), False
    if effect == "back off":
        failures = latch.failure_count + 1
        if failures >= FAILURES_TO_REST:
            return msgspec.structs.replace(latch, state="resting", failure_count=failures, wait=0, age=0), False
        wait = COOLDOWN_FIRST * 2 ** (failures - 1)
        return msgspec.structs.replace(latch, state=state, failure_count=failures, wait=wait, age=0), False
    return msgspec.structs.replace(latch, state=state, age=0, wait=0), effect == "ask"


def turn_end(latch: Latch, reading: Reading, may_ask: bool) -> tuple[Latch, bool]:
    """The latch after one turn_end. `may_ask`: False if nothing may be requested (capability, preset, host)."""
    calm = latch.calm + 1 if reading == "low" else latch.calm if reading == "unknown" else 0
    latch = msgspec.structs.replace(
        latch,
        calm=calm,
        age=latch.age + (latch.state == "asked"),
        wait=max(0, latch.wait - 1),
    )
    if reading == "low" and calm >= CALM_READINGS:
        return apply(latch, "calm")
    if latch.state == "asked" and latch.age >= OUTCOME_WITHIN:
        return apply(latch, "lost")
    if latch.state == "cooldown" and latch.wait == 0:
        latch, _ = apply(latch, "over")
    if reading == "high" and may_ask:
        return apply(latch, "high")
    return latch, False


def overflow(latch: Latch, user_message: str, may_ask: bool) -> tuple[Latch, bool]:
    """A turn_end whose message is a context-overflow error. `user_message`: the digest of the newest one."""
    if not may_ask or latch.overflowed == user_message:
        return turn_end(latch, "unknown", False)  # it still counts for rule 3
    latch = msgspec.structs.replace(latch, overflowed=user_message, calm=0)
    return apply(latch, "overflow")


def restored(latch: Latch) -> Latch:
    """Rule 5: an open request from before a restart starts a cooldown and is not a failure."""
    if latch.state != "asked":
        return latch
    wait = COOLDOWN_FIRST * 2 ** max(0, latch.failure_count - 1)
    return msgspec.structs.replace(latch, state="cooldown", wait=wait, age=0)
