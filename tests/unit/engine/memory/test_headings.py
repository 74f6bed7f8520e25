import pytest

from ctxmgr.engine.memory.markdown import heading


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("## Goal", "goal"),
        ("**Goal**", "goal"),
        ("**Goal:** ship it", "goal"),
        ("Goal: ship it", "goal"),
        ("## Constraints & Preferences", "constraint"),
        ("## User Preferences", "constraint"),
        ("### In Progress", "active"),
        ("## Key Decisions Made", "decision"),
        ("## Completed Work (WP1-WP16)", "done"),
        ("### ✅ Completed", "done"),
        ("## Next Steps (WP14-WP20)", "next"),
        ("## Remaining Work", "next"),
        ("## Current Task: File Reorganization", "current"),
        ("### Early Progress", "done"),
        ("## Context Needed to Continue", "context"),
        ("1. Primary Request and Intent:", "goal"),
        ("### 1. Primary Request and Intent:", "goal"),
        ("**4. Errors and fixes:**", "context"),
        ("4. Errors and fixes:", "context"),
        ("7. Pending Tasks (from task list):", "next"),
        ("9. Optional Next Step:", "step"),
        ("**Turn Context (split turn):**", "split"),
        ("## Files Created/Modified", ""),
        ("# Context Checkpoint: Refactoring", ""),
        ("**New files:**", None),
        ("1. Run the tests:", None),
        ("- Goal: a bullet", None),
        ("Note: prose with a colon", None),
        ("#hashtag", None),
        ("## " + "x" * 300, None),
    ],
)
def test_kind_of_a_line(line: str, kind: str | None) -> None:
    found = heading(line)
    assert (found.kind if found else None) == kind


def test_the_rest_of_the_line_is_kept() -> None:
    assert [
        (found.text, found.rest)
        for line in ("## Current Task: File Reorganization", "**Goal**: ship it", "8. Current Work: tests")
        if (found := heading(line))
    ] == [("Current Task", "File Reorganization"), ("Goal", "ship it"), ("Current Work", "tests")]
