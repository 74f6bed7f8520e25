"""The client for programs without a loop, on a server in this process."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ctxmgr import Client
from ctxmgr.client import Host, InProcessSidecar, SidecarFault
from ctxmgr.model.api.lifecycle import RequestCompactionParams
from tests.unit.client.scripted import MODEL, conversation, user

ROOT = Path(__file__).parents[3]
POLICY = {"preset": "turns", "tokenizer": "estimate"}
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}


def client(tmp_path: Path, host: Host | None = None) -> Client:
    return Client(POLICY, sidecar=InProcessSidecar(str(tmp_path)), host=host)


def test_a_session_in_this_process(tmp_path: Path) -> None:
    messages = conversation(12)
    with client(tmp_path) as made:
        session = made.session("s", MODEL)
        assert session.restored is False
        sent = session.context(messages)
        assert len(sent) < len(messages)
        assert sent[-1] is messages[-1]
        done = session.turn_end(REPLY, usage={"tokens": 9_000})
        assert done.status.tokens == 9_000
        assert made.request("rpc.discover")["openrpc"]
        assert session.request("getPolicy")["policy"]["preset"] == "turns"
    with client(tmp_path) as again:
        assert again.session("s", MODEL).restored is True


def test_after_its_end_it_gives_what_there_is(tmp_path: Path) -> None:
    messages = conversation(12)
    with client(tmp_path) as made:
        session = made.session("s", MODEL)
        before = session.context(messages)
    assert session.context([*messages, user(99)]) == [*before, user(99)]
    assert session.outcome.source == "kept"
    assert session.turn_end(REPLY) is None
    with pytest.raises(SidecarFault, match="closed"):
        session.request("getStatus")
    made.close()


def test_a_callback_may_call_the_client(tmp_path: Path) -> None:
    zones: list[str] = []
    called = threading.Event()

    def compact(wanted: RequestCompactionParams) -> bool:
        status = session.status()
        zones.append(status.zone if status else "unknown")
        called.set()
        return True

    with client(tmp_path, Host(on_request_compaction=compact)) as made:
        session = made.session("s", MODEL)
        session.turn_end(REPLY, usage={"tokens": 190_000})
        assert called.wait(20)
    assert zones == ["compact"]


def test_who_is_told_of_trouble_can_not_wait_for_the_client(tmp_path: Path) -> None:
    found: list[Any] = []

    def told(fault: SidecarFault) -> None:
        found.append(session.context([user(1)]))
        with pytest.raises(RuntimeError):
            session.request("getStatus")
        found.append(fault.kind)

    with client(tmp_path, Host(on_trouble=told)) as made:
        session = made.session("s", MODEL)
        session.turn_end(REPLY, usage={"input": -1})
    assert found == [[user(1)], "error"]


def test_several_threads_may_call_it(tmp_path: Path) -> None:
    lists: list[Any] = []
    with client(tmp_path) as made:
        sessions = [made.session(f"s{number}", MODEL) for number in range(4)]
        threads = [
            threading.Thread(target=lambda one=one: lists.append(one.context(conversation(12)))) for one in sessions
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(lists) == 4
    assert all(one == lists[0] for one in lists)


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    with client(tmp_path) as made:
        made.session("s", MODEL)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ctxmgr")]


def test_a_client_that_spawns_loads_no_server() -> None:
    code = (
        "import sys; from ctxmgr import Client; Client(); "
        "print(sorted({name.split('.')[1] for name in sys.modules if name.startswith('ctxmgr.')}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "['client', 'isolation', 'late', 'model', 'wire']"


USER = """
from typing import TypedDict
from ctxmgr import AsyncClient, Client, Model, Policy, Session
from ctxmgr.client import Host, InProcessSidecar, SidecarFault

class Message(TypedDict):
    role: str
    content: str

def three_lines(messages: list[Message]) -> list[Message]:
    session = Session(Policy(preset="turns"), format="openai", weigh=len)
    sent = session.project(messages)
    wanted = session.turn_end(sent[-1], usage={"total_tokens": 9})
    if wanted is not None:
        session.compacted(f"{wanted.reason}: {wanted.tokens}")
    state: bytes = session.state
    return Session(state=state).project(sent)

def told(fault: SidecarFault) -> None:
    print(fault.kind, fault.code)

def blocking(raws: list[bytes]) -> list[bytes]:
    with Client({"preset": "turns"}, sidecar=InProcessSidecar("/tmp"), host=Host(on_trouble=told)) as client:
        session = client.session("s", Model("m", 200_000))
        done = session.turn_end(raws[-1])
        if done is not None:
            print(done.status.zone, [command.method for command in done.commands])
        return session.context(raws)

async def looping(messages: list[Message]) -> list[Message]:
    async with AsyncClient() as client:
        session = await client.session("s", {"id": "m", "contextWindow": 200_000})
        return await session.context(messages)
"""
WRONG = "Session(format=7)\nClient().sesion('s')\nimport ctxmgr\nctxmgr.Sesion\n"


@pytest.mark.long
def test_it_is_typed_for_those_who_use_it(tmp_path: Path) -> None:
    assert (ROOT / "ctxmgr" / "py.typed").read_text(encoding="utf-8") == ""
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(USER, encoding="utf-8")
    wrong.write_text(f"from ctxmgr import Client, Session\n{WRONG}", encoding="utf-8")
    run = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", right, wrong]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=ROOT)
    faults = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert len(faults) == 3, done.stdout
    assert all("wrong.py" in line for line in faults), done.stdout
