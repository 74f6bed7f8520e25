"""A transcript becomes the list that the model saw since the last compaction."""

import json
from typing import Any

from ctxmgr.hooks.transcripts import claude, codex


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


def user(id: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "user", "uuid": id, "parentUuid": parent, "message": {"role": "user", "content": content}, **more,
    }  # fmt: skip


def reply(id: str, parent: str, message: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    told = {"role": "assistant", "id": message, "content": [*blocks]}
    return {"type": "assistant", "uuid": id, "parentUuid": parent, "message": told}


def calls(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": id}}


def result(id: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id, "content": f"of {id}"}]


BOUNDARY = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None}


def test_blocks_of_one_reply_are_one_message_with_all_their_results() -> None:
    made = claude(
        lines(
            user("1", None, "Look."),
            reply("2", "1", "m", {"type": "text", "text": "I look."}),
            reply("3", "2", "m", calls("x")),
            reply("4", "3", "m", calls("y")),
            user("5", "3", result("x")),
            user("6", "4", result("y")),
        )
    )
    assert [message["role"] for message in made] == ["user", "assistant", "user", "user"]
    assert [block["type"] for block in made[1]["content"]] == ["text", "tool_use", "tool_use"]
    assert [message["content"] for message in made[2:]] == [result("x"), result("y")]


def test_a_branch_that_was_left_and_sub_agents_are_not_in_it() -> None:
    made = claude(
        lines(
            user("1", None, "Look."),
            user("2", "1", "Left."),
            user("3", "1", "Inside.", isSidechain=True),
            {"type": "progress", "uuid": "4", "parentUuid": "1"},
            user("5", "4", "Taken."),
        )
    )
    assert [message["content"] for message in made] == ["Look.", "Taken."]


def test_it_begins_at_the_last_compaction() -> None:
    made = claude(
        lines(
            user("1", None, "Long ago."),
            BOUNDARY,
            user("2", "b", "The summary."),
            {"type": "summary"},
            user("3", "2", "Go on."),
        )
    )
    assert [message["content"] for message in made] == ["The summary.", "Go on."]


def test_a_tool_that_looks_for_compactions_is_none() -> None:
    search = {"type": "tool_use", "id": "x", "name": "Grep", "input": {"pattern": "compact_boundary"}}
    rows = [BOUNDARY, user("1", "b", "Never push."), reply("2", "1", "m", search), user("3", "2", result("x"))]
    assert claude(lines(*rows))[0]["content"] == "Never push."


def test_a_line_that_cannot_be_read_is_passed_over() -> None:
    assert claude(lines(user("1", None, "Look.")) + b'{"type": "user", "uu\n\xff\n[1]\n') != []
    assert codex(b"nothing\n") == []


def said(text: str, role: str = "user") -> dict[str, Any]:
    item = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
    return {"type": "response_item", "payload": item}


def words(items: list[dict[str, Any]]) -> list[str]:
    return [item["content"][0]["text"] for item in items]


def test_what_codex_tells_its_model_anyway_is_not_in_it() -> None:
    rows = (
        said("# AGENTS.md instructions"),
        said("<environment_context>"),
        said("Be terse.", "developer"),
        said("Look."),
    )
    assert words(codex(lines(*rows))) == ["Look."]


def test_a_rollout_begins_with_the_list_that_a_compaction_left() -> None:
    history = [said("Kept.")["payload"], said("The summary.")["payload"]]
    compacted = {"type": "compacted", "payload": {"message": "", "replacement_history": history}}
    assert words(codex(lines(said("Long ago."), compacted, said("Go on.")))) == ["Kept.", "The summary.", "Go on."]
    old = {"type": "compacted", "payload": {"message": "The summary."}}
    assert words(codex(lines(said("Long ago."), old))) == ["The summary."]


def test_what_codex_tells_again_after_a_compaction_is_not_in_its_list() -> None:
    told = said("# AGENTS.md instructions for /work")["payload"]
    developer = {**told, "role": "developer"}
    compacted = {
        "type": "compacted",
        "payload": {"replacement_history": [told, developer, said("Kept.")["payload"]]},
    }
    assert words(codex(lines(compacted, said("Go on.")))) == ["Kept.", "Go on."]


def test_turns_that_were_taken_back_are_not_in_it() -> None:
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 2}}
    assert words(codex(lines(said("One."), said("Two."), said("Three."), back, said("Four.")))) == ["One.", "Four."]
