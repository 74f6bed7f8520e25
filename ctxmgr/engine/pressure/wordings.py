"""Turns the words of a provider's refusal into what was wrong: the list was too long, or its roles stood wrongly.

Providers have no code in common for a context that is too long, so words tell it; their codes are made of the same
words. A row of `OVERFLOW` is how several of them say it.

1. Codes, names of exceptions and texts are read alike: `plain` writes each as words.
2. `SURE` says that a shorter list passes, whatever stands beside it, such as a quoted conversation: a status 413, a
   code, and a request that alone is larger than a limit of tokens a minute, which no waiting mends.
3. `OTHER_LIMIT` speaks of tokens and limits, too, and no shorter list would help. So does a cap on the reply
   (`_is_of_reply`): it does where it alone is more than the window. What a filter refuses (`FILTERED`) is no matter
   of length, but another list may pass.
4. `OTHER_PART` is too long beside the list. It is asked before the loose rows alone: the strict ones name the
   context.

Sources: the errors that pi, OpenCode, LiteLLM, inspect_ai and hermes-agent test their readers with; pages of the
providers; issues of servers, as sgl-project/sglang#4048, vllm-project/vllm#36197, ggml-org/llama.cpp#19851,
anomalyco/opencode#11141, openclaw/openclaw#58839, jaylfc/taOS#1738,
anomalyco/opencode#27519, #45834 and #50574, earendil-works/pi#5930, BerriAI/litellm#37862,
strands-agents/harness-sdk#3722, ikawrakow/ik_llama.cpp#2051, google-gemini/gemini-cli#26188,
openai/codex#13270, kirodotdev/Kiro#7730 and #10773; of what is none of it anomalyco/opencode#12219
and #43802, code-yeongyu/senpi#1466, can1357/oh-my-pi#9569. `tests/unit/engine/pressure/test_overflow.py` has a text
of each.
"""

from ctxmgr.model import expression

READ_CHARACTERS = 8_000  # of an error: some quote the whole conversation behind it
_WORDS = expression(r"(?:\\+[nrt]|(?!-\d)[^\w.,:;<>=()\[\]])+|_+")  # the first: ends of lines, within JSON
_CAMEL = expression(r"(?<=[a-z])(?=[A-Z])")
_COMMAS = expression(r"(?<=\d)[,_](?=\d{3})")


def plain(error: str) -> str:
    """An error as words in lower case: `ContextWindowExceededError`, `context_window_exceeded` and `context window
    exceeded` read alike, and so do 200,000 and 200000."""
    text = _COMMAS.sub("", error[:READ_CHARACTERS])
    return _WORDS.sub(" ", _CAMEL.sub(" ", text)).lower()


_LIST = (
    r"(?:context|prompts?|inputs?|messages?|conversation|history|chat|requests?|payload|body|entity|content|sequence"
    r"|query|(?:prompt |input |total |request(?:ed)? )?(?:tokens?|length|size))"
)
_MORE = (
    r"(?:exceed(?:s|ed|ing)?|(?:is |are |was )?(?:longer|larger|greater|bigger|more|higher) than"
    r"|(?:is |are )?(?:over|above))"
)
_MOST = r"(?:limits?|max(?:imum)?|allowed|context|window|capacity|lengths?|size|\d{3,}|\d+ ?[kmg]i?b\b)"

