"""What is known of a provider's cache: what calls read of what they should have, and how long a start is kept.

All of it comes from events, with their own times: the same events give the same again.
"""

import msgspec


class ComparedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call, in the provider's tokens: what it was expected to read from the cache, what it read and wrote.

    `before_list_tokens`: what stands before its list, of the expected ones. `changed_tokens`: of the list of the
    call before, what this one no longer begins with. `pause_ms` since that call, None where no times are given.
    """

    expected_tokens: int = msgspec.field(name="expected")
    read_tokens: int = msgspec.field(name="read")
    written_tokens: int = msgspec.field(default=0, name="written")
    before_list_tokens: int = msgspec.field(default=0, name="before_list")
    changed_tokens: int = msgspec.field(default=0, name="changed")
    pause_ms: int | None = msgspec.field(default=None, name="pause")


class LearnedLifetime(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of one model's cache, in milliseconds. `learned_ms`: what calls have shown, None where they showed nothing.

    `lapsed_ms`: a pause after which one call read nothing, which alone shows nothing. `hinted_ms`: one after which
    a call read what stands before its list and no more, which other sessions may have kept; 0: they do.
    """

    learned_ms: int | None = msgspec.field(default=None, name="learned")
    lapsed_ms: int | None = msgspec.field(default=None, name="lapsed")
    hinted_ms: int | None = msgspec.field(default=None, name="hinted")


class CountedList(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last list whose call was counted: `input_tokens` by the provider, None where that is not known, and its
    `weight`; `time_ms` of its call. Since then: `is_listed`: a list was sent, which begins with `shared_weight` of
    it; `listed_ms`: the time of the newest, `longest_ms`: the longest pause between two."""

    input_tokens: int | None = msgspec.field(default=None, name="input")
    weight: int = 0
    time_ms: int | None = msgspec.field(default=None, name="at")
    is_listed: bool = msgspec.field(default=False, name="listed")
    shared_weight: int = msgspec.field(default=0, name="shared")
    listed_ms: int | None = msgspec.field(default=None, name="listed_at")
    longest_ms: int = msgspec.field(default=0, name="longest")


class CacheTruth(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of one session. `model`: whose id the calls are of. `tells`: the provider has told what it read, once at
    least; `has_read`: and that it was more than nothing. `calls`: the newest that were compared, oldest first.
    `grown_tokens` are what lists grew by where they only grew, `grown_weight` by weight. `lifetimes` by model's
    id. `other_readers`: ids of other models whose calls have read, the one whose calls were last in use at the
    end."""

    model: str = ""
    tells: bool = False
    calls: tuple[ComparedCall, ...] = ()
    grown_tokens: int = 0
    grown_weight: int = 0
    lifetimes: dict[str, LearnedLifetime] = {}
    has_read: bool = msgspec.field(default=False, name="reads")
    other_readers: tuple[str, ...] = ()

    def has_cache(self, model: str) -> bool:
        """Has a call of that model ever read?"""
        return (model == self.model and self.has_read) or model in self.other_readers
