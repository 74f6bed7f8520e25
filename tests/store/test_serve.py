"""What is promised of `serve --store`, through real processes: two machines are two state directories."""

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.store.keeping import LATER, OFFLINE
from ctxmgr.store.objects.interface import NO_SERVER
from tests.stdio.sidecar import MODEL, Sidecar
from tests.stdio.test_archive import messages, text_of
from tests.store.servers import BUCKET, ENVIRONMENT, fresh, moto

LEASE = ("--store-lease-ms", "300")  # what the one who takes over waits; a killed owner renews no more
WINDOW = 16_000  # tokens
POLICY = {  # so that most of ten results leave
    "preset": "balanced",
    "tokenizer": "estimate",
    "hostReserve": 1_000,
    "keep": 700,
    "workingSet": {"results": 0, "tokens": 0},
}
NOON = 1_750_000_000_000  # a call's time, milliseconds
PAUSE = 600_000  # milliseconds, in which a provider forgets a list
OFFLINE_NOTE = f"{OFFLINE}, as {NO_SERVER}: {LATER}"
Serve = Callable[..., Sidecar]


@pytest.fixture(params=["folder", "moto"])
def serve(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Serve]:
    """Starts a sidecar of a machine by its name, with the store of this test."""
    with contextlib.ExitStack() as stack:
        environment: dict[str, str] = {}
        url = (tmp_path / "store").as_uri()
        if request.param == "moto":
            environment = {**ENVIRONMENT, "AWS_ENDPOINT": request.getfixturevalue("moto_url")}
            url = f"s3://{BUCKET}/{fresh()}"

        def start(machine: str, *more: str) -> Sidecar:
            sidecar = Sidecar(tmp_path / machine, "--store", url, *LEASE, *more, environment=environment)
            stack.enter_context(sidecar)
            return ready(sidecar)

        yield start


def ready(sidecar: Sidecar) -> Sidecar:
    sidecar.call("initialize", protocolVersion="1.1", capabilities={"retrieve": True}, policy=POLICY)
    return sidecar


def started(sidecar: Sidecar) -> dict[str, Any]:
    result: dict[str, Any] = sidecar.call("session_start", sessionId="s", model={**MODEL, "contextWindow": WINDOW})
    return result


def turn(sidecar: Sidecar, number: int) -> None:
    text = f"I decided to use module_{number}."
    message = {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop"}
    sidecar.call("turn_end", sessionId="s", message=message)


def status(sidecar: Sidecar, flush: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = sidecar.call("getStatus", sessionId="s", flush=flush)
    return found


def knows(sidecar: Sidecar) -> dict[str, Any]:
    """All that a session tells of what it knows, with the list that a model gets of these messages."""
    shown = sidecar.call("context", sessionId="s", messages=messages(14), at=NOON + 4 * PAUSE)["messages"]
    handle = re.search(r'path="1\.py" \| retrieve (\w+)', shown[2]["content"][0]["text"])
    assert handle is not None
    return {
        "list": shown,
        "ledger": sidecar.call("getLedger", sessionId="s"),
        "scratchpad": sidecar.call("getScratchpad", sessionId="s"),
        "decisions": sidecar.call("explain", sessionId="s"),
        "original": sidecar.call("retrieve", sessionId="s", handle=handle[1])["text"],
    }


def worked(sidecar: Sidecar) -> dict[str, Any]:
    """A session of some turns, an epoch and something that left; what it knows, and it is durable."""
    started(sidecar)
    for number in (1, 2, 3):
        sidecar.call("context", sessionId="s", messages=messages(4 * number + 2), at=NOON + number * PAUSE)
        turn(sidecar, number)
    sidecar.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": "half way"}])
    known = knows(sidecar)
    assert known["original"] == text_of(1)
    found = status(sidecar)
    assert (found["durable"], found["notes"]) == (found["seq"], [])
    return known


@pytest.mark.kill
def test_killed_here_the_session_goes_on_elsewhere_with_the_same_bytes(serve: Serve, tmp_path: Path) -> None:
    here = serve("here")
    known = worked(here)
    (saved,) = (tmp_path / "here").glob("*.jsonl")
    content = saved.read_bytes()
    here.kill()
    elsewhere = serve("elsewhere")
    again = started(elsewhere)
    (restored,) = (tmp_path / "elsewhere").glob("*.jsonl")
    assert (again["restored"], again["seq"]) == (True, status(elsewhere)["seq"])
    assert restored.read_bytes().startswith(content)
    assert knows(elsewhere) == known


@pytest.mark.parametrize("serve", ["folder"], indirect=True)
def test_ended_here_it_goes_on_elsewhere_at_once_and_back(serve: Serve, tmp_path: Path) -> None:
    here = serve("here")
    known = worked(here)
    here.call("session_shutdown", sessionId="s")
    elsewhere = serve("elsewhere")
    started(elsewhere)
    assert elsewhere.call("getLedger", sessionId="s")["facts"] == known["ledger"]["facts"]
    operations = [{"op": "overwrite", "text": "done elsewhere"}]
    elsewhere.call("editScratchpad", sessionId="s", operations=operations)
    elsewhere.call("session_shutdown", sessionId="s")
    again = started(here)
    assert here.call("getScratchpad", sessionId="s")["text"] == "done elsewhere"
    assert again["status"]["notes"] == []  # what lay here was an older part of the same
    assert not list((tmp_path / "here").glob("*.broken*"))


@pytest.mark.kill
def test_a_server_that_is_away_is_said_stops_nobody_and_is_caught_up_with(tmp_path: Path) -> None:
    url = f"s3://{BUCKET}/{fresh()}"
    with contextlib.ExitStack() as stack:
        with moto() as address:
            environment = {**ENVIRONMENT, "AWS_ENDPOINT": address}
            here = Sidecar(tmp_path / "here", "--store", url, *LEASE, environment=environment)
            stack.enter_context(here)
            worked(ready(here))
        turn(here, 20)
        here.says(OFFLINE_NOTE)
        for number in range(21, 40):
            turn(here, number)
        known, found = knows(here), status(here, flush=False)
        assert found["notes"] == [OFFLINE_NOTE]
        assert found["durable"] < found["seq"]
        stack.enter_context(moto(int(address.rpartition(":")[2])))
        caught_up = status(here)
        assert (caught_up["durable"], caught_up["notes"]) == (caught_up["seq"], [])
        assert here.said.count(OFFLINE_NOTE) == 1
        here.kill()
        elsewhere = Sidecar(tmp_path / "elsewhere", "--store", url, environment=environment)
        stack.enter_context(elsewhere)
        started(ready(elsewhere))
        assert knows(elsewhere) == known


def test_a_store_that_is_not_there_at_the_start_is_told_and_nothing_waits_for_it(tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "AWS_ENDPOINT": "http://127.0.0.1:9"}
    with Sidecar(tmp_path, "--store", f"s3://{BUCKET}/x", environment=environment) as here:
        started(ready(here))
        turn(here, 1)
        here.says(OFFLINE_NOTE)
        found = status(here, flush=False)
        assert (found["durable"], found["notes"]) == (None, [OFFLINE_NOTE])
