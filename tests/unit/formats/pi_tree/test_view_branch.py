"""A branch of messages in a provider's format: what is said, where a cut may be, and that nothing is told twice."""

import json
from typing import Any

import msgspec

from ctxmgr.engine.compaction.prepare import decide
from ctxmgr.engine.compaction.render import conversation
from ctxmgr.engine.compaction.weighing import quarters as by_units
from ctxmgr.formats import FORMATS
from ctxmgr.formats.pi_tree import branch, view_branch
from ctxmgr.model.compaction import BranchEntry, CompactionPlan, CutBudget
from tests import translation
from tests.conversations import text_of
from tests.notation import a, call, err, r, think, u
from tests.translation import NAMES, Json

BOTH = [
    a(think("hm"), "I look.", call("read", path="a.py"), call("bash", command="make")),
    r("text"),
    err("no rule"),
]
SAID = translation.said(u("go"), *BOTH, a("done"), u("more"), *BOTH, a("ok"))


def tree(messages: list[Any]) -> list[bytes]:
    """An entry a message."""
    return [
        msgspec.json.encode(
            {"type": "message", "id": f"e{at}", "parentId": f"e{at - 1}" if at else None, "message": one}
        )
        for at, one in enumerate(messages)
    ]


def path(name: str) -> tuple[BranchEntry, ...]:
    return view_branch.branch(FORMATS[name], tree(translation.TO[name](SAID)), None)


def shown(entries: tuple[BranchEntry, ...]) -> str:
    return conversation(message for entry in entries for message in entry.messages)


def test_a_summariser_is_shown_the_same() -> None:
    for name in ("pi", *NAMES):
        expected = shown(branch.branch(tree(SAID), None))
        found = shown(path(name)).replace("\n\n[Assistant]: ", "\n\n").replace("\n\n[Assistant tool calls]: ", "; ")
        assert found == expected.replace("\n\n[Assistant]: ", "\n\n").replace("\n\n[Assistant tool calls]: ", "; ")


# name, where a kept part may start
CUTS = {
    "openai": [0, 1, 4, 5, 6, 9],
    "anthropic": [0, 1, 3, 4, 5, 7],
    "responses": [0, 1, 7, 8, 9, 15],  # not with a text or a call that has its thought before it
    "gemini": [0, 1, 3, 4, 5, 7],
}


def test_where_a_cut_may_be() -> None:
    for name in NAMES:
        entries = path(name)
        cuttable = [at for at, entry in enumerate(entries) if any(message.cuttable for message in entry.messages)]
        assert cuttable == CUTS[name], name
        opens = [at for at, entry in enumerate(entries) if any(message.opens_turn for message in entry.messages)]
        assert [SAID.index(one) for one in SAID if one["role"] == "user"] == [0, 5], name
        assert len(opens) == 2, name
        assert set(opens) <= set(cuttable), name


def test_several_results_are_told_one_by_one_and_none_twice() -> None:
    said: Json = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "one", "cache_control": {"type": "ephemeral"}},
            {"type": "tool_result", "tool_use_id": "t2", "content": "two", "is_error": True},
            {"type": "text", "text": "stop"},
        ],
    }
    (entry,) = view_branch.branch(FORMATS["anthropic"], tree([said]), None)
    speakers = [(one.content.speaker, one.content.text, one.content.is_error) for one in entry.messages]
    assert speakers == [("result", "one", False), ("result", "two", True), ("user", "stop", False)]
    assert [block for one in entry.messages for block in json.loads(one.raw)["content"]] == said["content"]
    assert not any(one.cuttable for one in entry.messages)


def test_an_entry_may_hold_all_items_of_an_answer() -> None:
    items = translation.to_responses(SAID[1:2])
    (entry,) = view_branch.branch(FORMATS["responses"], tree([items]), None)
    assert [json.loads(one.raw) for one in entry.messages] == items
    assert [one.cuttable for one in entry.messages] == [True, False, False, False]


def test_summaries_are_told_by_their_entries() -> None:
    raws = tree(translation.to_openai(SAID))
    compaction = {"type": "compaction", "id": "c", "parentId": "e9", "summary": "so far", "firstKeptEntryId": "e5"}
    entries = view_branch.branch(FORMATS["openai"], [*raws, json.dumps(compaction).encode()], None)
    assert (entries[-1].kind, entries[-1].summary, entries[-1].first_kept) == ("compaction", "so far", "e5")


def test_a_compaction_is_prepared() -> None:
    """The whole of the first turn goes, the second stays: in every format."""
    for name in ("pi", *NAMES):
        said = translation.said(u("go"), *BOTH, a(text_of(200)), u("more " * 400), *BOTH, a("ok"))
        entries = view_branch.branch(FORMATS[name], tree(translation.TO[name](said)), None)
        prepared = decide(
            entries, CutBudget(keep_recent_tokens=300, reserve_tokens=1_000, weigher="tokens"), by_units
        )
        assert isinstance(prepared, CompactionPlan), name
        kept = next(at for at, entry in enumerate(entries) if entry.id == prepared.first_kept)
        assert entries[kept].messages[0].opens_turn, name
        assert not prepared.split, name
        assert "line 199" in conversation(prepared.history), name
        assert prepared.files.read == ("a.py",), name
