"""Cache epochs, preset `balanced`: when one begins, and that nothing changes between two."""

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.behaviours import behaviour
from tests.contract.running import MINUTE, Run
from tests.contract.talk import Talk, texts

PORT = "Port the order tables to the new format. Never touch src/legacy.py."
PARTS = [f"part{number}" for number in range(30)]
# no price for writing the cache: it costs what input does
PRICES = {"input": 2, "output": 8, "cacheRead": 0.5}


def opened(parts: int = 11, **more: object) -> Run:
    """One run of the agent that has read so many files, about 350 tokens each, and asked once."""
    run = Run(**more)  # type: ignore[arg-type]
    run.user(PORT)
    run.read(*PARTS[:parts])
    assert run.ask()["epoch"] == 0
    return run


@behaviour(
    "epochs/by-price",
    "An epoch begins when keeping the prefix has cost as much since the last one as changing it costs now. In the "
    "first 46 calls it may cost at most what was saved before, plus 0.02 of what the session would have cost "
    "unpruned. The report says where the list changed, how much of it stayed, and the calculation.",
    "design 6",
)
def by_price() -> Talk:
    run = opened(10, policy={"prices": PRICES, "keep": 2_000})
    reports = []
    for part in PARTS[10:]:
        run.read(part)
        reports.append(run.ask())
        if reports[-1]["epoch"]:
            break
    assert {one["zone"] for one in reports} <= {"green", "yellow"}
    assert len(reports) > 3
    assert {one["firstChangedIndex"] for one in reports[:-1]} == {-1}
    last = reports[-1]
    assert (last["epoch"], last["firstChangedIndex"]) == (1, 1)
    assert 0 < last["prefixTokens"] < last["tokens"] < reports[-2]["tokens"] / 1.5
    receipt = run.receipt()
    assert (receipt["opening"], receipt["arithmetic"]) == ("price", last["arithmetic"])
    assert (receipt["before"], receipt["after"]) == (reports[-2]["tokens"] + 341, last["tokens"])
    return run.talk


@behaviour(
    "epochs/between-epochs-a-list-only-grows",
    "After an epoch, each answer begins with the whole previous answer. Only new messages are added.",
    "design 6",
)
def grows() -> Talk:
    run = opened()
    run.epoch()
    for part in PARTS[11:15]:
        run.read(part)
        report = run.ask()
        assert (report["epoch"], report["firstChangedIndex"]) == (1, -1)
        assert report["prefixTokens"] == report["tokens"] - 341
        assert "arithmetic" not in report
        assert run.shown == [*run.before, *run.messages[-2:]]
    run.user("And mind the totals.")
    run.say("I do.")
    assert run.ask()["firstChangedIndex"] == -1
    assert run.ask(whole=True)["firstChangedIndex"] == -1
    return run.talk


@behaviour(
    "epochs/cold",
    "A call after the provider has forgotten the prompt opens an epoch. `cacheTtlMs` says how long the provider "
    "keeps one.",
    "design 6",
)
def cold() -> Talk:
    run = opened(policy={"models": {"model-1": {"cacheTtlMs": 60 * MINUTE}}})
    assert run.ask(20 * MINUTE)["epoch"] == 0
    report = run.ask(61 * MINUTE)
    assert report["epoch"] == 1
    assert run.receipt()["opening"] == "cold"
    assert "kept 0 x 0.1" in report["arithmetic"]
    assert report["tokens"] < report["rawTokens"]
    return run.talk


@behaviour(
    "epochs/red",
    "A list near the point at which the host compacts is pressed: an epoch begins whatever it costs, and the list "
    "gets well below that point.",
    "docs/explanation/what-stays.md: when it happens",
)
def red() -> Talk:
    run = opened(16, policy={"keep": 5_000})
    run.read(*PARTS[16:26])
    report = run.ask()
    assert (report["epoch"], report["zone"]) == (1, "compact")
    assert run.receipt()["opening"] == "red"
    assert report["tokens"] < 0.75 * report["rawTokens"]
    run.read(PARTS[26])
    assert (run.ask()["zone"], run.talk.status()["zone"]) == ("yellow", "yellow")
    return run.talk


