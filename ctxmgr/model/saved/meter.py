"""What is known of the real token count of a session."""

import msgspec


class Meter(msgspec.Struct, frozen=True):
    """The last good reading and what it stood for.

    `reading_tokens` is the provider's total in tokens (None: unknown); `base` the weight, uncalibrated, of what
    that reading counted, as `weigher` weighs. `ratios` holds provider tokens per weighed token, by weigher and
    model.
    """

    reading_tokens: int | None = msgspec.field(default=None, name="reading")
    base: int = 0
    weigher: str = ""
    ratios: dict[str, float] = {}
