"""The model's own notes in summaries of ours: at the end of what is written without a model, and shown to one that
writes."""

from ctxmgr.engine.memory import Stamp
from ctxmgr.engine.memory.from_summary import from_summary
from ctxmgr.engine.memory.scratchpad import SCRATCHPAD_HEADING
from ctxmgr.summarize.brief import SummaryInput
from ctxmgr.summarize.writing import branch_summary
from tests.notation import quarters
from tests.unit.summarize.scripted import branch_prepared, good, prepared, run, shown, turns
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


def test_the_next_summary_has_them_once_and_as_they_are_then() -> None:
    for form in FORMATS:
        before, _ = write(prepared(HISTORY), strategy="extractive", format=form, scratchpad=NOTES)
        after, _ = write(
            prepared(turns(2, start=5), previous=before.summary),
            strategy="extractive",
            format=form,
            scratchpad="port is 7070",
        )
        assert after.summary.count("## Scratchpad") == 1
        assert after.summary.endswith("| port is 7070"), form
        assert "9090" not in after.summary, form
        wiped, _ = write(prepared((), PREFIX, after.summary), strategy="extractive", format=form)
        assert "Scratchpad" not in wiped.summary, form
        assert "7070" not in wiped.summary, form


def test_they_take_no_more_than_their_share_and_the_newest_stay() -> None:
    for size in (1, 20, 400):
        notes = "\n".join(f"note {number} is that part{number}.py is slow" for number in range(size))
        written, _ = write(prepared(HISTORY, reserve=1_600), strategy="extractive", scratchpad=notes)
        assert quarters(written.summary) <= 1_600 * 0.8, size
        assert f"| note {size - 1} is" in written.summary, size
        assert ("more not shown)" in written.summary) == (size == 400), size


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


def test_a_branch_that_is_left_tells_them() -> None:
    plan = branch_prepared(HISTORY, (), FILES)
    written, _ = run(branch_summary(SummaryInput(plan, quarters, strategy="extractive", scratchpad=NOTES)), good)
    assert written.summary.endswith(f"\n\n{SECTION}{LISTS}")
    _, ((ask,),) = run(branch_summary(SummaryInput(plan, quarters, scratchpad=NOTES)), good)
    assert shown(ask.prompt, "scratchpad")


def test_the_ledger_takes_none_of_them_from_a_summary() -> None:
    stamp = Stamp("d", 1)
    facts = from_summary(f"{H}\n\n{SECTION}{LISTS}", kind="compaction", stamp=stamp)
    assert facts == from_summary(f"{H}{LISTS}", kind="compaction", stamp=stamp)
    assert from_summary(SECTION, kind="compaction", stamp=stamp) == ()
