"""Who is answered below `/ctxmgr/`: who bears the token in the address that was printed."""

import json
import logging
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

import pytest

from ctxmgr.proxy.access import PAGE, SENTENCE, TOOLS_PATH
from tests.unit.proxy import raw
from tests.unit.proxy.lists import SESSION, conversation, marked, request

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")
NOWHERE = (PAGE + "no-such-thing", "/ctxmgr", PAGE, PAGE + "receipts?session=claude:s-1")
OPEN = ("/healthz", "/{path}")  # whether it lives, and what is the provider's
TOOLS_TOKEN = "one-time"


def paths(made: Any) -> list[str]:
    """Of all that the proxy answers itself."""
    routed = {one.canonical for one in made.proxy._runner.app.router.resources()} - set(OPEN)
    return sorted({one.replace("{path}", "deeper/down") for one in routed} | set(NOWHERE))


async def answered(made: Any, path: str, method: str = "GET", **headers: str) -> Any:
    url = made.proxy.url + path
    response = await made.session.request(method, url, headers=headers, data=b"{}", allow_redirects=False)
    await response.read()
    return response


async def entered(made: Any) -> Any:
    """The answer to the address that was printed."""
    return await answered(made, made.proxy.page_url.removeprefix(made.proxy.url))


def cookie_of(response: Any) -> Any:
    ((name, one),) = SimpleCookie(response.headers["Set-Cookie"]).items()
    return name, one


def wrong(token: str, cookie: str) -> list[tuple[str, dict[str, str]]]:
    """Queries and headers that hold no token, or one that is wrong."""
    near = (token[:-1], token + "x", token.swapcase(), "", "Bearer", "\u00e9")
    borne = [("", {"Authorization": f"Bearer {one}".encode().decode("latin-1")}) for one in near]
    kept = [
        ("", {"Cookie": f"{name}={one}"}) for name, one in ((cookie, token[:-1]), ("token", token), (cookie, ""))
    ]
    return [("", {}), ("?token=", {}), (f"?token={token[:-1]}", {}), *borne, *kept]


async def test_every_path_wants_the_token_whatever_the_method(rig: Any) -> None:
    made = await rig(tools_token=TOOLS_TOKEN)
    await made.post(request(marked(conversation(1))), headers=SESSION)
    before = len(made.upstream.asked)
    assert {"/ctxmgr/sessions", "/ctxmgr/receipts", "/ctxmgr/actions", TOOLS_PATH} < set(paths(made))
    for path in paths(made):
        for method in METHODS:
            response = await answered(made, path, method)
            assert response.status == 401, (method, path)
            assert await response.text() == ("" if method == "HEAD" else SENTENCE), (method, path)
    assert len(made.upstream.asked) == before


async def test_a_wrong_token_is_none_and_tells_nothing_of_what_is_there(rig: Any) -> None:
    made = await rig(tools_token=TOOLS_TOKEN)
    await made.post(request(marked(conversation(1))), headers=SESSION)
    cookie, _ = cookie_of(await entered(made))
    said = set()
    for path in ("/ctxmgr/receipts", "/ctxmgr/receipts?session=claude:s-1", "/ctxmgr/actions", PAGE, TOOLS_PATH):
        for query, headers in wrong(made.token, cookie):
            response = await answered(made, path + ("" if "?" in path else query), **headers)
            shown = {name: value for name, value in response.headers.items() if name != "Date"}
            said.add((response.status, await response.text(), json.dumps(shown)))
    assert [(status, text) for status, text, _ in said] == [(401, SENTENCE)]


async def test_the_printed_address_leads_to_the_page_with_a_cookie_and_without_the_token(rig: Any) -> None:
    made = await rig()
    response = await entered(made)
    assert (response.status, response.headers["Location"]) == (303, PAGE)
    name, cookie = cookie_of(response)
    assert name == f"ctxmgr-{urlsplit(made.proxy.url).port}"
    assert (cookie.value, cookie["path"], cookie["samesite"]) == (made.token, "/ctxmgr", "Strict")
    assert cookie["httponly"]
    borne = {"Cookie": f"other=1; {name}={cookie.value}"}
    page = await answered(made, PAGE, **borne)
    assert (page.status, page.content_type) == (200, "text/html")
    assert made.token not in await page.text()
    assert (await answered(made, "/ctxmgr/sessions", **borne)).status == 200
    assert (await answered(made, "/ctxmgr/nothing", **borne)).status == 404
    assert (await answered(made, "/ctxmgr", **borne)).status == 404
    assert made.upstream.asked == []


