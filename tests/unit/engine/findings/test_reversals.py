"""Of statements about the same thing the newest stands; an older one is told as an earlier one, or not at all."""

import pytest

from ctxmgr.engine.ledger.fold import current, fold
from ctxmgr.engine.ledger.from_assistant import from_assistant
from ctxmgr.engine.ledger.from_user import from_user
from ctxmgr.engine.ledger.statements import Stamp, Statements
from ctxmgr.model.saved.facts import EARLIER, Fact, Ledger

HELD = {"": "now", EARLIER: "earlier"}


def standing(*said: str) -> list[Fact]:
    """What holds after these texts; a user's begins with "U: "."""
    facts: list[Fact] = []
    for at, text in enumerate(said, 1):
        into = Statements(Stamp(f"m{at}", at))
        if text.startswith("U: "):
            from_user(text.removeprefix("U: "), into, opening=False)
        else:
            from_assistant(text, into)
        facts += into.facts()
    told = current(fold(Ledger(), facts))
    return [fact for fact in told if fact.slot in ("decision", "finding", "next", "constraint")]


def held(of: str, *said: str) -> str:
    """How the text that has these words is told."""
    told = [HELD[fact.status] for fact in standing(*said) if of in fact.text]
    return "no more" if not told else "now" if "now" in told else "earlier"


OVER = [
    ("`sqlite3` does not work here because of the lock.", "`sqlite3` does work here, with `timeout=5`."),
    ("`sqlite3` does not work here because of the lock.", "`sqlite3` works fine once `wal` is on."),
    ("Decision: keep `parse_v1` as the entry point.", "I replaced `parse_v1` by `parse_v2` as the entry point."),
    (
        "Decision: keep `parse_v1` as the entry point.",
        "Let me make `parse_v2` the entry point and retire `parse_v1`.",
    ),
    ("I decided to keep `old.py` for the tests.", "Deleted `old.py`, since nothing imports it."),
    ("I'll use argparse for the CLI because it is there.", "I moved the CLI from argparse to click."),
    ("I'll store prices as floats since it is simple.", "I switched the prices from floats to cents."),
    (
        "I'll add an index on `users.email` because it is slow.",
        "Dropped the index on `users.email`, writes got slow.",
    ),
    (
        "I'll use Redis for the cache rather than Memcached.",
        "On reflection Memcached is the better fit, so I use it.",
    ),
    ("I'll go with polling because it is simple.", "I swapped the polling for a webhook."),
    ("The plan is to use Celery for the jobs.", "The jobs run on Dramatiq now; Celery is gone."),
    (
        "The root cause is that `tokenize()` drops the last newline.",
        "Actually the newline is not the culprit: `tokenize()` keeps it.",
    ),
    (
        "`test_sync` fails because of the clock skew in `now()`.",
        "It wasn't clock skew after all; a port is shared.",
    ),
    ("The leak comes from the pool in `db.py`.", "The pool had nothing to do with it, `db.py` closes all."),
]


@pytest.mark.parametrize(("older", "newer"), OVER)
def test_of_two_statements_of_the_same_thing_the_newer_stands(older: str, newer: str) -> None:
    told = standing(older, "Let me look at the log.", newer)
    assert not [fact.text for fact in told if fact.text in older and fact.status != EARLIER]
    assert [fact for fact in told if fact.text in newer], "what took its place is told"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "The root cause is the missing flush in `write()`.",
            "The fix in `write()` did not help, so that was not it.",
        ),
        ("The root cause is the lexer in `a.py`.", "The real root cause is the off-by-one in `peek()`."),
        ("`test_sync` fails because of the clock.", "`test_sync` is flaky since `conftest.py` shares a port."),
        ("I'll use Redis for the cache because it is there.", "For the cache I went with a plain dict."),
    ],
)
def test_what_a_newer_one_may_take_back_is_told_as_an_earlier_one(older: str, newer: str) -> None:
    told = standing(older, newer)
    assert [fact.status for fact in told if fact.text == older and fact.slot != "next"] == [EARLIER]
    assert [fact.status for fact in told if fact.text in newer or newer in fact.text][:1] == [""]


@pytest.mark.parametrize(
    ("older", "newer", "over"),
    [
        ("I'll use Redis for the cache rather than Memcached.", "U: No, use Memcached.", "no more"),
        ("I'll use Redis for the cache, because it persists.", "U: No, let's do Memcached.", "earlier"),
        ("I'll use Redis for the cache, because it persists.", "U: No Redis please.", "no more"),
        ("U: Use Postgres for storage.", "U: Actually, let's do SQLite.", "earlier"),
        ("U: Use Postgres for storage.", "U: Use SQLite for storage instead of Postgres.", "no more"),
        ("Let me write the cache with `redis`.", "U: stop, don't use redis", "no more"),
    ],
)
def test_the_users_newer_word_wins_over_what_was_announced_or_decided(older: str, newer: str, over: str) -> None:
    assert held(older.removeprefix("U: "), older, newer) == over
    assert held(newer.removeprefix("U: "), older, newer) == "now"


def test_the_assistant_closes_nothing_that_the_user_decided() -> None:
    assert (
        held("Postgres for storage", "U: Use Postgres for storage.", "I moved it from Postgres to SQLite.") == "now"
    )


APART = [
    ("`read_all` fails on pipes.", "`read_all` works on files."),
    ("`read_all` fails on pipes.", "`read_all` needs a size of its own."),
    ("I'll use Redis for the cache since it is there.", "I'll use Redis for the sessions too, since it is there."),
    ("I'll use Redis for the cache since it is there.", "Added the Redis settings to `config.yaml`."),
    ("I'll use argparse for the CLI because it is there.", "Switching from argparse to click does not work."),
    ("I'll remove the retry in `net.py` because it hides faults.", "Removed the retry in `net.py`."),
    ("I'll keep the comments in `a.py` because they help.", "Removed the unused import of `b.py`."),
    ("The root cause is the lexer in `a.py`.", "The root cause of the second failure is `b.py`."),
    ("I'll fetch the date of `jc` because the list has none.", "I removed only the `jc` line of `b.toml`."),
    ("I'll fetch the date of `jc` because the list has none.", "I removed `jc`’s line since it is wrong."),
    ("Step 2: run the test to see that `a` fails.", "Step 4: Run the test to see that it passes."),
    ("`a.py` does not close the file.", "`b.py` closes the file."),
    ("`lock` is broken on Windows.", "If `lock` works on Windows we can drop it."),
    ("I decided to keep `parse_v1` as the entry point.", "`parse_v1` reads the entry point of each file now."),
]


@pytest.mark.parametrize(("older", "newer"), APART)
def test_what_speaks_of_something_else_closes_nothing(older: str, newer: str) -> None:
    assert held(older, older, newer) == "now"


def test_a_sentence_beside_what_was_decided_is_told_only_where_it_takes_something_back() -> None:
    assert standing("I replaced `parse_v1` by `parse_v2` in the tests.") == []
    told = standing("I'll keep `parse_v1` because it is fast.", "I replaced `parse_v1` by `parse_v2` in the tests.")
    assert [fact.text for fact in told if fact.slot == "decision"] == [
        "I replaced `parse_v1` by `parse_v2` in the tests."
    ]
