"""Message formats of providers: the same session in each, judged by what its provider takes."""

import json
from functools import partial
from typing import Any

import pytest

from ctxmgr.model.estimate import ESTIMATE
from tests.contract.behaviours import behaviour
from tests.contract.talk import HOST, SMALL, Failed, Fields, Messages, Talk, texts
from tests.legality import lists
from tests.translation import BACK, RULES, TO, plain

LONG = "\n".join(f"line {number} of the long output" for number in range(60))
FAILED = "Error: the build stopped\n" + "\n".join(f"line {number} of what it said" for number in range(30))
PROMPTS = {
    "openai": {"role": "system", "content": "You are a coding agent."},
    "responses": {"type": "message", "role": "developer", "content": "You are a coding agent."},
}
# what each provider reports for 101,000 tokens, 90,000 of them from its cache
USAGE: dict[str, Fields] = {
    "openai": {
        "prompt_tokens": 100_000,
        "completion_tokens": 1_000,
        "total_tokens": 101_000,
        "prompt_tokens_details": {"cached_tokens": 90_000},
    },
    "anthropic": {
        "input_tokens": 4_000,
        "cache_read_input_tokens": 90_000,
        "cache_creation_input_tokens": 6_000,
        "output_tokens": 1_000,
    },
    "responses": {
        "input_tokens": 100_000,
        "input_tokens_details": {"cached_tokens": 90_000},
        "output_tokens": 1_000,
        "total_tokens": 101_000,
    },
    "gemini": {
        "promptTokenCount": 100_000,
        "cachedContentTokenCount": 90_000,
        "candidatesTokenCount": 400,
        "thoughtsTokenCount": 600,
        "totalTokenCount": 101_000,
    },
}
VERSIONS = {"gemini": "1.1"}  # that first knew a format, where it is not 1.0


def _opened(name: str, policy: Fields) -> Talk:
    talk = Talk(start=False)
    policy = {"tokenizer": ESTIMATE, "workingSet": SMALL, **policy}
    terms: Fields = {"protocolVersion": VERSIONS.get(name, "1.0"), "messageFormat": name, "capabilities": HOST}
    answer = talk.call("initialize", **terms, policy=policy)
    assert name in (*answer["capabilities"]["messageFormats"], "auto")
    talk.call("session_start", sessionId="s", model={"id": "model-1", "contextWindow": 200_000})
    return talk


def _told(name: str, *messages: Fields) -> list[Fields]:
    return TO[name](plain(messages))


def _session(name: str) -> list[Fields]:
    """Nine turns: a build that fails in each, and a file that is read beside it."""
    make = Messages()
    said: list[Fields] = []
    for number in range(9):
        said.append(make.user(f"Question {number}. Never touch config.py."))
        thought = {"type": "thinking", "thinking": "I look at it.", "thinkingSignature": "c2lnbmVk"}
        calls = make.call("read", path=f"src/f{number}.py"), make.call("bash", command="make")
        reply = make.reply("", *calls)
        said += [{**reply, "content": [thought, *reply["content"]]}, make.result(LONG), make.result(FAILED, True)]
        said.append(make.reply("That is done."))
    return [*([PROMPTS[name]] if name in PROMPTS else []), *_told(name, *said, make.user("And now?"))]


def _judged(name: str, sent: list[Fields], answer: Fields) -> list[Fields]:
    """The list that the host would send, after its provider's rules were held against it."""
    found: list[Fields] = answer["list"]
    came, out = ([json.dumps(one).encode() for one in each] for each in (sent, found))
    assert lists.faults(RULES[name], came, out) == []
    assert answer["report"]["checks"] == []
    return found


def _results(name: str, found: list[Fields]) -> list[str]:
    """The texts of a list's tool results."""
    return [one["content"][0]["text"] for one in BACK[name](found) if one["role"] == "toolResult"]


def _lived(name: str) -> Talk:
    """A session in preset `turns`: a reading in the provider's words, then an older turn that is shortened."""
    talk = _opened(name, {"preset": "turns"})
    messages = _session(name)
    green = talk.context(messages)
    found = _judged(name, messages, green)
    assert (green["report"]["turnsKept"], green["report"]["turnsDropped"]) == (6, 4)
    assert green["report"]["resultsDistilled"] == 5
    head = 1 if name in PROMPTS else 0
    assert found[:head] == messages[:head]
    assert RULES[name].is_packet(found[head])
    assert "Never touch config.py" in json.dumps(found[head])
    assert [text for text in _results(name, found) if text.startswith("Error")] == [FAILED] * 5
    assert sum(text.startswith("[output distilled — ") for text in _results(name, found)) == 5
    make = Messages()
    reply = make.reply("Now I look.", make.call("read", path="last.py"))
    reply["content"][-1]["id"] = "c99"
    done = {**make.result("text of last.py"), "toolCallId": "c99"}
    items = _told(name, reply, done)
    message: Any = items[:-1] if name == "responses" else items[0]
    ended = talk.call("turn_end", sessionId="s", message=message, toolResults=items[-1:], usage=USAGE[name])
    assert ended["status"]["tokens"] > 101_000
    assert ended["status"]["zone"] == "yellow"
    messages = [*messages, *items]
    yellow = talk.context(messages)
    found = _judged(name, messages, yellow)
    assert yellow["report"]["turnsKept"] == 3
    assert found[-len(items) :] == items
    assert texts(found).count("[ctxmgr packet]") == 1
    return talk


