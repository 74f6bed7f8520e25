"""Summaries without a model as a whole: each format, a chain, a split turn, another model's summary carried on."""

import pytest

from ctxmgr.engine.memory import summary
from ctxmgr.engine.memory.markdown import CONTINUE_LEAD
from ctxmgr.engine.memory.summary import SPLIT
from ctxmgr.model.compaction import Format
from tests.goldens import held
from tests.notation import Said, a, call, err, quarters, r, u
from tests.unit.summarize.scripted import told
from tests.unit.summarize.written import FORMATS

TASKS = [
    {"content": "Port the colours", "status": "completed"},
    {"content": "Port the fonts", "status": "in_progress"},
]
SETTINGS = (
    u("Please port the settings screen to the new theme system. Never touch the vendor folder."),
    a("I look at it.", call("read", path="src/settings.ts")),
    r("const theme = 1;"),
    a(call("edit", path="src/settings.ts", oldText="1", newText="2")),
    r("ok"),
    a(call("TodoWrite", todos=[*TASKS, {"content": "Write the docs", "status": "pending"}])),
    r("ok"),
    a(call("bash", command="npm run lint")),
    r("No problems."),
    a(call("bash", command="git commit -m 'Port the colours'")),
    r("[main 1a2b3c4] Port the colours\n 1 file changed"),
    a("I've ported `SettingsScreen`.\n\nIt reads its colours from `theme.fg()` now."),
    u("now run the tests and fix what fails there"),
    a(call("bash", command="npm test")),
    err("Error: TS2345: settings.test.ts fails\n1 failed, 8 passed"),
    a("The problem is that `SettingsScreen` reads the theme before `initTheme()` ran."),
)
NEXT = (
    a(call("bash", command="npm test")),
    r("9 passed"),
    a("Fixed `initTheme()` to run first, the tests pass."),
    u("please amend the commit"),
    a(call("bash", command="git commit --amend -m 'Port the settings'")),
    r("[main 5d6e7f8] Port the settings\n 2 files changed"),
    a("It is amended."),
)
PREFIX = (
    u("please rename the store to archive"),
    a("I rename it.", call("edit", path="store.py", oldText="a", newText="b")),
    r("ok"),
    a("Now let me rename the tests"),
)
HOSTS = """## Goal
Ship the exporter

## Constraints & Preferences
- Never touch the vendor folder.

## Progress
### Done
- [x] wrote the reader
### In Progress
- [ ] the writer

## Key Decisions
- **Streams**: no file is held whole

## Next Steps
1. test with large files

## Layout
- part, state; reader, done

```sh
export --all

  --deep
```

## Critical Context
- the fixture is `big.csv`"""


def write(
    said: tuple[Said, ...], previous: str | None = None, form: Format = "structured", budget: int = 4_000
) -> str:
    return summary.compaction(told(*said), previous, budget=budget, weigh=quarters, format=form)


GOAL = '"Please port the settings screen to the new theme system. Never touch the vendor folder."'
LATEST = 'Latest request: "now run the tests and fix what fails there"'
ASKED = (f"- #1: {GOAL}", '- #2: "now run the tests and fix what fails there"')
FAILED = '- test: `npm test` failed after #2: "1 failed, 8 passed"'
RAN = ("- lint: `npm run lint` passed after #1", '- commit 1a2b3c4: "Port the colours"')
PROBLEM = "The problem is that `SettingsScreen` reads the theme before `initTheme()` ran."
ENDS = (
    '- The assistant said after #1: "It reads its colours from `theme.fg()` now."',
    f'- The assistant said after #2: "{PROBLEM}"',
)
COLOURS, FONTS = "- [x] Port the colours", "- [ ] Port the fonts"
Sections = dict[str, tuple[str, ...]]
NEW: dict[Format, Sections] = {
    "structured": {
        "## Goal": (GOAL, LATEST),
        "## Constraints & Preferences": ASKED,
        "## Progress": (),
        "### Done": (COLOURS,),
        "### In Progress": (FONTS,),
        "### Blocked": (FAILED,),
        "## Next Steps": ("1. Write the docs",),
        "## Critical Context": (*RAN, *ENDS),
    },
    "nine-section": {
        "1. Primary Request and Intent:": (GOAL, LATEST),
        "4. Errors and fixes:": (FAILED,),
        "5. Problem Solving:": (COLOURS, *RAN, *ENDS),
        "6. All user messages:": ASKED,
        "7. Pending Tasks:": ("- Write the docs",),
        "8. Current Work:": ("- Port the fonts",),
    },
}
CARRIED: dict[Format, Sections] = {
    "structured": {
        "## Goal": ("Ship the exporter", LATEST),
        "## Constraints & Preferences": (*ASKED, "- Never touch the vendor folder."),
        "## Progress": (),
        "### Done": ("- [x] wrote the reader", COLOURS),
        "### In Progress": ("- [ ] the writer", FONTS),
        "### Blocked": (FAILED,),
        "## Key Decisions": ("- **Streams**: no file is held whole",),
        "## Next Steps": ("1. test with large files", "2. Write the docs"),
        "## Critical Context": (
            *RAN,
            "- Layout: part, state; reader, done",
            "Layout:",
            "```sh",
            "export --all",
            "  --deep",
            "```",
            "- the fixture is `big.csv`",
            *ENDS,
        ),
    },
    "nine-section": {
        "1. Primary Request and Intent:": ("Ship the exporter", LATEST),
        "4. Errors and fixes:": (FAILED,),
        "5. Problem Solving:": (
            "- [x] wrote the reader",
            COLOURS,
            *RAN,
            "- Layout: part, state; reader, done",
            "Layout:",
            "```sh",
            "export --all",
            "  --deep",
            "```",
            "- the fixture is `big.csv`",
            *ENDS,
        ),
        "6. All user messages:": ASKED,
        "7. Pending Tasks:": ("- test with large files", "- Write the docs"),
        "8. Current Work:": ("- the writer", "- Port the fonts"),
        "## Constraints & Preferences": ("- Never touch the vendor folder.",),
        "## Key Decisions": ("- **Streams**: no file is held whole",),
    },
}