@behaviour(
    "epochs/a-restart-goes-on",
    "A new process on the same snapshot returns the same bytes and knows its receipts. Nothing is decided again.",
    "design 6 and 9",
)
def restart() -> Talk:
    before = opened()
    before.epoch()
    run = Run(found=SnapshotLoaded(tuple(before.talk.saved)))
    run.at, run.messages, run.make = before.at, before.messages, before.make
    run.before = before.shown
    run.read(PARTS[11])
    report = run.ask()
    assert run.started["restored"] is True
    assert (report["epoch"], run.shown) == (1, [*before.shown, *run.messages[-2:]])
    assert run.receipt(1) == before.receipt(1)
    run.read(*PARTS[12:16])
    assert run.epoch()["firstChangedIndex"] >= 0
    return run.talk


@behaviour(
    "epochs/another-model",
    "A different model has a different cache, so removing something now breaks nothing.",
    "design 6",
)
def model() -> Talk:
    run = opened()
    run.talk.call("model_select", sessionId="s", model={"id": "model-2", "contextWindow": 16_000})
    assert run.ask()["epoch"] == 1
    assert run.receipt()["opening"] == "model"
    assert "kept 0 x 0.1" in run.receipt()["arithmetic"]
    run.talk.call("model_select", sessionId="s", model={"id": "model-2", "contextWindow": 16_000})
    assert run.ask()["epoch"] == 1
    return run.talk


@behaviour(
    "epochs/after-a-compaction",
    "A compaction loses the prefix, so the next call opens an epoch. Its resume packet stays until the next epoch.",
    "design 4, rule 5; design 6",
)
def compaction() -> Talk:
    run = opened()
    run.epoch()
    summary = f"## Goal\n{PORT}\n\n## Progress\n### Done\n- [x] {PARTS[0]} to {PARTS[7]}\n\n## Critical Context\n"
    summary += "- The totals of 2019 are rounded, those since are not\n"
    entry = {"id": "k1", "summary": summary, "firstKeptEntryId": "e17", "tokensBefore": 4_000}
    run.talk.call("session_compact", sessionId="s", compactionEntry=entry)
    run.messages = [run.make.summary(summary), *run.messages[-16:]]
    run.read(*PARTS[11:14])
    report = run.ask(whole=True)
    assert (report["epoch"], run.receipt()["opening"]) == (2, "compaction")
    assert "rounded" in texts(run.shown)
    run.read(PARTS[14])
    assert (run.ask()["firstChangedIndex"], run.shown[: len(run.before)]) == (-1, run.before)
    return run.talk


@behaviour(
    "epochs/instructions-stay",
    "Instructions that a host's compaction removes are word for word in the packet of the epoch that it opens.",
    "model.policy: protectedInstructions",
)
def instructed() -> Talk:
    run = opened(4)
    rules = "Rows are sorted by\n\ttheir date."
    run.step(rules, path="CLAUDE.md")
    run.ask()
    run.talk.call("session_compact", sessionId="s", compactionEntry={"id": "k1", "summary": f"## Goal\n{PORT}\n"})
    run.messages = [run.make.summary(f"## Goal\n{PORT}\n"), run.user("Go on.")]
    assert run.ask(whole=True)["epoch"] == 1
    assert '- read path="CLAUDE.md":\n> Rows are sorted by\n> \ttheir date.' in run.packet
    run.read(PARTS[5])
    assert (run.ask()["firstChangedIndex"], run.shown[: len(run.before)]) == (-1, run.before)
    return run.talk


