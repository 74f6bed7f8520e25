"""Headings, sections, items and checkboxes of summaries in Markdown."""

import pytest

from ctxmgr.engine.memory.markdown import heading, sections_of

Found = list[tuple[str, list[str]]]


KINDS: dict[str | None, tuple[str, ...]] = {
    "goal": ("## Goal", "**Goal**", "**Goal:** ship it", "Goal: ship it", "1. Primary Request and Intent:",
             "### 1. Primary Request and Intent:"),
    "constraint": ("## Constraints & Preferences", "## User Preferences"),
    "active": ("### In Progress",),
    "decision": ("## Key Decisions Made",),
    "done": ("## Completed Work (WP1-WP16)", "### ✅ Completed", "### Early Progress"),
    "next": ("## Next Steps (WP14-WP20)", "## Remaining Work", "7. Pending Tasks (from task list):"),
    "current": ("## Current Task: File Reorganization",),
    "context": ("## Context Needed to Continue", "**4. Errors and fixes:**", "4. Errors and fixes:"),
    "step": ("9. Optional Next Step:",),
    "split": ("**Turn Context (split turn):**",),
    "": ("## Files Created/Modified", "# Context Checkpoint: Refactoring"),
    None: ("**New files:**", "1. Run the tests:", "- Goal: a bullet", "Note: prose with a colon", "#hashtag",
           "## " + "x" * 300),
}  # fmt: skip


@pytest.mark.parametrize(("line", "kind"), [(line, kind) for kind, lines in KINDS.items() for line in lines])
def test_kind_of_a_heading(line: str, kind: str | None) -> None:
    opening = heading(line)
    assert (opening.kind if opening else None) == kind


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("## Current Task: File Reorganization", ("Current Task", "File Reorganization")),
        ("**Goal**: ship it", ("Goal", "ship it")),
        ("8. Current Work: tests", ("Current Work", "tests")),
    ],
)
def test_a_heading_keeps_the_rest_of_its_line(line: str, expected: tuple[str, str]) -> None:
    opening = heading(line)
    assert opening is not None
    assert (opening.text, opening.rest) == expected


CASES: list[tuple[str, str, Found]] = [
    ("no heading at all", "One.\n\nTwo.", [("context", ["One.", "Two."])]),
    (
        "unknown heading below a list is an item of it",
        "## Next Steps\n### WP14: New main\n- copy\n- test",
        [("next", ["WP14: New main: - copy\n- test"])],
    ),
    (
        "a known deeper heading counts by its own name, and ends with its parent",
        "## Progress\n### Done\n- a\n## Notes\n- b",
        [("done", ["a"]), ("context", ["- b"])],
    ),
    (
        "no heading inside a fence",
        "## Goal\nx\n```md\n## Next Steps\n- y\n```",
        [("goal", ["x\n```md\n## Next Steps\n- y\n```"])],
    ),
    (
        "nine sections in tags, the analysis left out",
        "<analysis>\nI think\n</analysis>\n\n<summary>\n1. Primary Request and Intent:\n   - build\n\n"
        "7. Pending Tasks:\n   - one\n   - two\n\n9. Optional Next Step:\n   do it\n\n   because\n</summary>",
        [("goal", ["- build"]), ("next", ["one", "two"]), ("step", ["do it", "because"])],
    ),
    (
        "nine sections after a spoken analysis",
        "This session is being continued from a previous conversation that ran out of context. "
        "The summary below covers the earlier portion of the conversation.\n\n"
        "Analysis:\nfirst this\n\nSummary:\n8. Current Work:\n   x",
        [("current", ["x"])],
    ),
    (
        "an analysis alone is the summary",
        "<analysis>all there is</analysis>",
        [("context", ["<analysis>all there is</analysis>"])],
    ),
    (
        "a branch's preamble is no statement",
        "The user explored a different conversation branch before returning here.\n"
        "Summary of that exploration:\n\n## Goal\nx",
        [("goal", ["x"])],
    ),
    ("empty statements", "No prior history.\n\n## Goal\n(none)\n\n## Blocked\n- N/A\n\n---", []),
    (
        "a title alone is a statement",
        "# Checkpoint: Refactoring\n\n## Goal\nx",
        [("context", ["Checkpoint: Refactoring"]), ("goal", ["x"])],
    ),
]


