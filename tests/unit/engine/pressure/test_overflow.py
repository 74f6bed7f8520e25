"""Overflow: the words in which providers say that the context was too long, and those of other limits."""

import re

import pytest

from ctxmgr.engine.pressure import wordings
from ctxmgr.engine.pressure.refusals import overflowed
from ctxmgr.model.messages import Block, Usage, View

WINDOW = 200_000

TOO_LONG = [
    "prompt is too long: 213462 tokens > 200000 maximum",
    '413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    "Your input exceeds the context window of this model",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "context_length_exceeded",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    "Please reduce the length of the messages or completion",
    "This endpoint's maximum context length is 262144 tokens. However, you requested about 270000 tokens",
    "prompt token count of 140000 exceeds the limit of 128000",
    "input is too long for requested model",
    "the request exceeds the available context size, try increasing it",
    "Number of tokens to keep from the initial prompt is greater than the context length",
    "invalid params, context window exceeds limit",
    "Your request exceeded model token limit: 262144 (requested: 291351)",
    "model_context_window_exceeded",
    "prompt too long; exceeded max context length by 1234 tokens",
    "Too many tokens in the prompt",
    '{"code":"context_length_exceeded"}',
    '{"type":"invalid_request_error","code":"prompt_too_long"}',
    '{"code":400,"type":"exceed_context_size_error"}',
    "litellm.ContextWindowExceededError",
    "ContextOverflowError",
    '{"code":"model_max_prompt_tokens_exceeded"}',
    '{"code":"tokens_limit_reached"}',
    '{"code":"string_above_max_length"}',
    '{"status":413}',
    '{"statusCode":413,"message":"Payload Too Large"}',
    '{"code":"1261","message":"Prompt exceeds max length"}',
    "Range of input length should be [1, 30720]",
    "Prompt contains 150000 tokens ... too large for model with 131072 maximum context length",
    # LM Studio, llama.cpp, KoboldCpp
    "Cannot truncate prompt with n_keep (12378) >= n_ctx (4096)",
    "Context size has been exceeded.",
    '{"error":{"code":400,"message":"request (26214 tokens) exceeds the available context size (16384 tokens)",'
    '"type":"exceed_context_size_error","n_prompt_tokens":26214,"n_ctx":16384}}',
    "Requested tokens (5300) exceed context window of 4096",
    # vLLM, SGLang, Hugging Face TGI, exllamav3, ds4
    "The decoder prompt (length 9254) is longer than the maximum model length of 4096. Make sure"
    " that `max_model_len`"
    " is no smaller than the number of text tokens.",
    "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context"
    " length is 32768 tokens"
    " and your request has 29000 input tokens (4096 > 32768 - 29000).",
    "max_tokens must be at least 1, got -1204.",
    "This model's maximum context length is 163840 tokens. However, you requested 32000 output"
    " tokens and your prompt"
    " contains at least 131841 input tokens, for a total of at least 163841 tokens.",
    '{"object":"error","message":"The input (61709 tokens) is longer than the model\'s context'
    ' length (40960 tokens).",'
    '"type":"BadRequestError","param":null,"code":400}',
    "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input",
    "Requested token count exceeds the model's maximum context length of 131072 tokens. You"
    " requested 140000 tokens",
    '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given:'
    " 5000 `inputs` tokens"
    ' and 512 `max_new_tokens`","error_type":"validation"}',
    "Input validation error: `inputs` must have less than 1024 tokens. Given: 2056",
    "context/cache: Job requires 1027 pages (only 1024 available) and cannot be enqueued.",
    "Prompt has 300,000 tokens, but the configured context size is 131,072 tokens",
    # SiliconFlow, Kimi, Zhipu, MiniMax, DashScope, DeepSeek
    "length of prompt_tokens (33570) must be less than max_seq_len (32768).",
    "total message size 4176584 exceeds limit 2097152",
    "Invalid request: Your request exceeded model token limit: 8192",
    '{"error":{"code":"1261","message":"Prompt 超长"}}',
    "输入长度超过模型的最大限制",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]",
    "This model's maximum context length is 65536 tokens. However, you requested 69648 tokens"
    " (69648 in the messages,"
    " 0 in the completion). Please reduce the length of the messages or completion.",
    # Anthropic, Bedrock, Vertex, Gemini
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or"
    " `max_tokens` and try again",
    '{"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long'
    ' context requests."}}',
    "ValidationException: Input exceeds the max input token limit",
    "ModelStreamErrorException: Input is too long for requested model",
    '{"__type":"ValidationException","message":"The model returned the following errors: Too many input tokens. Max'
    ' input tokens: 128000, request input token count: 140012"}',
    "Request payload size exceeds the limit: 20971520 bytes.",
    '[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed'
    ' (1048576).","status":"INVALID_ARGUMENT"}}]',
    # Groq, OpenAI: a request that alone is larger than what a minute allows
    "413 Request too large for model `m` in organization `o` service tier `on_demand` on tokens per minute (TPM):"
    " Limit 12000, Requested 14137, please reduce your message size and try again.",
    "Request too large for gpt-5.6 in organization o on tokens per min (TPM): Limit 200000,"
    " Requested 208334. The input"
    " or output tokens must be reduced in order to run successfully.",
    # Cohere, Mistral, Together, Cerebras, xAI, GitHub, Databricks, LiteLLM, OpenRouter, Replicate
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5210.",
    "total tokens exceeds the model's max of 4096",
    "`inputs` tokens are more than the maximum of 8193",
    "400 status code (no body)",
    '{"message":"413 status code (no body)"}',
    "Request body too large for gpt-4o model. Max size: 8000 tokens.",
    "litellm.BadRequestError: Context Window exceeded for given call.",
    '{"error":{"message":"Provider returned'
    ' error","code":400,"metadata":{"raw":"{\\"error\\":{\\"message\\":\\"tokens'
    ' in request more than max tokens allowed\\"}}"}}}',
    '{"metadata":{"raw":"Input length (140000) exceeds maximum"}}',
    "This model only supports up to 8192 input tokens",
    "the prompt does not fit in 32768 tokens",
    "imc: unable to process request: the context window is full",
    # OpenAI, for one text; gateways
    "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576",
    "Request Entity Too Large",
    "Request failed with status code 413",
    "HTTP 413: Content Too Large",
    "sent message larger than max (5243904 vs. 4194304)",
    # Snowflake Cortex, Volcengine Ark, onnxruntime-genai; OpenAI, of too many messages
    "max tokens of 4096 exceeded",
    "Total tokens of image and text exceed max message tokens. Request id: 0217",
    "input sequence_length (5000) is >= max_length (4096)",
    "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got 2049",
    # llama.cpp, MindIE
    '{"error":{"code":500,"message":"context shift is disabled","type":"server_error"}}',
    "Inputs token length must be in (0, 131072], but got 140000",
    # in words that no row was made for
    "Trying to submit a request with 41056 tokens but the limit is 32768",
    "The conversation is too long. Please start a new chat.",
    "Total tokens in messages: 40000 > 32768",
    "The prompt is longer than the model can handle",
    "The request was rejected because it was considered too large: 40000 tokens",
    "The number of tokens in the request must not exceed 8192",
    "The input exceeds the maximum number of input tokens",
]
OTHER = [
    "",
    "Connection reset by peer",
    "429 Too Many Requests: token limit per minute reached",
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
    "rate_limit_error: Number of request tokens has exceeded your per-minute rate limit",
    "ThrottlingException: Too many tokens, please wait before trying again.",
    "You exceeded your current quota, please check your plan",
    "Request was aborted",
    "invalid x-api-key",
    "Overloaded",
    '{"status":500,"message":"internal error, request 413"}',
    "max_tokens is too large: 99999",
    '{"code":"token_expired"}',
    # limits in a time, or of an account
    "Rate limit reached for gpt-5.6 on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000.",
    "request reached organization TPD rate limit, current: 1506556, limit: 1500000",
    "Service unavailable: too many tokens, please wait",
    "Number of request tokens has exceeded your daily limit",
    '{"error":{"code":429,"message":"Resource exhausted: input token count","status":"RESOURCE_EXHAUSTED"}}',
    "您的账户请求频率超出限制，上下文长度无关",
    "Your credit balance is too low for this prompt length",
    # the reply's cap
    "max_tokens: 68000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    "max_tokens is too large: 200000. This model supports at most 128000 completion tokens",
    "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
    "max_tokens is too large: 99999. This model's maximum context length is 8192 tokens",
    "Range of max_tokens should be [1, 8192]",
    "`max_tokens` must be greater than `thinking.budget_tokens`",
    "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1"
    " (inclusive) to 65537 (exclusive).",
    "The requested output token limit exceeds what this model supports",
    "The maximum tokens you requested exceeds the model limit of 4096. Try again with a lower maximum tokens value",
    "Input validation error: `max_new_tokens` must be <= 1512. Given: 2000",
    # another part of the request
    "messages.5.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
    "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150",
    "Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64",
    "The encoder prompt (length 3000) is longer than the maximum model length of 2048",
    "Request Header Or Cookie Too Large",
    "Model context window too small (minimum is 128k tokens)",
    # templates, and plain faults
    "Jinja Exception: After the optional system message, conversation roles must alternate user and"
    " assistant roles",
    '{"error":{"code":500,"message":"Internal server error","type":"server_error"}}',
    "messages.3: tool_use ids were found without tool_result blocks",
    "context_management: Extra inputs are not permitted",
    "The request timed out after 600000 ms",
    "Timeout exceeded: request took longer than 600 seconds",
    "context deadline exceeded",
    "Monthly token limit reached for your plan",
    "messages.1.content.0.tool_use.id: String should have at most 64 characters",
    "thinking.budget_tokens: Input should be greater than or equal to 1024",
    "Input validation error: `temperature` must be less than 2",
    "Input validation error: `n` input must be at most 8",
    "Input: logit_bias must have fewer than 300 entries",
    "messages must have less than 2 system prompts",
    "The maximum number of prompt cache breakpoints is 4",
    "The maximum number of input images is 10",
    "Input: top_logprobs should be less than 1024",
    "JSON: content exceeds depth limit of 128",
    "prompt_cache_key too long",
    # numbers that no limit has: Python reads no more than 4,300 digits
    f"Limit {'1' * 4_400}, Requested 5",
    f"Limit 5, Requested {'1' * 4_400}",
    f"max_tokens is too large: {'1' * 4_400}. This model's maximum context length is 8192 tokens",
]


