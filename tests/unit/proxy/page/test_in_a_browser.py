"""The proxy's page in a browser: what it shows, and what its buttons do."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.unit.proxy.lists import SESSION, conversation, marked, request
from tests.unit.study.report.chromium import Chromium

pytestmark = pytest.mark.real

WHEN = """new Promise(done => {
  const look = () => { const found = (%s); found ? done(found) : setTimeout(look, 20) };
  look();
})"""
TEXT = "document.body.innerText"


def when(browser: Chromium, script: str) -> Any:
    """What this comes to in the page, as soon as it comes to something."""
    return browser.value(WHEN % script)


def press(browser: Chromium, text: str) -> None:
    button = f"[...document.querySelectorAll('button')].find(one => one.textContent === '{text}')"
    when(browser, f"{button} && ({button}.click(), true)")


def looked(profile: Path, url: str) -> dict[str, Any]:
    with Chromium(profile) as browser:
        browser.open(url, 390, 844, phone=True)
        text = when(browser, f"{TEXT}.includes('claude:s-1') && {TEXT}")
        wide = browser.value("document.scrollingElement.scrollWidth")
        bars = browser.value("document.querySelectorAll('svg rect').length")
        browser.value("document.querySelector('summary').click()")
        receipts = when(browser, f"{TEXT}.includes('things left') && {TEXT}")
        press(browser, "pause")
        paused = when(browser, f"{TEXT}.includes('paused') && {TEXT}")
        press(browser, "undo")
        error = browser.value("document.getElementById('error').textContent")
    return {"text": text, "wide": wide, "bars": bars, "receipts": receipts, "paused": paused, "error": error}


async def test_the_page_shows_what_left_and_its_buttons_act(rig: Any, tmp_path: Path) -> None:
    made = await rig()
    for number in range(12):
        await made.post(request(marked(conversation(number, lines=200))), headers=SESSION)
    seen = await asyncio.to_thread(looked, tmp_path / "profile", made.proxy.page_url)
    assert "12 calls: saved" in seen["text"]
    assert seen["wide"] <= 390
    assert seen["bars"] == 2 * 12
    assert "Read file_path" in seen["receipts"]
    assert seen["error"] == ""
    (session,) = made.proxy.conversations.all()
    assert session.is_paused
