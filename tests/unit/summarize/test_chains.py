"""Chains of compactions with a model that gives back all that it is shown: nothing is lost, nothing doubles."""

import re

from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.from_summary import from_summary
from ctxmgr.engine.memory.markdown import ADDED_HEADING
from ctxmgr.model.compaction import Completion, CompletionRequest, FileLists, Format, Strategy
from ctxmgr.model.policy import Slices
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.formats import NINE, TURN
from ctxmgr.summarize.outline import first_section, outline_sections
from ctxmgr.summarize.previous_summary import RECENT_HEADING, TURN_MARK, without_turn_context
from ctxmgr.summarize.writing import SHAPES, compaction
from tests.notation import quarters
from tests.unit.summarize.scripted import filled, prepared, run, shape_in, shown, told, turn, turns
from tests.unit.summarize.written import FORMATS, STRATEGIES

LENGTH = 3
PAIRS = [(one, "structured") for one in STRATEGIES] + [
    ("single-shot", one) for one in FORMATS if one != "structured"
]
WITH_MODEL = [pair for pair in PAIRS if pair[0] != "extractive"]
SLICES = Slices(tokens=900, overlap=100)


def echo(ask: CompletionRequest) -> Completion:
    """All earlier texts as they are shown, and after them a summary of the conversation: a part is named by what
    the user asked for."""
    shape = shape_in(ask.prompt)
    seen = "".join(shown(ask.prompt, "conversation"))
    asked = re.findall(r"Please mend part (\d+) of", seen)
    own = filled(shape, " and ".join(f"p{number}p" for number in asked)) if asked or not seen else filled(shape)
    own = "\n".join(own.splitlines()[first_section(own, shape) :]).replace("</summary>", "").strip()
    earlier = [
        text
        for tag in ("previous-summary", "earlier-part", "earlier-notes", "part")
        for text in shown(ask.prompt, tag)
    ]
    text = "\n\n".join([*earlier, own])
    return Completion(f"<analysis>\nhm\n</analysis>\n<summary>\n{text}\n</summary>" if shape is NINE else text)


def chain(strategy: Strategy, form: Format, split: bool) -> list[FinishedSummary]:
    written: list[FinishedSummary] = []
    for number in range(LENGTH):
        history = turns(3, 1_500, start=10 * number + 1)
        prefix = told(*turn(10 * number + 4, 1_500)) if split else ()
        files = FileLists(read=tuple(f"f{n}.py" for n in range(number + 1)))
        previous = written[-1].summary if written else None
        brief = SummaryInput(
            prepared(history, prefix, previous, files), quarters, strategy=strategy, format=form, slices=SLICES
        )
        written.append(run(compaction(brief), echo)[0])
    return written


def names(text: str) -> set[str]:
    return set(re.findall(r"p\d+p", text)) | {f"p{one}p" for one in re.findall(r"mend part (\d+) of", text)}


def test_nothing_doubles_and_nothing_is_lost() -> None:
    for strategy, form in WITH_MODEL:
        for split in (False, True):
            shape = SHAPES[form]
            for number, written in enumerate(chain(strategy, form, split)):
                assert "fallback" not in written.details["ctxmgr"], written.details
                assert written.summary.count(TURN_MARK) == int(split), (strategy, form, split)
                assert written.summary.count("<read-files>") == 1, (strategy, form, split)
                assert written.summary.count(RECENT_HEADING) == int(strategy == "incremental")
                assert not shape.lead or written.summary.count(shape.lead) == 1, (strategy, form, split)
                history, context = without_turn_context(written.summary.partition("\n\n<read-files>")[0])
                for text, of in ((history, shape), (context, TURN)):
                    keys = [part.key for part in outline_sections(text, of)]
                    assert len(keys) == len(set(keys)), keys
                wanted = {
                    f"p{10 * done + part}p" for done in range(number + 1) for part in range(1, 5 if split else 4)
                }
                assert names(written.summary) == wanted, (strategy, form, split)
                facts = from_summary(written.summary, kind="compaction", stamp=Stamp("o", 1))
                assert wanted <= names(" ".join(f"{fact.text} {fact.detail}" for fact in facts)), (strategy, form)


def test_split_after_split_without_new_history() -> None:
    """One long turn that is cut again and again: its context grows together, what was before it stays as it was."""
    for strategy, form in PAIRS:
        first = chain(strategy, form, True)[0].summary
        before = without_turn_context(first.partition("\n\n<read-files>")[0])[0].partition(ADDED_HEADING)[0]
        summary = first
        for number in range(2, 2 + LENGTH):
            prefix = told(*turn(number * 10, 1_500))
            files = FileLists(read=("f0.py",))
            brief = SummaryInput(
                prepared((), prefix, summary, files), quarters, strategy=strategy, format=form, slices=SLICES
            )
            written, batches = run(compaction(brief), echo)
            assert "fallback" not in written.details["ctxmgr"], (form, strategy)
            summary = written.summary
            now, context = without_turn_context(summary.partition("\n\n<read-files>")[0])
            assert now.partition(ADDED_HEADING)[0].rstrip() == before.rstrip(), (form, strategy)
            assert summary.count("## Original Request") == 1
            assert all(before.strip() not in ask.prompt for batch in batches for ask in batch), (form, strategy)
            if strategy != "extractive":
                assert names(context) >= {f"p{one * 10}p" for one in range(2, number + 1)}, (form, strategy)


def test_formats_may_change_along_a_chain() -> None:
    summary: str | None = None
    for number, form in enumerate([*FORMATS, *reversed(FORMATS)]):
        brief = SummaryInput(prepared(turns(2, 1_500, start=number * 10), (), summary), quarters, format=form)
        written, _ = run(compaction(brief), echo)
        summary = written.summary
        assert names(summary) >= {f"p{one * 10 + 1}p" for one in range(number + 1)}
        assert sum(summary.count(shape.lead) for shape in SHAPES.values() if shape.lead) == int(
            bool(SHAPES[form].lead)
        )
