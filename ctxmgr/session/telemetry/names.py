"""Names of events and attributes. Those of OpenTelemetry are its semantic conventions for generative AI, in
development there (schema 1.42): https://github.com/open-telemetry/semantic-conventions-genai
"""

REPLY = "gen_ai.client.inference.operation.details"
LIST, EPOCH, COMPACTION, FALLBACK = "ctxmgr.list", "ctxmgr.epoch", "ctxmgr.compaction", "ctxmgr.fallback"

CONVERSATION, MODEL, PROVIDER = "gen_ai.conversation.id", "gen_ai.request.model", "gen_ai.provider.name"
OPERATION = "gen_ai.operation.name"
INPUT, OUTPUT = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
CACHE_READ, CACHE_WRITTEN = "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_creation.input_tokens"
ERROR = "error.type"

LATENCY, PRESET, ZONE = "ctxmgr.latency_ms", "ctxmgr.preset", "ctxmgr.zone"