@pytest.mark.parametrize("error", TOO_LONG)
def test_the_context_was_too_long(error: str) -> None:
    assert overflowed(View("assistant", stop="error", error=error), None, WINDOW)


@pytest.mark.parametrize("error", OTHER)
def test_something_else_was_wrong(error: str) -> None:
    assert not overflowed(View("assistant", stop="error", error=error), None, WINDOW)


def test_every_row_of_the_table_is_some_providers() -> None:
    told = [wordings.plain(error) for error in (*TOO_LONG, *OTHER)]
    rows = (*wordings.SURE, *wordings.STRICT, *wordings.LOOSE, *wordings.OTHER_LIMIT)
    assert [whose for whose, row in rows if not any(re.search(row, text) for text in told)] == []


@pytest.mark.parametrize("stop", ["stop", "toolUse", "aborted", "length", ""])
def test_a_reply_that_only_speaks_of_it_is_none(stop: str) -> None:
    assert not overflowed(View("assistant", stop=stop, error=TOO_LONG[0]), None, WINDOW)


# stop reason, input, cache read, cache write, output, overflow?
USAGE = [
    ("stop", 200_001, 0, 0, 5, True),  # some servers cut the prompt and say nothing
    ("stop", 1, 150_000, 50_000, 5, True),
    ("stop", 200_000, 0, 0, 5, False),
    ("toolUse", 200_001, 0, 0, 5, False),
    ("length", 198_000, 0, 0, 0, True),
    ("length", 98_000, 90_000, 10_000, 0, True),
    ("length", 197_999, 0, 0, 0, False),
    ("length", 198_000, 0, 0, 1, True),
    ("length", 150_000, 0, 0, 48_000, True),  # thoughts, up to the end of the window
    ("length", 150_000, 0, 0, 47_999, False),
]


