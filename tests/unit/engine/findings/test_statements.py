"""What an assistant's text states: by wording where it is English, by structure alone in any other language."""

import pytest

from ctxmgr.engine.findings import announced, statements
from ctxmgr.engine.findings.statements import Statement


def stated(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in statements(text) if not one.aside]


@pytest.mark.parametrize(
    "text",
    [
        "I decided to keep the old parser.",
        "We'll go with the table.",
        "So I've settled on two files for it.",
        "I'll use the lexer because it is exact.",
        "Instead of two files, we write one table.",
        "Use `deque` instead of `list` for the queue.",
        "I'll box both variants rather than only the larger one.",
        "The cleanest fix is to close it in the caller.",
        "The fix is to read the header first.",
        "We read the header instead.",
        "Let me keep both because the old callers still work.",
        "Let's cache it once to avoid a second pass.",
        "The plan is to read the header first.",
        "So I've switched to the table in `a.py`.",
        "We moved from trees to tables.",
        "Memcached it is.",
        "I'm keeping both for now so the old callers still work.",
        "I'm going to check out the branch first so that the fix lands there.",
    ],
)
def test_a_choice_is_a_decision(text: str) -> None:
    assert stated(text) == [("decision", text)]


@pytest.mark.parametrize(
    "text",
    [
        "The root cause is a lock that nobody lets go.",
        "The problem is that the header comes first.",
        "That fails on Windows because of the drive letter.",
        "I tried a larger buffer and it made no difference.",
        "It turns out the list is sorted twice.",
        "The crash is caused by an empty line.",
        "`read_all` doesn't close the file.",
        "`cache.py` is never imported.",
        "That diagnosis was wrong.",
        "Correction: it comes from `body.py`.",
        "`retry()` in net.py is gone now: I removed it.",
        "The cause: `ChargeView.post` creates the `PaymentIntent` twice.",
        "Cause: `post` creates the intent twice.",
        "The bug: `post` creates the intent twice.",
        "Found it: `parse_args` swallows the error in `cli.py:31`.",
        "The metrics port is 9110, not 9102 (config default).",
        "The cap is applied before the jitter, so jitter pushes it over 30s.",
        "The dashboard is generated from `web/dashboards/`, which is Jonas's part.",
        "Clippy is right: `Segment` holds a `RefCell`.",
        "The frontend build needs `npm ci` in `frontend/`, not at the root.",
        "That's because `foo()` is called twice.",
    ],
)
def test_a_cause_and_what_does_not_work_is_a_finding(text: str) -> None:
    assert stated(text) == [("finding", text)]


@pytest.mark.parametrize(
    "text",
    [
        "`load()` returns a list instead of a set.",
        "The issue is that `count` is 2 instead of 1 after the flush.",
        "The header went to `body.py` instead of `head.py`.",
        "`open_all` somehow uses the old path instead of the new one.",
        "The id could be taken from `parse()` instead of read again.",
        "Depends on the order: `a.py` needs a move into `b.py` instead.",
    ],
)
def test_how_things_are_is_no_choice_though_it_names_another(text: str) -> None:
    assert stated(text) == [("finding", text)]


@pytest.mark.parametrize(
    "text",
    [
        "The fix is straightforward.",
        "Users can set it to match their taste.",
        "I'm tracing the callers of `load()` now rather than guessing.",
    ],
)
def test_what_chooses_nothing_is_nothing(text: str) -> None:
    assert stated(text) == []


def test_that_something_is_no_help_is_found() -> None:
    (one,) = statements("Both are in `a.py`, so filtering by file doesn't help.")
    assert one.kind == "finding"


@pytest.mark.parametrize(
    "text",
    [
        "Both should read `a.py` instead.",
        "Footer now uses `dim` instead of `muted`.",
        "Fixed the tests to use `theme` instead of `chalk`.",
        "`handle()`: use the new function instead of `old()`.",
        "The value is now read once instead of twice.",
    ],
)
def test_what_was_or_is_to_be_changed_is_a_decision(text: str) -> None:
    assert stated(text) == [("decision", text)]


@pytest.mark.parametrize(
    "text",
    [
        "I'll use grep to look.",
        "I'll run the tests because they are fast.",
        "Let me check why `read_all` is missing a close.",
        "Should we go with the table?",
        "> The root cause is quoted text here.",
        "```\nThe root cause is in code here.\n```",
        "| root cause | is the table |",
        "- [ ] the root cause is a task",
        "The problem is:",
        "I've changed the two callers so that `read_all` now:",
        "We could move `read_all` to the lexer because:",
        "Let me first check where the state lives to add `read_all` in the right place.",
        "It is not so bad.",
        "If we go with the table it is slow.",
        "I've switched to the right branch of it.",
        "I'll do a quick check of `a.py` so we know.",
        "Let me run the tests to make sure they pass.",
        "I'll take a look since it fails.",
        "Let me move it to match the rest of `a.py`.",
        "Now let me update the unused `a_b` so it compiles.",
        "Let me explain the command `a_b` first.",
        "Let me start with a failing test for `a_b`.",
        "The plan is clear and well-structured.",
        "There it is.",
        "Much cleaner than going back to trees.",
        "I moved the table from src/a.py to src/b.py.",
        "Done, all of it passes.",
    ],
)
def test_what_states_neither(text: str) -> None:
    assert stated(text) == []


