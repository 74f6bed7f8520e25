"""Of each key of the policy it is decided whether a project's file may set it; and what people write for a key."""

import re

import pytest

from ctxmgr import settings
from ctxmgr.settings import keys

OF_USERS_ALONE = {
    "compaction",  # an address, a key's variable, prompts, calls that cost
    "archive",  # deletes originals of all sessions
    "tokenizer",  # names a file
    "idleMinutes",  # of all sessions of a process
    "state_dir",
    "keep_originals",
    "holdout",  # of all sessions of a user
    "model_tools",
    "warn_on_cache_busts",
    "compactions",
    "upstream",
}


def test_each_key_is_the_projects_or_the_users_alone() -> None:
    assert {*keys.POLICY, *keys.OWN} == keys.OF_PROJECTS | OF_USERS_ALONE
    assert not keys.OF_PROJECTS & OF_USERS_ALONE


def test_a_key_that_toml_must_quote_is_quoted() -> None:
    assert keys.dotted(("models", "gpt-5.5", "zones")) == 'models."gpt-5.5".zones'


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("200000", 200_000),
        ("200_000", 200_000),
        ("200,000", 200_000),
        ("200k", 200_000),
        ("200K", 200_000),
        ("1M", 1_000_000),
        ("1.5m", 1_500_000),
        ("0", 0),
        (" 5k ", 5_000),
    ],
)
def test_a_number_of_tokens_is_read_as_people_write_it(text: str, count: int) -> None:
    assert settings.token_count(text) == count


@pytest.mark.parametrize("text", ["none", "k", "-5", "1.5", "1.0005k", "200kk", "200 k", "2e5", "1G", "٣"])
def test_what_is_no_whole_number_of_tokens_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text)):
        settings.token_count(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("25k", 25_000), ("0.5", 0.5), ("true", True), ('{"red": 0.8}', {"red": 0.8}), ("lean", "lean"), ("", "")],
)
def test_a_value_of_a_policys_key_is_a_number_of_tokens_json_or_a_text(text: str, value: object) -> None:
    assert settings.policy_value(text) == value


def test_a_variable_takes_a_number_of_tokens_as_people_write_it() -> None:
    chosen = settings.read({}, {"CTXMGR_WINDOW": "200k", "CTXMGR_KEEP": "5k"}, "/").settings_for()
    assert (chosen.window, chosen.policy["keep"]) == (200_000, 5_000)
