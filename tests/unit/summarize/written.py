"""Compactions written for tests."""

from typing import Any, get_args

from ctxmgr.model.compaction import CompactionPlan, Completion, CompletionRequest, FileLists, Format, Strategy
from ctxmgr.model.policy import Slices
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.writing import compaction
from tests.notation import quarters
from tests.unit.summarize.scripted import good, run

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
FORMATS: tuple[Format, ...] = get_args(Format)
FILES = FileLists(read=("a.py", "b.py"), edited=("b.py",))
LISTS = "\n\n<read-files>\na.py\n</read-files>\n\n<modified-files>\nb.py\n</modified-files>"
H = "## Goal\nShip it\n\n## Progress\n### Done\n- [x] Began\n\n## Next Steps\n1. Go on"
CONTEXT = (
    "## Original Request\nmend part 0\n\n## Progress So Far\n- half of it\n\n## Context Needed to Continue\n- x0"
)
SMALL = Slices(tokens=400, overlap=50)


def write(
    preparation: CompactionPlan, model: Any = good, **more: Any
) -> tuple[FinishedSummary, list[tuple[CompletionRequest, ...]]]:
    return run(compaction(SummaryInput(preparation, quarters, **more)), model)


def ctxmgr(written: FinishedSummary) -> dict[str, Any]:
    said: dict[str, Any] = written.details["ctxmgr"]
    return said


BAD: list[tuple[str, Completion, str]] = [
    ("failed", Completion(stop="error", fault="no route"), "failed"),
    ("cancelled", Completion(stop="cancelled"), "cancelled"),
    ("empty", Completion(" "), "empty"),
    ("truncated", Completion("## Goal\nx", "length"), "truncated"),
    ("tool", Completion("## Goal", "toolUse"), "called a tool"),
    ("prose", Completion("Let me go on with the work."), "no sections"),
    ("too long", Completion(f"{CONTEXT}\n\n{H}\n" + "1. word\n" * 5_000), "too long"),
]
