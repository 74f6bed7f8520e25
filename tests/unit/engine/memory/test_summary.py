"""Summaries without a model as a whole: each format, a chain, a split turn, another model's summary carried on."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory import summary
from ctxmgr.engine.memory.summary import SPLIT
from ctxmgr.model.compaction import Format
from tests.goldens import held
from tests.notation import Said, a, quarters, u, words
from tests.unit.engine.memory.conversations import HOSTS, NEXT, PREFIX, SETTINGS, TEXTS, TURNS, said
from tests.unit.summarize.scripted import told
from tests.unit.summarize.written import FORMATS


def write(
    said: tuple[Said, ...], previous: str | None = None, form: Format = "structured", budget: int = 4_000
) -> str:
    return summary.compaction(told(*said), previous, budget=budget, weigh=quarters, format=form)


def line_counts(text: str) -> dict[str, int]:
    """How many lines are shown under each heading."""
    found: dict[str, int] = {}
    for line in filter(None, text.split("\n")):
        name = line.partition(" (")[0] if line.endswith("not shown)") else line
        if name.startswith("#") or (name.endswith(":") and name[:1].isdigit()):
            found[name] = 0
        else:
            found[list(found)[-1]] += 1
    return found


# format, budget, weight, lines under each heading; "-": it is not there
BUDGETS: list[tuple[Format, int, int, str]] = [
    ("structured", 50, 32, "2 - - - - - 1 -"),
    ("structured", 130, 106, "2 3 - - - - - 2"),
    ("structured", 360, 251, "2 4 0 2 2 1 2 13"),
    ("nine-section", 180, 131, "2 1 3 - 1 1 1"),
    ("nine-section", 240, 182, "2 5 3 1 2 1 1"),
]


def test_what_has_the_better_right_to_stay() -> None:
    for form, budget, weight, lines in BUDGETS:
        said = (*SETTINGS, *NEXT)
        every, text = line_counts(write(said, HOSTS, form)), write(said, HOSTS, form, budget)
        shown = line_counts(text)
        assert " ".join(str(shown.get(heading, "-")) for heading in every) == lines, lines
        assert quarters(text) == weight, lines


def test_what_stays_of_a_turn() -> None:
    for budget, lines in ((130, "1 4 1"), (180, "2 5 3"), (900, "2 5 5")):
        shown = line_counts(summary.turn_context(told(*SETTINGS), budget, quarters, 2))
        headings = ("## Original Request", "## Progress So Far", "## Context Needed to Continue")
        assert " ".join(str(shown.get(heading, "-")) for heading in headings) == lines, lines


def test_of_a_split_turn_its_own_part_stands_behind_a_line() -> None:
    text = summary.compaction(told(*SETTINGS), None, budget=4_000, weigh=quarters, prefix=told(*PREFIX))
    assert text == held("extractive/split-turn.md", text)
    history, line, turn = text.partition(SPLIT)
    assert (history, bool(line)) == (write(SETTINGS), True)
    alone = summary.compaction((), None, budget=4_000, weigh=quarters, prefix=told(*PREFIX))
    assert alone == SPLIT.lstrip("\n-") + turn.replace("#3", "#1")
    assert summary.compaction((), None, budget=9, weigh=quarters, prefix=told(*PREFIX)) == ""


PROBLEM = "The problem is that `SettingsScreen` reads the theme before `initTheme()` ran."


def test_two_sentences() -> None:
    asked = "Asked: now run the tests and fix what fails there."
    assert summary.short(told(*SETTINGS)) == f"{asked} State: {PROBLEM}"
    assert summary.short(told(u("Why?"))) == "Asked: Why?"
    assert summary.short((), write(SETTINGS)) == asked
    assert summary.short(told(a("Hello there"))) == "State: Hello there."
    assert summary.short(()) == ""


def test_a_digest_of_what_was_left_out() -> None:
    asked = [u(f"{number} " + "x" * 200) for number in range(13)]
    lines = summary.left_out(told(*asked), 10_000, quarters).split("\n")
    assert lines[0] == "Left out: 13 messages."
    assert lines[1:] == [f"- asked: {number} {'x' * (159 - len(str(number)) - 1)}…" for number in range(12, 0, -1)]
    assert summary.left_out(told(u("a")), 10_000, quarters) == "Left out: 1 message.\n- asked: a"
    assert summary.left_out(told(u("a")), 5, quarters) == "Left out: 1 message."
    assert summary.left_out(told(u("a")), 4, quarters) == ""


def test_each_format() -> None:
    for form in FORMATS:
        text = write(SETTINGS, form=form)
        assert text == held(f"extractive/{form}.md", text), form


def test_summaries_of_one_session() -> None:
    for name, text in (
        ("second-of-a-chain", write(NEXT, write(SETTINGS))),
        ("carried-on", write(SETTINGS, HOSTS)),
        ("carried-on-in-nine-sections", write(SETTINGS, HOSTS, "nine-section")),
        ("digest", summary.left_out(told(*SETTINGS), 400, quarters)),
    ):
        assert text == held(f"extractive/{name}.md", text)


WEIGHTS = st.sampled_from([quarters, words, len])
PREVIOUS = st.none() | TEXTS | st.lists(TEXTS, max_size=5).map(
    lambda texts: "## Goal\n" + "\n\n## Constraints & Preferences\n".join(f"- {text}" for text in texts)
)  # fmt: skip


@given(
    st.lists(TURNS, max_size=5),
    st.lists(TURNS, max_size=2),
    PREVIOUS,
    st.integers(0, 2_000),
    st.sampled_from(FORMATS),
    WEIGHTS,
)
def test_a_summary_never_weighs_more_than_its_budget(turns, prefix, previous, budget, form, weigh) -> None:  # type: ignore[no-untyped-def]
    def write() -> str:
        messages, split = told(*said(turns)), told(*said(prefix))
        return summary.compaction(messages, previous, budget=budget, weigh=weigh, format=form, prefix=split)

    text = write()
    assert weigh(text) <= budget or not text
    assert write() == text
    assert "(none)" not in text or "(none)" in (previous or "")


@given(st.lists(TURNS, min_size=1, max_size=5), st.sampled_from(FORMATS))
def test_written_again_a_summary_stays_as_it_is(turns, form) -> None:  # type: ignore[no-untyped-def]
    messages: list[Said] = said(turns)
    first = summary.compaction(told(*messages), None, budget=50_000, weigh=quarters, format=form)
    second = summary.compaction((), first, budget=50_000, weigh=quarters, format=form)
    assert summary.compaction((), second, budget=50_000, weigh=quarters, format=form) == second