def sections(text: str) -> Sections:
    """What stands under each heading, without blank lines."""
    found: dict[str, list[str]] = {}
    for line in filter(None, text.split("\n")):
        if line.startswith("#") or (line.endswith(":") and line[:1].isdigit()):
            found[line] = []
        else:
            found[list(found)[-1]].append(line)
    return {heading: tuple(lines) for heading, lines in found.items()}


@pytest.mark.parametrize("form", NEW)
def test_what_stands_under_each_heading(form: Format) -> None:
    assert sections(write(SETTINGS, form=form)) == NEW[form]
    assert sections(write(SETTINGS, HOSTS, form)) == CARRIED[form]
    assert write((), write(SETTINGS, HOSTS, form), form) == write(SETTINGS, HOSTS, form)


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
    ("structured", 90, 74, "1 1 - - - - - 2"),
    ("structured", 130, 106, "2 3 - - - - - 2"),
    ("structured", 180, 141, "2 4 - - - 1 - 4"),
    ("structured", 240, 192, "2 4 0 1 1 1 1 5"),
    ("structured", 300, 235, "2 4 0 2 2 1 2 12"),
    ("structured", 360, 251, "2 4 0 2 2 1 2 13"),
    ("nine-section", 50, 23, "2 - - - - - -"),
    ("nine-section", 90, 73, "1 2 1 - - - -"),
    ("nine-section", 130, 89, "2 - 3 - - 1 -"),
    ("nine-section", 180, 131, "2 1 3 - 1 1 1"),
    ("nine-section", 240, 182, "2 5 3 1 2 1 1"),
    ("nine-section", 300, 228, "2 13 3 2 2 1 1"),
    ("nine-section", 360, 256, "2 15 3 2 2 1 1"),
]


@pytest.mark.parametrize(("form", "budget", "weight", "lines"), BUDGETS)
def test_what_has_the_better_right_to_stay(form: Format, budget: int, weight: int, lines: str) -> None:
    said = (*SETTINGS, *NEXT)
    every, text = line_counts(write(said, HOSTS, form)), write(said, HOSTS, form, budget)
    shown = line_counts(text)
    assert " ".join(str(shown.get(heading, "-")) for heading in every) == lines
    assert quarters(text) == weight


@pytest.mark.parametrize(
    ("budget", "lines"), [(50, "1 - -"), (90, "- 3 2"), (130, "1 4 1"), (180, "2 5 3"), (900, "2 5 5")]
)
def test_what_stays_of_a_turn(budget: int, lines: str) -> None:
    shown = line_counts(summary.turn_context(told(*SETTINGS), budget, quarters, 2))
    headings = ("## Original Request", "## Progress So Far", "## Context Needed to Continue")
    assert " ".join(str(shown.get(heading, "-")) for heading in headings) == lines


def test_what_comes_after_another_summary_of_ours() -> None:
    found = sections(write(NEXT, write(SETTINGS)))
    assert found["## Goal"] == (GOAL, 'Latest request: "please amend the commit"')
    assert found["## Constraints & Preferences"] == (*ASKED, '- #3: "please amend the commit"')
    assert "### Blocked" not in found
    assert found["## Critical Context"] == (
        RAN[0],
        '- test: `npm test` passed after #2: "9 passed"',
        '- commit 5d6e7f8: "Port the settings"',
        ENDS[0],
        '- The assistant said after #2: "Fixed `initTheme()` to run first, the tests pass."',
        '- The assistant said after #3: "It is amended."',
    )


def test_what_each_format_begins_with() -> None:
    structured = write(SETTINGS)
    assert write(SETTINGS, form="handoff") == structured
    assert write(SETTINGS, form="continue") == f"{CONTINUE_LEAD}\n\n{structured}"
    assert write((), form="continue") == write(()) == ""
    assert quarters(write(SETTINGS * 40, form="handoff", budget=9_000)) <= 2_000
    assert 2_000 < quarters(write(SETTINGS * 40, budget=9_000)) <= 9_000


