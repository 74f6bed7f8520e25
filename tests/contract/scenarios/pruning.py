"""Turn-aware pruning: preset `turns`."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk, packet, roles, texts

LONG = "\n".join(f"line {number} of the long output" for number in range(200))
TURNS = {"preset": "turns"}


def session(turns: int, output: str = "done") -> tuple[Messages, list[dict[str, Any]]]:
    """Turns of four messages, and the next question."""
    make = Messages()
    messages = [message for number in range(turns) for message in make.turn(f"Question {number}.", output)]
    return make, [*messages, make.user("And now?")]


def _kept(zone: str, tokens: int, turns: int) -> Talk:
    """Eleven turns; the reading puts the session into the zone, and so many turns stay."""
    talk = Talk(TURNS)
    make, messages = session(10)
    talk.context(messages[:-1])
    reply = make.reply("Noted.")
    talk.turn_end(reply, tokens=tokens)
    messages = [
        *messages[:-1],
        reply,
        messages[-1],
        make.reply("", make.call("read", path="a.py")),
        make.result("a"),
    ]
    answer = talk.context(messages)
    assert answer["report"]["zone"] == zone
    assert answer["report"]["turnsKept"] == turns
    assert roles(answer["list"]).startswith("PU")
    assert roles(answer["list"]).count("U") == turns
    return talk


@behaviour("pruning/green-keeps-six-turns", "In the green zone the newest six turns stay.", "design 4, rule 2")
def green() -> Talk:
    return _kept("green", 20_000, 6)


@behaviour(
    "pruning/yellow-keeps-three-turns", "In the yellow zone the newest three turns stay.", "design 4, rule 2"
)
def yellow() -> Talk:
    return _kept("yellow", 100_000, 3)


@behaviour("pruning/red-keeps-one-turn", "In the red zone the newest turn stays.", "design 4, rule 2")
def red() -> Talk:
    return _kept("red", 130_000, 1)


@behaviour(
    "pruning/compact-keeps-the-smallest-suffix",
    "In the compact zone the newest turn stays, and its old steps lose output only if it alone is too large.",
    "design 4, rules 2 and 3",
)
def compact() -> Talk:
    return _kept("compact", 170_000, 1)


@behaviour(
    "pruning/newest-turn-over-its-budget",
    "In the compact zone, the old steps of a newest turn over its budget lose output. The last two stay.",
    "design 4, rule 3",
)
def newest_turn() -> Talk:
    talk = Talk(TURNS, window=40_000)
    make = Messages()
    messages = [make.user("Read everything.")]
    for number in range(4):
        messages += [make.reply("", make.call("read", path=f"f{number}.py")), make.result(LONG * 2)]
    messages += [make.reply("", make.call("read", path="last.py")), make.result("short")]
    assert talk.context(messages[:-2], answer="messages")["list"] == messages[:-2]
    talk.turn_end(*messages[-2:], tokens=28_000)
    answer = talk.context(messages)
    assert answer["report"]["zone"] == "compact"
    assert answer["report"]["resultsPruned"] >= 1
    assert answer["list"][0] == messages[0]
    assert answer["list"][-4:] == messages[-4:]
    assert "[output pruned — ~" in texts(answer["list"])
    return talk


@behaviour(
    "pruning/newest-turn-is-lossless",
    "Outside the compact zone, every message of the newest turn is returned unchanged.",
    "design 4, rule 3",
)
def lossless() -> Talk:
    talk = Talk(TURNS)
    make, messages = session(8, LONG)
    messages += [make.reply("", make.call("read", path="big.py")), make.result(LONG)]
    answer = talk.context(messages)
    assert answer["list"][-3:] == messages[-3:]
    return talk


@behaviour(
    "pruning/distilling",
    "Large results of kept older turns are distilled: first, last and error lines, and what the result was.",
    "design 4, rule 4",
)
def distilling() -> Talk:
    talk = Talk(TURNS)
    make = Messages()
    output = LONG.replace("line 100 of", "error: line 100 of")
    messages = [*make.turn("Run the tests.", output, "bash", command="make test"), make.user("And now?")]
    answer = talk.context(messages)
    assert answer["report"]["resultsDistilled"] == 1
    text = answer["list"][2]["content"][0]["text"]
    assert text.startswith("[output distilled — ~")
    assert 'bash command="make test"' in text
    assert "line 0 of" in text
    assert "error: line 100 of" in text
    assert "line 199 of" in text
    assert len(text) < 1_200
    return talk


@behaviour(
    "pruning/summaries-filtered",
    "A raw summary is removed once its text is in the ledger, and its content is in the packet.",
    "design 4, rule 1",
)
def summaries() -> Talk:
    talk = Talk(TURNS)
    make = Messages()
    text = "## Goal\nPort the parser to the new lexer, file by file.\n\n## Constraints & Preferences\n"
    text += "- Keep the public names of the parser\n- Never touch the generated tables\n\n## Progress\n### Done\n"
    text += "- [x] lexer\n\n### In Progress\n- [ ] expressions\n\n## Key Decisions\n"
    text += "- **One pass**: the grammar needs no backtracking\n"
    messages = [make.summary(text), make.user("Go on with the expressions.")]
    answer = talk.context(messages)
    assert roles(answer["list"]) == "PU"
    assert "Port the parser to the new lexer" in packet(answer["list"])
    assert "Never touch the generated tables" in packet(answer["list"])
    assert answer["list"][0]["display"] is False
    return talk


@behaviour(
    "pruning/no-oscillation",
    "If usage falls because of pruning, no turn comes back: the first kept turn never moves back within a branch.",
    "design 4, no oscillation",
)
def oscillation() -> Talk:
    talk = Talk(TURNS)
    make, messages = session(10)
    talk.context(messages)
    reply = make.reply("Noted.")
    talk.turn_end(reply, tokens=135_000)
    messages += [reply, make.user("Go on."), make.reply("", make.call("read", path="a.py")), make.result("a")]
    pruned = talk.context(messages)
    assert pruned["report"]["turnsKept"] == 1
    reply = make.reply("Noted again.")
    talk.turn_end(reply, tokens=4_000)
    messages += [reply, make.user("And on.")]
    answer = talk.context(messages)
    assert answer["report"]["zone"] == "green"
    assert answer["report"]["turnsKept"] == 2
    return talk


@behaviour(
    "pruning/status",
    "getStatus returns mode, zone, pressure, tokens, the packet's tokens and what was done.",
    "design 2, shapes",
)
def status() -> Talk:
    talk = Talk(TURNS)
    make, messages = session(8)
    assert talk.status()["tokens"] is None
    talk.context(messages)
    talk.turn_end(make.reply("Noted."), tokens=92_000)
    status = talk.status()
    assert (status["mode"], status["preset"], status["zone"], status["tokens"]) == ("on", "turns", "yellow", 92_000)
    assert status["pressure"] == round(92_000 / (200_000 - 16_384), 4)
    assert status["stats"]["turnsDropped"] == 3
    assert status["packetTokens"] > 0
    return talk


@behaviour(
    "pruning/explained",
    "`explain` gives each message of the last list a verdict with its rule and both token counts, and one for the "
    "packet.",
    "design 2, explain",
)
def explained() -> Talk:
    talk = Talk({**TURNS, "distill": {"green": 100}})
    make, messages = session(7)
    messages[-3:] = make.turn("Read the long one.", "word " * 100, "read", path="long.py")
    messages += [*make.turn("Read the other.", "word " * 100, "read", path="other.py"), make.user("And?")]
    answer = talk.context(messages)
    verdicts = talk.call("explain", sessionId="s")["verdicts"]
    assert [one["index"] for one in verdicts if one["verdict"] != "inserted"] == list(range(len(messages)))
    found = {kind: [one for one in verdicts if one["verdict"] == kind] for kind in ("kept", "dropped", "distilled")}
    assert len(found["kept"]) + len(found["distilled"]) + 1 == len(answer["list"])
    assert answer["report"]["resultsDistilled"] == len(found["distilled"]) > 0
    assert all(0 < one["after"] < one["before"] for one in found["distilled"])
    assert all(one["after"] == 0 for one in found["dropped"])
    (inserted,) = (one for one in verdicts if one["verdict"] == "inserted")
    assert inserted["after"] == answer["report"]["packetTokens"]
    assert sum(one["after"] for one in verdicts) == answer["report"]["tokens"]
    return talk