@behaviour(
    "epochs/after-a-tree-move",
    "At another place in the tree, the next call opens an epoch. What was removed from the earlier path stays "
    "removed.",
    "design 6",
)
def tree() -> Talk:
    run = opened(14)
    run.epoch()
    run.talk.call("session_tree", sessionId="s", newLeafId="e21", oldLeafId="e29")
    run.messages = [*run.messages[:23], run.make.user("Another way: begin with the totals.")]
    run.read(*PARTS[14:20])
    report = run.ask(whole=True)
    assert (report["epoch"], run.receipt()["opening"]) == (2, "tree")
    assert run.shown[-1] == run.messages[-1]
    return run.talk


@behaviour(
    "epochs/keep-set-anew",
    "`keep` says how much is kept. Changing it opens an epoch. Changing it back brings nothing back.",
    "measured yields: docs/explanation/what-stays.md",
)
def knob() -> Talk:
    run = opened(24, window=38_000)
    kept = run.epoch()["tokens"]
    for part in PARTS[24:28]:
        run.read(part)
        run.ask()
    run.talk.call("setPolicy", sessionId="s", policy={"keep": 100})
    report = run.ask()
    assert (report["epoch"], run.receipt()["opening"]) == (2, "policy")
    assert report["tokens"] < kept / 1.3, (report["tokens"], kept)
    run.talk.call("setPolicy", sessionId="s", policy={"keep": "careful"})
    assert run.ask()["epoch"] == 2  # what left is not brought back
    run.talk.call("setPolicy", sessionId="s", policy={"costVersusRecall": 0.5})  # accepted, and without effect
    assert run.ask()["epoch"] == 2
    assert run.refused("setPolicy", policy={"costVersusRecall": 1.5}) == -32602
    return run.talk


@behaviour(
    "epochs/keep-says-what-text-is-worth",
    "With `keep`, results are removed by kind and age and leave a marker, words stay in place, and the working "
    "set is sent byte for byte.",
    "measured yields: docs/explanation/what-stays.md",
)
def by_worth() -> Talk:
    newest = {"results": 2, "tokens": 0}
    run = opened(10, policy={"prices": PRICES, "keep": 2_000, "workingSet": newest})
    run.read(*PARTS[10:15])
    run.talk.call("prune", sessionId="s")
    report = run.ask()
    assert run.shown[-4:] == run.messages[-4:]
    assert report["epoch"] == 1
    assert report["resultsPruned"] > 3
    assert run.shown[0] == run.messages[0]
    assert [one for one in run.shown if one["role"] == "assistant"] == [
        one for one in run.messages if one["role"] == "assistant"
    ]
    assert run.refused("setPolicy", policy={"keep": "most"}) == -32602
    return run.talk


@behaviour(
    "epochs/forced", "`prune` opens an epoch with the next call, unless it would remove nothing.", "design 6"
)
def forced() -> Talk:
    run = opened(4, policy={"keep": 1_000})
    run.talk.call("prune", sessionId="s")
    run.ask()
    run.read(*PARTS[4:11])
    before = run.ask()
    run.talk.call("prune", sessionId="s")
    report = run.ask()
    assert (report["epoch"], run.receipt()["opening"]) == (before["epoch"] + 1, "forced")
    assert report["tokens"] < before["tokens"]
    return run.talk


@behaviour(
    "epochs/an-autonomous-run",
    "One user message and a hundred steps: old steps are removed, the newest are unchanged, and the list stays "
    "flat.",
    "design 4, rule 3",
)
def autonomous() -> Talk:
    run = Run(policy={"keep": 1_500})
    asked = run.user(PORT)
    most, epochs = 0, 0
    for number in range(0, 100, 5):
        for part in range(number, number + 5):
            run.read(f"part{part}")
        report = run.ask()
        most, epochs = max(most, report["tokens"]), report["epoch"]
        assert run.shown[0] == asked
        assert run.shown[-4:] == run.messages[-4:]
    assert report["rawTokens"] > 16_000 > 3 * most / 2
    assert 3 <= epochs <= 10
    assert "## Where the rest is" in run.packet
    assert "Never touch src/legacy.py" not in run.packet  # the list shows what was asked
    return run.talk
