import re
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.from_summary import from_summary
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
    (
        "## Critical Context\n- [ ] a\n## Next Steps\n- b",
        [("context", "", "- [ ] a"), ("task", "open", "b")],
    ),
]


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


WORD = st.integers(0, 10**6).map(lambda number: f"w{number}w")
LINE = st.one_of(
    st.builds("## {}".format, st.sampled_from(["Goal", "Done", "Next Steps", "Key Decisions", "Critical Context"])),
    st.builds("### Next Steps ({})".format, WORD),
    st.builds("{} {}".format, st.sampled_from(["#", "###", "######"]), WORD),
    st.builds(
        "{}{} {} {}".format,
        st.sampled_from(["", "  ", "\t"]),
        st.sampled_from(["-", "1.", "- [ ]"]),
        WORD,
        WORD,
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
