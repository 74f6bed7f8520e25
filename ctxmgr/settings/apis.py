"""The APIs of providers that programs speak: a row each. What the proxy knows of one lies in `proxy/apis/`."""

from typing import Literal

import msgspec

Api = Literal["anthropic", "openai", "responses", "gemini"]


class SpokenApi(msgspec.Struct, frozen=True):
    """`title`: for people. `variables`: the usual ones of the environment that hold its base URL; the first that is
    set holds. `vendor`: where it goes without one."""

    title: str
    variables: tuple[str, ...]
    vendor: str


_OPENAI = ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "https://api.openai.com/v1"

APIS: dict[Api, SpokenApi] = {
    "anthropic": SpokenApi("Anthropic's messages", ("ANTHROPIC_BASE_URL",), "https://api.anthropic.com"),
    "openai": SpokenApi("OpenAI's chat completions", *_OPENAI),
    "responses": SpokenApi("OpenAI's responses", *_OPENAI),
    "gemini": SpokenApi(
        "Gemini's contents", ("GOOGLE_GEMINI_BASE_URL",), "https://generativelanguage.googleapis.com"
    ),
}
"""By the name of their messages' format, which is a key of `upstream` in settings and an option of `ctxmgr run`."""
