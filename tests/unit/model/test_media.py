"""What pictures weigh, by the examples of the providers' own pages."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.model import media
from ctxmgr.model.media import CLAUDE, FAMILIES, GEMINI, GPT_4O, GPT_5, MINI, OTHER, Media, MediaRules, tokens

# rules, pixels, tokens
EXAMPLES: list[tuple[MediaRules, int, int, int]] = [
    (CLAUDE, 200, 200, 64),
    (CLAUDE, 1_000, 1_000, 1_296),
    (CLAUDE, 1_092, 1_092, 1_521),
    (CLAUDE, 1_920, 1_080, 1_568),  # made smaller
    (CLAUDE, 8_000, 8_000, 1_568),
    (GPT_4O, 1_024, 1_024, 765),
    (GPT_4O, 2_048, 4_096, 1_105),
    (GPT_4O, 512, 512, 255),
    (GPT_5, 1_024, 1_024, 630),
    (MINI, 1_024, 1_024, 1_659),
    (GEMINI, 384, 384, 258),
    (GEMINI, 1_024, 768, 516),
]


def test_an_image_weighs_what_its_provider_counts() -> None:
    for rules, width, height, expected in EXAMPLES:
        assert tokens(Media("image", 1, width, height), rules) == expected, rules


def test_a_model_is_of_a_family_by_its_id() -> None:
    for id, name in [
        ("claude-sonnet-4-5-20250929", "claude"),
        ("us.anthropic.claude-opus-4-6-v1:0", "claude"),
        ("claude-opus-4-7", "claude-large"),
        ("gpt-4o-mini", "gpt-4o"),
        ("gpt-4.1", "gpt-4o"),
        ("gpt-4.1-mini", "mini"),
        ("gpt-5-nano", "nano"),
        ("gpt-5.2-codex", "gpt-5"),
        ("openai/o3", "o"),
        ("o4-mini", "o4-mini"),
        ("gemini-2.5-pro", "gemini"),
        ("gemini-3-pro-preview", "gemini-3"),
        ("qwen3-coder", ""),
    ]:
        assert media.family(id).name == name, id


@given(st.sampled_from([OTHER, *(rules for _, rules in FAMILIES)]), st.integers(1, 9_000), st.integers(1, 9_000))
def test_any_size_has_a_weight_within_the_family_bounds(rules: MediaRules, width: int, height: int) -> None:
    found = tokens(Media("image", 1, width, height), rules)
    assert 1 <= found <= 40_000
    assert tokens(Media("image", 1), rules) >= 250


def test_a_document_weighs_by_its_pages() -> None:
    assert tokens(Media("document", 1, pages=3), CLAUDE) == 3 * CLAUDE.page_tokens
