"""Secrets by their known shapes are blotted out, and what only looks like one stays. No value here was ever
valid."""

import base64
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.masking import legible, masked
from ctxmgr.masking.masks import BLOT
from ctxmgr.masking.shapes import SHAPES

A36 = "aB3" * 12
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----"

# the text with its secret, and how it is legible; put together so that no scanner of sources takes them for real
SECRETS: list[tuple[str, str, str]] = [
    (
        "AWS access key id",
        "id AKIA" + "IOSFODNN7EXAMPLE end",
        "id {} end",
    ),
    ("GitHub token", f"use ghp_{A36} now", "use {} now"),
    ("GitHub fine-grained token", f"github_pat_{'1A' * 11}_{'b2' * 29}c", "{}"),
    ("GitLab token", f"glpat-{'x9Y' * 7}", "{}"),
    ("OpenAI or Anthropic key", f"a sk-{'ant-api03'}-{A36}, b", "a {}, b"),
    ("OpenAI or Anthropic key", f"sk-proj-{A36}", "{}"),
    ("Slack token", "xoxb-" + "123456789012-abcdefABCDEF", "{}"),
    ("Slack webhook", f"https://hooks.slack.com/services/T000/B000/{A36}", "https://hooks.slack.com/services/{}"),
    ("Google API key", f"AIza{'Sy1' * 11}AB.", "{}."),
    ("Google OAuth token", f"ya29.{A36}", "{}"),
    ("Stripe key", f"sk_live_{A36}", "{}"),
    ("npm token", f"npm_{A36}", "{}"),
    ("PyPI token", f"pypi-AgEI{A36}{A36}", "{}"),
    ("Hugging Face token", f"hf_{A36}", "{}"),
    ("SendGrid key", f"SG.{'a1' * 11}.{'b2' * 21}c", "{}"),
    ("JSON web token", "jwt eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.c2ln x", "jwt {} x"),
    ("secret of an option", f"mysqldump --password {A36[:9]} db", "mysqldump --password {} db"),
    ("password of a machine", "machine h login me password abc", "machine h login me password {}"),
    ("login of a registry", "//npm.example/:_auth=" + A36, "//npm.example/:_auth={}"),
    ("login of a registry", f'{{"auths": {{"h": {{"auth": "{A36}"}}}}}}', '{"auths": {"h": {"auth": "{}"}}}'),
    ("cookie", "curl -H 'Cookie: session=abc; b=2' x", "curl -H 'Cookie: {}' x"),
    ("bare secret", "DB_PASS=hunter2hunter", "DB_PASS={}"),
    ("bare secret", f"AWS_SESSION_TOKEN={A36 * 40} end", "AWS_SESSION_TOKEN={} end"),
    ("bare secret", f"aws_session_token = {A36 * 40}\nend", "aws_session_token = {}\nend"),
    ("quoted secret", f'API_KEY="{A36 * 40}" end', 'API_KEY="{}" end'),
    ("quoted token", f'{{"token": "{A36 * 90}"}}', '{"token": "{}"}'),
    ("private key", f"before\n{PEM}\nafter", "before\n{}\nafter"),
    ("private key", PEM.replace("\n", "\\n"), "{}"),
    ("private key", PEM[:45], "{}"),
    ("authorization header", "Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic {}"),
    ("authorization header", '"authorization": "Bearer abcdefgh"', '"authorization": "Bearer {}"'),
    ("bearer token", "sent bearer abcdefgh12345678", "sent bearer {}"),
    ("password in an address", "postgres://app:hunter2@db/x", "postgres://app:{}@db/x"),
    ("quoted secret", "password = 'correct-horse'", "password = '{}'"),
    ("quoted secret", '{"api_key": "abcdefgh"}', '{"api_key": "{}"}'),
    ("quoted secret", '"{\\"client_secret\\": \\"abcdefgh\\"}"', '"{\\"client_secret\\": \\"{}\\"}"'),
    ("quoted secret", "os.environ['DB_PASSWORD'] = \"tr0ub4dor\"", "os.environ['DB_PASSWORD'] = \"{}\""),
    ("bare secret", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "AWS_SECRET_ACCESS_KEY={}"),
    ("bare secret", "mysql --password=hunter22 -u me", "mysql --password={} -u me"),
    ("bare secret", "x-api-key: abc12345def", "x-api-key: {}"),
    ("bare secret", "?access_token=abc12345&page=2", "?access_token={}&page=2"),
    ("bare secret", "DB_PASSWORD=Tr0ub4dor&3", "DB_PASSWORD={}"),
    ("quoted secret", 'client_secret   =    "abc-def-ghi"', 'client_secret   =    "{}"'),
    ("quoted token", '{"token": "abc123def456"}', '{"token": "{}"}'),
    (
        "bare secret",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY",
        "aws_secret_access_key = {}",
    ),
    ("bare secret", "API_KEY = abc123def456ghi789", "API_KEY = {}"),
    ("bare secret", "api_key\t:\tabc123def456", "api_key\t:\t{}"),
    ("bare secret", "GITHUB_TOKEN=abc123def456 make", "GITHUB_TOKEN={} make"),
    ("bare secret", "TOKEN=abc123def456", "TOKEN={}"),
    ("bare secret", "password: correcthorsebattery\nuser: me", "password: {}\nuser: me"),
    ("bare secret", "password = hunter2", "password = {}"),
    ("bare secret", "PASSWORD=correcthorse make", "PASSWORD={} make"),
    ("password of a command", "curl -u me:s3cret https://x", "curl -u me:{} https://x"),
    ("password of a command", "curl -sS --user 'me:pass word'", "curl -sS --user 'me:{} word'"),
    ("Groq key", f"gsk_{A36}{A36}", "{}"),
    ("xAI key", f"xai-{A36}{A36}", "{}"),
    ("Vault token", f"hvs.{A36}", "{}"),
    ("DigitalOcean token", f"dop_v1_{'a1' * 32}", "{}"),
    ("Docker token", f"dckr_pat_{A36}", "{}"),
    ("age secret key", f"AGE-SECRET-KEY-1{'QZ9' * 20}", "{}"),
]
NONE = [
    hashlib.sha256(b"x").hexdigest(),
    hashlib.sha1(b"x").hexdigest(),
    "sha512-" + base64.b64encode(hashlib.sha512(b"x").digest()).decode(),
    "123e4567-e89b-12d3-a456-426614174000",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 20).decode(),
    "def login(user, password): ...",
    "password = getpass.getpass()",
    "self.password = password",
    "if password == confirmed_password:",
    "password: str = ''",
    "password: str\npassword: string\npassword: String!\npassword = None",
    "login(user, password=password, passwd=form.passwd.data)",
    "password = confirmed\t# of the form",
    "PWD=/home/me/project",
    "Wrong password: please try again",
    "token = parser.next()",
    "token = tokens[at2]; token = sha256_digest\ntoken = response2",
    "api_key=os.environ['X'] api_key = os.environ['KEY2']",
    "api_key = settings.key_v2\nsecret = base64.b64decode(x)",
    "TOKEN=$TOKEN TOKEN=${TOKEN2} TOKEN = $TOKEN",
    "max_tokens: 4000, max_tokens: 128000, token_count = 1234567",
    '"token": null, "token": "keyword.operator", secret = None',
    "if password == expected1 or token == abc123def456:",
    "Token::Number12ab, token::Kind1ab(x)",
    "docker run -u 1000:1000 curl",
    "the token=token argument is passed on",
    "max_tokens=4096, total_tokens: 12345",
    "const key = keys[0]; primaryKey: 12345678",
    "PASSWORD=$DB_PASSWORD api_key=${API_KEY2}",
    "api_key: <your-key-1>",
    "sk-fading-circle-container-element",
    "risk-assessment-of-2026-in-production-ABC",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "see https://example.org:8080/a@2 and git@example.org:me/a.git",
    "it needs a bearer of good news about everything",
    "an AKIA prefix alone, ghp_ alone, xoxb- alone",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
]