SURE: tuple[tuple[str, str], ...] = (
    (
        "HTTP: any server or gateway",
        r"\b(?:status|code|http|error)(?: code)? ?[:=]? ?413\b|^ ?413\b|\b413 (?:status|payload)",
    ),
    (
        "Cerebras, and clients that were told nothing: status 400 or 413",
        r"\b4(?:00|13) (?:status code )?\(no body\)",
    ),
    (
        "OpenAI, llama.cpp, z.ai, Anthropic: codes and counts that nothing else has, whatever an error quotes",
        r"\bcontext length exceeded\b|\bexceed context size error\b|\bmodel context window exceeded\b"
        r"|\bprompt is too long: \d+ tokens > \d",
    ),
    ("Anthropic, of more than 200,000 tokens", r"extra usage is required for long context"),
    ("Snowflake Cortex", r"\bmax tokens of \d{3,} exceeded"),
    (
        "Chrome's Prompt API, which calls its context window a quota",
        r"\bquota exceeded error\b[^;]{0,40}?\binput is too (?:large|long)",
    ),
    ("vLLM, where the prompt leaves no room", r"max (?:completion )?tokens must be at least 1 ?, got -\d"),
)
STRICT: tuple[tuple[str, str], ...] = (
    (
        "OpenAI, Azure, DeepSeek, vLLM, SGLang, OpenRouter, Together, llama.cpp, LM Studio, LiteLLM, MiniMax",
        r"\bcontext (?:length|window|size|limit|overflow|budget)|\bcontext (?:\w+ ){0,3}(?:exceed|full|exhausted)",
    ),
    (
        "xAI, vLLM, SiliconFlow, Gemini, Cohere, Poolside, Copilot",
        r"\b(?:max|maximum) (?:(?!number of )\w+ ){0,3}(?:context|prompt|input|sequence|seq|model len)(?! cache)"
        r"|\b(?:max|maximum) (?:\w+ )?number of (?:\w+ )?(?:context|prompt|input|sequence) (?:\w+ )?tokens",
    ),
    ("llama.cpp, LM Studio", r"\bn (?:ctx|keep)\b"),
    ("LMDeploy", r"\binput length error\b"),
    (
        "oMLX, local servers that count first",
        r"\btokens of context\b[^.;]{0,40}?\d{3,}|\btokens \(\d+\) (?:max|completion|output) tokens \(\d+\) >",
    ),
    ("HTTP 413 in words, and Vercel's code for it", r"\b(?:request entity|function payload) too large"),
    ("llama.cpp, where it may not shift its context", r"\bcontext shift is disabled"),
    ("Huawei's MindIE, DashScope", r"\b(?:inputs?|messages?|prompts?) token length must be in\b"),
    ("Volcengine Ark, which counts pictures as well", r"\bexceed max message tokens"),
    ("Qwen by DashScope", r"range of input length|input length should be"),
    ("Gemini, Copilot, Kimi", r"(?:input|prompt) token count|\btokens? limit\b"),
    (
        "Groq, OpenAI, vLLM",
        r"(?:reduce|shorten|decrease) (?:the |your )?(?:\w+ )?(?:length |size )?(?:of )?(?:the |your )?(?:\w+ )?"
        r"(?:messages?|prompt|input|conversation|context|history)\b",
    ),
)
LOOSE: tuple[tuple[str, str], ...] = (
    (
        "Anthropic, Bedrock, Mistral, Ollama, z.ai, HTTP 413 in words",
        rf"\b{_LIST} (?:\w+ ){{0,6}}?(?:\(.{{0,30}}\) ?)?too (?:long|large|big|many)"
        rf"|too (?:long|large|big) (?:\w+ )?{_LIST}",
    ),
    ("Cohere, Bedrock, Google", r"too (?:many (?:\w+ )?tokens|much (?:context|input))"),
    (
        "Kimi, SGLang, Poolside, Copilot, Gemini, Cohere, gRPC",
        rf"\b{_LIST}\b[^.;]{{0,60}}? {_MORE}\b[^.;]{{0,60}}?\b{_MOST}",
    ),
    (
        "SiliconFlow, Hugging Face TGI",
        rf"\b{_LIST} ?(?:\(?\d+\)? ?)?(?:must|should|can ?not|may not) (?:not )?(?:be |have )?"
        r"(?:less|fewer|smaller|shorter|at most|under|exceed|<)[^.;]{0,40}?\d{4,}",
    ),
    (
        "servers with a tokenizer of their own",
        rf"\b{_LIST}\b[^.;]{{0,40}}?(?: not|n t) fit\b"
        rf"|\b(?:{_LIST}|bytes)\b[^.;]{{0,40}}?\d{{3,}}\)? ?(?:tokens? )?>=? ?(?:max (?:\w+ ){{1,3}}\()?\d{{3,}}"
        rf"|\b{_LIST} (?:\w+ ){{0,3}}?longer than|\d tokens?\b[^.;]{{0,30}}? limit is"
        rf"|\bmax(?:imum)? number of tokens",
    ),
    (
        "Copilot's proxies, NVIDIA",
        r"\b(?:prompt|input) tokens? exceed|\brequested \d{3,} tokens[^.]{0,30}? max(?:imum)? (?:is|of) \d{3,}"
        r"|\d{3,} tokens\b[^.]{0,40}?\bat most \d{3,}",
    ),
    (
        "servers that give both counts",
        rf"\b(?:{_LIST}|requested|needed)\b[^.;]{{0,40}}?\d{{3,}} tokens?\b[^.;]{{0,40}}? (?:but|while|only|have)\b"
        rf"[^.;]{{0,40}}?\d{{3,}}",
    ),
    ("Naver's CLOVA Studio", r"\btext too long\b"),
    ("Replicate, Databricks", r"\b(?:supports?|accepts?|allows?|limited to) (?:\w+ ){0,3}\d+ (?:\w+ )?tokens"),
    (
        "OpenAI, by its code and by the member",
        r"string above max length|(?:content|input|messages?)[^.;]{0,12}: ?string too long"
        r"|\b(?:input|messages)\[\d+\]\.(?:output|arguments|content)[^;:]{0,30}: ?string too long",
    ),
    ("OpenAI, of more messages than it takes", r"\b(?:messages|input) ?: ?array too long"),
    ("Kiro, Amazon Q", r"\bcontent length exceeds threshold"),
    ("servers made with axum", r"\bbody: length limit exceeded"),
    ("servers made with Express: body-parser's type", r"\bentity\.too\.large\b"),
    ("gateways, by size or length", r"\b(?:request|prompt|input|payload|body) (?:size|length) exceeded"),
    ("Hugging Face's inference providers", r"\bat most \d{3,} (?:input|prompt|context) tokens"),
    ("Bedrock, by its schema", r"request: expected max length: \d{4,}, actual: \d{4,}"),
    ("onnxruntime-genai", r"\bsequence length \(\d+\) is >= max length"),
    ("exllamav3, TabbyAPI", r"\brequires \d+ pages\b"),
    (
        "Zhipu, Kimi, Qwen in Chinese",
        r"(?:上下文|输入|提示词?|prompt|请求|消息|tokens?|长度)[^。]{0,16}(?:过长|超长|超出|超过|过大|超限)"
        r"|(?:超出|超过)[^。]{0,12}(?:上下文|tokens?)|(?:字数|字符数?|tokens? ?数?量?)过多",
    ),
    (
        "resellers in Russian",
        r"(?:контекст|запрос|промпт|токен|сообщени)\w*[^.]{0,30}? (?:превы[шс]\w+|слишком (?:длин|больш|велик))"
        r"|\b(?:превы[шс]\w+|слишком (?:длин|больш)\w+) (?:\w+ ){0,4}?(?:контекст|запрос|промпт|токен|сообщени)",
    ),
    (
        "resellers in German, French, Spanish and Portuguese",
        r"\b(?:prompt|kontext|eingabe|anfrage|nachricht)\w*[^.]{0,30}? (?:zu (?:lang|groß)|überschr[ei])"
        r"|\b(?:prompt|contexte|requête|entrée|messages?|tokens)\b[^.]{0,30}? (?:dépass|trop (?:long|grand))"
        r"|\b(?:prompt|contexto|entrada|solicitud|solicitação|mensaje|mensagem|tokens)\b[^.]{0,30}?"
        r" (?:exced|super[aó]\b|(?:demasiado|muito) (?:larg|long|grand))",
    ),
    (
        "resellers in Japanese and Korean",
        r"(?:コンテキスト|入力|プロンプト|トークン)[^。]{0,16}(?:超え|超過|長すぎ)"
        r"|(?:컨텍스트|입력|프롬프트|토큰)[^.]{0,16}(?:초과|너무 (?:길|깁))",
    ),
)
OTHER_LIMIT: tuple[tuple[str, str], ...] = (
    (
        "all: limits in a time",
        r"rate ?limit|\brate (?:is )?too (?:large|high)|too many requests"
        r"|\bper (?:\w+ )?(?:second|minute|min|hour|day|month)\b"
        r"|\b[rt]p[mds]\b|throttl"
        r"|\b(?:took|takes|taking|waited|waiting) too long\b|в (?:секунду|минуту|час|день|сутки)\b"
        r"|\b(?:pro|par|por) (?:sekunde|minute|stunde|tag|seconde|heure|jour|segundo|minuto|hora|día|dia)\b"
        r"|please wait|concurren|\boverloaded\b|time ?out|timed out|deadline|resource exhausted"
        r"|频率|速率|每(?:秒|分钟|小时|天|日|月)|并发|额度|余额|超时",
    ),
    (
        "all: limits of an account",
        r"\bquota|exceed\w* your\b|usage limit|your plan|\b(?:hour|dai|week|month)ly\b|credit balance|\bbilling\b"
        r"|\bквот|\bбаланс|\bтариф",
    ),
    (
        "OpenRouter, LiteLLM, gateways: money",
        r"\bonly afford\b|\bcredits?\b|\bprepaid\b|\bspend(?:ing)? limit\b|\bmax budget\b|token bucket",
    ),
    (
        "HTTP: who may ask, and how often",
        r"\b(?:status|code|http|error)(?: code)? ?[:=]? ?4(?:0[1-4]|08|29)\b|^ ?4(?:0[1-4]|08|29)\b",
    ),
    (
        "Ollama, LM Studio, vLLM: a model that cannot be loaded",
        r"\bout of memory|\binsufficient (?:\w+ )?(?:memory|resources)"
        r"|\b(?:failed|unable|error) to (?:load|allocate)",
    ),
    (
        "OpenAI, Anthropic: a window that is not for sale",
        r"context window (?:is|can ?not)(?: be)? (?:not |only )?(?:available|changed|enabled|supported)"
        r"|long context beta|model not found",
    ),
    ("hosts: a window that is too small for them", r"context (?:window|length|size) (?:is )?too small"),
    ("vLLM: a picture or a sound", r"\bencoder prompt\b"),
)
FILTERED: tuple[tuple[str, str], ...] = (
    ("OpenAI, Azure: filters", r"\bflagged\b|content (?:policy|filter|management)"),
)
OTHER_PART: tuple[tuple[str, str], ...] = (
    (
        "Anthropic, OpenAI, Bedrock, Gemini: pictures, sounds and files",
        r"images?|pictures?|audio|video|vision|media|files?|pdf|documents?|dimensions?",
    ),
    ("OpenAI, Anthropic, Bedrock: tools", r"tools?(?! results?\b)|functions?|schemas?|grammar|descriptions?"),
    (
        "OpenAI, Anthropic, Mistral: names and other members",
        r"metadata|names?|id|(?<!input )ids|keys?|temperature|bias|budget tokens"
        r"|stop sequences?|breakpoints?|cached content",
    ),
    ("HTTP: any server or gateway", r"headers?|cookies?|ur[il]|(?:access|auth|bearer|id|refresh|session) tokens?"),
    ("OpenAI, Fireworks: batches and searches", r"batch|(?:web )?search(?:es)?"),
)
_LIMITED = (
    r"(?:too (?:long|large|big|many|small)|exceed|longer than|larger than|more than|above max|at most|must|should)"
)
_REPLY = (
    r"\b(?:max (?:completion |output |new )?tokens|completion tokens?|output tokens?)\b[^.;]{0,60}?"
    r"(?:too (?:large|high|big|many)|range|must|at most|exceed|greater|larger|> ?\d|value|limit)"
    r"|(?:at most|up to|number of|requested) (?:\d+ )?(?:completion|output) tokens?|output tokens? limit"
    r"|\bmax(?:imum)? tokens you requested"  # Bedrock
    r"|(?:\bmax tokens|输出)[^。]{0,8}(?:超|过大)"
)
_CAP = r"(?:too large: ?|requested |tokens ?[:=]? ?)(\d{1,9})\b(?: output tokens| in the completion)?"
OF_ROLES: tuple[tuple[str, str], ...] = (
    (
        "templates of Mistral, Gemma, Llama 2 in llama.cpp, LM Studio, vLLM; Bedrock, Perplexity, Gemini",
        r"\b(?:roles?|messages?|turns?|requests?|conversation)\b[^.;]{0,40}? alternat|\balternate between\b",
    ),
    ("Baidu's Qianfan", r"\brole of (?:the )?message with (?:odd|even) index\b"),
    ("Tencent's Hunyuan in Chinese", r"(?:roles?|角色|user|assistant|消息)[^。]{0,30}交替"),
    (
        "servers that check each pair",
        r"\bsame role\b"
        r"|\buser (?:message|role|turn)s? (?:can ?not|must not|may not|should not)[^.;]{0,20} (?:follow|after)\b",
    ),
    ("Mistral", r"\bunexpected role\b|\bexpected last role\b"),
    (
        "DeepSeek, Anthropic once",
        r"\b(?:successive|consecutive) (?:\w+ ){0,3}messages|\b(?:roles?|messages)\b[^.;]{0,20}? in a row\b",
    ),
)
OF_LIST: tuple[tuple[str, str], ...] = (
    ("llama.cpp, LM Studio, Ollama, vLLM", r"\bjinja|\b(?:chat|prompt) template|\btemplate (?:error|exception)"),
    ("Qwen, Gemma", r"\b(?:system message|conversation|first message|last message) must (?:be|start|begin|end)"),
    *OF_ROLES,
)
OF_BINDING: tuple[tuple[str, str], ...] = (
    (
        "Anthropic, Bedrock: preserved thinking",
        r"\bbound to a different conversation\b|\bprefix mismatch behavior\b",
    ),
)
BARE_FAULT: tuple[tuple[str, str], ...] = (
    (
        "JSON, HTML",
        r"status|code|type|param|message|detail|object|null|false|html|head|title|body|center|h1|hr|nginx",
    ),
    (
        "OpenAI, Anthropic, Gemini (their pages of errors), vLLM",
        r"internal|server|service|api|errors?|exceptions?|failures?|failed|faults?|unknown|unexpected|occurred|happened"
        r"|encountered|processing|process|complete|handle|something|went|wrong|sorry|about|while|temporar(?:y|ily)"
        r"|unavailable|model|crashed|problem|issue",
    ),
    (
        "Envoy",
        r"upstream|connect|connection|disconnect|reset|reason|before|headers|remote|local|terminat(?:ed|ion)",
    ),
    (
        "all: what is to be done",
        r"please|try|again|retry|later|report|contact|support|through|help|persists|include|https:[^,]*"
        r"|(?:request|trace) id[^,]*|[a-z.]+\.com",
    ),
    ("all", r"an?|the|has|had|have|is|was|it|your|our|my|you|us|request|that|this|can|could|not|or|in|at|to|if|by"),
)
_REQUESTED = r"\blimit:? ?(\d{1,9}) ?[,.;]? (?:used:? ?\d+ ?[,.;]? )?requested:? ?(\d{1,9})\b"

