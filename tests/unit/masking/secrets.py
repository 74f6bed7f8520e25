"""Texts that hold secrets. No value here was ever valid."""

import json

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
    ("OpenAI or Anthropic key", "my-sk-" + A36[:24] + "A1", "my-{}"),
    ("JSON web token", "id-eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.c2ln x", "id-{} x"),
    ("bare secret", "MYSQL_PWD=hunterhunter mysql", "MYSQL_PWD={} mysql"),
    ("bare secret", f"AWS_SESSION_TOKEN={A36 * 40} end", "AWS_SESSION_TOKEN={} end"),
    ("bare secret", f"aws_session_token = {A36 * 40}\nend", "aws_session_token = {}\nend"),
    ("quoted secret", f'API_KEY="{A36 * 40}" end', 'API_KEY="{}" end'),
    ("quoted token", f'{{"token": "{A36 * 90}"}}', '{"token": "{}"}'),
    ("private key", f"before\n{PEM}\nafter", "before\n{}\nafter"),
    ("private key", PEM.replace("\n", "\\n"), "{}"),
    ("private key", PEM[:45], "{}"),
    ("private key", "-----BEGIN PRIVATE KEY-----; MIIEow; IBAAKC", "{}"),
    ("bare secret", "password: correct-staple user: me", "password: {} user: me"),
    ("quoted secret", r'a="{\\\"api_key\\\": \\\"abc-def-g\\\"}"', r'a="{\\\"api_key\\\": \\\"{}\\\"}"'),
    ("bare secret", 'command="echo password = hunter7"', 'command="echo password = {}"'),
    ("quoted secret", f'client_secret="{A36}… (99 characters)', 'client_secret="{} (99 characters)'),
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
    ("Databricks token", f"dapi{'a1' * 16}", "{}"),
    ("Google refresh token", f"1//0g{A36}", "{}"),
    ("Grafana token", f"glsa_{'xY' * 16}_a1b2c3d4", "{}"),
    ("Linear key", f"lin_api_{A36}", "{}"),
    ("New Relic key", f"NRAK-{'AB1' * 9}", "{}"),
    ("Notion token", f"ntn_{A36}{A36}", "{}"),
    ("Perplexity key", f"pplx-{A36}{A36}", "{}"),
    ("Postman key", f"PMAK-{'a1' * 12}-{'b2' * 17}", "{}"),
    ("RubyGems key", f"rubygems_{'a1' * 24}", "{}"),
    ("Sentry token", f"sntrys_{A36}{A36}", "{}"),
    ("Shopify token", f"shpat_{'a1' * 16}", "{}"),
    ("Supabase key", f"sbp_{'a1' * 20}", "{}"),
    ("Telegram token", f"bot12345678:AA{A36[:33]} x", "bot12345678:{} x"),
    ("token that was cut", f'bash command="echo ghp_{A36[:9]}…"', 'bash command="echo {}…"'),
    ("authorization header", "Authorization: ApiKey abcdefghijkl", "Authorization: ApiKey {}"),
    ("key in a header", "curl -H 'x-api-key: abcdefghijkl' x", "curl -H 'x-api-key: {}' x"),
    ("key in a header", '{"X-Auth-Token": "abcdefghijkl"}', '{"X-Auth-Token": "{}"}'),
    ("token in an address", f"https://{A36}@git.example/x.git", "https://{}@git.example/x.git"),
    (
        "password in an address",
        f"https://x-access-token:{A36}@git.example/x",
        "https://x-access-token:{}@git.example/x",
    ),
    ("password in an address", "psql postgres://app:hunter2…", "psql postgres://app:{}…"),
    ("key in an address", "https://maps.example/x?key=abcdef1234567890&z=1", "https://maps.example/x?key={}&z=1"),
    ("key in an address", "https://x/c?sv=2020&sig=abcDEF123%2Babc%3D&se=1", "https://x/c?sv=2020&sig={}&se=1"),
    ("password of a login", "sshpass -p hunter2 ssh me@box", "sshpass -p {} ssh me@box"),
    ("password of a login", "docker login -u me -p hunter2x registry", "docker login -u me -p {} registry"),
    ("password of a login", "mysql -u root -phunter2 shop", "mysql -u root -p{} shop"),
    ("password of a login", "openssl pkcs12 -passin pass:hunter2 -in x", "openssl pkcs12 -passin pass:{} -in x"),
    ("cookie of a command", "curl -b 'session=abc123456; b=2' https://x", "curl -b '{}' https://x"),
    ("cookie of a command", "curl --cookie session=abc123 https://x", "curl --cookie {} https://x"),
    ("cookie", '{"cookie": "session=abc; b=2"}', '{"cookie": "{}"}'),
    ("password hash", f"me:$6$rounds=5000$usesalt${A36}:18000:0", "me:{}:18000:0"),
    ("key of a cluster", "client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJ", "client-key-data: {}"),
    ("secret in an environment", "JWT_SECRET=swordfishes make", "JWT_SECRET={} make"),
    ("secret in an environment", "export API_KEY=abcdefghijkl", "export API_KEY={}"),
    ("secret in an environment", "RAILS_MASTER_KEY=0123456789abcdef0123456789abcdef", "RAILS_MASTER_KEY={}"),
    ("password of an option", "mysqldump --password correcthorse db", "mysqldump --password {} db"),
    ("password of an option", "x --passphrase 'correct horse' db", "x --passphrase '{}' db"),
]


def secret_of(text: str, left: str) -> str:
    """What of a text has to go."""
    before, _, after = left.partition("{}")
    return text[len(before) : len(text) - len(after)]


SHORTEST = 6  # characters: a shorter one stands in any text by chance
PLANTED = [text for _, text, left in SECRETS if len(secret_of(text, left)) >= SHORTEST]


def leaked(shown: str) -> list[str]:
    """Those of the planted texts whose secret stands in what is shown, in any spelling that JSON has for it."""
    found = []
    for _, text, left in SECRETS:
        secret = secret_of(text, left)
        spelled = {
            secret,
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            secret.split("\n")[-1],
        }
        if text in PLANTED and any(one in shown for one in spelled):
            found.append(text)
    return found
