"""Turns a model's id, as hosts and requests write it, into the name that a row may have.

Rules:
1. What precedes the name is skipped. The name begins at a family's word that follows neither a letter nor a digit.
   It is the *whole* name if only a path ending in `/` and known prefixes precede it: a cloud's, a region's, a
   maker's. Otherwise it is part of another name: `acme-o3` is no o3.
2. Case does not matter. In names of Claude a dot equals a hyphen, since some write `claude-opus-4.5`.
3. The end of a name may say something that makes it no other model: a day (`-20250929`, `-2025-08-07`, `@20250929`,
   `-0613`), `-latest`, a cloud's version (`-v1:0`, `-1:0`), a gateway's variant (`:free`), and `[1m]`, a window of
   a million. A variant that is a size does make another model (`gpt-oss:20b` is `gpt-oss-20b`).
4. A name's *version* is the numbers in it, its *words* are the rest: those of `gemini-2.5-flash-lite` are "flash"
   and "lite". Models of one family with the same words are alike, whatever their version.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ctxmgr.model import expression

_ENDS = expression(
    r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|\d{4}|\d\d-20\d\d|latest|default)|@[\w-]+|-v\d+(?::\d+)?|-\d+:\d+|:[\w-]+|\[1m\])$"
)
_SIZED = expression(r"(.+):(\d+b)")
_REGIONS = r"(?:us-gov|us|eu|apac|ap|global|au|jp|ca|sa|me|af|uk|in)\."  # prefixes of Bedrock's profiles
# prefixes in clouds
_MAKERS = r"(?:anthropic|openai|google|mistral|deepseek|qwen|moonshotai|moonshot|minimax|zai|xai)[.]"
_HYPHENED = r"(?:databricks|fw|openai|anthropic|google|zai|xai)-"  # Databricks, Fireworks on Azure, DigitalOcean
_CLIENTS = (  # prefixes by which clients name a provider: LangChain, Pydantic AI, LiteLLM, agents
    r"(?:anthropic|openai(?:-chat|-responses)?|azure(?:_openai|_ai)?|google(?:-gla|-vertex|_genai|_vertexai)?"
    r"|vertex(?:_ai|ai)?|bedrock(?:_converse)?|openrouter|groq|mistral(?:ai)?|deepseek|moonshot(?:ai)?|minimax|zai|xai"
    r"|fireworks(?:_ai)?|together(?:_ai)?|github(?:_copilot)?|copilot|cerebras|ollama|huggingface|gateway):"
)
_PREFIX = expression(rf"(?:{_CLIENTS})*(?:{_REGIONS})?(?:{_MAKERS}|system\.ai\.)?(?:{_HYPHENED})?")
_SIZE = expression(r"(?<![a-z\d])a?\d+[bk](?![a-z\d])")  # `120b`, `a3b`, `128k`: neither a version nor a word
_PARTS = expression(r"[a-z]+|\d+(?:\.\d+)?")
_NO_WORDS = frozenset({"preview", "latest", "exp", "v"})
_ANOTHER = expression(r"[a-z0-9]|\.\d|-\d{1,2}(?:$|[-.@:\[])")  # after a row's name: another version of it


def family_names(model: str, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Candidates by rules 1 and 2: (the family's word, the name from there on)."""
    text = model.strip().lower()
    for match in _words_of(tuple(ids)).finditer(text):
        name = text[match.start() :]
        yield match[0], name.replace(".", "-") if match[0] == "claude" else name


def bare(model: str) -> Iterator[str]:
    """For an id without a family's word: its last path segment, also without a provider's prefix."""
    text = model.strip().lower().rpartition("/")[2]
    yield text
    if (match := _PREFIX.match(text)) and match[0]:
        yield text[match.end() :]


def is_whole(model: str, name: str) -> bool:
    """Whether this result of `family_names` is the whole name (rule 1)."""
    text = model.strip().lower()
    before = text[: len(text) - len(name)].rpartition("/")[2]
    return _PREFIX.fullmatch(before) is not None


def shorter(name: str) -> Iterator[str]:
    """The name, and what remains after removing each end of rule 3."""
    yield name
    if sized := _SIZED.fullmatch(name):
        yield f"{sized[1]}-{sized[2]}"
    while (match := _ENDS.search(name)) and match.start():
        name = name[: match.start()]
        yield name


def begins(name: str, row: str) -> bool:
    """Whether the name is the row's name followed by something that is no other version."""
    return name.startswith(row) and not _ANOTHER.match(name[len(row) :])


@lru_cache(maxsize=1024)
def parts(name: str) -> tuple[frozenset[str], tuple[float, ...]]:
    """A name's words and version (rule 4). `4.20` equals `4.2`, and precedes `4.7`."""
    *_, bare = shorter(name)
    tokens = _PARTS.findall(_SIZE.sub("", bare))
    words = frozenset(token for token in tokens if token.isalpha() and token not in _NO_WORDS)
    return words, tuple(float(token) for token in tokens if not token.isalpha())


@lru_cache(maxsize=8)
def _words_of(ids: tuple[str, ...]) -> re.Pattern[str]:
    """Matches the words of families. A word that ends in a digit, such as o3, stands alone; any other is followed
    by something.
    """
    ordered = sorted(ids, key=len, reverse=True)
    alone = [re.escape(id) for id in ordered if id[-1].isdigit()] or ["(?!)"]
    others = [re.escape(id) for id in ordered if not id[-1].isdigit()] or ["(?!)"]
    return re.compile(rf"(?<![a-z0-9])(?:(?:{'|'.join(alone)})(?=[-@:\[]|$)|(?:{'|'.join(others)})(?=[-\d:@]))")
