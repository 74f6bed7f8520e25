"""Replaces secrets in a text by blots, so that the length of the text stays the same. Pure.

Rules:
1. A secret is recognized only by its shape: a prefix that its issuer documents, or the name it is assigned to. Text
   without such a shape (a digest, a UUID, a picture in base64) stays.
2. The length stays the same, so that offsets in the masked text are offsets in the original. People see `[masked]`.
3. In an assignment or a header only the value is masked, so its name can still be searched.
4. If in doubt, it masks: whoever may read the original can still get it by its handle.
5. Each match has a maximum length, so that the time is linear even if a text has the beginning of a secret ten
   thousand times. A value that is longer is masked to its end, without being examined.

`SHAPES` lists the shapes of secrets, each with its source.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from ctxmgr.model import expression


class SecretShape(msgspec.Struct, frozen=True):
    """`hints`: in lower case; a match begins at one of them, or (`is_anywhere`) is anywhere in a text that has one.
    `pattern`: its first group that matched is the secret; without groups the whole match is. `source`: where the
    shape is documented. `rest`: matches the rest of a secret beyond the maximum length of `pattern`. Both are
    expressions, compiled for the first text with a hint, since compiling all takes long.
    """

    name: str
    hints: tuple[str, ...]
    pattern: str
    source: str
    flags: int = 0
    rest: str = r"(?!)"
    is_anywhere: bool = False


def _shape(name: str, hints: str, pattern: str, source: str, flags: int = 0, **more: Any) -> SecretShape:
    return SecretShape(name, tuple(hints.split()), pattern, source, flags, **more)


def _behind(words: str) -> str:
    """Matches directly after one of these words, with or without a joiner."""
    return "|".join(f"(?<={word})|(?<={word}[_-])" for word in words.split())


_PASSWORDS = r"pass(?:word|wd|phrase)|(?<=[_-])p(?:ass|wd)(?=\s{0,64}[:=])"
_OTHER_NAMES = (
    rf"pwd|secret(?:[_-]?(?:access[_-]?)?key)?|(?:{_behind('api access auth private account encryption')})key"
    rf"|(?:{_behind('access auth refresh bot session id api')})token|connection[_-]?string"
)
_NAMES = rf"{_PASSWORDS}|{_OTHER_NAMES}"
_NAME_HINTS = "pass pwd secret key token connection"
_BLANKS = r"[ \t]{0,64}"  # the most that files use for alignment
_SIGN = r"(?:=(?![=>~])|:(?![:=]))"  # of an assignment, but not of a comparison or a path of types
# a character of an unquoted value; "&" too, unless an address or a command line continues after it. Repeat it in
# atomic groups: before Python 3.11.5 possessive quantifiers fail after an alternation (python/cpython#106052)
_BARE = r"(?:[^\s\"'()\[\],;&|$<>{}*`]|&(?![\w.-]{0,40}=|[&\s]|\Z))"
_QUOTED = r"[^\s\"'\\$<>{}*]"  # a character of a quoted value
# the end of a quoted value: a quote, the maximum length, or a cut
_UNQUOTED = rf"(?:\\*[\"']|(?={_QUOTED})|(?<=…))"
_VARIABLE = r"(?-i:[A-Z][A-Z_]{3,60})"  # an environment variable: it names a secret and is none
_DIGIT = r"(?=[^\s\"'()\[\],;\d]{0,400}+\d)"
_LETTER = r"(?=[^\s\"'()\[\],;a-z]{0,400}+[a-z])"
# names in code: settings.key_v2, sha256_digest, response2
_CODE = rf"(?!(?:[a-z]{{1,40}}+\d{{0,3}}+(?>(?:[_.][a-z]{{1,40}}+\d{{0,3}}+){{1,20}})|[a-z]{{1,40}}+\d)(?!{_BARE}))"
_NO_WORD = (
    rf"(?![/~.\\]|\w{{0,40}}(?:{_PASSWORDS}|pwd)"
    r"|(?:none|null|nil|true|false|undefined|str|string|text|bytes|byte|any|unknown|optional|required|hidden|secretstr)"
    r"(?![\w-]))"
)
_AT_END = (
    r"(?=[ \t]*(?:[\r\n]|\\[rn]|\Z|;\s|\s[\w-]{1,40}:\s))"  # the end of a line, also of one joined with others
)
# an assignment without blanks, as in an environment or a command line: a digit tells a secret from another name
_PLAIN = rf"(?:=(?!=)|:(?!:)\s?)({_DIGIT}(?>{_BARE}{{6,400}}))(?![(\[])"
# an assignment with blanks, as in a settings file: the value may be code, and so may what is called a token; after
# "token" come counts, kinds or addresses
_IN_A_FILE = rf"{_BLANKS}{_SIGN}{_BLANKS}({_DIGIT}{_LETTER}{_CODE}(?>{_BARE}{{8,400}}))(?![(\[])"
# a password needs no digit if nothing else is on the line, or without blanks around the sign; with a digit it may
# be short
_WORD = (
    rf"{_BLANKS}{_SIGN}{_BLANKS}((?:{_DIGIT}|{_NO_WORD}{_CODE})(?>{_BARE}{{6,400}})){_AT_END}"
    rf"|=({_NO_WORD}{_CODE}(?>{_BARE}{{6,400}}))(?=[\s;&|\"'`])"
    rf"|{_BLANKS}{_SIGN}{_BLANKS}({_DIGIT}(?>{_BARE}{{6,400}}))(?=\\*[\"'])"
)

# of tokens that are recognized by their prefix
_PREFIXES = (
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- sk-ant- sk-proj- sk-or- xoxb- xoxp- xapp- akia asia aiza ya29."
    " gocspx- sk_live_ sk_test_ rk_live_ whsec_ npm_ pypi- hf_ sg. gsk_ xai- hvs. dop_v1_ dckr_pat_ eyj"
)

SHAPES: tuple[SecretShape, ...] = (
    _shape("AWS access key id", "akia asia abia acca", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
           "AWS IAM guide, unique identifiers"),
    _shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,251}\b",
           "GitHub docs, token formats"),
    _shape("GitHub fine-grained token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{22,255}\b",
           "GitHub docs, token formats"),
    _shape("GitLab token", "glpat- gldt- glrt- glcbt-", r"\bgl(?:pat|dt|rt|cbt)-[A-Za-z0-9_.-]{20,}",
           "GitLab docs, token overview"),
    # also of Anthropic (sk-ant-), OpenRouter (sk-or-) and others with this format
    _shape("OpenAI or Anthropic key", "sk-",
           r"\bsk-(?=[A-Za-z0-9_-]{0,300}\d)(?=[A-Za-z0-9_-]{0,300}[A-Z]|[a-z0-9]{32})[A-Za-z0-9_-]{20,}",
           "OpenAI and Anthropic API references, authentication"),
    _shape("Slack token", "xox xapp- xwfp-", r"\b(?:xox[abcdeoprs]|xapp|xwfp)-[A-Za-z0-9-]{10,}",
           "Slack docs, token types"),
    _shape("Slack webhook", "hooks.slack.com",
           r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})",
           "Slack docs, incoming webhooks"),
    _shape("Google API key", "aiza", r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", "Google Cloud docs, API keys"),
    _shape("Google OAuth token", "ya29. gocspx-", r"\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_.-]{20,}",
           "Google identity docs, OAuth 2.0"),
    _shape("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
           r"\b(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}", "Stripe docs, API keys"),
    _shape("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b", "npm docs, access tokens"),
    _shape("PyPI token", "pypi-", r"\bpypi-[A-Za-z0-9_-]{50,}", "PyPI help, API tokens"),
    _shape("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{34,}\b", "Hugging Face docs, user access tokens"),
    _shape("SendGrid key", "sg.", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", "SendGrid docs, API keys"),
    _shape("Groq key", "gsk_", r"\bgsk_[A-Za-z0-9]{40,}", "Groq docs, API keys"),
    _shape("xAI key", "xai-", r"\bxai-[A-Za-z0-9]{40,}", "xAI docs, API keys"),
    _shape("Vault token", "hvs. hvb. hvr.", r"\bhv[sbr]\.(?=[A-Za-z_-]{0,400}+\d)[A-Za-z0-9_-]{20,}",
           "HashiCorp Vault docs, tokens"),
    _shape("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"\bdo[opr]_v1_[a-f0-9]{64}\b",
           "DigitalOcean docs, API tokens"),
    _shape("Docker token", "dckr_pat_ dckr_oat_", r"\bdckr_[op]at_[A-Za-z0-9_-]{20,}",
           "Docker docs, access tokens"),
    _shape("Databricks token", "dapi", r"\bdapi[a-f0-9]{32}\b", "Databricks docs, personal access tokens"),
    _shape("Google refresh token", "1//0", r"(?<![\w/:])1//0[A-Za-z0-9_-]{20,}", "Google identity docs, OAuth 2.0"),
    _shape("Grafana token", "glsa_", r"\bglsa_[A-Za-z0-9]{32}_[a-f0-9]{8}\b", "Grafana docs, service accounts"),
    _shape("Linear key", "lin_api_", r"\blin_api_[A-Za-z0-9]{32,}", "Linear docs, API keys"),
    _shape("New Relic key", "nrak-", r"\bNRAK-[A-Z0-9]{27}\b", "New Relic docs, API keys"),
    _shape("Notion token", "ntn_", r"\bntn_[A-Za-z0-9]{40,}", "Notion docs, authorization"),
    _shape("Perplexity key", "pplx-", r"\bpplx-[A-Za-z0-9]{40,}", "Perplexity docs, API keys"),
    _shape("Postman key", "pmak-", r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b", "Postman docs, API keys"),
    _shape("RubyGems key", "rubygems_", r"\brubygems_[a-f0-9]{48}\b", "RubyGems guides, API keys"),
    _shape("Sentry token", "sntrys_ sntryu_", r"\bsntry[su]_[A-Za-z0-9_=+/-]{40,}", "Sentry docs, auth tokens"),
    _shape("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b",
           "Shopify docs, access tokens"),
    _shape("Supabase key", "sbp_ sb_secret_", r"\b(?:sbp_[a-f0-9]{40}\b|sb_secret_[A-Za-z0-9_-]{20,})",
           "Supabase docs, API keys"),
    _shape("Telegram token", ":aa", r"(?<=\d{8}):(AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])", "Telegram docs, bot API"),
    _shape("age secret key", "age-secret-key-1", r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}", "age specification, X25519"),
    _shape("token that was cut", _PREFIXES,
           rf"\b(?:{_PREFIXES.replace('.', '[.]').replace(' ', '|')})[\w.-]{{0,300}}(?=…)",
           "what is shown of a long text ends so", re.IGNORECASE),
    _shape("JSON web token", "eyj",
           r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", "RFC 7519, section 3"),
    _shape(
        "private key", "-----begin",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:(?!-----BEGIN ).){0,20000}?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:[A-Za-z0-9+/=\s\\]|;\s)*)",
        "RFC 7468, section 10", re.DOTALL,
    ),
    _shape("authorization header", "authorization",
           r"authorization\\*[\"']?\s{0,64}[:=]\s{0,64}\\*[\"']?"
           r"(?:[a-z][\w-]{0,40}[ \t]{1,8})?([^\s\"',;{}<>$]{8,})",
           "RFC 9110, section 11.6.2", re.IGNORECASE),
    _shape("key in a header", "x-api-key x-auth-token x-access-token x-goog-api-key x-vault-token private-token"
           " ocp-apim-subscription-key x-functions-key x-shopify-access-token",
           rf"(?<![\w/-])(?:x-(?:api-key|(?:auth|access|vault|shopify-access)-token|goog-api-key|functions-key)|private-token|ocp-apim-subscription-key)"
           rf"\\*[\"']?:[ \t]{{0,8}}\\*[\"']?({_NO_WORD}[^\s\"',;{{}}<>$()\[\]\\]{{8,400}}+)(?![(\[])",
           "vendors' API references, authentication", re.IGNORECASE),
    _shape("bearer token", "bearer", r"\bbearer\s+((?=[A-Za-z0-9._~+/-]*\d)[A-Za-z0-9._~+/-]{16,}=*)",
           "RFC 6750, section 2.1", re.IGNORECASE),
    _shape("password in an address", "://", r"://[^\s/:@\"']{0,100}:((?!\d+…)[^\s/@\"'$<>{}…]{3,100})[@…]",
           "RFC 3986, section 3.2.1"),
    _shape("token in an address", "://",
           r"://((?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{20,200}+)@", "RFC 3986, section 3.2.1"),
    _shape("key in an address", "?key= &key= ?sig= &sig= signature=",
           r"(?:[?&](?:key|sig)|signature)=((?=[^\s\"'&#<>\d]{0,40}\d)[A-Za-z0-9%+/=_-]{16,400}+)",
           "Google Cloud, Azure and AWS docs, signed addresses", re.IGNORECASE),
    _shape("password of a command", "curl", r"\s(?:-[a-z]{0,8}u\s{1,3}|-u|--user[\s=]{1,3})[\"']?"
           r"[^\s:\"'$]{1,100}:((?!\d+\b)[^\s\"'$<>{}]{3,200})",
           "curl manual, --user", re.IGNORECASE, is_anywhere=True),
    _shape("password of a login", "sshpass login mysql mariadb pass:",
           r"(?:sshpass\s{1,8}-p\s{0,8}|login\b[^\r\n|;&]{0,200}?\s-p\s{1,8}|(?:mysql|mariadb)[\w-]{0,20}\b[^\r\n|;&]{0,200}?\s-p(?=\S)"
           r"|(?<=\s)pass:)\\*[\"']?((?!\d+\b)[^\s\"'$<>{}\\]{3,200})",
           "manuals of sshpass, docker login, mysql and openssl"),
    _shape("cookie of a command", "curl",
           r"\s(?:--cookie[\s=]{1,3}|-b\s{0,3})(?:\\*[\"']((?=[^\r\n\"'=]{1,200}=)[^\r\n\"'\\]{6,400})|([^\s\"'$=]{1,100}=[^\s\"'$]{3,400}))",
           "curl manual, --cookie", re.IGNORECASE, is_anywhere=True),
    _shape("password hash", "$2 $5$ $6$ $y$ $apr1$ $argon2",
           r"\$(?:2[abxy]|5|6|y|apr1|argon2(?:id?|d))\$[^\s:\"']{20,400}", "crypt(5), formats of hashes"),
    _shape("key of a cluster", "client-key-data", r"client-key-data[\"']?:\s{0,8}[\"']?([A-Za-z0-9+/=]{16,})",
           "Kubernetes docs, kubeconfig"),
    # quotes limit a quoted value; x-api-key and similar headers have this shape, too
    _shape("quoted secret", _NAME_HINTS,
           rf"(?:{_NAMES})[\w-]{{0,20}}\\*[\"']?\]?\s{{0,64}}(?:[:=]|=>|:=)\s{{0,64}}\\*[\"'](?!{_VARIABLE}[\"'\\])({_QUOTED}{{6,400}}+){_UNQUOTED}",
           "names that secrets are given", re.IGNORECASE, rest=rf"{_QUOTED}+"),
    _shape("quoted token", "token",
           rf"token\\*[\"']?\]?\s{{0,64}}(?:[:=]|=>|:=)\s{{0,64}}\\*[\"']({_DIGIT}{_LETTER}{_QUOTED}{{8,400}}+){_UNQUOTED}",
           "names that secrets are given", re.IGNORECASE, rest=rf"{_QUOTED}+"),
    # one pattern for all unquoted ones, since searching for the names takes most of the time
    _shape("bare secret", _NAME_HINTS,
           rf"(?:{_PASSWORDS})[\w-]{{0,20}}(?:{_PLAIN}|{_IN_A_FILE}|{_WORD})"
           rf"|(?:{_OTHER_NAMES})[\w-]{{0,20}}(?:{_PLAIN}|{_IN_A_FILE})|token{_IN_A_FILE}",
           "names that secrets are given", re.IGNORECASE, rest=rf"{_BARE}+"),
    # in capitals it is an environment variable: its value needs no digit, and any kind of key counts
    _shape("secret in an environment", "secret= secret_key= api_key= access_key= token= _key=",
           r"(?:(?:SECRET(?:_KEY)?|API_KEY|ACCESS_KEY|TOKEN)=([A-Za-z0-9+/_=-]{8,400}+)"
           rf"|(?<=[A-Z0-9])_KEY=({_DIGIT}[A-Za-z0-9+_=-]{{16,400}}+))(?![(\[./:$])",
           "names that secrets are given", rest=r"[A-Za-z0-9+/_=-]+"),
    _shape("password of an option", "--pass",
           rf"--pass(?:word|wd|phrase)[\t\x20]{{1,8}}(?:\\*[\"']([^\r\n\"'$\\]{{3,400}})|({_NO_WORD}(?!-|(?:option|argument|flag|prompt)s?\b)(?>{_BARE}{{6,400}}))(?![(\[]))",
           "names that secrets are given", re.IGNORECASE),
    _shape("secret of an option", "--pass --token --api --auth --secret",
           rf"--(?:pass(?:word|wd|phrase)?|token|api-key|auth-token|secret(?:-key)?)[\t\x20]{{1,8}}({_DIGIT}(?!-)(?>{_BARE}{{6,400}}))(?![(\[])",
           "names that secrets are given", re.IGNORECASE, rest=rf"{_BARE}+"),
    _shape("password of a machine", "login",
           r"\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(\S{1,400}+)",
           "curl manual, .netrc", rest=r"\S+"),
    _shape("login of a registry", "auth",
           r"(?<=[_\"'])auth\\*[\"']?\s{0,64}[:=]\s{0,64}\\*[\"']?([A-Za-z0-9+/]{16,400}+={0,2})",
           "npm docs, .npmrc; Docker docs, config.json", re.IGNORECASE, rest=r"[A-Za-z0-9+/]+={0,2}"),
    _shape("cookie", "cookie", r"\bcookie\\*[\"']?:[ \t]{0,8}\\*[\"']?((?=[^\r\n\"'=]{1,200}=)[^\r\n\"']{6,400}+)",
           "RFC 6265, section 4", re.IGNORECASE, rest=r"[^\r\n\"']+"),
)  # fmt: skip


BLOT = "\ufdd0"  # a noncharacter: Unicode text never contains it, and no pattern takes it for a letter
MASKED = "[masked]"
LEAST_CHARACTERS = 6  # shorter ones occur in other words by chance
_BLOTS = expression(f"{BLOT}+")
_SMALL = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}


def masked(text: str) -> str:
    """The text with a blot for each character of a secret (rule 2)."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have a longer lower case
        lowered = text.translate(_SMALL)
    for shape in SHAPES:
        if places := _offsets(lowered, shape.hints):
            text = _without(text, shape, places)
    return text