_sure = expression("|".join(row for _, row in SURE))
_strict = expression("|".join(row for _, row in STRICT))
_loose = expression("|".join(row for _, row in LOOSE))
_other_limit = expression("|".join(row for _, row in OTHER_LIMIT))
_of_roles = expression("|".join(row for _, row in OF_ROLES))
_of_binding = expression("|".join(row for _, row in OF_BINDING))
_of_list = expression("|".join(row for _, row in OF_LIST))
_bare = expression(rf"\b(?:{'|'.join(row for _, row in BARE_FAULT)})\b")
_parts = "|".join(row for _, row in OTHER_PART)
_other_part = expression(
    rf"\b(?:{_parts})\b[^.;,:]{{0,40}}?(?:: (?:string|array|input) )?{_LIMITED}"
    rf"|\btoo many (?:\w+ )?(?:{_parts})\b|\bmax(?:imum)? (?:size|number) of (?:\w+ )?(?:{_parts})\b"
    r"|\b(?:depth|nest(?:ed|ing))\b"
)
_reply = expression(_REPLY)
_cap = expression(_CAP)
_filtered = expression("|".join(row for _, row in FILTERED))
_requested = expression(_REQUESTED)
_letter = expression(r"[^\W\d]")
_of_input = expression(r"\b(?:inputs?(?! validation)|prompt|messages)\b")

