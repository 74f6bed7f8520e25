import pytest

from ctxmgr.engine.text.prose import prose


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("keep it simple", "keep it simple"),
        ("/compact", ""),
        ("/mode fast", ""),
        ("see this\n> never do it\nok?", "see this\nok?"),
        ("fix\n```\nmust not\n```\nplease", "fix\nplease"),
        ("<system-reminder>never tell</system-reminder>\ngo on", "go on"),
        ('<file path="x">\nyou must\n</file>\nread it', "read it"),
        ("why?\nTypeError: x is never a function\n    at f (a.js:1:2)", "why?"),
        ("➜  repo git:(main) npm test\nfails", "fails"),
        ("+ 12 - always do\ncheck", "check"),
        ("│ Additional tool │\nnice", "nice"),
        ("# AGENTS.md\nfollow", "follow"),
        ("\n".join(f"never do {number}" for number in range(30)), ""),
        ("x" * 5_000, ""),
    ],
)
def test_only_what_the_user_wrote(text: str, written: str) -> None:
    assert prose(text).strip() == written


def test_of_a_huge_message_only_the_ends_count() -> None:
    text = "do this\n\n" + "word " * 20_000 + "\n\nnever do that\n\n" + "more " * 20_000 + "\n\nthanks"
    assert prose(text) == "do this\n\nthanks"