def test_items_under_a_heading_of_decisions_are_decisions() -> None:
    text = "## Key decisions\n\n- one file a session\n- two a project of them\n\nThat is all of it."
    assert stated(text) == [("decision", "one file a session"), ("decision", "two a project of them")]
    assert stated("- **Decision:** keep the old parser") == [("decision", "keep the old parser")]


def test_an_item_of_a_list_is_told_whole() -> None:
    text = "- **Lexer**: it fails on tabs. The fix is one line."
    assert stated(text) == [("decision", "Lexer: it fails on tabs. The fix is one line.")]


@pytest.mark.parametrize(("characters", "count"), [(400, 1), (401, 0)])
def test_a_statement_has_400_characters_at_most(characters: int, count: int) -> None:
    start = "The root cause is "
    assert len(stated(start + "x" * (characters - len(start)))) == count


def test_of_one_text_the_last_24_statements_count() -> None:
    text = "\n".join(f"- `f{number}` fails because of line {number} in it" for number in range(30))
    assert [one.text.split("`")[1] for one in statements(text)] == [f"f{number}" for number in range(6, 30)]


GERMAN = "Der Fehler liegt in `read_all`, weil die Datei nie geschlossen wird. Ich ändere das jetzt."
SPANISH = "El fallo viene de `read_all`, porque el archivo nunca se cierra. Voy a cambiarlo ahora."


@pytest.mark.parametrize("text", [GERMAN, SPANISH])
def test_of_other_languages_what_names_something_between_calls_is_found(text: str) -> None:
    first, last = text.split(". ")
    assert stated(text) == [("finding", f"{first}.")]
    assert announced(text) == last


LONG = """# Ergebnis

Hier steht erst einmal viel. Danach kommt noch mehr davon. Und so geht das weiter, mit `x_1` darin.

{}

Am Ende steht noch ein Absatz. Darin kommt `y_2` vor. Mehr ist nicht zu sagen."""


@pytest.mark.parametrize(
    "lead",
    ["- Die Liste in `read_all` bleibt offen.", "**Liste:** `read_all` bleibt offen.", "Auch `read_all` hängt."],
)
def test_of_a_long_text_in_another_language_only_what_leads_is_found(lead: str) -> None:
    assert [one for _, one in stated(LONG.format(lead))] == [lead.removeprefix("- ").replace("**", "")]


def test_an_english_text_announces_by_its_wording() -> None:
    assert announced("The list is empty. Let me read the caller:") == "Let me read the caller"
    assert announced("The list is empty, and that is all of it.") == ""
    assert announced("Let me start anew. The list is empty again.") == ""
    assert announced("Let me start anew here. The list is empty again.") == "Let me start anew here."
    assert announced("I'm now narrowing this to one line of the test.") != ""


@pytest.mark.parametrize(
    "text",
    ["Fixed `parse()` in parser.py; `test_x` passes now.", "I've set up Redis.", "We settled on Redis after all."],
)
def test_a_short_english_text_announces_nothing_by_being_short(text: str) -> None:
    assert announced(text) == ""


def test_a_directive_to_the_host_states_and_announces_nothing() -> None:
    said = '::git-create-pr{cwd="/x" branch="b" url="https://github.com/a/b/pull/1" isDraft=false}'
    assert statements(f"{said}\nThe `lock` is never let go.") == (
        Statement("finding", "The `lock` is never let go."),
    )
    assert announced(said) == ""


def test_what_stands_behind_found_it_is_a_finding() -> None:
    text = "Found it. `parse_args` swallows the error in `cli.py:31`."
    assert stated(text) == [("finding", "`parse_args` swallows the error in `cli.py:31`.")]


@pytest.mark.parametrize(
    "text",
    [
        "The tests pass, so the change is fine.",
        "I'll use the table in `a.py`, so it is read once.",
        "Found it. Let me read `cli.py`.",
        "The page is long, not wide.",
    ],
)
def test_what_follows_of_nothing_that_is_named_is_no_finding(text: str) -> None:
    assert [one for one in stated(text) if one[0] == "finding"] == []