_number = r"\(?(\d{4,8})\b"
_over = expression(r"\d > (\d{4,8})\b|tokens > (\d{4,8})\b")  # `208310 tokens > 200000 maximum`
# `maximum context length is 8192`, `context size (4096 tokens)`, `limit of 32768`, `should be [1, 30720]`
_named = expression(
    rf"\bmax(?:imum)? (?:context|prompt|input|number|allowed|sequence|seq|model)[^\d>]{{0,60}}?{_number}"
    rf"|\b(?:context (?:size|window|length|limit)|token limit|limit of|limit is|n ctx)[^\d>]{{0,20}}?{_number}"
    rf"|\b(?:less than|can ?not exceed|must not exceed|max size:?) {_number} ?tokens"
    rf"|\binput length should be \[\d+, ?{_number}"
    r"|\b(\d{4,8})(?: tokens?)? (?:maximum|limit)\b"
)
_bytes = expression(r"\b413\b|payload|entity|request too large|message size|\bbytes\b|\d ?[mk]i?b\b")


def named_window(error: str) -> int | None:
    """The most tokens that a refusal names, None where it names none."""
    text = plain(error)
    if alone := _requested.search(text):
        return int(alone[1])
    match = _over.search(text) or _named.search(text)
    return next((int(number) for number in match.groups() if number), None) if match else None