@pytest.mark.parametrize(("text", "found"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_sections(text: str, found: Found) -> None:
    assert [(section.kind, [item.text for item in section.items]) for section in sections_of(text)] == found


Titled = list[tuple[str, str, list[tuple[str, str]]]]

# what it is of, a summary, kind, title and items with their marks of each section
NESTED: list[tuple[str, str, Titled]] = [
    (
        "unknown headings under known ones of several levels",
        "# A\n## Progress\n### Done\n- a\n#### WP1\n- b\n### Odd\n- c\n## Next Steps\n### WP2\n#### Deeper\n- d\n"
        "## Other\n- e\n# Goal\nx",
        [
            ("context", "A", [("A", "")]),
            ("done", "Done", [("a", "")]),
            ("done", "WP1", [("WP1: - b", "")]),
            ("context", "Odd", [("- c", "")]),
            ("next", "WP2", [("WP2", "")]),
            ("next", "Deeper", [("Deeper: - d", "")]),
            ("context", "Other", [("- e", "")]),
            ("goal", "Goal", [("x", "")]),
        ],
    ),
    (
        "bold headings are below all others, and hold what their line says",
        "## Next Steps\n### WP1\n- a\n## Risks\n- b\n**Blocked:**\n- c\n**Decisions:** d",
        [
            ("next", "WP1", [("WP1: - a", "")]),
            ("context", "Risks", [("- b", "")]),
            ("blocked", "Blocked", [("c", "")]),
            ("decision", "Decisions", [("d", "")]),
        ],
    ),
    (
        "boxes, deeper bullets, lines that go on, and prose between them",
        "## Done\n- [x] a\n- [ ] b\n- [~] c\n* d\n  - e\n  more\n\n  later\n\nprose\n\n- f\n1. g\n   - [x] h",
        [
            (
                "done",
                "Done",
                [
                    ("a", "done"),
                    ("b", "open"),
                    ("c", "active"),
                    ("d\n- e\nmore\nlater", ""),
                    ("prose", ""),
                    ("f", ""),
                    ("g", ""),
                    ("h", "done"),
                ],
            )
        ],
    ),
    (
        "a blank line parts prose, and what says nothing is no item",
        "## Done\n- a\n\n  b\n\nc\nd\n\n    e\n- none\n---\n- f",
        [("done", "Done", [("a\nb", ""), ("c\nd", ""), ("e", ""), ("f", "")])],
    ),
    (
        "a fence closes by its own mark and belongs to its item",
        "## Done\n```\n- a\n\nb\n~~~\n```\n- c\n~~~~\n- d\n~~~\n- e\n~~~~\n- f",
        [("done", "Done", [("```\n- a\n\nb\n~~~\n```", ""), ("c\n~~~~\n- d\n~~~\n- e\n~~~~", ""), ("f", "")])],
    ),
    (
        "a known title alone says nothing, one that names what it is of does",
        "## Goal\n(none)\n**Next Steps:** one\n- two\n\n## Progress\n(none)\n## Next Steps (WP1)\n"
        "## Added by ctxmgr (known, and not said above)\n## Odd\n",
        [
            ("next", "Next Steps", [("one", ""), ("two", "")]),
            ("context", "Next Steps (WP1)", [("Next Steps (WP1)", "")]),
            ("context", "Odd", [("Odd", "")]),
        ],
    ),
    (
        "blocks of files hold lines, whatever they look like, and what follows them is read on",
        "<read-files>\n a.py \n\n```\n</read-files>\n## Goal\nx\n<modified-files>\nb.py\n</modified-files>\nrest\n"
        "```\n<read-files>\n```",
        [
            ("read-files", "", [("a.py", ""), ("```", "")]),
            ("goal", "Goal", [("x", "")]),
            ("modified-files", "", [("b.py", "")]),
            ("context", "", [("rest\n```\n<read-files>\n```", "")]),
        ],
    ),
    (
        "wrappers at both ends, one within the other",
        "Continue with the last task that you were asked to work on.\n\nx\n\n"
        "The conversation is summarized below:\nThe conversation is summarized below:",
        [("context", "", [("x", "")])],
    ),
    (
        "a block of 400 characters stays one, a longer one is split",
        f"## Critical Context\n- {'a' * 392}\n- bcd\n\nq\n\n- {'a' * 393}\n- b\n  c",
        [
            (
                "context",
                "Critical Context",
                [(f"- {'a' * 392}\n- bcd", ""), ("q", ""), ("a" * 393, ""), ("b\nc", "")],
            )
        ],
    ),
]


@pytest.mark.parametrize(("text", "found"), [one[1:] for one in NESTED], ids=[one[0] for one in NESTED])
def test_titles_items_and_marks(text: str, found: Titled) -> None:
    assert [
        (section.kind, section.title, [(item.text, item.mark) for item in section.items])
        for section in sections_of(text)
    ] == found


def test_parts_are_told_apart_where_headings_begin_anew() -> None:
    text = (
        "## Progress\n### Done\n- a\n**Turn Context (split turn):**\n#### WP1\n- b\n## Goal\nc\n"
        "<read-files>\nd\n</read-files>\ne"
    )
    assert [(section.kind, section.title, section.part) for section in sections_of(text)] == [
        ("done", "Done", 0),
        ("context", "WP1", 1),
        ("goal", "Goal", 1),
        ("read-files", "", 1),
        ("context", "", 1),
    ]
