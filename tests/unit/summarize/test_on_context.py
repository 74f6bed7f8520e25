"""A summary that the host's model writes at the end of its own list: when it is asked for, and what it costs."""

from typing import Any

import pytest

from ctxmgr.model.compaction import Completion, CompletionRequest
from ctxmgr.summarize.brief import FinishedSummary, HostContext
from tests.unit.summarize.scripted import filled, prepared, shape_in, turns
from tests.unit.summarize.written import FILES, LISTS, H, ctxmgr, write

HISTORY = turns(60, 2_000)  # a copy of it weighs about 30,000 tokens
WARM = HostContext(cached_tokens=20_000, tokens=21_000, window=200_000, ratio=1.0)
DEAR = HostContext(cached_tokens=600_000, tokens=600_000, window=1_000_000, ratio=1.0)


def bill(written: FinishedSummary) -> Any:
    return ctxmgr(written)["bill"]


def test_one_message_is_asked_at_the_end_of_the_hosts_list() -> None:
    written, ((ask,),) = write(prepared(HISTORY, files=FILES), context=WARM)
    assert (ask.purpose, ask.on_context, ask.system) == ("history", True, "")
    assert "line of part" not in ask.prompt  # nothing of the conversation is sent again
    assert "## Next Steps" in ask.prompt
    assert written.summary.startswith("## Goal\nabout")
    assert written.summary.endswith(LISTS)
    assert ctxmgr(written)["calls"] == 1
    assert (ctxmgr(written)["ladder"], ctxmgr(written)["leftOut"]) == ([], 0)
    assert bill(written)["way"] == "warm"


def test_the_cheaper_way_goes_and_the_details_say_why() -> None:
    """By hand, in tokens of input. Cold: system, prompt. Warm: 20,000 x 0.1 + (1,000 + instruction) x 1.25."""
    written, ((ask,),) = write(prepared(HISTORY), context=WARM)
    instruction = (len(ask.prompt) + 3) // 4
    out = ask.max_tokens * 5
    assert bill(written)["warm"] == pytest.approx(2_000 + (1_000 + instruction) * 1.25 + out, abs=1)
    assert bill(written)["cold"] > bill(written)["warm"]
    assert bill(written)["unit"] == "inputTokens"
    told = f"warm: 20,000 read x 0.1 + {1_000 + instruction:,} written x 1.25 + "
    assert bill(written)["arithmetic"].startswith(told)
    dear, ((first,),) = write(prepared(HISTORY), context=DEAR)
    assert not first.on_context
    assert bill(dear)["way"] == "cold"
    assert "line of part" in first.prompt


def test_where_no_copy_fits_the_hosts_list_is_asked() -> None:
    def model(ask: CompletionRequest) -> Completion:
        return Completion(filled(shape_in(ask.prompt)))

    plan = prepared(HISTORY, previous=H + "\n- x" * 12_000)
    written, ((ask,),) = write(plan, model, window=8_000, context=WARM)
    assert ask.on_context
    assert bill(written)["cold"] is None
