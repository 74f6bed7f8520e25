"""The proxy's page in a browser, on a phone (390 px) and on a desk (1280 px): what it shows, and what its buttons
do, by the keyboard alone."""

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
ANSWER = "document.getElementById('answer').textContent"
NAMED = "[...document.querySelectorAll('button')].find(one => one.textContent === '%s')"
WIDTHS = (390, 1280)
MOST_TABS = 200
ASK = "<system-reminder>Be brief.</system-reminder>Read all files, please."


def when(browser: Chromium, script: str) -> Any:
    """What this comes to in the page, as soon as it comes to something."""
    return browser.value(WHEN % script)


def press(browser: Chromium, text: str) -> None:
    """As a keyboard does it: Tab until the button has the focus, then Enter."""
    when(browser, f"Boolean({NAMED % text})")
    for _ in range(MOST_TABS):
        browser.press("Tab")
        if browser.value("document.activeElement.textContent") == text:
            return browser.press("Enter")
    raise AssertionError(f"no Tab leads to {text}")


def answered(browser: Chromium, beginning: str) -> str:
    return str(when(browser, f"{ANSWER}.startsWith('{beginning}') && {ANSWER}"))


@pytest.fixture
async def made(rig: Any) -> Any:
    """A proxy with a session of many epochs."""
    made = await rig(window=20_000)
    for number in range(34):
        await made.post(request(marked(conversation(number, ASK, lines=200))), headers=SESSION)
    return made


async def epochs(made: Any) -> list[Any]:
    (one,) = made.proxy.conversations.all()
    return list((await one.session.request("explain", {}))["epochs"])


def shown(profile: Path, url: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with Chromium(profile) as browser:
        for width in WIDTHS:
            browser.open(url, width, 844, phone=width < 844)
            found["text"] = when(browser, f"{TEXT}.includes('tokens; pays') && {TEXT}")
            found[f"wide {width}"] = browser.value("document.scrollingElement.scrollWidth")
            out = "[...document.querySelectorAll('main *')].filter(one => !one.closest('svg, .wide') &&"
            found[f"out {width}"] = browser.value(f"{out} one.getBoundingClientRect().right > {width + 1}).length")
        found["bars"] = browser.value("document.querySelectorAll('svg rect').length")
        found["title"] = browser.value("document.querySelector('h2').textContent")
    return found


async def test_the_page_shows_the_session_its_plot_and_each_epoch_in_words(made: Any, tmp_path: Path) -> None:
    seen = await asyncio.to_thread(shown, tmp_path / "profile", made.proxy.page_url)
    receipts = await epochs(made)
    assert seen["title"] == "Read all files, please."
    assert "34 calls: saved" in seen["text"]
    for words in ("context window 20,000 tokens", "claude-sonnet-4-5", "tokens in the message list", "model call"):
        assert words in seen["text"]
    for words in ("the agent's own list", "first call of an epoch", "Removed from the list", "Pinned", "Epochs"):
        assert words in seen["text"]
    assert receipts[-1]["text"] in seen["text"]
    assert receipts[-1]["arithmetic"] not in seen["text"]  # behind a disclosure
    assert seen["bars"] == 2 * 34
    for width in WIDTHS:
        assert seen[f"wide {width}"] <= width
        assert seen[f"out {width}"] == 0


def reached(profile: Path, url: str) -> tuple[int, str, str]:
    with Chromium(profile) as browser:
        browser.open(url, 1280, 844, phone=False)
        more = "[...document.querySelectorAll('button')].find(one => one.dataset.key === 'more:epochs')"
        when(browser, f"{TEXT}.includes('tokens; pays')")
        browser.value(f"{more}?.focus(), {more}?.click()")
        rows = "[...document.querySelectorAll('.rows li')].filter(one => one.querySelector('details'))"
        when(browser, f"!{more} && {rows}.length")
        last = f"{rows}.at(-1)"
        browser.value(f"{last}.querySelector('details').open = true")
        text = when(browser, f"{last}.querySelector('ul') && {last}.innerText")
        focus = browser.value("document.activeElement.tagName")
        return browser.value(f"{rows}.length"), text, focus


async def test_all_epochs_that_are_kept_are_reached_with_arithmetic_and_list(made: Any, tmp_path: Path) -> None:
    receipts = await epochs(made)
    assert len(receipts) > 10  # else nothing is behind the button
    count, oldest, focus = await asyncio.to_thread(reached, tmp_path / "profile", made.proxy.page_url)
    assert count == len(receipts)
    assert receipts[0]["text"] in oldest
    assert receipts[0]["arithmetic"] in oldest
    assert 'file_path="/p/0.py"' in oldest
    assert focus == "H2"  # the button that had it is gone


def acted(profile: Path, url: str) -> list[str]:
    with Chromium(profile) as browser:
        browser.open(url, 390, 844, phone=True)
        said = []
        for name in ("Restore", "Unpin", "Pause", "Resume", "Undo"):
            press(browser, name)
            said.append(answered(browser, {"Undo": "Undone", "Unpin": "Unpinned"}.get(name, name)))
        browser.value("document.querySelector('input').value = 'src/*.py'")
        press(browser, "Pin")
        said.append(answered(browser, "Pinned"))
        when(browser, f"{TEXT}.includes('matches nothing in the list yet')")
        browser.value("ask = async () => { throw new Error('the disk is full') }")
        press(browser, "Undo")
        said.append(answered(browser, "That did not work"))
        return said


async def test_each_act_is_answered_and_restore_brings_a_result_back(made: Any, tmp_path: Path) -> None:
    before = made.upstream.asked[-1].body
    said = await asyncio.to_thread(acted, tmp_path / "profile", made.proxy.page_url)
    assert said[0] == 'Restored: Read file_path="/p/0.py" is back with the next call, and stays.'
    assert said[1] == 'Unpinned: Read file_path="/p/0.py" may be removed at the next epoch.'
    assert said[2] == "Paused: lists pass as the agent sends them."
    assert said[-1] == "That did not work: the disk is full"
    (session,) = made.proxy.conversations.all()
    assert not session.is_paused
    pins = (await session.session.request("explain", {}))["pins"]
    assert {"by": "path", "value": "src/*.py", "messages": 0, "call": None} in pins
    await made.post(request(marked(conversation(34, ASK, lines=200))), headers=SESSION)
    newest = max(receipt["epoch"] for receipt in await epochs(made))
    assert newest > 1
    assert len(made.upstream.asked[-1].body) > len(before)  # what was undone is back
