"""A process of its own weighs as this one would. Whatever becomes of it ends in a note or a fault, in no wait."""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ctxmgr.devices import Vocabularies, tokens, weighing
from ctxmgr.devices.weighing import WeighingChild, WeighingFault
from tests.unit.devices import weighing_stand_in
from tests.unit.devices.weighing_stand_in import TOKENS

ROOT = Path(weighing.__file__).parents[2]
BOUND = 20.0  # seconds; only what fails waits so long
TEXTS = ["hello world", "", "x = 1\n" * 2_000, "漢字 \ud83d and \ud83d\ude00", "<|endoftext|>", " " * 5_000]
StandIn = Callable[..., WeighingChild]
BROKEN = sorted(set(weighing_stand_in.DEEDS) - {"answers"})


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    children: list[WeighingChild] = []

    def made(*words: str) -> WeighingChild:
        monkeypatch.setattr(weighing, "COMMAND", weighing_stand_in.command(*words))
        children.append(WeighingChild("o200k_base"))
        return children[-1]

    yield made
    for child in children:
        child.end()


def test_texts_have_the_tokens_that_they_have_in_this_process() -> None:
    child = WeighingChild("o200k_base")
    found = child.load()
    assert (found.weigh is not None, found.note) == (True, None)
    weigher = tokens.load("o200k_base").weigher
    for texts in ([], TEXTS, *([text] for text in TEXTS)):
        assert found.weigh(texts) == sum(map(weigher, texts))
    child.end()
    with pytest.raises(WeighingFault, match="the process that counts tokens has ended"):
        found.weigh(["text"])


def test_this_process_knows_nothing_of_what_counts() -> None:
    """tiktoken holds the interpreter's lock for 140 ms while it takes a vocabulary in: every session would wait."""
    code = (
        "import sys; from ctxmgr.devices import Vocabularies; there = Vocabularies(); "
        "print(there.load('o200k_base').weigh(['hello world']), 'tiktoken' in sys.modules, "
        "'ctxmgr.devices.tokens' in sys.modules); there.end()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "2 False False\n"


def test_what_is_not_to_be_had_is_said_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "msgspec.py").write_text("raise SystemExit('no module of the directory it begins in')")
    monkeypatch.chdir(tmp_path)
    child = WeighingChild("claude")
    found = child.load()
    assert found.weigh is None
    assert (
        found.note
        == "token counts are estimated: no tokenizer is called 'claude' (known: o200k_base, cl100k_base, estimate)"
    )
    assert child._process is None


WHY = {
    "dies": "has ended",
    "dies in the middle": "has ended",
    "hangs": "did not answer in time",
    "says too much": "answered something else",
    "says something else": "answered something else",
    "says nonsense": "answered something else",
}


@pytest.mark.parametrize("deed", BROKEN)
def test_one_that_fails_to_count_is_done_with(
    deed: str, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighing, "WEIGH_SECONDS", 0.0 if deed == "hangs" else BOUND)
    child = stand_in("answers", deed)
    weigh = child.load().weigh
    process = child._process
    why = WHY.get(deed, "answered something else")
    with pytest.raises(WeighingFault, match=f"the process that counts tokens {why}"):
        weigh(["a text"])
    assert process.returncode is not None
    assert process.stdin.closed
    assert process.stdout.closed
    with pytest.raises(WeighingFault, match="has ended"):
        weigh(["another"])


def test_calls_of_threads_wait_for_one_another(stand_in: StandIn) -> None:
    weigh = stand_in().load().weigh
    counted: list[int] = []
    threads = [
        threading.Thread(target=lambda: counted.extend(weigh(["text"]) for _ in range(200))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(BOUND)
    assert counted == [TOKENS] * 800


def test_who_waits_hears_of_the_end(stand_in: StandIn) -> None:
    child = stand_in("answers", "hangs")
    weigh = child.load().weigh
    heard: list[str] = []

    def waits() -> None:
        with pytest.raises(WeighingFault) as raised:
            weigh(["text"])
        heard.append(str(raised.value.strerror))

    thread = threading.Thread(target=waits)
    thread.start()
    child.end()
    thread.join(BOUND)
    assert heard == ["the process that counts tokens has ended"]


def test_one_that_is_wanted_after_the_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "COMMAND", weighing_stand_in.command())
    vocabularies = Vocabularies()
    vocabularies.end()
    assert vocabularies.load("o200k_base").weigh is None


def test_nothing_that_was_said_is_in_its_arguments_or_on_stderr() -> None:
    code = (
        "from ctxmgr.devices import weighing; from tests.unit.devices import weighing_stand_in as other; "
        "weighing.COMMAND = other.command('answers', 'hangs'); weighing.WEIGH_SECONDS = 0.0; "
        "child = weighing.WeighingChild('o200k_base', '/a/path'); weigh = child.load().weigh; "
        "print(child._process.args == other.command('answers', 'hangs'))\n"
        "try: weigh(['the text that was sent'])\n"
        "except OSError: print('failed')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("True\nfailed\n", "")


@pytest.mark.parametrize("command", [weighing.COMMAND, weighing_stand_in.command()], ids=["own", "stand-in"])
def test_it_ends_with_a_parent_that_is_killed(command: tuple[str, ...]) -> None:
    code = (
        f"import os, signal; from ctxmgr.devices import weighing; weighing.COMMAND = {command!r}; "
        "weighing.LOAD_SECONDS = 60.0; child = weighing.WeighingChild('o200k_base'); child.load(); "
        "print(child._process.pid, flush=True); input()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        start_new_session=True,
    )
    assert parent.stdin is not None
    child = os.pidfd_open(int(parent.stdout.readline()))
    parent.send_signal(signal.SIGKILL)
    parent.wait(BOUND)
    assert select.select([child], [], [], BOUND)[0], "it has outlived its parent"
    os.close(child)
    parent.stdin.close()
    parent.stdout.close()


@pytest.mark.parametrize("deed", sorted(WHY))
def test_one_that_fails_to_load_is_ended(deed: str, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "LOAD_SECONDS", 0.0 if deed == "hangs" else BOUND)
    child = stand_in(deed)
    found = child.load()
    assert found.weigh is None
    assert found.note == (
        f"token counts are estimated: o200k_base could not be loaded: the process that counts tokens {WHY[deed]}"
    )
    assert child._process is None
