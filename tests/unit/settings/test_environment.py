"""Variables of the environment: what each sets, and what is said of one that is wrong."""

import re
from pathlib import Path

import pytest

from ctxmgr.settings import SettingsFault
from ctxmgr.settings.layers import VARIABLES, environment_values

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "config.md"


def test_a_variable_sets_its_key() -> None:
    for variable, text, table in (
        ("CTXMGR_PRESET", "off", {"preset": "off"}),
        ("CTXMGR_WINDOW", "1_000_000", {"window": 1_000_000}),
        ("CTXMGR_EFFECTIVE_WINDOW", "9", {"effectiveWindow": 9}),
        ("CTXMGR_RESERVE", "0", {"reserve": 0}),
        ("CTXMGR_KEEP", "careful", {"keep": "careful"}),
        ("CTXMGR_KEEP", "900", {"keep": 900}),
        ("CTXMGR_COST_VERSUS_RECALL", "0.7", {"costVersusRecall": 0.7}),
        ("CTXMGR_PROTECTED_TOOLS", " a, b,", {"protectedTools": ["a", "b"]}),
        ("CTXMGR_PROTECTED_INSTRUCTIONS", "False", {"protectedInstructions": False}),
        ("CTXMGR_PROTECTED_INSTRUCTIONS", "true", {"protectedInstructions": True}),
        ("CTXMGR_PROTECTED_INSTRUCTIONS", "*.md", {"protectedInstructions": ["*.md"]}),
        ("CTXMGR_STATE_DIR", "/x", {"state_dir": "/x"}),
        ("CTXMGR_UPSTREAM_ANTHROPIC", "https://x/y", {"upstream": {"anthropic": "https://x/y"}}),
        ("CTXMGR_UPSTREAM_OPENAI", "http://x:1", {"upstream": {"openai": "http://x:1"}}),
        ("CTXMGR_UPSTREAM_RESPONSES", "http://[::1]/v1", {"upstream": {"responses": "http://[::1]/v1"}}),
        ("CTXMGR_UPSTREAM_GEMINI", "http://x", {"upstream": {"gemini": "http://x"}}),
    ):
        assert environment_values({variable: text}) == {variable: table}, variable


def test_what_is_wrong_is_said_with_the_variable() -> None:
    for variable, text, said in (
        ("CTXMGR_PRESET", "fast", "preset: `fast` is not one of `balanced`, `off`, `tools`, `turns`"),
        ("CTXMGR_WINDOW", "many", "window must be a whole number of tokens, at least 1"),
        ("CTXMGR_WINDOW", "0", "window must be a whole number of tokens, at least 1"),
        ("CTXMGR_WINDOW", "٣", "window must be a whole number of tokens, at least 1"),
        ("CTXMGR_COST_VERSUS_RECALL", "x", "costVersusRecall: must be a number, not a string"),
        ("CTXMGR_PROTECTED_TOOLS", "true", "protectedTools: must be a list, not true or false"),
        ("CTXMGR_KEEP", "0", "keep: must be a whole number, at least 1"),
        ("CTXMGR_KEEP", "much", "keep: `much` is not one of `balanced`, `careful`, `lean`"),
    ):
        with pytest.raises(SettingsFault) as caught:
            environment_values({variable: text})
        assert str(caught.value) == f"{variable}: {said}", variable


def test_the_guide_lists_them_all() -> None:
    listed = re.findall(r"^\| `(CTXMGR_\w+)` \|", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert listed == [*VARIABLES, "CTXMGR_CONFIG"]


def test_an_empty_variable_is_none() -> None:
    assert environment_values(dict.fromkeys(VARIABLES, "")) == {}
