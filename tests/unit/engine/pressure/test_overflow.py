"""Overflow: the words in which providers say that the context was too long, and those of other limits."""

import re

import pytest

from ctxmgr.engine.pressure import wordings
from ctxmgr.engine.pressure.learned_window import overflowed
from ctxmgr.model.messages import Block, Usage, View

WINDOW = 200_000

# the words of the most used providers, and one text for each alternative of the patterns
TOO_LONG = [
    "prompt is too long: 213462 tokens > 200000 maximum",
    '413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
    "the request exceeds the available context size, try increasing it",
    "litellm.ContextWindowExceededError",
    "Request too large for gpt-5.6 in organization o on tokens per min (TPM): Limit 200000, Requested 208334.",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    "Please reduce the length of the messages or completion",
    "Too many tokens in the prompt",
    '{"type":"invalid_request_error","code":"prompt_too_long"}',
    "ContextOverflowError",
    '{"code":"tokens_limit_reached"}',
    '{"code":"string_above_max_length"}',
    '{"status":413}',
    "Range of input length should be [1, 30720]",
    # LM Studio, llama.cpp, KoboldCpp
    "Cannot truncate prompt with n_keep (12378) >= n_ctx (4096)",
    # vLLM, SGLang, Hugging Face TGI, exllamav3, ds4
    "max_tokens must be at least 1, got -1204.",
    '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given:'
    " 5000 `inputs` tokens"
    ' and 512 `max_new_tokens`","error_type":"validation"}',
    "Input validation error: `inputs` must have less than 1024 tokens. Given: 2056",
    "context/cache: Job requires 1027 pages (only 1024 available) and cannot be enqueued.",
    "Prompt has 300,000 tokens, but the configured context size is 131,072 tokens",
    # SiliconFlow, Kimi, Zhipu, MiniMax, DashScope, DeepSeek
    '{"error":{"code":"1261","message":"Prompt 超长"}}',
    "输入长度超过模型的最大限制",
    # Anthropic, Bedrock, Vertex, Gemini
    '{"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long'
    ' context requests."}}',
    # Cohere, Mistral, Together, Cerebras, xAI, GitHub, Databricks, LiteLLM, OpenRouter, Replicate
    "total tokens exceeds the model's max of 4096",
    "400 status code (no body)",
    "This model only supports up to 8192 input tokens",
    "the prompt does not fit in 32768 tokens",
    # OpenAI, for one text; gateways
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
    # OpenAI, RKLLM, vLLM, Letta, SambaNova, TensorRT-LLM, LMDeploy, oMLX, TabbyAPI, Vertex, Cohere,
    # watsonx, and gateways
    "Prompt is 11543 tokens but the model context window is 4096 tokens.",
    "The sum of prompt length (5000.0), query length (0) max_new_tokens (100) should not exceed "
    "max_num_tokens (8192)",
    "ResponseType.INPUT_LENGTH_ERROR",
    "Request exceeds the maximum allowed number of bytes. The maximum request size is 32 MB.",
    "Input is too long.",
    "The total number of tokens in the messages is 130000, which is more than the 128000 that the model supports",
    "Your messages use 130,512 tokens; at most 128,000 are allowed.",
    "Requested 140000 tokens, maximum is 131072",
    "context_too_large",
    "prompt_tokens_exceeded",
    "messages exceed the model's limit",
    "tokenized prompt exceeds the model's maximum",
    "failed to process prompt: prompt exceeds the KV cache size",
    "slot context is full; cannot fit 40000 tokens",
    "the request would need 40000 tokens of context, only 32768 are available",
    "input tokens (40000) + max_tokens (8192) > context (32768)",
    "40000 input tokens is above the 32768 limit",
    "コンテキストの長さが上限を超えています",
    "入力が長すぎます",
    "입력이 너무 깁니다",
    "输入内容过长，请缩短后重试",
    "输入 token 数超出限制",
    # the code tells, whatever the error quotes
    '{"code":"context_length_exceeded","message":"... the user has no credits left, and is out of memory ..."}',
    "prompt is too long: 213462 tokens > 200000 maximum (in: the quota of the prepaid key)",
    # one string of the list is too long, and limits on a request's bytes
    "Invalid 'input[308].arguments': string too long. Expected a string with maximum length 1048576, but got a"
    " string with length 1686845 instead.",
    "Invalid 'input[12].output': string too long. Expected a string with maximum length 10485760",
    "Invalid 'messages[4].content[0].text': string too long. Expected a string with maximum length 10485760",
    "Encountered an error in the response stream: Input content length exceeds threshold. (request_id: 1)",
    "Failed to buffer the request body: length limit exceeded",
    "Request Entity Too Large FUNCTION_PAYLOAD_TOO_LARGE",
    "Malformed input request: expected maxLength: 300000, actual: 410000, please reformat your input",
    "InternalError.Algo.InvalidParameter: messages token length must be in (0, 1000000], but got 1000123",
    # Bedrock's Mantle, Qwen Code by the Agent Client Protocol, Gemini CLI's own check, MiniMax, ik_llama.cpp
    "prompt tokens (400007) exceed model maximum (278528) for openai.gpt-5.5",
    "prompt tokens (1200008) exceed customer model maximum (1050000)",
    'Error: Internal error (code: -32603) Data: {"details":"<400> InternalError.Algo.InvalidParameter: Range of'
    ' input length should be [1, 983616]"}',
    "Sending this message (9 tokens) might exceed the context window limit (-31,601,307 tokens left). Please try"
    " reducing the size of your message or use the `/compress` command to compress the chat history.",
    '{"base_resp":{"status_code":1039,"status_msg":"token limit"}}',
    "context_length_exceeded: the request exceeds the available context size; context shift is disabled",
    # body-parser, gateways, Hugging Face
    '{"type":"entity.too.large","expected":210000,"length":210000,"limit":102400}',
    "maximum request size exceeded",
    '{"code":"prompt_length_exceeded"}',
    "input_tokens 140000 must be <= 128000",
    "total_tokens (140000) > max_total_tokens (131072)",
    "Input validation error: expected at most 131072 input tokens",
    # the end of a line, as JSON spells it
    '{"text":"400\\nprompt is too long: 213462 tokens"}',
    # in Chinese, the verb first
    "对话内容超出模型上下文窗口",
    "输入字数过多，请缩短",
    # Chrome, CLOVA Studio, TensorRT-LLM's servers, onnxruntime-genai, gateways; servers that give both counts
    "QuotaExceededError: The input is too large.",
    '{"status":{"code":"40003","message":"Text too long"},"result":null}',
    "Prompt tokens (33210) + completion tokens (1024) > context (32768)",
    "input_ids size (5000) exceeds max length (4096)",
    "request body exceeds 10 MB",
    "Failed to generate: prompt has 33000 tokens but the model was loaded with 32768",
    "Requested 140000 tokens but only 131072 available",
    "Unable to fit the prompt in the context: needed 40213 tokens, have 32768",
    "Invalid request: your prompt has 210000 tokens while the limit of this model is 200000",
    # resellers in other languages
    "Превышен максимальный размер контекста модели",
    "Слишком длинный запрос: 40000 токенов, максимум 32768",
    "Запрос слишком длинный",
    "Der Prompt ist zu lang",
    "Die Eingabe überschreitet das Kontextfenster",
    "Le contexte dépasse la taille maximale",
    "La entrada supera el contexto del modelo",
    "A entrada excede o limite de contexto do modelo",
    "El mensaje es demasiado largo",
]
OTHER = [
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
    "max_tokens: 68000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    "Rate limit reached for gpt-5.6 on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000.",
    "429 Too Many Requests: token limit per minute reached",
    # limits in a time, or of an account
    "Service unavailable: too many tokens, please wait",
    "您的账户请求频率超出限制，上下文长度无关",
    # the reply's cap
    "max_tokens is too large: 99999. This model's maximum context length is 8192 tokens",
    "The maximum tokens you requested exceeds the model limit of 4096. Try again with a lower maximum tokens value",
    "Input validation error: `max_new_tokens` must be <= 1512. Given: 2000",
    # another part of the request
    '{"error":{"message":"Invalid \'input[1943].id\': string too long. Expected a string with maximum length 64,'
    ' but got a string with length 74 instead.","param":"input[1943].id","code":"string_above_max_length"}}',
    "max_tokens 超出范围",
    "输出长度超过最大限制",
    "请求超时，超过60秒",
    "您的账户已超过每月token限制",
    "The encoder prompt (length 3000) is longer than the maximum model length of 2048",
    "Model context window too small (minimum is 128k tokens)",
    # templates, and plain faults
    "Timeout exceeded: request took longer than 600 seconds",
    "context deadline exceeded",
    "thinking.budget_tokens: Input should be greater than or equal to 1024",
    "JSON: content exceeds depth limit of 128",
    "prompt_cache_key too long",
    "Access token too long",
    "Request rate is too large. More Request Units may be needed",
    # numbers that no limit has: Python reads no more than 4,300 digits
    f"Limit {'1' * 4_400}, Requested 5",
    f"Limit 5, Requested {'1' * 4_400}",
    f"max_tokens is too large: {'1' * 4_400}. This model's maximum context length is 8192 tokens",
    # money, time and who may ask: OpenRouter, Azure, GitHub, Bedrock, Gemini, LiteLLM, one-api; caps on
    # the reply: vLLM,
    # Groq; pictures, files, tools, caches: Anthropic, OpenAI, Gemini; models that are not loaded: Ollama, LM Studio
    "Prompt tokens limit exceeded: 230799 > 91442. To increase, visit "
    "https://openrouter.ai/settings/keys and create a key with a higher monthly limit",
    "Prompt tokens limit exceeded: 3062 > 2681. To increase, visit "
    "https://openrouter.ai/settings/credits and upgrade to a paid account",
    "Too many tokens per minute",
    "Quota exceeded for metric: "
    "generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 250000, "
    "model: gemini-3-flash",
    "The max_tokens parameter exceeds the model's maximum output of 4096",
    "Request contains too many images: 120 > 100",
    "tools.0.custom.input_schema: schema exceeds the maximum size",
    "The model context window cannot be changed while it is loaded",
    "Model loading was stopped due to insufficient system resources for this context length",
    "Request Header Fields Too Large",
    "The input file is too large",
    "The total size of the tools exceeds the limit of 64 KB",
    "Your prepaid tokens are exhausted: token limit reached",
    "This key has a spend limit; prompt tokens limit exceeded",
    "Input blocked: the prompt was flagged as too risky for this context window of safety checks",
    "Batch size exceeds maximum of 100000 requests",
    "QuotaExceededError: the storage is full",
    "The request took too long to process",
    "Превышен лимит запросов в минуту",
    "Превышена квота на запросы",
    "Die Anfragen überschreiten das Limit von 60 pro Minute",
    "Las solicitudes exceden el límite de 60 por minuto",
    "The tool description has 300 tokens",
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


@pytest.mark.parametrize(
    "error",
    [
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "the role of message with even index in the messages must be assistant",
        "Messages 中 role 需 user 和 assistant 交替出现，以 user 提问开始",
        "A user message cannot directly follow a tool message",
        "Two user messages in a row are not allowed",
        "The last two messages have the same role",
    ],
)
def test_users_and_the_assistant_have_to_alternate(error: str) -> None:
    assert wordings.says_of_roles(error)
    assert not wordings.says_too_long(error)


@pytest.mark.parametrize(
    "error",
    [
        "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        "The user may not use this model after the trial",
        "Invalid role: developer",
    ],
)
def test_another_fault_of_a_role_says_nothing_of_alternation(error: str) -> None:
    assert not wordings.says_of_roles(error)
