"""Usage that was reported and not believed, as far as people should know of it."""

from typing import NamedTuple


class Doubts(NamedTuple):
    """How often, and of the last time the tokens and what the list weighed."""

    times: int = 0
    tokens: int = 0
    weight: int = 0

    def with_usage(self, tokens: int, weight: int) -> "Doubts":
        """One more."""
        return Doubts(self.times + 1, tokens, weight)

    def note(self, window: int) -> str:
        """One sentence, "" where all was believed."""
        if not self.times:
            return ""
        why = f"a window of {window}" if self.tokens > window else f"a list that weighs {self.weight}"
        often = "once" if self.times == 1 else f"{self.times} times"
        return f"usage was not believed {often}, the last was {self.tokens} tokens for {why}: the estimate stands"
