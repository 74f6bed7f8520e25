"""What pictures weigh, by the examples of the providers' own pages."""

from ctxmgr.model import media
from ctxmgr.model.media import CLAUDE, GEMINI, GPT_4O, GPT_5, MINI, Media, MediaRules, tokens

# rules, pixels, tokens
EXAMPLES: list[tuple[MediaRules, int, int, int]] = [
    (CLAUDE, 200, 200, 64),
    (CLAUDE, 1_092, 1_092, 1_521),
    (CLAUDE, 1_920, 1_080, 1_568),  # made smaller
    (GPT_4O, 1_024, 1_024, 765),
    (GPT_4O, 2_048, 4_096, 1_105),
    (GPT_5, 1_024, 1_024, 630),
    (MINI, 1_024, 1_024, 1_659),
    (GEMINI, 384, 384, 258),
]


def test_an_image_weighs_what_its_provider_counts() -> None:
    for rules, width, height, expected in EXAMPLES:
        assert tokens(Media("image", 1, width, height), rules) == expected, rules


def test_a_model_is_of_a_family_by_its_id() -> None:
    for id, name in [
        ("claude-sonnet-4-5-20250929", "claude"),
        ("claude-opus-4-7", "claude-large"),
        ("gpt-4o-mini", "gpt-4o"),
        ("gpt-4.1-mini", "mini"),
        ("gpt-5.2-codex", "gpt-5"),
        ("o4-mini", "o4-mini"),
        ("gemini-2.5-pro", "gemini"),
        ("qwen3-coder", ""),
    ]:
        assert media.family(id).name == name, id
