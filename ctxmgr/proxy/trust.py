"""Whether a conversation sends ctxmgr's lists, by what the provider has refused and accepted.

Rules:
1. A list of ctxmgr that is refused *gives way*: the program's own list is sent instead (`refused`). If the provider
   accepts that, the conversation is to *rest* (`accepted`): ctxmgr is paused, and lists are sent unchanged while
   they fit the window.
2. A refusal that does not say that the list is at fault only raises a *doubt*. The second one starts the rest. An
   accepted list of ctxmgr ends the doubt.
3. If only the status suggests the list, and the program's own is larger than the window, it does not give way the
   first time.
4. If the program's own list was refused, too, ctxmgr's lists are *firm* (`both_refused`): none gives way for
   RESTING_CALLS calls.
5. The largest list of the program that was accepted unchanged extends the window.
6. A rest ends after RESTING_CALLS calls with something new, or earlier, once the provider's cache of the list is
   lost (`woke`).

Knows no session: a transition returns what ctxmgr has to be told.
"""

import msgspec

from ctxmgr.proxy.hearing import Refusal

RESTING_CALLS = 10
TAKEN_SHARE = 1.1  # factor: a list larger than an accepted one by this much is accepted too


class Trust(msgspec.Struct):
    """`is_paused`: pruning is paused in ctxmgr, for a rest, for the holdout or as a person asked. `resting_calls`:
    number of calls for which the conversation still rests. `firm_calls`: number of calls in which no list of ctxmgr
    gives way. `is_doubted`: ctxmgr's newest list was refused without a reason. `taken_tokens`: of the largest list
    of the program that was accepted unchanged.
    """

    is_paused: bool = False
    resting_calls: int = 0
    firm_calls: int = 0
    is_doubted: bool = False
    taken_tokens: float = 0.0

    def window(self, stated: int) -> float:
        """The largest list of the program that is sent unchanged, in tokens (rule 5)."""
        return TAKEN_SHARE * self.taken_tokens if self.taken_tokens > stated else stated

    def refused(self, refusal: Refusal, own_tokens: float, window: float) -> bool:
        """Whether a refused list of ctxmgr gives way (rules 3 and 4). `own_tokens`: of the program's own list."""
        if self.firm_calls:
            return False
        if refusal.is_guess and own_tokens > window and not self.is_doubted:
            self.is_doubted = True
            return False
        return True

    def both_refused(self) -> None:
        """The program's own list was refused after ctxmgr's gave way to it (rule 4)."""
        self.firm_calls = RESTING_CALLS

    def accepted(self, gave_way: Refusal | None, own_tokens: float, is_unchanged: bool) -> bool:
        """Returns whether a rest is to begin (rules 1 and 2). `gave_way`: the refusal of ctxmgr's list, None if
        there was none. `is_unchanged`: the program's own list was sent.
        """
        if is_unchanged:
            self.taken_tokens = max(self.taken_tokens, own_tokens)
        if gave_way is None:
            self.is_doubted = self.is_doubted and is_unchanged
            return False
        if gave_way.is_sure or self.is_doubted:
            return True
        self.is_doubted = True
        return False

    def began_rest(self) -> None:
        """ctxmgr has confirmed the pause."""
        self.resting_calls = RESTING_CALLS

    def ended_rest(self) -> None:
        """ctxmgr has confirmed that it prunes again, or a person has paused or resumed it."""
        self.resting_calls = 0

    def called(self) -> None:
        """Counts a call with something new (rule 4)."""
        self.firm_calls = max(0, self.firm_calls - 1)

    def woke(self, is_lost: bool) -> bool:
        """Counts down the rest, or ends it if the provider's cache is lost (rule 6). Returns whether ctxmgr has to
        resume pruning. Any other pause stays.
        """
        if not self.resting_calls:
            return False
        self.resting_calls = 0 if is_lost else self.resting_calls - 1
        if self.resting_calls or not self.is_paused:
            return False
        self.is_paused = False
        return True
