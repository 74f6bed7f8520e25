"""`ctxmgr ab --next-action`: sends both lists of some calls of a recorded session to the user's own model, twice
each.

1. Nothing is sent before the user has seen the maximum cost and agreed: `--yes`, or an answer at the terminal.
2. The calls are spread evenly over those whose list ctxmgr changes. The file of a session in progress works, too.
3. The four answers for a call are requested concurrently. If one fails, the call is skipped and counted. If no call
   succeeds, the run fails.
"""

import asyncio
import os
import sys
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from ctxmgr.closed_loop import dollars as dollars_of
from ctxmgr.devices.endpoint import Chat
from ctxmgr.known_models import shipped
from ctxmgr.model import Endpoint, Message, TieredPrices, currency, estimate
from ctxmgr.plain_text import complain, missing_text, write_json
from ctxmgr.settings import SettingsFault
from ctxmgr.study.console import TextTable, console, plain, progress_bar
from ctxmgr.study.driving import ReplayOptions, drive
from ctxmgr.study.next_action import requests
from ctxmgr.study.next_action.actions import (
    APIS,
    ActionCompletion,
    Agreement,
    ListRequest,
    Sample,
    agreement,
    same_action,
    same_tool,
    sentence,
)
from ctxmgr.study.observations import Observation, message_reader
from ctxmgr.study.price_text import own_facts
from ctxmgr.study.recordings import Recording, UnreadableRecording, readers


class ListPair(msgspec.Struct, frozen=True):
    """Both lists of one call. `number`: of the call, from 1. `before`: the host's list; `after`: ctxmgr's.
    `before_tokens` and `after_tokens`: without system prompt and tools.
    """

    number: int
    before: tuple[Message, ...]
    after: tuple[Message, ...]

    @property
    def before_tokens(self) -> int:
        return sum(message.weight for message in self.before)

    @property
    def after_tokens(self) -> int:
        return sum(message.weight for message in self.after)


def changed_lists(recorded: Recording, preset: str, window: int, step: Callable[[], None]) -> list[ListPair]:
    """One pair for each call whose list changes, oldest first. `window` in tokens. Calls `step` once for each
    entry. Raises RuntimeError with what went wrong while the recording was driven.
    """
    with tempfile.TemporaryDirectory(prefix="ctxmgr-ab-") as state:
        options = ReplayOptions(
            preset=preset,
            window=window,
            state_dir=Path(state),
            recorded_compactions=True,
            measure=True,
        )
        outcome = drive(recorded, options, step)
    if outcome.fault_codes:
        raise RuntimeError(outcome.fault_codes[0])
    pairs = (_pair(number, seen) for number, seen in enumerate(outcome.observations, 1))
    return [pair for pair in pairs if pair is not None]


