"""What reads like a decision or a finding and is none: undecided, supposed, said by others, or a next step."""

import pytest

from ctxmgr.engine.findings import announced, statements


def stated(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in statements(text) if not one.aside]


@pytest.mark.parametrize(
    "text",
    [
        "I could use Redis rather than Memcached, but have not decided.",
        "I haven't decided yet whether to use Redis instead of Memcached.",
        "We might use `deque` instead of `list` for it.",
        "Maybe we should go with `click` rather than `argparse`.",
        "One option is to use trees instead of tables.",
        'There is a comment: "use A instead of B here".',
        'The README claims: "use A instead of B".',
        "The README says that lengths are in feet, so it uses `feet` instead of metres.",
        "The docs recommend `click` instead of `argparse`.",
        "According to the issue the fix is to pin `foo`.",
    ],
)
def test_what_is_undecided_or_said_by_others_is_no_decision(text: str) -> None:
    assert [one for one in stated(text) if one[0] == "decision"] == []


@pytest.mark.parametrize(
    "text",
    [
        "If the root cause is `tokenize()`, the trace would show it.",
        "This does not work because I haven't looked yet.",
        "The root cause might be `peek()`; let me check.",
        "Perhaps the problem is the lock in `db.py`.",
        "I suspect the problem is the lock in `db.py`.",
        "Is the root cause `lex.py`? No.",
        "The upstream issue says the root cause is `gc.collect()`, which I could not reproduce.",
        "The error says `foo()` does not work because `bar` is None, but that's misleading.",
        "The commit message claims that `foo()` fails on Windows.",
        "Someone on the forum reported that `foo()` crashes.",
    ],
)
def test_what_is_supposed_or_said_by_others_is_not_found(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Let me look, so that I know why.",
        "Let me take a closer look at `db.py`, because it fails.",
        "I'll dig into the log first so that nothing is missed.",
        "I'll go through the callers since there are many.",
        "Let me open the file to make sure it is the right one.",
        "Let me start by reproducing it, because that is the best way.",
    ],
)
def test_a_step_to_look_at_something_is_no_decision(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("If the file is empty, `read_all` crashes.", "finding"),
        ("The error says that `foo` is not installed.", "finding"),
        ("The cause is elsewhere: `x` is never set, and it might be `None`.", "finding"),
        ("I changed `load` so that it could read a table instead of a tree.", "decision"),
        ("I'll use `deque` instead of `list`, as the docs suggest.", "decision"),
        ("We decided on `click`; the README says why.", "decision"),
        ("The README says that all lengths are in feet, so I'll convert what the form sends.", "decision"),
        ("The reviewer claimed that it leaks; so we keep `pool` closed.", "decision"),
        ('`copy()` gives "index missing" on Windows.', "finding"),
        ('I\'ll use "strict" mode instead of "loose".', "decision"),
        ("`pytest` reports that `a.py` is never imported.", "finding"),
    ],
)
def test_what_is_so_under_a_condition_or_is_the_assistants_own_word_stays(text: str, kind: str) -> None:
    assert stated(text) == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Which storage should I use?\n\nA) SQLite in `db.py`\nB) Postgres via `psycopg`\nC) flat files",
        "1. `a.py` fails because of the lock\n2. use a table instead of it\n\nWhich one do you prefer?",
    ],
)
def test_options_that_are_offered_are_neither_found_nor_decided_nor_announced(text: str) -> None:
    assert stated(text) == []
    assert announced(text) == ""


def test_a_list_that_a_question_of_yes_and_no_follows_is_stated() -> None:
    text = "1. `a.py` fails because of the lock\n2. `b.py` never closes the file\n\nShall I mend both?"
    assert [kind for kind, _ in stated(text)] == ["finding", "finding"]


@pytest.mark.parametrize(
    "text",
    [
        "- `cargo fmt --check`\n- `mise run render:schema`\n- `git diff --check`",
        "- [#10702 feat(env): use shell expansion instead of tables](https://github.com/x/y/pull/10702)",
        "- `a.py`: `use b instead of c`",
        "https://github.com/x/y/pull/10702/use-a-instead-of-b",
    ],
)
def test_what_is_code_and_links_alone_states_nothing(text: str) -> None:
    for above in ("", "Validated with:\n", "Fertig, überprüft wurde damit:\n\n"):
        assert statements(above + text) == ()
    assert stated("- The root cause is `peek()`, see [#1](https://github.com/x/y/pull/1).")


@pytest.mark.parametrize(
    "text",
    [
        "Next I’m mapping the request layers so the breaker applies once without poisoning valid failures.",
        "I’m using the GitHub workflow skill because the final step modifies a discussion.",
        "I'm rerunning them with `python3` so that the log is read.",
        "The problem is clear.",
        "Updated the imports of `a.py` to match, none is missing.",
        "You're absolutely right - invalid themes should never crash `app.py`!",
    ],
)
def test_narration_decides_and_finds_nothing(text: str) -> None:
    assert stated(text) == []