def _pruned(name: str) -> Talk:
    """A session in preset `tools`: what is old is pruned, errors stay."""
    talk = _opened(name, {"preset": "tools", "pruneProtect": 1_000, "pruneMinimum": 500})
    messages = _session(name)
    answer = talk.context(messages)
    found = _judged(name, messages, answer)
    assert len(found) == len(messages)
    markers = [text for text in _results(name, found) if text.startswith("[output pruned — ")]
    assert len(markers) == answer["report"]["resultsPruned"] > 3
    assert markers[0].endswith('| read path="src/f0.py"]')
    assert _results(name, found).count(FAILED) == 9
    again = talk.context(found)
    assert again.get("unchanged") or again["list"] == found
    return talk


@behaviour(
    "formats/compacted",
    "A compaction of a session in a provider's format has entries with messages of that format.",
    "design 7",
)
def compacted() -> Talk:
    talk = _opened("anthropic", {"preset": "turns"})
    messages = _session("anthropic")
    entries = [
        {"type": "message", "id": f"e{at}", "parentId": f"e{at - 1}" if at else None, "message": one}
        for at, one in enumerate(messages)
    ]
    settings = {"keepRecentTokens": 2_000}
    planned = talk.call("planCompaction", sessionId="s", entries=entries, settings=settings)["preparation"]
    kept = next(entry for entry in entries if entry["id"] == planned["firstKeptEntryId"])
    assert not any(part["type"] == "tool_result" for part in kept["message"]["content"] if isinstance(part, dict))
    assert "src/f0.py" in planned["fileOps"]["read"]
    shown = [*planned["messagesToSummarize"], *planned["turnPrefixMessages"]]
    blocks = [part for one in shown if isinstance(one["content"], list) for part in one["content"]]
    gone = messages[: entries.index(kept)]
    assert blocks == [part for one in gone if isinstance(one["content"], list) for part in one["content"]]
    answer = talk.call("compact", sessionId="s", entries=entries, settings=settings)["compaction"]
    assert answer["firstKeptEntryId"] == planned["firstKeptEntryId"]
    assert "Never touch config.py" in answer["summary"]
    return talk


LIVED = {
    "openai": "Chat completions: the prompt stays first, then comes the packet. Calls keep their results, errors "
    "keep their text.",
    "anthropic": "Anthropic's messages: several results in one message are shortened one by one. Thinking is "
    "unchanged.",
    "responses": "Responses: the items of an answer are removed together. `turn_end` takes them as an array.",
    "gemini": "Gemini's contents: several responses in one content are shortened one by one. Signed thoughts are "
    "unchanged.",
}
PRUNED = {
    "openai": "Chat completions have no error flag. A failure is recognized by its text, and is not pruned.",
    "anthropic": "Of two results in one of Anthropic's messages, the old output is pruned and the error stays.",
    "responses": "Responses have no error flag. A failure is recognized by its text, and is not pruned.",
    "gemini": "Of two responses in one of Gemini's contents, the old output is pruned and the failed one stays.",
}
for form, sentence in LIVED.items():
    behaviour(f"formats/{form}", sentence, "design 3; the format's own rules")(partial(_lived, form))
for form, sentence in PRUNED.items():
    behaviour(f"formats/{form}-pruned", sentence, "design 3 and 4, rule 6")(partial(_pruned, form))


@behaviour(
    "formats/named-wrongly",
    "A list in a different format than was named is refused untouched, and the error names the right one.",
    "model.api.lifecycle: messageFormat",
)
def named_wrongly() -> Talk:
    talk = Talk()
    messages = _told("anthropic", *Messages().turn("Read it."))
    with pytest.raises(Failed) as failed:
        talk.context(messages)
    assert failed.value.code == -32602
    assert failed.value.error["data"] == {"path": "$.messages", "messageFormat": "anthropic"}
    model = {"id": "model-1", "contextWindow": 200_000}
    talk.call("session_start", sessionId="s", model=model, messageFormat="anthropic")
    assert talk.context(messages)["report"]["checks"] == []
    return talk


@behaviour(
    "formats/told-by-the-messages",
    '`messageFormat` "auto": texts are accepted in any format, and the first message that shows a format decides.',
    "model.api.lifecycle: messageFormat",
)
def told_by_the_messages() -> Talk:
    talk = _opened("auto", {"preset": "turns"})
    messages = _session("openai")
    assert talk.context(messages[:2])["report"]["checks"] == []
    found = _judged("openai", messages, talk.context(messages))
    assert RULES["openai"].is_packet(found[1])
    return talk
