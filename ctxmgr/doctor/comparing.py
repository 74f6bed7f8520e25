"""What a base URL takes from the programs on this machine: their first calls with and without, side by side."""

from collections.abc import Iterator

from ctxmgr.doctor.diagnosis import Diagnosis, Surroundings
from ctxmgr.doctor.first_calls import FirstCall, first_calls
from ctxmgr.programs import PROGRAMS, installed

MORE = 1.05  # times the tokens of tools: from there on it is a loss
LARGE_WINDOW = "context-1m"  # how the beta of a window of a million tokens begins


def comparing(place: Surroundings) -> Iterator[Diagnosis]:
    if not place.compare:
        return
    for program in PROGRAMS:
        there = installed(program, place.environ) if program.variants else None
        if there is None:
            continue
        calls = first_calls(program, there.path, place.environ)
        own = calls.pop("own")
        if own is None:
            text = "no first call came: what a base URL takes from it can not be told"
            yield Diagnosis("warn", program.title, text, f"see whether `{program.command} -p hi` works")
            continue
        yield Diagnosis("ok", program.title, f"first call to its vendor: {_said(own)}")
        for name, call in calls.items():
            yield _compared(program.title, WAYS[name], own, call)


WAYS = {"behind": "behind a base URL", "run": "as ctxmgr run starts it"}


def _compared(title: str, way: str, own: FirstCall, call: FirstCall | None) -> Diagnosis:
    if call is None:
        return Diagnosis("warn", title, f"{way}: no first call came")
    if call.tool_tokens > MORE * own.tool_tokens:
        more = call.tool_tokens - own.tool_tokens
        advice = "set ENABLE_TOOL_SEARCH=true, and see whether the upstream takes it"
        return Diagnosis("warn", title, f"{way}: {_said(call)}: {more:,} tokens of tools more", advice)
    lost = sorted(own.betas - call.betas)
    if any(name.startswith(LARGE_WINDOW) for name in lost):
        text = f"{way}: it asks no more for a window of a million tokens"
        return Diagnosis("warn", title, text, "name the model with [1m] at its end")
    without = f", without the betas {', '.join(lost)}" if lost else ", and the same betas"
    return Diagnosis("ok", title, f"{way}: the same tools{without}")


def _said(call: FirstCall) -> str:
    return f"{call.tool_count} tools, {call.deferred_count} of them deferred, the rest {call.tool_tokens:,} tokens"
