import re
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.from_summary import carried_facts, from_summary, last_number
from ctxmgr.model.saved.facts import Fact


def facts(text: str, kind: Literal["compaction", "branch"] = "compaction") -> tuple[Fact, ...]:
    return from_summary(text, kind=kind, stamp=Stamp("o", 7, 0, "e"))


def said(text: str, kind: Literal["compaction", "branch"] = "compaction") -> list[tuple[str, str, str]]:
    return [(fact.kind, fact.status, fact.text) for fact in facts(text, kind) if fact.kind != "listing"]


Cases = list[tuple[str, list[tuple[str, str, str]]]]
CASES: Cases = [
    ("## Goal\nShip.", [("goal", "", "Ship.")]),
    ("## Constraints\n- tabs", [("constraint", "", "tabs")]),
    ("## Key Decisions\n- **A**: b", [("decision", "", "**A**: b")]),
    ("## Done\n- [x] a\n- b\n- [ ] c", [("task", "done", "a"), ("task", "done", "b"), ("task", "open", "c")]),
    ("### In Progress\n- [ ] a\n- [x] b", [("task", "active", "a"), ("task", "done", "b")]),
    ("### Blocked\n- by x", [("task", "blocked", "by x")]),
    ("## Next Steps\n1. a", [("task", "open", "a")]),
    ("## Progress\n- [x] a\nhalf way", [("task", "done", "a\nhalf way")]),
    ("## Current Task: Move\nfiles", [("current", "", "Move\nfiles")]),
    ("## Critical Context\n- a", [("context", "", "- a")]),
    ('6. All user messages:\n   - "go on"', [("request", "", '"go on"')]),
    ("9. Optional Next Step:\n   a\n\n   b", [("task", "open", "a"), ("context", "", "b")]),
    ("<read-files>\na.ts\n</read-files>", [("file", "read", "a.ts")]),
    ("<modified-files>\na.ts\n</modified-files>", [("file", "edited", "a.ts")]),
    ("free words", [("context", "", "free words")]),
    (
        "# Handoff\n\nIt went on.\n\n- [x] port set\n- [ ] docs\n- [~] a test",
        [
            ("context", "", "It went on."),
            ("task", "done", "port set"),
            ("task", "open", "docs"),
            ("task", "active", "a test"),
        ],
    ),
    ("## Critical Context\n- [ ] a\n## Next Steps\n- b", [("context", "", "- [ ] a"), ("task", "open", "b")]),
]

BOXES: list[tuple[str, list[tuple[str, str]]]] = [
    ("- [ ] open one", [("open one", "open")]),
    ("* [x] done one\n  + [X] nested", [("done one", "done"), ("nested", "done")]),
    ("1. [~] started", [("started", "active")]),
    ("- [] no space in it", [("no space in it", "open")]),
    ("- [-] cancelled", []),
    ("> - [ ] quoted", []),
    ("```\n- [ ] an example\n```", []),
    ("- [ ] " + "x" * 600, []),
]


@pytest.mark.parametrize(("text", "expected"), BOXES)
def test_boxes_are_tasks_if_no_section_has_tasks(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(fact.text, fact.status) for fact in facts(f"It goes on.\n\n{text}") if fact.kind == "task"] == expected


@pytest.mark.parametrize(("text", "found"), CASES)
def test_sections_become_facts(text: str, found: list[tuple[str, str, str]]) -> None:
    assert said(text) == found


def test_a_split_turns_own_request_is_what_is_current() -> None:
    split = "\n\n---\n\n**Turn Context (split turn):**\n\n"
    both = f"## Goal\nwhole{split}## Original Request\nthis\n"
    assert said(both) == [("goal", "", "whole"), ("current", "", "this")]
    assert said(f"No prior history.{split}## Goal\nthis\n") == [("goal", "", "this")]


def test_what_both_parts_list_counts_as_the_turn_says_it() -> None:
    text = "## Next Steps\n- test\n\n---\n\n**Turn Context (split turn):**\n\n## Done\n- test\n"
    assert said(text) == [("task", "done", "test")]


def test_a_compaction_says_when_its_listing_was_made_and_a_branch_does_not() -> None:
    (mark,) = facts("(none)")
    assert (mark.kind, mark.key, mark.source, mark.time_ms) == ("listing", "summary", "summary", 7)
    assert facts("  \n") == ()
    assert facts("(none)", "branch") == ()


def test_a_branch_is_history_of_its_own() -> None:
    found = facts("## Goal\nx\n## Next Steps\n- y", "branch")
    assert [(fact.kind, fact.source, fact.listing, fact.key) for fact in found] == [
        ("goal", "branch", "", "o"),
        ("task", "branch", "", "y"),
    ]