async def test_a_proxy_that_listens_on_every_address_tells_one_that_it_answers_to(rig: Any) -> None:
    made = await rig(host="0.0.0.0")
    assert made.proxy.page_url.startswith("http://127.0.0.1:")
    response = await made.session.get(made.proxy.page_url, allow_redirects=False)
    assert response.status == 303


async def test_the_token_of_one_proxy_opens_no_other(rig: Any) -> None:
    one, other = await rig(), await rig()
    assert one.token != other.token
    name, cookie = cookie_of(await entered(one))
    theirs, _ = cookie_of(await entered(other))
    assert name != theirs, "a browser sends a cookie to every port of a host"
    for borne in ({"Cookie": f"{theirs}={cookie.value}; {name}={cookie.value}"}, one.ours):
        assert (await answered(other, "/ctxmgr/sessions", **borne)).status == 401


async def test_in_an_address_the_token_opens_the_page_alone_and_the_models_token_its_tools_alone(rig: Any) -> None:
    made = await rig(tools_token=TOOLS_TOKEN)
    for path, method in (
        ("/ctxmgr/sessions", "GET"),
        ("/ctxmgr/receipts", "GET"),
        (TOOLS_PATH, "GET"),
        (PAGE, "POST"),
    ):
        assert (await answered(made, f"{path}?token={made.token}", method)).status == 401, path
    models = {"Authorization": f"Bearer {TOOLS_TOKEN}", "x-ctxmgr-page": "1"}
    for path in paths(made):
        status = (await answered(made, path, "POST", **models)).status
        assert (status == 401) == (path != TOOLS_PATH), path
    assert (await answered(made, TOOLS_PATH, "POST", **made.ours)).status == 401
    assert (await answered(made, f"{PAGE}?token={TOOLS_TOKEN}")).status == 401


SPELLINGS = (
    "/%63txmgr/sessions",
    "/ctxmgr%2Fsessions",
    "/ctxmgr/x%2F..%2Fsessions",
    "http://else.test/ctxmgr/sessions",
)


async def test_another_spelling_of_a_path_is_the_same(rig: Any) -> None:
    """It is not the provider's either, who would get the token."""
    made = await rig()
    for target in SPELLINGS:
        statuses = []
        for fields in ((), (("Authorization", made.ours["Authorization"]),)):
            head = raw.head(f"GET {target}", *fields, ("Connection", "close"), host=urlsplit(made.proxy.url).netloc)
            statuses.append(int((await raw.exchanged(made.proxy.url, head)).split(b" ")[1]))
        assert statuses[0] == 401, target
        assert statuses[1] in (200, 404), target
    assert made.upstream.asked == []


async def test_what_is_the_providers_wants_no_token(rig: Any) -> None:
    made = await rig()
    for path in ("/", "/ctxmgrx", "/v1/models", "//ctxmgr/sessions"):
        assert (await answered(made, path)).status == 200
        assert made.upstream.asked[-1].raw_path == path
    assert (await answered(made, "/healthz")).status == 200


async def test_nothing_of_it_is_stored_or_told_to_another_site(rig: Any) -> None:
    made = await rig()
    responses = [await entered(made)]
    for path in (PAGE, "/ctxmgr/sessions"):
        responses += [await answered(made, path), await answered(made, path, **made.ours)]
    for response in responses:
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert response.headers["Cache-Control"] == "no-store"
        assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]


async def test_the_token_is_in_no_log_no_answer_and_no_error(
    rig: Any, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = await rig(tools_token=TOOLS_TOKEN)
    await made.post(request(marked(conversation(1))), headers=SESSION)
    await entered(made)
    said = [repr(made.proxy.settings), repr(made.proxy), *made.said]
    for path in (*paths(made), "/healthz"):
        for method in ("GET", "POST"):
            response = await answered(made, path, method, **made.ours)
            said += [await response.text(), str(response.headers)]
    (one,) = made.proxy.conversations.all()
    said.append(str(await one.session.request("getStatus", {})))
    out, err = capfd.readouterr()
    assert made.token not in "\n".join([*said, out, err, caplog.text])
    assert all(made.token.encode() not in one.body for one in made.upstream.asked)
