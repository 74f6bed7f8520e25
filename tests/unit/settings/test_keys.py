"""Of each key of the policy it is decided whether a project's file may set it."""

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