CRITICAL = (
    '## Critical Context\n- #3: "hi"\n- commit abc1234: "Do it"\n- [x] d\n'
    '- test: `npm test` passed after #2: "9 passed"\n- The assistant said after #1: "yes"'
)
# a summary, of each fact that is carried on: kind, status, key, text, detail, number
CARRIED: list[tuple[str, list[tuple[str, str, str, str, str, int]]]] = [
    ("## Current Work\nx\n- a", [("context", "", "x", "x", "", 0), ("context", "", "a", "a", "", 0)]),
    ("## Current Work\n- a", [("task", "active", "a", "a", "", 0)]),
    (
        "## Notes\n- a\n\n```\nb\n```",
        [("context", "", "notes a", "Notes: a", "", 0), ("context", "", "notes b", "Notes:\n```\nb\n```", "", 0)],
    ),
    (
        "## Layout\n- Layout: a\n- [x] b\nplain\n## Key Details\n- c",
        [
            ("task", "done", "b", "b", "", 0),
            ("context", "", "layout a", "Layout: a", "", 0),
            ("context", "", "layout plain", "Layout: plain", "", 0),
            ("context", "", "c", "c", "", 0),
        ],
    ),
    ("## Goal\na\nb", [("goal", "", "", "a\nb", "", 0)]),
    ('## Done\n- [x] a\n  b\n- Latest request: "q"', [("task", "done", "a b", "a\nb", "", 0)]),
    ("## Next Steps\n1. a (#4)", [("task", "open", "a 4", "a (#4)", "", 0)]),
    ("## Next Steps\n1. a (task #4)", [("task", "open", "task\n4", "a", "", 0)]),
    ("## Layout\n- [x] b (task #5)", [("task", "done", "task\n5", "b", "", 0)]),
    (
        CRITICAL,
        [
            ("task", "done", "d", "d", "", 0),
            ("request", "", "#3", "hi", "", 3),
            ("value", "", "committed\nabc1234", "abc1234 Do it", "", 0),
            ("command", "ok", "test\nnpm test", "npm test", "9 passed", 2),
            ("context", "", "the assistant said after 1 yes", 'The assistant said after #1: "yes"', "", 0),
        ],
    ),
    (" \n", []),
]


@pytest.mark.parametrize(("text", "expected"), CARRIED)
def test_what_is_carried_on(text: str, expected: list[tuple[str, str, str, str, str, int]]) -> None:
    found = carried_facts(text)
    assert [(one.kind, one.status, one.key, one.text, one.detail, one.seq) for one in found] == expected
    assert [one.order for one in found] == list(range(len(found)))
    assert last_number(found) == max((row[5] for row in expected), default=0)


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("## Next Steps (WP1)\n- a", ["Next Steps (WP1)"]),
        ("## Next Steps\n- a", [""]),
        ("## Next Step (late)\na\n\nb", ["Next Step (late)", "Next Step (late)"]),
        ("9. Optional Next Step:\na\n\nb", ["Optional Next Step", "Optional Next Step"]),
        ("## Layout\n- a", ["Layout"]),
        ("## Alone\n", [""]),
        ("## Key Decisions (old)\n- a", ["Key Decisions (old)"]),
    ],
)
def test_the_heading_that_is_kept(text: str, details: list[str]) -> None:
    assert [fact.detail for fact in facts(text) if fact.kind != "listing"] == details


WORD = st.integers(0, 10**6).map(lambda number: f"w{number}w")
LINE = st.one_of(
    st.builds("## {}".format, st.sampled_from(["Goal", "Done", "Next Steps", "Key Decisions", "Critical Context"])),
    st.builds("### Next Steps ({})".format, WORD),
    st.builds("{} {}".format, st.sampled_from(["#", "###", "######"]), WORD),
    st.builds(
        "{}{} {} {}".format, st.sampled_from(["", "  ", "\t"]), st.sampled_from(["-", "1.", "- [ ]"]), WORD, WORD
    ),
    st.builds("**{}**: {}".format, WORD, WORD),
    st.builds("| {} | {} |".format, WORD, WORD),
    WORD,
    st.sampled_from(["", "", "```", "---", "<read-files>", "</read-files>", "(none)", "8. Current Work:"]),
)


@example(lines=["# w0w", "w1w", "# w1w"], kind="compaction")  # one text, under a heading and as one
@given(st.lists(LINE, max_size=40), st.sampled_from(["compaction", "branch"]))
def test_no_word_of_a_summary_is_lost(lines: list[str], kind: Literal["compaction", "branch"]) -> None:
    text = "\n".join(lines)
    kept = "\n".join(f"{fact.text}\n{fact.detail}" for fact in facts(text, kind))
    assert set(re.findall(r"w\d+w", text)) <= set(re.findall(r"w\d+w", kept))
