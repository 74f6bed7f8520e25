"""What is known of models where nobody says it: turns a model's id into its context window and its prices.

Source: LiteLLM's price map of release 1.106.2 (prices of the providers' own APIs, dollars a million tokens).

Rules:
1. The row whose name is the longest beginning of the id holds; what follows it begins with no letter, digit or dot.
   What stands before the name, such as a cloud's or a gateway's prefix, is passed over. An id that no row fits has
   a window of UNKNOWN_TOKENS and no prices.
2. `[1m]` at an id's end, as Claude Code writes it, is a window of a million.
3. GPT models from 5.4 on take a million tokens, yet their row says LONG_TOKENS: above it a whole request is billed
   at twice the price, and Codex itself works with that window. Who wants more says `window`.
4. Where writing to the cache is not charged, it costs what input does.
"""

import re

import msgspec

from ctxmgr.model import PriceTier, TieredPrices

UNKNOWN_TOKENS = 200_000  # most models of the last years take that, and those that take more lose nothing but size
MILLION = 1_000_000
LONG_TOKENS, LONG_INPUT, LONG_OUTPUT = 272_000, 2.0, 1.5  # of GPT: times the price, of a request above that
HAIKU_TOKENS, HAIKU_FACTOR = 100_000, 5.0  # of Haiku 5.5: times the price, of a request above that
GEMINI_TOKENS = 1_048_576
PRO_TOKENS, PRO_INPUT, PRO_OUTPUT = 200_000, 2.0, 1.5  # of Gemini Pro: times the price, of a request above that


class Family(msgspec.Struct, frozen=True):
    """Models of one name. `name`: "" where none is known."""

    name: str
    window: int
    prices: TieredPrices | None = None


def _gpt(name: str, input: float, output: float, read: float, write: float) -> Family:
    tier = PriceTier(LONG_TOKENS, LONG_INPUT * input, LONG_OUTPUT * output, LONG_INPUT * read, LONG_INPUT * write)
    return Family(name, LONG_TOKENS, TieredPrices(input, output, read, write, (tier,)))


def _haiku(name: str, input: float, output: float, read: float, write: float) -> Family:
    tier = PriceTier(HAIKU_TOKENS, *(HAIKU_FACTOR * price for price in (input, output, read, write)))
    return Family(name, MILLION, TieredPrices(input, output, read, write, (tier,)))


def _flash(name: str, input: float, output: float, read: float) -> Family:
    return Family(name, GEMINI_TOKENS, TieredPrices(input, output, read, input))


def _pro(name: str, input: float, output: float, read: float) -> Family:
    tier = PriceTier(PRO_TOKENS, PRO_INPUT * input, PRO_OUTPUT * output, PRO_INPUT * read, PRO_INPUT * input)
    return Family(name, GEMINI_TOKENS, TieredPrices(input, output, read, input, (tier,)))


