from textwrap import dedent

import pytest

from ctxmgr.engine.memory.markdown import sections_of

Found = list[tuple[str, list[str]]]


def read(text: str) -> Found:
    return [(section.kind, [item.text for item in section.items]) for section in sections_of(dedent(text))]


PI = """
    ## Goal
    Ship the parser.

    ## Constraints & Preferences
    - (none)

    ## Progress
    ### Done
    - [x] Lexer
      with a second line
    ### In Progress
    - [ ] Parser

    ## Key Decisions
    - **Use a table**: simpler

    ## Next Steps
    1. Write tests
    2. Release

    <read-files>
    a.ts
    ## not a heading.md
    </read-files>

    <modified-files>
    b.ts
    </modified-files>
"""

CASES: list[tuple[str, str, Found]] = [
    (
        "pi's own",
        PI,
        [
            ("goal", ["Ship the parser."]),
            ("done", ["Lexer\nwith a second line"]),
            ("active", ["Parser"]),
            ("decision", ["**Use a table**: simpler"]),
            ("next", ["Write tests", "Release"]),
            ("read-files", ["a.ts", "## not a heading.md"]),
            ("modified-files", ["b.ts"]),
        ],
    ),
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
def test_parse(text: str, found: Found) -> None:
    assert read(text) == found


def test_a_split_turn_is_the_second_part() -> None:
    text = "## Goal\na\n\n---\n\n**Turn Context (split turn):**\n\n## Original Request\nb\n"
    assert [(section.kind, section.part) for section in sections_of(text)] == [("goal", 0), ("goal", 1)]


def test_a_long_list_under_no_known_heading_is_split_so_that_none_of_it_is_cut_off() -> None:
    text = "## Key Files\n" + "\n".join(f"- {letter * 90}" for letter in "abcdef")
    assert [len(items) for _, items in read(text)] == [6]
