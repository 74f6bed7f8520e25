"""How often the next replies repeat what a list holds, by kind and age: measured data.

A row is a kind of block. A figure is the yield: runs of six words that a reply repeats and that are not in the
newest 6,000 tokens, per 1,000 tokens of that kind and age, and per call. Ages are tokens of conversation. Source:
42 recorded sessions of pi, Codex, Claude Code and OpenCode (65,546 runs), in two sets of 26 and 16; a figure is the
geometric mean of both sets. `python -m scripts.reuse RECORDING...` measures a set.
"""

from collections.abc import Mapping
from typing import Literal

Kind = Literal["arguments", "call", "read", "command", "search", "media"]

AGES = (9_000, 18_000, 36_000, 72_000, 150_000)
"""The middle of each column, in tokens."""

YIELDS: Mapping[Kind, tuple[float, ...]] = {
    "arguments": (1.75, 0.44, 0.34, 0.16, 0.04),  # of a call, over 800 characters
    "call": (0.95, 0.6, 0.36, 0.16, 0.055),  # of a call, shorter ones; they represent all words of a step
    "read": (0.31, 0.095, 0.02, 0.0053, 0.0006),  # the result of a read
    "command": (0.08, 0.046, 0.024, 0.0046, 0.002),  # the output of a command, and of unknown tools
    "search": (0.009, 0.0045, 0.004, 0.0005, 0.0002),  # the result of a search or a listing
}

WORDS_PART = 0.19
"""Of a conversation's tokens: what the assistant says and asks, with a marker for each result."""