def legible(text: str) -> str:
    """A masked text for people and models: `[masked]` instead of blots."""
    return _BLOTS.sub(MASKED, text)


def secrets_in(value: Any) -> frozenset[str]:
    """The secrets in all texts of a JSON value, without those too short to be found where nothing names them."""
    spans = ((text, blot.span()) for text in _texts(value) for blot in _BLOTS.finditer(masked(text)))
    return frozenset(text[start:end] for text, (start, end) in spans if end - start >= LEAST_CHARACTERS)


def without_secrets(text: str, known: Collection[str] = ()) -> str:
    """The text with `[masked]` instead of each secret. `known`: secrets found in related texts, masked here too."""
    text = masked(text)
    for secret in sorted(known, key=len, reverse=True):
        text = text.replace(secret, BLOT)
    return legible(text)


def values_without_secrets(value: Any) -> Any:
    """The JSON value with all its texts masked."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {without_secrets(name): values_without_secrets(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [values_without_secrets(item) for item in value]
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def _offsets(lowered: str, hints: tuple[str, ...]) -> list[int]:
    """The offsets of all hints, ascending."""
    offsets = []
    for hint in hints:
        offset = lowered.find(hint)
        while offset >= 0:
            offsets.append(offset)
            offset = lowered.find(hint, offset + 1)
    return sorted(offsets)


def _without(text: str, shape: SecretShape, places: list[int]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in _spans(text, shape, places):
        pieces += text[done:start], BLOT * (end - start)
        done = end
    return "".join(pieces) + text[done:] if pieces else text


def _spans(text: str, shape: SecretShape, offsets: list[int]) -> Iterator[tuple[int, int]]:
    """Start and end of each secret of a shape, without overlaps."""
    pattern, more = _compiled(shape)
    free = 0
    for offset in [0] if shape.is_anywhere else offsets:
        match = None
        if offset >= free:
            match = pattern.search(text) if shape.is_anywhere else pattern.match(text, offset)
        while match is not None:
            start, end = match.span(match.lastindex or 0)
            rest = more.match(text, end)
            end = rest.end() if rest is not None else end
            yield start, end
            free = max(end, match.end())
            match = pattern.search(text, free) if shape.is_anywhere else None


@cache
def _compiled(shape: SecretShape) -> "tuple[re.Pattern[str], re.Pattern[str]]":
    return re.compile(shape.pattern, shape.flags), re.compile(shape.rest)