def spread(pairs: Sequence[ListPair], count: int) -> list[ListPair]:
    """At most `count` pairs, spread evenly over the session, with the last pair among them."""
    if len(pairs) <= count:
        return list(pairs)
    return [pairs[(number + 1) * len(pairs) // count - 1] for number in range(count)]


def _pair(number: int, seen: Observation) -> ListPair | None:
    before = [item.raw for item in seen.items]
    after = [message.raw for message in seen.projected_messages]
    if before == after:
        return None
    return ListPair(number, *(tuple(message_reader().read(raws)) for raws in (before, after)))


COMMAND = "ab --next-action"
ANSWERS = 4  # for each call: A, A', B, B'
CALLS_AT_ONCE = 2
PRESET = "balanced"
OVERHEAD_TOKENS = 1_000  # of the tools that are sent with each list


class Outcome(msgspec.Struct, frozen=True):
    """`faults`: why calls were skipped, with counts."""

    samples: tuple[Sample, ...]
    faults: dict[str, int]


def run(parsed: Namespace, environment: Mapping[str, str] = os.environ) -> int:
    """Returns 0 if it compared or there is nothing to compare, 1 if it failed, 2 for wrong usage or no consent."""
    wrong = missing_text([parsed.next_action]) or ("" if parsed.endpoint else "--endpoint says whom to ask")
    if wrong:
        return complain(COMMAND, wrong, 2)
    try:
        recorded = readers.read(readers.source(Path(parsed.next_action)))
        own = own_facts(parsed.models)
    except (UnreadableRecording, SettingsFault) as fault:
        return complain(COMMAND, str(fault), 2)
    if not isinstance(recorded, Recording):
        return complain(COMMAND, f"{recorded.name} is a stream of events: give it a recorded session", 2)
    model = parsed.model or recorded.model
    if not model:
        return complain(COMMAND, f"{recorded.name} names no model: give --model", 2)
    window = parsed.window or recorded.window
    try:
        with progress_bar(recorded.name, len(recorded.entries)) as advanced:
            pairs = changed_lists(recorded, parsed.preset or PRESET, window, lambda: advanced(1))
    except RuntimeError as fault:
        return complain(COMMAND, f"{recorded.name} cannot be replayed: {fault}", 1)
    if not pairs:
        print(f"ctxmgr changes no list of {recorded.name}: there is nothing to compare.")
        return 0
    chosen = spread(pairs, parsed.calls)
    facts = (own.registry or shipped()).find(model)
    system, prices = recorded.system_prompt or requests.SYSTEM, None if facts is None else facts.prices
    print(cost_text(chosen, len(pairs), model, prices, estimate(system)), file=sys.stderr)
    print(f"{prompt_text(recorded)}.", file=sys.stderr)
    if not (parsed.yes or _agreed()):
        return complain(COMMAND, "nothing was sent", 2)
    endpoint = Endpoint(
        base_url=parsed.endpoint, model=model, api_key_env=parsed.api_key_env, api=parsed.api or "chat"
    )
    outcome = asyncio.run(compared(chosen, endpoint, environment, system))
    return _show(outcome, parsed.json)


def cost_text(
    chosen: Sequence[ListPair], changed_count: int, model: str, prices: TieredPrices | None, system_tokens: int
) -> str:
    """The maximum cost of the requests (rule 1). The cache may reduce it: no tokens are counted as read from it."""
    overhead = OVERHEAD_TOKENS + system_tokens
    sizes = [pair.before_tokens + overhead for pair in chosen] * 2
    sizes += [pair.after_tokens + overhead for pair in chosen] * 2
    asked = (
        f"{len(chosen)} of {changed_count} calls whose list ctxmgr changes, {ANSWERS} requests each to {model}: "
        f"about {sum(sizes):,} tokens of input"
    )
    if prices is None:
        return f"{asked}. Its price is not known."
    tiers = [prices.tier(size) for size in sizes]
    dollars = sum(
        dollars_of(tier, new=size, output=requests.MAX_TOKENS) for tier, size in zip(tiers, sizes, strict=True)
    )
    return f"{asked}, at most {currency.amount(dollars)}."


def prompt_text(recorded: Recording) -> str:
    """Says which system prompt goes with each list."""
    if recorded.system_prompt:
        return "The session's own system prompt goes with each list"
    return f"{recorded.name} has no system prompt: the same short one goes with each list"


def _agreed() -> bool:
    """Rule 1. False without an answer."""
    print("Send them? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


async def compared(
    chosen: Sequence[ListPair], endpoint: Endpoint, environment: Mapping[str, str], system: str
) -> Outcome:
    """Rule 3."""
    chat, gate = Chat(endpoint, environment, api=APIS[endpoint.api]), asyncio.Semaphore(CALLS_AT_ONCE)
    tools = requests.tools(pair.before for pair in chosen)
    with progress_bar("calls", len(chosen)) as advanced:

        async def answered(pair: ListPair) -> Sample | str:
            async with gate:
                asked = (pair.before, pair.before, pair.after, pair.after)
                made = await asyncio.gather(
                    *(chat.complete(_request(system, messages, tools)) for messages in asked)
                )
            advanced(1)
            actions = [one.action for one in made if isinstance(one, ActionCompletion) and one.action is not None]
            if len(actions) < ANSWERS:
                return next(one.fault for one in made if one.fault)
            return Sample(pair.number, (actions[0], actions[1]), (actions[2], actions[3]))

        try:
            results = await asyncio.gather(*map(answered, chosen))
        finally:
            await chat.close()
    faults = Counter(result for result in results if isinstance(result, str))
    return Outcome(tuple(result for result in results if isinstance(result, Sample)), dict(faults))


def _request(system: str, messages: Sequence[Message], tools: dict[str, list[str]]) -> ListRequest:
    return ListRequest("short", system, "", requests.MAX_TOKENS, messages=messages, tools=tools)


def _show(outcome: Outcome, as_json: bool) -> int:
    left_out = [f"{count} left out: {fault}" for fault, count in outcome.faults.items()]
    if not outcome.samples:
        return complain(COMMAND, f"no call was answered: {'; '.join(left_out)}", 1)
    rows = {"tool": same_tool, "tool and target": same_action}
    figures = {name: agreement(outcome.samples, same) for name, same in rows.items()}
    said = sentence(outcome.samples)
    if as_json:
        write_json(
            {
                "verdict": said,
                "agreement": msgspec.to_builtins(figures),
                "calls": msgspec.to_builtins(outcome.samples),
                "leftOut": outcome.faults,
            }
        )
        return 0
    out = console()
    out.print(_table(figures).rendered())
    for text in (*left_out, said):
        out.print(plain(text))
    return 0


def _table(figures: Mapping[str, Agreement]) -> TextTable:
    return TextTable(
        "how often two answers agree",
        ("the same", "host's list, twice", "ctxmgr's list, twice", "one of each", "changed", "95 % interval"),
        [
            (
                name,
                *(f"{share:.0%}" for share in (told.before, told.after, told.across, told.changed)),
                f"{told.low:.0%} to {told.high:.0%}",
            )
            for name, told in figures.items()
        ],
    )
