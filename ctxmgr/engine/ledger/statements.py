"""Turns what is read from one message into facts that share its source, times, origin and entry."""

from ctxmgr.model.facts import Fact, Slot, Source


class Statements:
    """Collects the facts of one message, in its order; what it states twice counts as stated last."""

    def __init__(self, *, origin: str, at: int, seq: int, entry: str | None) -> None:
        self._origin, self._at, self._seq, self._entry = origin, at, seq, entry
        self._facts: dict[tuple[Slot, str, Source], Fact] = {}
        self._stated = 0

    def add(
        self,
        slot: Slot,
        key: str,
        text: str,
        source: Source,
        status: str = "",
        detail: str = "",
        listing: str = "",
    ) -> None:
        """State one thing; the arguments are the fields of `Fact`. A text keeps every heading it stood under."""
        before = self._facts.get((slot, key, source))
        if slot != "command" and before is not None and before.detail != detail:  # a command's is how it ended
            detail = "; ".join(filter(None, (before.detail, detail)))
        self._facts[slot, key, source] = Fact(
            slot,
            key,
            text,
            source,
            self._at,
            self._seq,
            status,
            detail,
            self._entry,
            self._origin,
            listing,
            self._stated,
        )
        self._stated += 1

    def facts(self) -> tuple[Fact, ...]:
        return tuple(self._facts.values())
