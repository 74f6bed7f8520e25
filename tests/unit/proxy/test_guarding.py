"""Nobody but programs on this machine drives the proxy, and what they send is neither logged nor kept."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.unit.proxy import raw
from tests.unit.proxy.lists import SESSION, conversation, request

CLOSE = ("Connection", "close")
KEY, SAID, ASKED = "sk-ant-planted-key", "planted-in-the-conversation", "planted-in-the-query"


async def status(made: Any, line: str, *fields: tuple[str, str], host: str = "") -> int:
    head = raw.head(line, *fields, CLOSE, host=host or made.proxy.url.removeprefix("http://"))
    return int((await raw.exchanged(made.proxy.url, head)).split(b" ")[1])


async def test_a_request_for_another_host_is_refused(rig: Any) -> None:
    made = await rig()
    hosts = [
        *("evil.test", "evil.test:80", "127.0.0.1.evil.test", "", "10.0.0.1", "[::2]", "[x"),
        *("evil.com@127.0.0.1", "evil.com@127.0.0.1:80", "evil.com:80@localhost", "127.0.0.1/evil.com"),
        *("127.0.0.1#x", "127.0.0.1?x", "127.0.0.1:x", "127.0.0.1:", "127.0.0.1:80:80", "127.0.0.1, evil.com"),
        *("[127.0.0.1]", "::1", "localhost.", "[::1", "[::1]x", "[::1%25lo]", "127.1", "0", "2130706433"),
        "localhost\\evil.com",
    ]
    for host in hosts:
        head = raw.head("GET /v1/models", CLOSE, host=host)
        assert b" 403 " in (await raw.exchanged(made.proxy.url, head)).split(b"\r\n")[0], host
    assert made.upstream.asked == []


async def test_loopback_and_names_that_were_told_are_answered(rig: Any) -> None:
    made = await rig(names=("box.lan",))
    for host in ("localhost", "LOCALHOST:1", "127.0.0.1:80", "127.8.8.8", "[::1]:99", "box.lan"):
        assert await status(made, "GET /v1/models", host=host) == 200, host


async def test_no_web_page_can_drive_it(rig: Any) -> None:
    made = await rig()
    browsers = [
        ("Origin", "https://evil.test"),
        ("Origin", "null"),
        ("Origin", "http://127.0.0.1:1"),
        ("Origin", "http://[x"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ]
    for fields in browsers:
        for line in ("GET /v1/models", "POST /v1/messages", "POST /ctxmgr/actions", "GET /ctxmgr/sessions"):
            assert await status(made, line, fields) == 403, (fields, line)
    assert made.upstream.asked == []


async def test_two_hosts_are_none(rig: Any) -> None:
    made = await rig()
    for other in ("evil.test", "127.0.0.1"):
        head = raw.head("GET /v1/models", ("Host", other), CLOSE)
        assert int((await raw.exchanged(made.proxy.url, head)).split(b" ")[1]) in (400, 403)
    assert made.upstream.asked == []


async def test_every_origin_is_looked_at(rig: Any) -> None:
    made = await rig()
    own = made.proxy.url
    for others in (("https://evil.test",), ("null",), ("",), ("http://evil.test", "null")):
        for origins in ((own, *others), (*others, own), (", ".join((own, *others)),)):
            fields = [("Origin", origin) for origin in origins]
            for line in ("GET /v1/models", "POST /v1/messages", "PUT /ctxmgr/actions", "HEAD /healthz"):
                assert await status(made, line, *fields) == 403, (origins, line)
    twice = (("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site"))
    assert await status(made, "GET /v1/models", *twice) == 403
    assert made.upstream.asked == []


async def test_its_own_origin_may(rig: Any) -> None:
    made = await rig(names=("box.lan",))
    assert await status(made, "GET /v1/models", ("Origin", made.proxy.url), ("Origin", made.proxy.url)) == 200
    for host, origin in (("box.lan", "https://BOX.lan"), ("[::1]:99", "http://[::1]:99")):
        assert await status(made, "GET /v1/models", ("Origin", origin), host=host) == 200
    for host, origin in (("box.lan", "https://me@box.lan"), ("box.lan", "ftp://box.lan"), ("box.lan", "box.lan")):
        assert await status(made, "GET /v1/models", ("Origin", origin), host=host) == 403


async def test_a_refusal_has_the_shape_that_the_program_knows(rig: Any) -> None:
    made = await rig()
    response, came = await made.post(b"{}", headers={"Host": "evil.test"})
    assert response.status == 403
    assert json.loads(came)["error"]["type"] == "permission_error"
    assert json.loads(came)["type"] == "error"


async def test_nothing_is_carried_to_anybody_but_the_one_provider(rig: Any) -> None:
    made = await rig()
    for line in ("GET http://evil.test/x", "CONNECT evil.test:443", "OPTIONS *"):
        assert await status(made, line) in (400, 404), line
    assert made.upstream.asked == []


async def test_a_path_that_looks_like_another_host_goes_to_the_one_provider(rig: Any) -> None:
    made = await rig()
    for path in ("//evil.test/x", "/@evil.test/x", "/..//evil.test"):
        assert await status(made, f"GET {path}") == 200
        assert made.upstream.asked[-1].raw_path == path


@pytest.mark.parametrize("observe", [False, True])
async def test_keys_are_kept_nowhere_and_the_conversation_is_in_no_log(
    rig: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, observe: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    made = await rig(observe=observe, state="state")
    headers = SESSION | {"x-api-key": KEY, "Authorization": f"Bearer {KEY}", "Cookie": KEY}
    for number in range(12):
        body = request(conversation(number, f"Read all files. {SAID}", lines=200), metadata={"user_id": KEY})
        await made.post(body, f"/v1/messages?q={ASKED}", headers)
    await made.post(b'{"messages": [' + SAID.encode(), headers=headers)
    await raw.exchanged(made.proxy.url, f"GET /{ASKED}\0 HTTP/1.1\r\nx-api-key: {KEY}\r\n\r\n".encode())
    await made.proxy.__aexit__(None, None, None)
    files = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert KEY.encode() not in path.read_bytes()
        assert ASKED.encode() not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0
    out, err = capfd.readouterr()
    for told in (out, err, caplog.text, "\n".join(made.said)):
        for planted in (KEY, SAID, ASKED, "value of line"):
            assert planted not in told
