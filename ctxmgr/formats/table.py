"""The table of message formats, by the name that a host says."""

from types import ModuleType

from ctxmgr.formats import anthropic, openai, pi, responses

FORMATS: dict[str, ModuleType] = {"pi": pi, "openai": openai, "anthropic": anthropic, "responses": responses}
