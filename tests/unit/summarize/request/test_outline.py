"""Sections of summaries: where they start, and several texts put together by them."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory.markdown import sections_of
from ctxmgr.summarize.formats import STRUCTURED
from ctxmgr.summarize.outline import as_text, first_section, outline_sections, together, undoubled
from tests.unit.summarize.scripted import SHAPES, filled

# name, texts oldest first, what they make
TOGETHER: list[tuple[str, list[str], str]] = [
    ("one", ["## Goal\na\n\n## Next Steps\n1. b"], "## Goal\na\n\n## Next Steps\n1. b"),
    ("lists add up", ["## Key Decisions\n- a", "## Key Decisions\n- b\n- a"], "## Key Decisions\n- a\n- b"),
    ("numbers run on", ["## Next Steps\n1. a", "## Next Steps\n1. b\n2. c"], "## Next Steps\n1. a\n2. b\n3. c"),
    ("in the shape's order", ["## Next Steps\n1. a", "## Goal\nb"], "## Goal\nb\n\n## Next Steps\n1. a"),
    (
        "done later is not open",
        ["### In Progress\n- [ ] a\n- [ ] b", "### Done\n- [x] a"],
        "### Done\n- [x] a\n\n### In Progress\n- [ ] b",
    ),
    (
        "begun anew is open",
        ["### Done\n- [x] a", "### In Progress\n- [ ] a"],
        "### Done\n- [x] a\n\n### In Progress\n- [ ] a",
    ),
    ("(none) gives way", ["### Blocked\n- (none)", "### Blocked\n- it fails"], "### Blocked\n- it fails"),
    (
        "with what is below",
        ["### Done\n- a\n  - one", "### Done\n- a\n  - two"],
        "### Done\n- a\n  - one\n- a\n  - two",
    ),
    (
        "a fence stays whole",
        ["## Goal\na\n```\n## Goal\n\nb\n```", "## Goal\nc"],
        "## Goal\na\n```\n## Goal\n\nb\n```\n\nc",
    ),
    (
        "under an unknown heading it is another",
        ["## Backend\n### Done\n- a\n\n## Website\n### Done\n- b"],
        "## Backend\n\n### Done\n- a\n\n## Website\n\n### Done\n- b",
    ),
]


def test_together() -> None:
    for texts, made in [row[1:] for row in TOGETHER]:
        assert together(texts, STRUCTURED) == made, texts
        assert together([made], STRUCTURED) == made, texts


LINE = st.sampled_from(
    [
        "## Goal",
        "### Done",
        "## Next Steps",
        "## Notes",
        "#### Deep",
        "```",
        "- w1",
        "- [x] w2",
        "1. w3",
        "  w4",
        "",
        "w5",
    ]
) | st.from_regex(r"\A[- ]{0,2}w\d\d\Z")


@given(st.lists(st.lists(LINE, max_size=12), min_size=1, max_size=4))
def test_no_word_is_lost_and_no_section_doubled(texts: list[list[str]]) -> None:
    balanced = ["\n".join([*lines, *(["```"] if lines.count("```") % 2 else [])]) for lines in texts]
    made = together(balanced, STRUCTURED)
    said = {word for lines in texts for line in lines for word in line.split() if word.startswith("w")}
    assert said == {word for word in made.split() if word.startswith("w")}
    keys = [part.key for part in outline_sections(made, STRUCTURED)]
    assert len(keys) == len(set(keys))
    assert together([made], STRUCTURED) == made


def test_a_summary_given_twice_is_itself() -> None:
    for shape in SHAPES:
        text = filled(shape)
        text = "\n".join(text.splitlines()[first_section(text, shape) :]).replace("</summary>", "").strip()
        once = undoubled(text, shape)
        assert sections_of(undoubled(f"{text}\n\n{text}", shape)) == sections_of(once), shape
        assert as_text(outline_sections(text, shape)) == text, shape
