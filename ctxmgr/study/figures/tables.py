"""Turns figures of measures into the tables that people see: what it costs, and what it still knows."""

from collections.abc import Sequence

from rich.table import Table

from ctxmgr.study.console import figure, figures_table, plain
from ctxmgr.study.figures.figures import LONG_TOKENS, Figures
from ctxmgr.study.metrics import FAR_TOKENS

NONE = "-"
KNOWN = ("kept", "in place", "recall", "un-\npacked", "far", "far in place", "edits ground.", "gone in 100", "said")
SHARES = ("kept", "inPlace", "recall", "unpacked", "far", "farInPlace", "grounding")  # of KNOWN
RECALLED = ("inPlace", "overall", "unpacked", "far", "farInPlace")


def table(some: Sequence[tuple[str, Figures]]) -> Table:
    """A row a preset of one recording: (preset, figures)."""
    prices = some[0][1]["prices"]
    raw = some[0][1]["rawTokens"]
    made = figures_table(f"what it costs and what it still knows: {raw:,} tokens of conversation")
    heads = (
        "$",
        "¢ a call",
        "of off",
        "warm, of off",
        "sent",
        "cached",
        "breaks",
        "epochs",
        "cold",
    )
    for head in ("preset", *heads, *KNOWN, "said, last"):
        made.add_column(head, justify="left" if head == "preset" else "right")
    for preset, one in some:
        breaks = f"{one['breaks']} ({one['unannouncedBreaks']})"
        said = one["said"]
        made.add_row(
            plain(preset),
            figure(one["money"], 2),
            figure(one["moneyACall"] and 100 * one["moneyACall"], 2),
            figure(one["ofOff"], 3),
            figure(one["warmOfOff"], 3),
            figure(one["sentMean"], 0),
            figure(one["cachedShare"], 3),
            breaks,
            str(one["epochs"]),
            str(one["coldCalls"]),
            figure(one["kept"]["share"], 3),
            *(figure(one["recall"][kind]["share"], 3) for kind in RECALLED),
            figure(one["grounding"]["share"], 3),
            figure(one["refetch"]["goneIn100"], 2),
            figure(said["mean"]["share"], 3),
            figure(said["last"]["share"], 3),
        )
    made.caption = (
        f"tokens by {some[0][1]['weighedBy']}; {prices_line(prices)}\n"
        "warm: were it never cold; sent: mean tokens a call; cached: share of them "
        "in common with the call before; breaks (of these outside a new epoch)\n"
        "kept: of what replies repeat of the old conversation, by code length; recall of the names used next; "
        "in place: in a message as it came; unpacked: not in the packet alone; "
        f"far: said more than {FAR_TOKENS:,} tokens ago;\n"
        "edits grounded: lines they replace that can be seen; gone in 100: of 100 tool calls those repeated whose "
        "answer was gone; said: by the user, word for word\n"
        "recorded replies do not react to what is shown: the figures say what a reply would have missed"
    )
    return made


def prices_line(prices: Figures) -> str:
    """Of `figures.prices`."""
    return (
        f"input at {prices['input']:g} $/M, read {prices['read']:g}, write {prices['write']:g}, "
        f"cache {prices['ttl_ms'] / 1000:g} s{', ' + prices['cache'] if 'cache' in prices else ''}"
    )


def means_table(rows: Sequence[Figures]) -> Table:
    """Rows of `measures_figures.means`."""
    made = figures_table("means over recordings, each counting the same")
    heads = ("recordings", "$", "of off", "dearest", "warm, of off", "sent", "breaks, no epoch")
    for head in ("from tokens", "preset", *heads, *KNOWN, "said, last"):
        made.add_column(head, justify="left" if head == "preset" else "right")
    for number, row in enumerate(rows):
        last = number + 1 == len(rows) or rows[number + 1]["fromTokens"] != row["fromTokens"]
        made.add_row(
            f"{row['fromTokens']:,}" if row["fromTokens"] else "all",
            plain(row["preset"]),
            str(row["recordings"]),
            figure(row["money"], 2),
            *(figure(row[name], 3) for name in ("ofOff", "dearest", "warmOfOff")),
            figure(row["sentMean"], 0),
            str(row["unannouncedBreaks"]),
            *(figure(row[name], 3) for name in SHARES),
            figure(row["goneIn100"], 2),
            *(figure(row[name], 3) for name in ("said", "saidLast")),
            end_section=last,
        )
    made.caption = f"from {LONG_TOKENS:,} tokens of conversation on, and all"
    return made
