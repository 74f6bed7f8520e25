"""The model's own notes in summaries of ours: at the end of what is written without a model, and shown to one that
writes."""

from ctxmgr.engine.memory import Stamp
from ctxmgr.engine.memory.from_summary import from_summary
from ctxmgr.engine.memory.scratchpad import SCRATCHPAD_HEADING
from tests.unit.summarize.scripted import prepared, shown, turns
from tests.unit.summarize.written import FILES, FORMATS, LISTS, SMALL, STRATEGIES, H, write

NOTES = "port is 9090\n# mind the tabs\n"
SECTION = f"{SCRATCHPAD_HEADING}\n| port is 9090\n| # mind the tabs"
HISTORY, PREFIX = turns(3, 1_200), turns(1, 1_200, start=4)
WITH_MODEL = [one for one in STRATEGIES if one != "extractive"]


def test_a_summary_without_a_model_ends_with_the_notes_in_each_format() -> None:
    for form in FORMATS:
        written, _ = write(
            prepared(HISTORY, PREFIX, files=FILES), strategy="extractive", format=form, scratchpad=NOTES
        )
        assert written.summary.endswith(f"\n\n{SECTION}{LISTS}"), form


def test_a_model_is_shown_the_notes_with_the_newest_messages() -> None:
    for split in (False, True):
        for strategy in WITH_MODEL:
            plan = prepared(
                HISTORY, PREFIX if split else (), previous=f"{H}\n\n{SCRATCHPAD_HEADING}\n| port is 8080"
            )
            _, batches = write(plan, strategy=strategy, slices=SMALL, scratchpad=NOTES)
            asks = [ask for batch in batches for ask in batch]
            told = [ask for ask in asks if shown(ask.prompt, "scratchpad")]
            assert [shown(ask.prompt, "scratchpad") for ask in told] == [[NOTES.strip()]], (split, strategy)
            assert "Carry over each note" in told[0].prompt, (split, strategy)
            assert not any("8080" in ask.prompt for ask in asks), (split, strategy)
            assert [ask for ask in asks if ask.purpose not in ("turn-prefix", "merge")][-1] is told[0]


def test_the_ledger_takes_none_of_them_from_a_summary() -> None:
    stamp = Stamp("d", 1)
    facts = from_summary(f"{H}\n\n{SECTION}{LISTS}", kind="compaction", stamp=stamp)
    assert facts == from_summary(f"{H}{LISTS}", kind="compaction", stamp=stamp)
    assert from_summary(SECTION, kind="compaction", stamp=stamp) == ()
