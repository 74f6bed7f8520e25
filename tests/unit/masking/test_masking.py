"""Secrets by their known shapes are blotted out, and what only looks like one stays."""

import base64
import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.masking import legible, masked, secrets_in, values_without_secrets, without_secrets
from ctxmgr.masking.masks import BLOT, SHAPES
from tests.unit.masking.secrets import A36, SECRETS

SIZE = 20_000  # characters
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
    "http://localhost:8080… and so on",
    "x-api-key: string\nx-api-key: ${KEY}\nheaders['x-api-key']",
    "https://example.org/?key=name&sig=none, sort(key=lambda one: one.size)",
    "git checkout -b name=x; docker run -p 8080:80 x; ssh login -p 2222 box",
    "API_KEY=$API_KEY TOKEN=<token> SECRET_KEY=os.environ SORT_KEY=name CACHE_KEY=user_1",
    '{"apiKeyEnv": "ANTHROPIC_API_KEY"}',
    "--password PROMPT, --password option, use --password to be asked",
    "that costs $2 to $5 and $6 a day",
    "cookie: none\ncookies: true, a cookie = jar.get(name)",
]


def test_a_secret_is_hidden_and_nothing_else() -> None:
    for name, text, left in SECRETS:
        assert legible(masked(text)) == left.replace("{}", "[masked]"), name
        assert len(masked(text)) == len(text), name


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


def test_what_is_no_secret_stays() -> None:
    for text in NONE:
        assert masked(text) == text, text


@given(st.text())
def test_lengths_stay_and_only_blots_are_new(text: str) -> None:
    made = masked(text)
    assert len(made) == len(text)
    assert all(new in (old, BLOT) for old, new in zip(text, made, strict=True))


def test_no_text_makes_it_slow() -> None:
    """As many steps as characters, about: what grows with the square would not end here."""
    for part in (
        "password",
        "pwd=",
        "sk-",
        "eyJa",
        "eyJaaaaaaaa-",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "password" + " " * 64 + "=",
        "token=",
        "password" + " " * SIZE,
        "passwd=a_b",
        "password=&",
        "curl -u a:",
        "x-api-key:",
        "password" + "\\" * SIZE,
        "token\\",
        "mysql login ",
        "$2a$",
        "sk-ant-",
        "eyJ-",
        "curl -b a=",
        "API_KEY=a",
        "authorization: ",
        "://" + "a1" * SIZE,
    ):
        text = (part * (SIZE // len(part) + 1))[:SIZE]
        assert len(masked(text)) == len(text), text


def test_what_is_known_is_masked_where_nothing_names_it() -> None:
    known = secrets_in({"said": ["DB_PASSWORD=Tr0ub4dor", {"login": "machine h login me password abc"}]})
    assert known == {"Tr0ub4dor"}, "a short one stands in other words by chance"
    assert without_secrets("value: Tr0ub4dor", known) == "value: [masked]"


def test_all_texts_of_a_value_are_masked() -> None:
    value = {"a": [f"ghp_{A36}", 1, None], f"ghp_{A36}": True}
    assert values_without_secrets(value) == {"a": ["[masked]", 1, None], "[masked]": True}