@pytest.mark.parametrize(("stop", "sent", "cached", "wrote", "output", "expected"), USAGE)
def test_by_what_was_sent(stop: str, sent: int, cached: int, wrote: int, output: int, expected: bool) -> None:
    usage = Usage(sent, output, cached, wrote, sent + output + cached + wrote)
    assert overflowed(View("assistant", stop=stop), usage, WINDOW) is expected


def test_a_reply_that_says_something_before_it_is_cut_is_no_overflow() -> None:
    full = Usage(150_000, 50_000, 0, 0, 200_000)
    for block, expected in (
        (Block("thinking", 0, "hm"), True),
        (Block("text", 0, " \n"), True),
        (Block("text", 0, "It is"), False),
        (Block("call", 0, "read {}", "c1", "read"), False),
    ):
        assert overflowed(View("assistant", (block,), stop="length"), full, WINDOW) is expected, block


def test_a_thought_behind_another_list_is_told_from_a_list_that_is_too_long() -> None:
    words = "messages.1.content.0: Invalid `signature` in `thinking` block, bound to a different conversation."
    assert wordings.says_of_binding(words)
    assert not wordings.says_too_long(words)
    assert not wordings.says_of_binding("messages.1.content.0: Invalid `signature` in `thinking` block")
    assert not wordings.says_of_binding("the conversation is bound to be too long")
