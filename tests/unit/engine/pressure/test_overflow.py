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
    # OpenAI, RKLLM, vLLM, Letta, SambaNova, TensorRT-LLM, LMDeploy, oMLX, TabbyAPI, Vertex, Cohere,
    # watsonx, and gateways
    "Your input exceeds the model's context window. Please adjust your input and try again.",
    "Input exceeds this model's context window",
    "Prompt is 11543 tokens but the model context window is 4096 tokens.",
    "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and "
    "your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens. Please "
    "reduce the length of the input prompt or the number of requested output tokens. "
    "(parameter=input_tokens, value=262145)",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 "
    "tokens. Please reduce the length of the messages.",
    "Request size exceeds model context window",
    "The maximum sequence length is 16384. Please shorten your prompt.",
    "The sum of prompt length (5000.0), query length (0) max_new_tokens (100) should not exceed "
    "max_num_tokens (8192)",
    "Prompt length (5000) exceeds maximum input length (4096). Set log level to info and check TRTGPTModel logs",
    "ResponseType.INPUT_LENGTH_ERROR",
    "Prompt too long: 40000 tokens exceeds max context window of 32768 tokens",
    "Prompt length 5000 is greater than max_seq_len 4096",
    "Unable to submit request because the input token count is 1100000 but model only supports up to "
    "1048576. Reduce the input token count and try again.",
    "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs, or "
    "setting prompt_truncation='AUTO'.",
    "Request exceeds the maximum allowed number of bytes. The maximum request size is 32 MB.",
    "the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
    "input length 140000 exceeds the maximum length 131072",
    "Input is too long.",
    "The input is longer than the maximum of 8192 tokens",
    "The total number of tokens in the messages is 130000, which is more than the 128000 that the model supports",
    "Your messages use 130,512 tokens; at most 128,000 are allowed.",
    "exceeds maximum context window size of 131072 tokens",
    "Requested 140000 tokens, maximum is 131072",
    "Context size exceeded: 140000 > 131072",
    "ContextWindowFull",
    "conversation_too_long",
    "context_too_large",
    "prompt_tokens_exceeded",
    "input_too_long",
    "token_limit_exceeded",
    "The chat history is too long for this model",
    "messages exceed the model's limit",
    "tokenized prompt exceeds the model's maximum",
    "Sequence length 40000 exceeds model limit 32768",
    "number of tokens in the prompt (40000) exceeds n_ctx (32768)",
    "failed to process prompt: prompt exceeds the KV cache size",
    "Input (40000 tokens) exceeds the slot's context (32768)",
    "slot context is full; cannot fit 40000 tokens",
    "the request would need 40000 tokens of context, only 32768 are available",
    "input tokens (40000) + max_tokens (8192) > context (32768)",
    "prompt (40000) + max_tokens (8192) exceeds 32768",
    "40000 input tokens is above the 32768 limit",
    "This request's total tokens of 210000 is above the model's limit of 200000",
    "コンテキストの長さが上限を超えています",
    "入力が長すぎます",
    "입력이 너무 깁니다",
    "输入内容过长，请缩短后重试",
    "请求的 tokens 数量超过模型上下文长度 131072",
    "输入 token 数超出限制",
    "number of input tokens must be no more than 32768, got 33000",
    # the code tells, whatever the error quotes
    '{"code":"context_length_exceeded","message":"... the user has no credits left, and is out of memory ..."}',
    "prompt is too long: 213462 tokens > 200000 maximum (in: the quota of the prepaid key)",
    # one string of the list is too long, and limits on a request's bytes
    "Invalid 'input[308].arguments': string too long. Expected a string with maximum length 1048576, but got a"
    " string with length 1686845 instead.",
    "Invalid 'input[12].output': string too long. Expected a string with maximum length 10485760",
    "Invalid 'messages[4].content[0].text': string too long. Expected a string with maximum length 10485760",
    "Encountered an error in the response stream: Input content length exceeds threshold. (request_id: 1)",
    '{"message":"Failed","reason":"CONTENT_LENGTH_EXCEEDS_THRESHOLD"}',
    "Failed to buffer the request body: length limit exceeded",
    "Request Entity Too Large FUNCTION_PAYLOAD_TOO_LARGE",
    "Malformed input request: expected maxLength: 300000, actual: 410000, please reformat your input",
    "InternalError.Algo.InvalidParameter: messages token length must be in (0, 1000000], but got 1000123",
    # in Chinese, the verb first
    "对话内容超出模型上下文窗口",
    "当前请求超出模型最大上下文长度",
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
    '{"error":{"message":"Invalid \'input[1943].id\': string too long. Expected a string with maximum length 64,'
    ' but got a string with length 74 instead.","param":"input[1943].id","code":"string_above_max_length"}}',
    "Malformed input request: #/toolConfig/tools/0/toolSpec/name: expected maxLength: 64, actual: 80",
    "max_tokens 超出范围",
    "输出长度超过最大限制",
    "请求超时，超过60秒",
    "您的账户已超过每月token限制",
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
    # money, time and who may ask: OpenRouter, Azure, GitHub, Bedrock, Gemini, LiteLLM, one-api; caps on
    # the reply: vLLM,
    # Groq; pictures, files, tools, caches: Anthropic, OpenAI, Gemini; models that are not loaded: Ollama, LM Studio
    "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but "
    "can only afford 30104. To increase, visit https://openrouter.ai/settings/credits and upgrade to a "
    "paid account",
    '{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to '
    '65536 tokens, but can only afford 30104.","code":402}}',
    "Prompt tokens limit exceeded: 230799 > 91442. To increase, visit "
    "https://openrouter.ai/settings/keys and create a key with a higher monthly limit",
    "Prompt tokens limit exceeded: 3062 > 2681. To increase, visit "
    "https://openrouter.ai/settings/credits and upgrade to a paid account",
    '{"error":{"message":"vision tokens exceed processor '
    'budget","type":"invalid_request_error","param":"input","code":"media_budget_exceeded"}}',
    "Too many tokens per minute",
    "This request exceeds the limit of 30000 tokens per minute",
    "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have "
    "exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 20 seconds.",
    "Rate limit of 8000 tokens per 60s exceeded for UserByModelByMinuteTokens. Please wait 21 seconds "
    "before retrying.",
    "This request would exceed the rate limit for your organization of 40,000 input tokens per minute. "
    "Please reduce the prompt length or the maximum tokens requested, or try again later.",
    "Too many tokens per day, please wait before trying again.",
    "Quota exceeded for metric: "
    "generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 250000, "
    "model: gemini-3-flash",
    "max_tokens (33000) must be less than or equal to 32768",
    "max_completion_tokens is too large: 100000. This model supports at most 16384 completion tokens, "
    "whereas you provided 100000.",
    "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less "
    "than the `context_window` for this model",
    "The max_tokens parameter exceeds the model's maximum output of 4096",
    "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
    "Request contains too many images: 120 > 100",
    "messages: too many images and documents: 105 + 0 > 100",
    "A maximum of 100 PDF pages may be provided.",
    "Invalid schema for function 'read': In context=('properties', 'paths'), array schema missing items.",
    "tools.0.custom.input_schema: schema exceeds the maximum size",
    "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length "
    "1024, but got a string with length 1500 instead.",
    "Invalid 'messages[2].tool_calls[0].function.name': string too long. Expected a string with "
    "maximum length 64, but got a string with length 70 instead.",
    "Invalid 'messages[1].name': string too long. Expected a string with maximum length 64",
    "Cached content is too small. total_token_count=1024, min_total_token_count=4096",
    "The minimum token count to start caching is 4096.",
    "The long context beta is not yet available for this subscription.",
    "The model context window cannot be changed while it is loaded",
    "Failed to load the model with context length 131072: insufficient memory",
    "Unable to allocate the KV cache for a context of 131072 tokens: out of memory",
    "Model loading was stopped due to insufficient system resources for this context length",
    "cudaMalloc failed: out of memory",
    "Service tier capacity exceeded for this model.",
    "The number of stop sequences exceeds the maximum of 4",
    "maximum number of tool calls exceeded",
    "Request Header Fields Too Large",
    "audio file is too long",
    "The input file is too large",
    "thinking.budget_tokens must be less than max_tokens",
    "max_output_tokens: integer below minimum value. Expected a value >= 16, but got 1 instead.",
    "Number of requested output tokens exceeds the limit of 8192",
    "The conversation has reached its maximum number of web searches",
    "Conversation not found: the message context has expired",
    "messages.4: `tool_use` ids must be at most 64 characters; the context of the call is missing",
    "context_management.edits.0.type: Input should be 'clear_tool_uses_20250919'",
    "input.2.content: unsupported content type in this context",
    "The total size of the tools exceeds the limit of 64 KB",
    "The tool result exceeds the maximum number of images",
    "429 Too many tokens: the model's token bucket is empty",
    "You have reached your weekly limit for long context requests",
    "Your prepaid tokens are exhausted: token limit reached",
    "This key has a spend limit; prompt tokens limit exceeded",
    "Input blocked: the prompt was flagged as too risky for this context window of safety checks",
    "insufficient_quota: token quota is not enough, token remain quota: $0.01, need quota: $0.2",
    "用户额度不足, 剩余额度: 0.1, 预扣费额度超出",
    "Upstream request timeout: the model did not answer in time for a request of 150000 tokens",
    "model_not_found: The model `x` does not exist or the context window is not available to you",
    "parallel_tool_calls: too many tool calls in one message",
    "unsupported parameter: max_tokens. Use max_completion_tokens instead.",
    "Unsupported value: 'max_tokens' > context is not supported with this model",
    "litellm.RateLimitError: tokens per model per minute limit exceeded",
    "litellm.BudgetExceededError: Budget has been exceeded! Current cost: 12, Max budget: 10",
    "ExceededTokenBudget: Max parallel request limit reached",
    '{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your '
    "account's rate limit. Please try again later.\"}}",
    "prompt_cache_retention: value too large",
    "The image prompt is too small",
    "Batch size exceeds maximum of 100000 requests",
]


