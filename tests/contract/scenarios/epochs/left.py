"""Cache epochs, preset `balanced`: what leaves, and how it is told."""

from ctxmgr.engine.rewriting.marker import handle
from tests.contract.behaviours import behaviour
from tests.contract.running import RETRIEVE, Run, file
from tests.contract.scenarios.epochs.begun import PARTS, PORT, PRICES, opened
from tests.contract.talk import Fields, Talk, texts

SIGNED = {"type": "thinking", "thinking": "All of it is new.", "thinkingSignature": "c2lnbmVk"}
TOTALS = "def totals(): ...\n" + file("totals")


def text(message: Fields) -> str:
    return str(message["content"][0]["text"])


def result_of(run: Run, path: str) -> str:
    """The text of the result of a file's first read, "" where its step left."""
    asked = (block["id"] for one in run.shown for block in _calls(one) if block["arguments"].get("path") == path)
    id = next(asked, None)
    return next((text(one) for one in run.shown if id and one.get("toolCallId") == id), "")


def _calls(message: Fields) -> list[Fields]:
    content = message["content"]
    return [block for block in content if block["type"] == "toolCall"] if isinstance(content, list) else []


@behaviour(
    "epochs/markers-name-a-handle",
    "If the model can retrieve, markers, packet and receipts name handles, and each handle returns its original.",
    "design 4, rule 6; design 9",
)
def handles() -> Talk:
    run = opened(capabilities=RETRIEVE)
    run.epoch()
    kept = [one for one in run.receipt()["left"] if one["kind"] == "pruned"]
    assert kept
    for one in kept:
        assert (
            result_of(run, one["call"][11:-1])
            == f"[output pruned — ~335 tokens | {one['call']} | retrieve {one['handle']}]"
        )
    rows = run.talk.driver.archived["s"]
    assert {one["handle"] for one in run.receipt()["left"]} == {row.handle for row in rows.values()}
    assert all(handle(key) == row.handle for key, row in rows.items())
    page = run.talk.call("retrieve", sessionId="s", handle=kept[0]["handle"])
    assert (page["text"], page["call"], page["more"]) == (file("part0"), 'read path="src/part0.py"', False)
    run.step(page["text"], "retrieve", handle=kept[0]["handle"])
    run.read(*PARTS[11:16])
    run.epoch()
    assert run.messages[24] in run.shown  # it is left alone for two epochs
    return run.talk


@behaviour(
    "epochs/markers-name-the-call",
    "Without `retrieve`, nothing is archived. A marker names the call to make again, and there are no handles.",
    "design 2, capabilities",
)
def calls() -> Talk:
    run = opened()
    run.epoch()
    assert result_of(run, "src/part0.py") == '[output pruned — ~335 tokens | read path="src/part0.py"]'
    assert run.talk.driver.archived == {"s": {}}
    assert "retrieve" not in texts(run.shown)
    assert not any("handle" in one for one in run.receipt()["left"])
    assert run.refused("retrieve", handle="aaaaaaaa") == -32803
    return run.talk


@behaviour(
    "epochs/reads-gone",
    "The report names the files whose text was removed with this answer, once, so that a host can forget that it "
    "read them.",
    "design 2, report",
)
def reads_gone() -> Talk:
    run = opened(12)
    run.step("ok\n" * 400, "bash", command="make all")
    gone = [one["path"] for one in run.epoch()["readsGone"]]
    left = {one["call"] for one in run.receipt()["left"] if one["before"] > 100}
    assert {f'read path="{path}"' for path in gone} == {call for call in left if call.startswith("read")}
    assert len(gone) > 2
    run.read(PARTS[12])
    assert "readsGone" not in run.ask()
    return run.talk


@behaviour(
    "epochs/explained",
    "`explain` has a receipt of each epoch: why it began, both token counts, and the calculation. For one epoch "
    "it lists what was removed.",
    "design 2, explain",
)
def explained() -> Talk:
    run = opened()
    first = run.epoch()
    run.read(*PARTS[11:16])
    run.epoch()
    answer = run.talk.call("explain", sessionId="s")
    assert [(one["epoch"], one["opening"], "left" in one) for one in answer["epochs"]] == [
        (1, "cold", False),
        (2, "cold", True),
    ]
    receipt = run.receipt(1)
    assert (receipt["before"], receipt["after"]) == (first["rawTokens"], first["tokens"])
    assert receipt["arithmetic"] == first["arithmetic"]
    assert receipt["at"] == run.at - 6 * 60_000
    assert len(receipt["left"]) == receipt["count"]
    told = {one["digest"]: one for one in run.receipt(2)["left"]}
    for one in answer["verdicts"]:
        if one["digest"] in told and one["verdict"] in ("pruned", "dropped"):
            assert one["rule"] == told[one["digest"]]["why"]
    assert sum(one["after"] for one in answer["verdicts"]) == receipt_after(run)
    assert run.refused("explain", epoch=3) == -32602
    return run.talk


def receipt_after(run: Run) -> int:
    return int(run.receipt(2)["after"])


