"""Cache epochs, preset `balanced`: what is kept from leaving, and what comes back."""

from tests.contract.behaviours import behaviour
from tests.contract.running import Run, file
from tests.contract.scenarios.epochs.begun import PARTS, PORT, opened
from tests.contract.scenarios.epochs.left import result_of
from tests.contract.talk import Talk
from tests.translation import RULES


@behaviour(
    "epochs/pin-keeps",
    "What is pinned before an epoch stays unchanged. What is pinned afterwards comes back, with an epoch of its "
    "own.",
    "design 2, pin",
)
def pin() -> Talk:
    run = opened()
    run.talk.call("pin", sessionId="s", path="src/part0.py")
    run.epoch()
    assert result_of(run, "src/part0.py") == file("part0")
    assert result_of(run, "src/part1.py").startswith("[output pruned")
    run.talk.call("pin", sessionId="s", path="part1.py")
    report = run.ask()
    assert (report["epoch"], run.receipt()["opening"]) == (2, "pin")
    assert result_of(run, "src/part1.py") == file("part1")
    run.talk.call("pin", sessionId="s", path="src/part9.py")
    assert run.ask()["epoch"] == 2  # it is there: nothing has to change for it
    run.talk.call("unpin", sessionId="s", path="src/part0.py")
    assert run.ask()["epoch"] == 2
    run.read(*PARTS[11:15])
    run.epoch()
    assert result_of(run, "src/part0.py") != file("part0")
    assert result_of(run, "src/part1.py") == file("part1")
    return run.talk


@behaviour(
    "epochs/undo-brings-back",
    "`undo` brings back what was removed at an epoch, unchanged, and pins it. The next epoch removes something "
    "else.",
    "design 2, undo",
)
def undo() -> Talk:
    run = opened()
    run.epoch()
    left = run.receipt(1)["left"]
    run.talk.call("undo", sessionId="s", epoch=1)
    report = run.ask()
    assert (report["epoch"], run.receipt()["opening"]) == (2, "undo")
    assert run.shown == run.messages
    run.read(*PARTS[11:16])
    run.epoch()
    for one in left:
        assert result_of(run, one["call"][11:-1]) == file(one["call"][15:-4])
    assert run.refused("undo", epoch=9) == -32602
    return run.talk


@behaviour(
    "epochs/late-result",
    "A call that waits for its result stays at an epoch. One that was abandoned is removed, and comes back with "
    "an epoch of its own if its result still arrives.",
    "design 4, pairs",
)
def late_result() -> Talk:
    run = Run(policy={"keep": 250}, form="responses")
    run.user(PORT)
    waiting = run.make.call("shell", command="make watch")
    run.messages.append(run.make.reply("", waiting))
    result = run.make.result("all green")
    run.read(*PARTS[:11])
    run.ask()
    run.epoch()
    run.read(*PARTS[11:15])
    run.epoch()
    assert asked(run, waiting["id"])
    run.user("Never mind the build.")
    run.read(*PARTS[15:19])
    run.epoch()
    assert not asked(run, waiting["id"])
    run.messages.append(result)
    report = run.ask()
    assert (report["epoch"], run.receipt()["opening"]) == (4, "rewritten")
    assert asked(run, waiting["id"])
    assert run.shown[-1] == {"type": "function_call_output", "call_id": waiting["id"], "output": "all green"}
    assert RULES["responses"].illegal(run.shown) == []
    return run.talk


def asked(run: Run, id: str) -> bool:
    """Is this call shown?"""
    return any(one.get("type") == "function_call" and one["call_id"] == id for one in run.shown)