@pytest.mark.parametrize("error", TOO_LONG)
def test_the_context_was_too_long(error: str) -> None:
    assert overflowed(View("assistant", stop="error", error=error), None, WINDOW)


@pytest.mark.parametrize("error", OTHER)
def test_something_else_was_wrong(error: str) -> None:
    assert not overflowed(View("assistant", stop="error", error=error), None, WINDOW)


def test_every_row_of_the_table_is_some_providers() -> None:
    told = [wordings.plain(error) for error in (*TOO_LONG, *OTHER)]
    rows = (
        *wordings.SURE,
        *wordings.STRICT,
        *wordings.LOOSE,
        *wordings.OTHER_LIMIT,
        *wordings.FILTERED,
        *wordings.OTHER_PART,
    )
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


def test_another_list_may_pass_a_filter() -> None:
    words = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
    assert not wordings.says_too_long(words)
    assert not wordings.says_of_other_cause(words)
    assert wordings.says_of_other_cause("402 This request requires more credits, or fewer max_tokens.")


def test_a_thought_behind_another_list_is_told_from_a_list_that_is_too_long() -> None:
    words = "messages.1.content.0: Invalid `signature` in `thinking` block, bound to a different conversation."
    assert wordings.says_of_binding(words)
    assert not wordings.says_too_long(words)
    assert not wordings.says_of_binding("messages.1.content.0: Invalid `signature` in `thinking` block")
    assert not wordings.says_of_binding("the conversation is bound to be too long")