@behaviour(
    "epochs/a-superseded-read",
    "Of two reads of a file, the older one is outdated and removed first. Reading a part does not replace reading "
    "the whole.",
    "design 6",
)
def superseded() -> Talk:
    run = Run(policy={"keep": 800})
    run.user(PORT)
    run.read(*PARTS[:6])
    run.step(file("orders"), path="src/orders.py")
    run.step(file("bills"), path="src/bills.py")
    run.step(file("orders"), path="src/orders.py")
    run.step(file("bills", 4), path="src/bills.py", limit=4)
    run.read(*PARTS[6:9])
    run.ask()
    run.epoch()
    why = {one["call"]: one["why"] for one in run.receipt()["left"] if one["before"] > 100}
    assert why['read path="src/orders.py"'] == "read again"
    assert why.get('read path="src/bills.py"') != "read again"
    assert texts(run.shown).count("def orders_step_0(") == 1
    return run.talk


def _written(signed: bool) -> Run:
    run = Run(policy={"keep": 600}, window=24_000)
    run.user(PORT)
    said = "I write totals_table, round_half_up, carry_over and the year_2019 rows first."
    write = run.make.reply(said, run.make.call("write", path="src/totals.py", content=TOTALS))
    if signed:
        write["content"].insert(0, SIGNED)
    run.messages += [write, run.make.result("ok")]
    run.step(TOTALS, path="src/totals.py")
    for number in range(8):
        run.step("all of it is well, nothing to be seen here\n" * 110, "bash", command=f"make step{number}")
    run.ask()
    run.epoch()
    return run


@behaviour(
    "epochs/arguments-of-an-old-write",
    "The text that an old call wrote is shortened if its step stays and the file was read since. Its head and a "
    "marker remain.",
    "design 4: balanced",
)
def arguments() -> Talk:
    run = _written(signed=False)
    (left,) = (one for one in run.receipt()["left"] if one["kind"] == "shortened")
    assert left["call"].startswith("write path=")
    (call,) = (block for one in run.shown for block in _calls(one) if block["name"] == "write")
    assert call["arguments"]["path"] == "src/totals.py"
    assert call["arguments"]["content"].startswith("def totals(): ...\n")
    assert "[argument shortened — the call had" in call["arguments"]["content"]
    return run.talk


@behaviour(
    "epochs/arguments-of-a-signed-message",
    "A message with a signed thinking block is returned unchanged, or removed as a whole.",
    "design 4, always",
)
def signed() -> Talk:
    run = _written(signed=True)
    assert not any(one["kind"] == "shortened" for one in run.receipt()["left"])
    assert run.messages[1] in run.shown
    assert "[argument shortened" not in texts(run.shown)
    return run.talk


@behaviour(
    "epochs/long-user-messages",
    "User messages stay up to a tenth of the usable window. Beyond that, the longest are moved to the packet and "
    "shortened.",
    "design 4: balanced",
)
def users() -> Talk:
    run = Run()
    run.user(PORT)
    pasted = "The table of 2019, pasted:\n" + "\n".join(f"row {number};{number * 7};open" for number in range(320))
    run.user(pasted)
    run.say("I keep it.")
    run.user("And never round the totals.")
    run.read(*PARTS[:9])
    run.ask()
    run.epoch()
    said = [one["content"] for one in run.shown if one["role"] == "user"]
    assert said == [PORT, "And never round the totals."]
    assert '#2: "The table of 2019, pasted: row 0;0;open row 1' in run.packet
    assert 'row 319;2233;open"' in run.packet
    assert {one["why"] for one in run.receipt()["left"] if one["call"].startswith("user")} == {
        "user messages over their share"
    }
    return run.talk


class NewerRun(Run):
    version = "1.1"


@behaviour(
    "epochs/explained-in-words",
    "`explain` has, for each epoch, a sentence and the number of calls after which it pays. It also has what each "
    "message is, and all pins.",
    "protocol 1.1, explain",
)
def explained_in_words() -> Talk:
    run = NewerRun(policy={"prices": {**PRICES, "cacheRead": 0.1}, "keep": 2_000})
    run.user(PORT)
    run.read(*PARTS[:10])
    run.ask()
    for part in PARTS[10:]:
        run.read(part)
        if run.ask()["epoch"]:
            break
    answer = run.talk.call("explain", sessionId="s")
    (receipt,) = answer["epochs"]
    removed = receipt["before"] - receipt["after"]
    pays = f"pays after {receipt['paysAfter']} calls"
    assert receipt["paysAfter"] > 1
    assert receipt["text"] == f"removed {receipt['count']} old results, {removed:,} tokens; {pays}"
    assert [one["call"] for one in answer["verdicts"][:3]] == ["user text", *['read path="src/part0.py"'] * 2]
    assert answer["pins"] == []
    gone = next(one for one in answer["verdicts"] if one["verdict"] == "pruned")
    run.talk.call("pin", sessionId="s", digest=gone["digest"])
    run.talk.call("pin", sessionId="s", path="part1.py")
    answer = run.talk.call("explain", sessionId="s")
    assert answer["pins"] == [
        {"by": "digest", "value": gone["digest"], "messages": 1, "call": 'read path="src/part0.py"'},
        {"by": "path", "value": "part1.py", "messages": 2, "call": None},
    ]
    run.ask()
    newest = run.talk.call("explain", sessionId="s")["epochs"][-1]
    assert "paysAfter" not in newest
    assert newest["text"] == f"{newest['after'] - newest['before']:,} tokens put back"
    return run.talk
