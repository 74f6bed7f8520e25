"""Tool-output pruning: preset `tools`, force and toggle."""

from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk

TOOLS = {"preset": "tools", "pruneProtect": 1_000, "pruneMinimum": 500}
BIG = "x" * 8_750  # 1 000 tokens


def _five_reads(make: Messages) -> list[dict[str, object]]:
    messages = []
    for number in range(5):
        messages += make.turn(f"Read file {number}.", BIG, "read", path=f"src/f{number}.tsx")
    return [*messages, make.user("Thanks.")]


@behaviour(
    "tools/old-output-pruned",
    "Old tool output beyond what is protected is replaced by a marker with tool, telling arguments and tokens.",
    "design 4, rule 6",
)
def pruned() -> Talk:
    talk = Talk(TOOLS)
    messages = _five_reads(Messages())
    answer = talk.context(messages)
    found = [message["content"][0]["text"] for message in answer["list"] if message["role"] == "toolResult"]
    marker = '[output pruned — ~1,000 tokens | read path="src/f{}.tsx"]'
    assert found == [marker.format(0), marker.format(1), marker.format(2), BIG, BIG]
    assert len(answer["list"]) == len(messages)
    stats = talk.call("getPruneStats", sessionId="s")
    assert (stats["scanned"], stats["protected"], stats["resultsPruned"]) == (4_000, 1_000, 3)
    return talk


@behaviour(
    "tools/force-and-toggle",
    "`prune` goes past the minimum once; `setPruning false` answers the raw list while it fits.",
    "design 2 and 4, rule 6",
)
def force() -> Talk:
    talk = Talk({**TOOLS, "pruneMinimum": 1_000_000})
    messages = _five_reads(Messages())
    assert talk.context(messages)["unchanged"]
    talk.call("prune", sessionId="s")
    assert talk.context(messages)["report"]["resultsPruned"] == 3
    status = talk.call("setPruning", sessionId="s", enabled=False)["status"]
    assert status["mode"] == "off"
    answer = talk.context(messages)
    assert answer["unchanged"]
    assert answer["report"]["reason"] == "pruning is off"
    talk.call("setPruning", sessionId="s", enabled=True)
    assert talk.context(messages)["report"]["resultsPruned"] == 3
    return talk


@behaviour(
    "tools/errors-and-protected-tools-stay",
    "Errors and the output of protected tools are never pruned.",
    "design 4, rule 6",
)
def protected() -> Talk:
    talk = Talk({**TOOLS, "pruneProtect": 0, "pruneMinimum": 0, "protectedTools": ["bash"]})
    make = Messages()
    messages = [make.user("Try."), make.reply("", make.call("read", path="a")), make.result(BIG, is_error=True)]
    messages += [make.reply("", make.call("bash", command="make")), make.result(BIG), make.reply("Hm.")]
    messages += [make.user("And?"), make.reply("So."), make.user("Well?")]
    assert talk.context(messages)["unchanged"]
    return talk


@behaviour(
    "tools/stops-at-a-compaction",
    "What is before a compaction summary is left alone; a result that is pruned already does not stop the walk.",
    "design 4, rule 6",
)
def boundary() -> Talk:
    talk = Talk({**TOOLS, "pruneProtect": 0, "pruneMinimum": 0})
    make = Messages()
    before = make.turn("Before.", BIG, "read", path="before.py")
    after = make.turn("After.", BIG, "read", path="after.py")
    messages = [
        *before,
        make.summary("## Goal\nGo on"),
        *after,
        make.user("One."),
        make.reply("1"),
        make.user("Two."),
    ]
    answer = talk.context(messages)
    found = [message["content"][0]["text"] for message in answer["list"] if message["role"] == "toolResult"]
    assert found == [BIG, '[output pruned — ~1,000 tokens | read path="after.py"]']
    return talk


@behaviour(
    "tools/names-in-any-case",
    "A tool that is named is meant in whatever case a host spells it; where none is named all are meant.",
    "design 4, rule 6",
)
def names() -> Talk:
    talk, make = Talk({**TOOLS, "pruneProtect": 0}), Messages()
    messages = [
        *make.turn("Read it.", BIG, "Read", file_path="a.py"),
        *make.turn("Run it.", BIG, "exec_command", cmd="make"),
        *(message for number in range(2) for message in make.turn(f"Wait {number}.", "ok")),
        make.user("Thanks."),
    ]
    talk.call("setPolicy", sessionId="s", policy={"protectedTools": ["read", "EXEC_COMMAND"]})
    assert talk.context(messages)["report"]["resultsPruned"] == 0
    talk.call("setPolicy", sessionId="s", policy={"protectedTools": None, "prunableTools": ["read"]})
    assert talk.context(messages)["report"]["resultsPruned"] == 1
    talk.call("setPolicy", sessionId="s", policy={"prunableTools": None})
    assert talk.context(messages)["report"]["resultsPruned"] == 2
    return talk