def is_of_bytes(error: str) -> bool:
    """Whether it is the request's bytes that were too many: that says nothing of a window."""
    return bool(_bytes.search(plain(error))) and named_window(error) is None


def says_too_long(error: str) -> bool:
    """Whether this error of a model call says that the list was too long."""
    text = plain(error)
    if _sure.search(text) or _is_alone_too_large(text):
        return True
    if _other_limit.search(text) or _filtered.search(text) or _is_of_reply(text):
        return False
    return bool(_strict.search(text) or (_loose.search(text) and not _other_part.search(text)))


def says_of_other_cause(error: str) -> bool:
    """Whether it is of a limit in a time, of an account or of the reply: the list is not at fault."""
    text = plain(error)
    return bool(_other_limit.search(text)) or _is_of_reply(text)


def says_nothing(error: str) -> bool:
    """Whether it says no more than that the server failed: no list is the cause, as far as it goes."""
    return not _letter.search(_bare.sub("", plain(error)))


def says_of_list(error: str) -> bool:
    """Whether it says that the list cannot be read as it stands."""
    return bool(_of_list.search(plain(error)))


def says_of_binding(error: str) -> bool:
    """Whether it says that a thought was made behind another list than the one it stands in now."""
    return bool(_of_binding.search(plain(error)))


def says_of_roles(error: str) -> bool:
    """Whether it says that users and assistants have to alternate, or that a user's follows a tool's."""
    return bool(_of_roles.search(plain(error)))


def _is_alone_too_large(text: str) -> bool:
    """Rule 2: `Limit 12000, Requested 14137`."""
    return any(int(asked) > int(limit) for limit, asked in _requested.findall(text))


def _is_of_reply(text: str) -> bool:
    """Rule 3. Where both are told, the cap on the reply is held against the window; else the input is spoken of
    where it is too long, too."""
    if not _reply.search(text):
        return False
    cap, window = _cap.search(text), named_window(text)
    if cap is not None and window is not None:
        return int(cap[1]) >= window
    return not _of_input.search(text)