FAMILIES = (
    Family("claude-", 200_000),
    Family("claude-haiku-4-5", 200_000, TieredPrices(1, 5, 0.1, 1.25)),
    _haiku("claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125),
    Family("claude-sonnet-4-5", 200_000, TieredPrices(3, 15, 0.3, 3.75)),
    Family("claude-sonnet-4-6", MILLION, TieredPrices(3, 15, 0.3, 3.75)),
    Family("claude-sonnet-5", MILLION, TieredPrices(2, 10, 0.2, 2.5)),
    Family("claude-sonnet-5-5", MILLION, TieredPrices(2, 10, 0.1, 2.5)),
    Family("claude-opus-4-5", 200_000, TieredPrices(5, 25, 0.5, 6.25)),
    Family("claude-opus-4-6", MILLION, TieredPrices(5, 25, 0.5, 6.25)),
    Family("claude-opus-4-7", MILLION, TieredPrices(5, 25, 0.5, 6.25)),
    Family("claude-opus-4-8", MILLION, TieredPrices(5, 25, 0.5, 6.25)),
    Family("claude-opus-5", MILLION, TieredPrices(5, 25, 0.5, 6.25)),
    Family("claude-opus-5-5", MILLION, TieredPrices(4, 20, 0.2, 5)),
    Family("claude-fable-5", MILLION, TieredPrices(10, 50, 1, 12.5)),
    Family("claude-fable-5-1", MILLION, TieredPrices(10, 50, 0.25, 12.5)),
    Family("claude-mythos-5", MILLION, TieredPrices(10, 50, 1, 12.5)),
    Family("claude-mythos-5-1", MILLION, TieredPrices(10, 50, 0.25, 12.5)),
    Family("gpt-", LONG_TOKENS),
    Family("gpt-4", 128_000),
    Family("gpt-4o", 128_000),
    Family("gpt-4.1", 1_047_576),
    Family("gpt-5", LONG_TOKENS, TieredPrices(1.25, 10, 0.125, 1.25)),
    Family("gpt-5-mini", LONG_TOKENS, TieredPrices(0.25, 2, 0.025, 0.25)),
    Family("gpt-5-nano", LONG_TOKENS, TieredPrices(0.05, 0.4, 0.005, 0.05)),
    Family("gpt-5-pro", LONG_TOKENS),
    Family("gpt-5.1", LONG_TOKENS, TieredPrices(1.25, 10, 0.125, 1.25)),
    Family("gpt-5.1-codex-mini", LONG_TOKENS, TieredPrices(0.25, 2, 0.025, 0.25)),
    Family("gpt-5.2", LONG_TOKENS, TieredPrices(1.75, 14, 0.175, 1.75)),
    Family("gpt-5.2-pro", LONG_TOKENS),
    Family("gpt-5.3", LONG_TOKENS, TieredPrices(1.75, 14, 0.175, 1.75)),
    _gpt("gpt-5.4", 2.5, 15, 0.25, 2.5),
    Family("gpt-5.4-mini", LONG_TOKENS, TieredPrices(0.75, 4.5, 0.075, 0.75)),
    Family("gpt-5.4-nano", LONG_TOKENS, TieredPrices(0.2, 1.25, 0.02, 0.2)),
    Family("gpt-5.4-pro", LONG_TOKENS),
    _gpt("gpt-5.5", 5, 30, 0.5, 5),
    Family("gpt-5.5-cyber", LONG_TOKENS),
    Family("gpt-5.5-pro", LONG_TOKENS),
    _gpt("gpt-5.6", 4, 20, 0.4, 5),
    Family("gpt-5.6-cyber", LONG_TOKENS),
    _gpt("gpt-5.6-luna", 0.2, 1.2, 0.02, 0.25),
    _gpt("gpt-5.6-terra", 2, 12, 0.2, 2.5),
    _gpt("gpt-6-astra", 10, 50, 1, 12.5),
    _gpt("gpt-6-luna", 0.1, 0.5, 0.01, 0.125),
    _gpt("gpt-6-sol", 2, 10, 0.2, 2.5),
    _gpt("gpt-6.1-sol", 2, 10, 0.1, 2.5),
    Family("gemini-", GEMINI_TOKENS),
    _pro("gemini-2.5-pro", 1.25, 10, 0.125),
    _flash("gemini-2.5-flash", 0.3, 2.5, 0.03),
    _flash("gemini-2.5-flash-lite", 0.1, 0.4, 0.01),
    _flash("gemini-3-flash-preview", 0.5, 3, 0.05),
    _pro("gemini-3.1-pro-preview", 2, 12, 0.2),
    _flash("gemini-3.1-flash-lite", 0.25, 1.5, 0.025),
    _flash("gemini-3.5-flash", 1.5, 9, 0.15),
    _flash("gemini-3.5-flash-lite", 0.3, 2.5, 0.03),
    _flash("gemini-3.6-flash", 0.75, 3.75, 0.075),
    _flash("gemini-3.7-flash", 0.75, 3.75, 0.075),
    _flash("gemini-3.8-flash", 0.75, 3.75, 0.075),
    _flash("gemini-4-argon", 2, 10, 0.1),
)
UNKNOWN = Family("", UNKNOWN_TOKENS)
_NAMED = re.compile(r"(?<![a-z0-9])(claude-|gpt-|gemini-)", re.IGNORECASE)


def family(model: str | None) -> Family:
    """Of a model's id, as a request names it."""
    begins = _NAMED.search(model or "")
    if model is None or begins is None:
        return UNKNOWN
    name = model[begins.start() :].lower()
    fitting = [one for one in FAMILIES if _begins(name, one.name)]
    longest = max(fitting, key=lambda one: len(one.name), default=UNKNOWN)
    if name.endswith("[1m]"):
        return msgspec.structs.replace(longest, window=MILLION)
    return longest


def _begins(name: str, row: str) -> bool:
    rest = name.removeprefix(row)
    return name.startswith(row) and (row.endswith("-") or not re.match(r"[a-z0-9.]", rest))
