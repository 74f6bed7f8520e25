"""Tool-output pruning: preset `tools`, force and toggle; tools that a host declares."""

from typing import Any

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.behaviours import behaviour
from tests.contract.running import Run, file
from tests.contract.talk import SMALL, Messages, Talk

TOOLS = {"preset": "tools", "pruneProtect": 1_000, "pruneMinimum": 500}
BIG = "x" * 8_750  # 1 000 tokens


def _five_reads(make: Messages) -> list[dict[str, object]]:
    messages = []
    for number in range(5):
        messages += make.turn(f"Read file {number}.", BIG, "read", path=f"src/f{number}.tsx")
    return [*messages, make.user("Thanks.")]


@behaviour(
    "tools/old-output-pruned",
    "Old tool output beyond what is protected is replaced by a marker with tool, key arguments and tokens.",
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
    "`prune` ignores the minimum once. `setPruning false` returns the raw list as long as it fits.",
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
    "tools/prune-that-takes-nothing",
    "The status says why a `prune` removed nothing, until the next one is requested.",
    "design 2 and 4, rule 6",
)
def takes_nothing() -> Talk:
    talk, make = Talk({"preset": "turns", "pruneProtect": 4_000}), Messages()
    old = "there is no tool output older than the protected turns"
    rows: list[tuple[dict[str, Any], list[Any], list[str]]] = [
        ({}, [make.user("Go.")], [f"prune took nothing: {old}"]),
        (
            {},
            _five_reads(Messages()),
            ["prune took nothing: of 4000 tokens of old tool output the newest 4000 tokens stay (pruneProtect)"],
        ),
        ({"pruneProtect": 1_000}, _five_reads(Messages()), []),
        ({"preset": "off"}, _five_reads(Messages()), ["prune does nothing in preset off"]),
    ]
    for policy, messages, expected in rows:
        talk.call("setPolicy", sessionId="s", policy=policy)
        talk.call("prune", sessionId="s")
        assert (talk.context(messages)["report"]["resultsPruned"] == 0) == bool(expected)
        assert [note for note in talk.status()["notes"] if note.startswith("prune ")] == expected
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
    "What precedes a compaction summary is left alone. A result that is already pruned does not stop the search "
    "for more.",
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
    "Tool names in the policy match in any case. If none is named, all tools match.",
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


OWN = [
    {"name": "peruse", "reads": "what"},
    {"name": "commit", "writes": "doc"},
    {"name": "toolbox", "runs": "line"},
]

MORE = [
    {"name": "polish", "edits": "doc"},
    {"name": "retire", "deletes": "doc"},
    {"name": "dig", "searches": "where"},
    {"name": "survey", "lists": "where"},
]


def _worked(run: Run, *parts: str) -> None:
    """Files are read by the host's own tool, the first is written, the second is read again, tests run twice."""
    tests = "12 passed\n" * 200
    run.step(tests, "toolbox", line=f"pytest tests/{parts[0]}")
    for part in parts:
        run.step(file(part), "peruse", what=f"src/{part}.py")
    run.step("ok", "commit", doc=f"src/{parts[0]}.py", content=file(parts[0]))
    run.step(file(parts[1]), "peruse", what=f"src/{parts[1]}.py")
    run.step(tests, "toolbox", line=f"pytest tests/{parts[0]}")


def _left(run: Run) -> dict[str, str]:
    """Why what left the list did, of calls."""
    return {one["call"]: one["why"] for one in run.receipt()["left"] if "=" in one["call"]}


@behaviour(
    "tools/declared",
    "A host declares what its own tools do. Their results are treated as reads, writes and runs like those of "
    "known tools, also after a restart.",
    "host integration",
)
def declared() -> Talk:
    run = Run(policy={"keep": 3_000}, tools=[*OWN, *MORE])
    run.user("Port the order tables.")
    _worked(run, *(f"part{number}" for number in range(12)))
    run.ask()
    run.epoch()
    left = _left(run)
    assert left['peruse what="src/part0.py"'] == "written later"
    assert left['peruse what="src/part1.py"'] == "read again"
    assert left['toolbox line="pytest tests/part0"'] == "repeated"
    assert 'peruse what="src/part11.py"' not in left
    again = Run(policy={"keep": 3_000}, found=SnapshotLoaded(tuple(run.talk.saved)))
    again.make, again.messages, again.at = run.make, run.messages, run.at
    again.ask()
    _worked(again, *(f"more{number}" for number in range(6)))
    again.epoch()
    left = _left(again)
    assert left['peruse what="src/more0.py"'] == "written later"
    assert left['peruse what="src/more1.py"'] == "read again"
    return again.talk


@behaviour(
    "tools/declared-of-one-session",
    "Declarations of session_start take precedence over those of initialize. A declaration that says nothing or "
    "appears twice is refused by its place, and nothing changes.",
    "host integration",
)
def declared_of_one_session() -> Talk:
    talk = Talk(start=False)
    host = {"protocolVersion": "1.1", "capabilities": {}}
    for tools, path in (
        ([*OWN, {"name": "peruse", "lists": "what"}], "$.tools[3].name"),
        ([{"name": "peruse"}], "$.tools[0]"),
        ([OWN[0], {"name": "commit", "writes": ["doc"]}], "$.tools[1].writes"),
        ([{"reads": "what"}], "$.tools[0].name"),
        ([{"name": "", "reads": "what"}], "$.tools[0].name"),
        ([{"name": "peruse", "reads": ""}], "$.tools[0].reads"),
    ):
        assert talk.refused("initialize", **host, tools=tools) == (-32602, path)
    policy = {"preset": "tools", "pruneProtect": 0, "pruneMinimum": 0, "workingSet": SMALL}
    talk.call("initialize", **host, policy=policy, tools=OWN[:1])
    model = {"id": "model-1", "contextWindow": 200_000}
    more = [{"name": "peruse", "runs": "how"}, *OWN[1:]]
    assert talk.refused("session_start", sessionId="s", model=model, tools=[*more, OWN[1]]) == (
        -32602,
        "$.tools[3].name",
    )
    talk.call("session_start", sessionId="s", model=model, tools=more)
    make = Messages()
    messages = [
        *make.turn("Look at it.", BIG, "peruse", note="first", what="a.py", how="make all"),
        *make.turn("Write it.", BIG, "commit", note="second", doc="b.py"),
        *(message for number in range(2) for message in make.turn(f"Wait {number}.", "ok")),
        make.user("Thanks."),
    ]
    pruned = [one["content"][0]["text"] for one in talk.context(messages)["list"] if one["role"] == "toolResult"]
    assert pruned[:2] == [
        '[output pruned — ~1,000 tokens | peruse how="make all"]',
        '[output pruned — ~1,000 tokens | commit doc="b.py"]',
    ]
    return talk
