"""What is known of a model by its id, and that what is guessed is told as a guess."""

from ctxmgr.known_models import ModelFacts, read, shipped

NEWEST = "{} is the newest known model of its kind"


def find(model: str | None) -> ModelFacts:
    return shipped().find(model)


def test_clouds_gateways_days_and_variants_are_passed_over() -> None:
    for model, row, window in (
        ("claude-opus-5-5", "claude-opus-5-5", 1_000_000),
        ("Claude-Opus-4-6", "claude-opus-4-6", 1_000_000),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", 200_000),
        ("claude-sonnet-4-20250514", "claude-sonnet-4", 200_000),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet", 200_000),
        ("claude-opus-4-5@20251101", "claude-opus-4-5", 200_000),
        ("anthropic/claude-haiku-4.5", "claude-haiku-4-5", 200_000),
        ("openrouter/anthropic/claude-opus-4.6:thinking", "claude-opus-4-6", 1_000_000),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", 200_000),
        ("bedrock/eu.anthropic.claude-sonnet-5-5", "claude-sonnet-5-5", 1_000_000),
        ("gpt-5-codex", "gpt-5-codex", 272_000),
        ("gpt-5.5-2026-04-23", "gpt-5.5", 1_050_000),
        ("azure/o4-mini-2025-04-16", "o4-mini", 200_000),
        ("models/gemini-2.5-flash-lite", "gemini-2.5-flash-lite", 1_048_576),
        ("groq/openai/gpt-oss-120b", "gpt-oss-120b", 131_072),
        ("gpt-oss:20b", "gpt-oss-20b", 131_072),
        ("openai.gpt-oss-120b-1:0", "gpt-oss-120b", 131_072),
        ("MiniMax-M2.5", "minimax-m2.5", 1_000_000),
        ("us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", 200_000),
        ("bedrock:global.moonshotai.kimi-k3", "kimi-k3", 1_048_576),
        ("gpt-proxy/claude-haiku-4-5", "claude-haiku-4-5", 200_000),
    ):
        known = find(model)
        assert (known.row, known.window, known.matched, known.id) == (row, window, "model", model), model


def test_an_unknown_model_falls_back_to_its_family_and_says_so() -> None:
    for model, row, window, why in (
        ("claude-opus-9", "claude-opus-5-5", 200_000, "claude-opus-5-5 is the newest known model of its kind"),
        ("gpt-5.9", "gpt-5.6", 272_000, "gpt-5.6 is the newest known model of its kind"),
        ("gpt-6.2-sol", "gpt-6.1-sol", 272_000, "gpt-6.1-sol is the newest known model of its kind"),
        ("gemini-3.9-flash", "gemini-3.8-flash", 1_048_576, NEWEST.format("gemini-3.8-flash")),
        (
            "gemini-3.1-pro-preview-customtools",
            "gemini-3.1-pro-preview",
            1_048_576,
            "its id begins like gemini-3.1-pro-preview",
        ),
        ("claude-nova-1", "", 200_000, "only its family, claude, is known"),
        ("gpt-6-codex-mini", "gpt-5.1-codex-mini", 272_000, NEWEST.format("gpt-5.1-codex-mini")),
        ("acme-o3", "o3", 200_000, "part of the id is o3, after an unknown prefix"),
        (
            "gate/my-claude-opus-4-5-20251101",
            "claude-opus-4-5",
            200_000,
            "part of the id is claude-opus-4-5, after an unknown prefix",
        ),
        (
            "acme.gpt-5.5-2026-04-23-eu",
            "gpt-5.5",
            1_050_000,
            "part of its id begins like gpt-5.5, after an unknown prefix",
        ),
    ):
        known = find(model)
        assert (known.row, known.window, known.matched, known.why) == (row, window, "family", why), model


def test_what_is_of_no_family_is_unknown() -> None:
    for model in (None, "", "my-claude", "xclaude-opus-4-6", "llama3:70b", "mistral.", "o"):
        known = find(model)
        assert (known.matched, known.window, known.prices, known.family) == ("unknown", 200_000, None, ""), model


def test_1m_at_the_end_is_a_window_of_a_million() -> None:
    for model in (
        "claude-sonnet-4-5[1m]",
        "claude-sonnet-4-20250514[1m]",
        "claude-nova-1[1m]",
        "claude-opus-9[1m]",
        "claude-sonnet-9-20270101[1M]",
        "opus[1m]",
        "acme-9[1m] ",
    ):
        known = find(model)
        assert (known.window, known.usual_window) == (1_000_000, 1_000_000), model


def test_a_row_that_is_named_with_1m_has_the_window_that_it_says() -> None:
    registry = read(b'{"models": [{"id": "acme-9[1m]", "window": 900000}]}')
    assert registry.find("acme-9[1m]").window == 900_000


def test_programs_work_with_what_costs_no_more() -> None:
    assert (find("gpt-6.1-sol").window, find("gpt-6.1-sol").usual_window) == (922_000, 272_000)
    assert (find("gemini-2.5-pro").window, find("gemini-2.5-pro").usual_window) == (1_048_576, 1_048_576)


def test_a_long_request_is_dearer() -> None:
    prices = find("gpt-5.5").prices
    assert prices is not None
    assert (prices.tier(272_000).input, prices.tier(272_001).input) == (5, 10)
    prices = find("gemini-2.5-pro").prices
    assert prices is not None
    assert (prices.tier(200_000).input, prices.tier(200_001).output) == (1.25, 15)
    prices = find("claude-haiku-5-5").prices
    assert prices is not None
    assert (prices.tier(100_000).cache_read, prices.tier(100_001).cache_read) == (0.01, 0.05)


def test_each_provider_caches_by_a_rule_of_its_own() -> None:
    for model, kind, least, step, lifetime_ms in (
        ("claude-opus-5-5", "marks", 512, 1, 300_000),
        ("gpt-5.5", "implicit", 1_024, 128, 3_600_000),
        ("gpt-6.1-sol", "implicit", 1_024, 1, 1_800_000),
        ("gemini-3.8-flash", "implicit", 4_096, 1, 300_000),
        ("deepseek-v4-pro", "implicit", 64, 64, 3_600_000),
        ("gpt-5.5-pro", "none", 0, 1, 0),
        ("qwen-max", "implicit", 256, 1, 300_000),
    ):
        rule = find(model).cache
        assert (rule.kind, rule.least_tokens, rule.step_tokens, rule.lifetime_ms) == (
            kind,
            least,
            step,
            lifetime_ms,
        )


def test_a_price_of_reading_that_nobody_tells_is_no_word_on_the_cache() -> None:
    for model, reading, is_told in (
        ("grok-3", 0.3, False),  # no price list that was read has it: the default, a tenth
        ("grok-4.7", 0.5, True),
        ("gpt-4", 30, False),  # there is no cache
        ("gpt-5.5-pro", 30, True),  # the price list tells that nothing is cheaper
        ("acme", None, False),
    ):
        known = find(model)
        assert (known.prices.cache_read if known.prices else None, known.has_read_price) == (reading, is_told), (
            model
        )


def test_a_start_kept_for_an_hour_costs_twice_the_input_to_write() -> None:
    known = find("claude-opus-5-5")
    assert known.long_cache is not None
    assert known.prices is not None
    assert (known.long_cache.lifetime_ms, known.long_cache.cache_write) == (3_600_000, 2 * known.prices.input)
    assert (known.cache.look_back_blocks, known.cache.renews) == (20, True)