@pytest.mark.parametrize(
    ("name", "text", "left"), SECRETS, ids=[f"{name} {at}" for at, (name, _, _) in enumerate(SECRETS)]
)
def test_a_secret_is_hidden_and_nothing_else(name: str, text: str, left: str) -> None:
    assert legible(masked(text)) == left.replace("{}", "[masked]")
    assert len(masked(text)) == len(text)


def test_each_shape_has_a_row() -> None:
    assert {shape.name for shape in SHAPES} == {name for name, _, _ in SECRETS}


def test_each_shape_is_found_by_itself_at_a_hint_and_says_who_documents_it() -> None:
    for shape in SHAPES:
        found = [
            (text, re.search(shape.pattern, text, shape.flags)) for name, text, _ in SECRETS if name == shape.name
        ]
        begins = [text.lower()[match.start() :].startswith(shape.hints) for text, match in found if match]
        assert begins, shape.name
        assert all(begins) or shape.is_anywhere, shape.name
        assert shape.source
        assert all(any(hint in text.lower() for hint in shape.hints) for text, _ in found), shape.name


def test_a_letter_whose_small_form_is_longer_moves_no_secret() -> None:
    text = f"\u0130\u0130 password={A36}"
    assert legible(masked(text)) == "\u0130\u0130 password=[masked]"


@pytest.mark.parametrize("text", NONE, ids=[text[:30] for text in NONE])
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@given(st.text())
def test_lengths_stay_and_only_blots_are_new(text: str) -> None:
    made = masked(text)
    assert len(made) == len(text)
    assert all(new in (old, BLOT) for old, new in zip(text, made, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "password" * 20_000,
        "pwd=" * 150_000,
        "sk-" * 200_000,
        "eyJa" * 30_000,
        "eyJaaaaaaaa-" * 50_000,
        "://a:" * 30_000,
        "-----BEGIN PRIVATE KEY-----" * 20_000,
        ("password" + " " * 64 + "=") * 8_000,
        "token=" * 100_000,
        "password" + " " * 600_000 + "x",
        "passwd=a_b" * 60_000,
        "password=&" * 60_000,
        "curl -u a:" * 60_000,
    ],
    ids=lambda text: text[:12],
)
def test_no_text_makes_it_slow(text: str) -> None:
    """As many steps as characters, about: what grows with the square would not end here."""
    assert len(masked(text)) == len(text)
