"""Chains of compactions with a model that gives back all that it is shown: nothing is lost, nothing doubles."""

import re

from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.from_summary import from_summary
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
