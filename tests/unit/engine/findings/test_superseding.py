"""Which statements still hold: what was said again or taken back later does not."""

import pytest

from ctxmgr.engine.findings import standing


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Use `deque` instead of `list` for it.", "Use `list` instead of `deque` for it."),
        ("The root cause is the stale index file.", "The root cause is the stale index file, as said."),
        ("I'll use `read_all` because it is simple.", "Back to the old way, `read_all` is too slow."),
        ("`read_all` doesn't work on pipes.", "With the new flag `read_all` works now on all of them."),
    ],
)
def test_what_is_said_anew_or_taken_back_holds_no_more(older: str, newer: str) -> None:
    assert standing([older, newer]) == ["no more", "now"]
    assert standing([newer, older])[1] == "now", "the newest holds whatever it says"


def test_what_only_shares_a_name_stays() -> None:
    assert standing(["`read_all` fails on pipes.", "`read_all` needs a size of its own."]) == ["now", "now"]


def test_the_same_said_of_another_thing_stays() -> None:
    assert standing(["`a_1` is not in the list of them.", "`a_2` is not in the list of them."]) == ["now", "now"]
    assert standing(["`f` is not in the list of them.", "`g` is not in the list of them."]) == ["now", "now"]


def test_what_takes_back_something_else_stays_out_of_it() -> None:
    assert standing(["`read_all` fails on pipes.", "Reverting `write_all`, it is too slow."]) == ["now", "now"]


@pytest.mark.parametrize(
    "newer",
    [
        "We moved from Redis to Memcached.",
        "Redis is out; Memcached instead.",
        "Redis does not work here because port 6379 is blocked, so I've switched cache.py to Memcached.",
        "Redis turned out too heavy: I'll use Memcached instead of Redis in cache.py.",
        "On reflection I'm going back to Memcached, without Redis.",
        "No, don't use Redis.",
        "I'm replacing Redis with Memcached in cache.py.",
        "We no longer use Redis.",
    ],
)
@pytest.mark.parametrize(
    "older", ["I'll use Redis for the cache.", "I'll use Redis in cache.py, because it persists its keys."]
)
def test_a_choice_is_over_once_another_words_leave_what_it_chose(older: str, newer: str) -> None:
    assert standing([older, "The lock is held by `read_all` here.", newer]) == ["no more", "now", "now"]


def test_choosing_after_all_what_was_left_closes_the_choice_against_it() -> None:
    first = "I'll use Redis instead of Memcached in cache.py because it persists."
    assert standing([first, "We settled on Memcached in cache.py after all."]) == ["no more", "now"]


def test_turned_twice_the_last_choice_holds() -> None:
    first = "I'll use Redis instead of Memcached for the cache in cache.py, because it persists."
    second = "Redis turned out too heavy: I'll use Memcached instead of Redis for the cache in cache.py."
    third = "On reflection I'm going back to Redis rather than Memcached for the cache in cache.py."
    assert standing([first, second, third])[1:] == ["no more", "now"]


def test_a_kept_thing_that_is_gone_is_no_more_kept() -> None:
    assert standing(
        ["I decided to keep `retry()` in net.py.", "`retry()` in net.py is gone now: I removed it."]
    ) == [
        "no more",
        "now",
    ]


@pytest.mark.parametrize(
    "newer",
    [
        "Wait, I was wrong: `parse_header()` is fine.",
        "`parse_header()` is not the problem.",
        "Correction: the root cause is `read_body()` in body.py, not `parse_header()`.",
        "That diagnosis was wrong, `parse_header()` does not strip.",
    ],
)
def test_a_correction_closes_the_finding_of_what_it_names(newer: str) -> None:
    said = [
        "The root cause is that `parse_header()` in login.py strips the newline.",
        "So the root cause: `parse_header()` (login.py) removes the trailing newline.",
        "`read_line()` in login.py doesn't close the file.",
    ]
    assert standing([*said, newer]) == ["no more", "no more", "now", "now"]


def test_a_change_that_names_nothing_of_before_tells_the_choice_before_it_as_earlier() -> None:
    first, between = "I'll use Redis for the cache.", "`read_all` needs a size of its own."
    assert standing([first, between, "So I've switched to Memcached."]) == ["earlier", "now", "now"]
    assert standing([first, between, "We moved from trees to tables."]) == ["now", "now", "now"]


def test_a_correction_that_names_nothing_tells_the_cause_before_it_as_earlier() -> None:
    cause, other = "The root cause is the proxy in front of it.", "`read_all` needs a size of its own."
    assert standing([cause, other, "That diagnosis was wrong."]) == ["earlier", "now", "now"]


def test_what_is_fine_under_a_condition_closes_nothing() -> None:
    said = ["`parse_header()` is broken on long lines.", "`parse_header()` is fine if there are no tabs."]
    assert standing(said) == ["now", "now"]


def test_what_only_shares_words_or_another_spelling_of_a_name_closes_nothing() -> None:
    said = ["It uses `Text` and `Spacer` instead of raw strings.", "It takes a text of bytes instead of an object."]
    assert standing(said) == ["now", "now"]


def test_a_correction_closes_only_what_it_denies() -> None:
    said = [
        "`jc` fails on its checksum.",
        "Correction: `jc` is not in `a.lock`, so the checksum is not from there.",
    ]
    assert standing(said) == ["now", "now"]
    assert standing(["The checksum is wrong in `a.lock`.", said[1]]) == ["no more", "now"]


@pytest.mark.parametrize(
    ("older", "newer", "held"),
    [
        ("The download is slow because of `gzip`.", "The download is slow because the socket blocks.", "earlier"),
        ("The download is slow because of `gzip`.", "The upload is slow because the socket blocks.", "now"),
        ("It fails because of `gzip`.", "It fails because the socket blocks.", "now"),
        ("I'll go with trees rather than tables.", "Tables it is: trees take too long.", "earlier"),
        ("I'll use trees for the index.", "Scratch that, a table is what this wants instead of a list.", "now"),
        ("I'll use trees for the index.", "Scratch that, tables are what I want because they sort.", "earlier"),
        ("The bug is a wrong MAX_SIZE in limits.py.", "It turns out MAX_SIZE was right all along.", "no more"),
        ("The bug is a wrong `limit` in net.py.", "The cause is elsewhere: the `limit` is correct.", "no more"),
        ("`parse()` crashes on long lines.", "The cause is not here: the type of `parse()` is correct.", "now"),
        ("`parse()` is wrong.", "The problem is that `parse()` is right behind `read()`.", "now"),
        ("The fix is `flush()` in out.py.", "`flush()` in out.py broke the pipe, so I removed it.", "no more"),
        ("The fix is `flush()` in out.py.", "The log in out.py broke the pipe, so I removed it.", "now"),
    ],
)
def test_what_a_later_statement_of_the_same_thing_leaves_of_the_older(older: str, newer: str, held: str) -> None:
    assert standing([older, newer]) == [held, "now"]


def test_choices_for_the_same_purpose_are_one_with_most_of_its_words_in_common() -> None:
    older = "We use `redis` for the job queue."
    for newer, state in (
        ("I'll use `sqlite3` for the job queue.", "earlier"),
        ("I'll use `sqlite3` for the slow job queue.", "earlier"),
        ("I'll use `sqlite3` for the metrics queue.", "now"),
    ):
        assert standing([older, newer])[0] == state, newer
