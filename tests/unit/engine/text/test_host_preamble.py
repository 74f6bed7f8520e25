"""What is left of a message without the instructions that a host put around the request."""

import pytest

from ctxmgr.engine.text.host_preamble import without_preamble
from ctxmgr.engine.text.prose import prose

RULES = "## Your Capabilities\n\nYou are **m-1**.\n\n## Required\n\n- plan\n\n## Models\n\n- a, b\n"
CASES = [
    ("no request", RULES, ""),
    ("under a heading", f"{RULES}\n## Task\n\nfix the header\n", "fix the header"),
    (
        "of an editor",
        "# Context from my IDE setup:\n\n## Open\n- a\n\n## My request for Codex:\nfix it now",
        "fix it now",
    ),
    ("after a rule", f"{RULES}\n---\n\nfix the header", "fix the header"),
    ("long, without headings", "You are a careful engineer. " + "Do this. " * 300, ""),
    ("short: typed by a person", "You are the best. now fix the header", "You are the best. now fix the header"),
    ("with a heading: typed", "fix it\n\n## Task\n\nthe header", "fix it\n\n## Task\n\nthe header"),
    ("starts like people write", "you are wrong, see below", "you are wrong, see below"),
]


@pytest.mark.parametrize(("name", "text", "left"), CASES, ids=[row[0] for row in CASES])
def test_what_is_left(name: str, text: str, left: str) -> None:
    assert without_preamble(text).strip() == left


PASTED = [
    (
        "a reply with a terminal's margin",
        "do you know how?\n\n\n Yes! Custom tools are a file\n that says it.\n\n Let me check:\n\nthat's wrong",
        "do you know how?\n\nthat's wrong",
    ),
    (
        "a reply without it",
        "see what you said:\n\nYou're absolutely right. It is gone.\n\nit is not",
        "see what you said:\n\nit is not",
    ),
    ("a list of the user's", "like this\n\n - one thing here\n\nno?", "like this\n\n- one thing here\n\nno?"),
    ("nothing but a margin", " fix the header\n\n and the footer", "fix the header\n\nand the footer"),
    ("let me know", "fix it\n\nLet me know when it is done", "fix it\n\nLet me know when it is done"),
    ("of the host", "[Request interrupted by user]\nfix it", "fix it"),
]


@pytest.mark.parametrize(("name", "text", "left"), PASTED, ids=[row[0] for row in PASTED])
def test_what_was_typed(name: str, text: str, left: str) -> None:
    assert prose(text) == left


GUIDELINES = "# Repository Guidelines\n## Style\nTabs.\n## Tests\nAll.\n"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{GUIDELINES}---\nmore of it\n---\nfix it", "\nfix it"),
        (f"{GUIDELINES}## Task\nas it was\n## Request\nfix it", "\nfix it"),
        (f"{GUIDELINES}## Task\nfix it\n---\nsoon", "\nfix it\n---\nsoon"),
        (GUIDELINES, ""),
    ],
)
def test_the_request_is_behind_the_last_mark(text: str, left: str) -> None:
    assert without_preamble(text) == left
