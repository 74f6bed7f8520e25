"""Turns a model's id, as hosts and requests write it, into the name that a row may have.

Rules:
1. What stands before the name is passed over. The name begins where a family's word does, behind no letter and no
   digit. It is the *whole* name where nothing stands before it but a path, which ends in `/`, and what providers
   put there: a cloud's, a region's, a maker's prefix. Else it is a part of another name: `acme-o3` is no o3.
2. Capitals mean nothing. In names of Claude a dot is a hyphen, for some write `claude-opus-4.5`.
3. A name's end may say what is no other model: a day (`-20250929`, `-2025-08-07`, `@20250929`, `-0613`), `-latest`,
   a cloud's version (`-v1:0`, `-1:0`), a gateway's variant (`:free`), and `[1m]`, a window of a million. A variant
   that is a size is one (`gpt-oss:20b` is `gpt-oss-20b`).
4. A name's *version* is the numbers in it, its *words* are the rest: those of `gemini-2.5-flash-lite` are "flash"
   and "lite". Models of one family and the same words are alike, whatever their version.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ctxmgr.model import expression

MILLION = "[1m]"
_ENDS = expression(
    r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|\d{4}|\d\d-20\d\d|latest|default)|@[\w-]+|-v\d+(?::\d+)?|-\d+:\d+|:[\w-]+|\[1m\])$"
)
_SIZED = expression(r"(.+):(\d+b)")
_REGIONS = r"(?:us-gov|us|eu|apac|ap|global|au|jp|ca|sa|me|af|uk|in)\."  # of Bedrock's profiles
_MAKERS = r"(?:anthropic|openai|google|mistral|deepseek|qwen|moonshotai|moonshot|minimax|zai|xai)[.]"  # in clouds
_HYPHENED = r"(?:databricks|fw|openai|anthropic|google|zai|xai)-"  # Databricks, Fireworks on Azure, DigitalOcean
_CLIENTS = (  # as clients of many providers name one: LangChain, Pydantic AI, LiteLLM, agents
    r"(?:anthropic|openai(?:-chat|-responses)?|azure(?:_openai|_ai)?|google(?:-gla|-vertex|_genai|_vertexai)?"
    r"|vertex(?:_ai|ai)?|bedrock(?:_converse)?|openrouter|groq|mistral(?:ai)?|deepseek|moonshot(?:ai)?|minimax|zai|xai"
    r"|fireworks(?:_ai)?|together(?:_ai)?|github(?:_copilot)?|copilot|cerebras|ollama|huggingface|gateway):"
)
_PREFIX = expression(rf"(?:{_CLIENTS})*(?:{_REGIONS})?(?:{_MAKERS}|system\.ai\.)?(?:{_HYPHENED})?")
_SIZE = expression(r"(?<![a-z\d])a?\d+[bk](?![a-z\d])")  # `120b`, `a3b`, `128k`: neither a version nor a word
_PARTS = expression(r"[a-z]+|\d+(?:\.\d+)?")
_NO_WORDS = frozenset({"preview", "latest", "exp", "v"})
_ANOTHER = expression(r"[a-z0-9]|\.\d|-\d{1,2}(?:$|[-.@:\[])")  # behind a row's name: another version of it


def names(model: str, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(the family's word, the name from there on), each that the id may have, by rules 1 and 2."""
    text = model.strip().lower()
    for match in _words_of(tuple(ids)).finditer(text):
        name = text[match.start() :]
        yield match[0], name.replace(".", "-") if match[0] == "claude" else name


def bare(model: str) -> Iterator[str]:
    """What stands behind a path, as it is and without a provider's prefix: of an id without a family's word."""
    text = model.strip().lower().rpartition("/")[2]
    yield text
    if (match := _PREFIX.match(text)) and match[0]:
        yield text[match.end() :]


def is_whole(model: str, name: str) -> bool:
    """Whether one of its `names` is the whole name, by rule 1."""
    text = model.strip().lower()
    before = text[: len(text) - len(name)].rpartition("/")[2]
    return _PREFIX.fullmatch(before) is not None


def shorter(name: str) -> Iterator[str]:
    """The name, and what is left of it with each end that rule 3 takes away."""
    yield name
    if sized := _SIZED.fullmatch(name):
        yield f"{sized[1]}-{sized[2]}"
    while (match := _ENDS.search(name)) and match.start():
        name = name[: match.start()]
        yield name


def begins(name: str, row: str) -> bool:
    """Whether the name is the row's, with something behind it that is no other version."""
    return name.startswith(row) and not _ANOTHER.match(name[len(row) :])


@lru_cache(maxsize=1024)
def parts(name: str) -> tuple[frozenset[str], tuple[float, ...]]:
    """Its words and its version, by rule 4. `4.20` is `4.2`, and before `4.7`."""
    *_, bare = shorter(name)
    tokens = _PARTS.findall(_SIZE.sub("", bare))
    words = frozenset(token for token in tokens if token.isalpha() and token not in _NO_WORDS)
    return words, tuple(float(token) for token in tokens if not token.isalpha())


@lru_cache(maxsize=8)
def _words_of(ids: tuple[str, ...]) -> re.Pattern[str]:
    """A word that ends in a digit, as that of o3, stands alone; any other has something behind it."""
    ordered = sorted(ids, key=len, reverse=True)
    alone = [re.escape(id) for id in ordered if id[-1].isdigit()] or ["(?!)"]
    others = [re.escape(id) for id in ordered if not id[-1].isdigit()] or ["(?!)"]
    return re.compile(rf"(?<![a-z0-9])(?:(?:{'|'.join(alone)})(?=[-@:\[]|$)|(?:{'|'.join(others)})(?=[-\d:@]))")