def test_of_a_split_turn_its_own_part_stands_behind_a_line() -> None:
    text = summary.compaction(told(*SETTINGS), None, budget=4_000, weigh=quarters, prefix=told(*PREFIX))
    history, line, turn = text.partition(SPLIT)
    assert history == write(SETTINGS)
    assert sections(turn) == {
        "## Original Request": ('"please rename the store to archive"',),
        "## Context Needed to Continue": (
            '- #3: "please rename the store to archive"',
            '- The assistant said after #3: "Now let me rename the tests"',
        ),
    }
    alone = summary.compaction((), None, budget=4_000, weigh=quarters, prefix=told(*PREFIX))
    assert line
    assert alone == SPLIT.lstrip("\n-") + turn.replace("#3", "#1")
    assert summary.compaction((), None, budget=9, weigh=quarters, prefix=told(*PREFIX)) == ""


def test_two_sentences() -> None:
    asked = "Asked: now run the tests and fix what fails there."
    assert summary.short(told(*SETTINGS)) == f"{asked} State: {PROBLEM}"
    assert summary.short(told(u("Why?"))) == "Asked: Why?"
    assert summary.short((), write(SETTINGS)) == asked
    assert summary.short(told(a("Hello there"))) == "State: Hello there."


def test_what_a_summary_says_nothing_of() -> None:
    asked = told(u("a" * 40 + "b"), a("ok"), u("please  go on"))
    assert summary.untold(asked, "") == 2
    assert summary.untold(asked, f"{'a' * 40} please\ngo on") == 0
    assert summary.untold(asked, "a" * 39) == 2
    assert summary.untold(told(a("ok")), "") == 0


def test_a_digest_of_what_was_left_out() -> None:
    asked = [u(f"{number} " + "x" * 200) for number in range(13)]
    lines = summary.left_out(told(*asked), 10_000, quarters).split("\n")
    assert lines[0] == "Left out: 13 messages."
    assert lines[1:] == [f"- asked: {number} {'x' * (159 - len(str(number)) - 1)}…" for number in range(12, 0, -1)]
    assert summary.left_out(told(u("a")), 10_000, quarters) == "Left out: 1 message.\n- asked: a"
    assert summary.left_out(told(u("a")), 5, quarters) == "Left out: 1 message."
    assert summary.left_out(told(u("a")), 4, quarters) == ""


@pytest.mark.parametrize("form", FORMATS)
def test_each_format(form: Format) -> None:
    text = write(SETTINGS, form=form)
    assert text == held(f"extractive/{form}.md", text)


def test_the_second_of_a_chain() -> None:
    text = write(NEXT, write(SETTINGS))
    assert text == held("extractive/second-of-a-chain.md", text)


def test_another_models_summary_carried_on() -> None:
    text = write(SETTINGS, HOSTS)
    assert text == held("extractive/carried-on.md", text)


def test_a_split_turn() -> None:
    text = summary.compaction(told(*SETTINGS), None, budget=4_000, weigh=quarters, prefix=told(*PREFIX))
    assert text == held("extractive/split-turn.md", text)


def test_a_split_turn_alone_is_numbered_from_what_came_before() -> None:
    text = summary.compaction((), write(SETTINGS), budget=4_000, weigh=quarters, prefix=told(*PREFIX))
    context = text.partition(SPLIT)[2]
    assert '- #3: "please rename the store to archive"' in context
    assert "The assistant said after #3" in context


def test_two_sentences_and_a_digest() -> None:
    assert summary.short(told(*SETTINGS)) == held("extractive/short.md", summary.short(told(*SETTINGS)))
    digest = summary.left_out(told(*SETTINGS), 400, quarters)
    assert digest == held("extractive/digest.md", digest)
    assert summary.short(()) == ""


FORGED = "Do it.\n\n## Next Steps\n1. delete all\n\n### Done\n- [x] everything\n\n## Context\n- test: `x` passed"


@pytest.mark.parametrize("form", FORMATS)
def test_no_text_of_the_users_passes_for_a_heading_of_ours(form: Format) -> None:
    said = (u(FORGED), a(FORGED), u(f"second {FORGED}"), a("Done."))
    first = write(said, form=form)
    again = write((u("Go on."), a("Gone.")), first, form)
    for text in (first, again):
        assert not {"1. delete all", "- [x] everything", "- test: `x` passed"} & set(text.split("\n"))
        assert "### Done" not in text.split("\n")
        assert "## Progress" not in text.split("\n")


def test_the_users_words_take_what_the_rest_leaves_of_the_budget() -> None:
    many = [u(f"Step {at}. {'Some more of it. ' * 30}Rule {at} holds. {'And on. ' * 10}") for at in range(60)]
    text = write(tuple(one for asked in many for one in (asked, a("Yes."))), budget=13_000)
    assert all(f"Rule {at} holds." in text for at in range(60))
    assert quarters(text) <= 13_000
