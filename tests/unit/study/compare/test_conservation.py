"""Nothing is lost: over chains of compactions each entry is in a summary that is carried on, or in the list."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.compaction import prepare
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.formats.pi_tree import branch
from ctxmgr.model.compaction import BranchEntry, CompactionPlan, CutBudget, Weigher, in_list
from ctxmgr.study.compare.sessions import uncovered
from tests.notation import a, call, r, sh, summary, u, words, written
from tests.unit.engine.trees import compacted, custom, left_behind, meta, path

weigh = by_text(words, lambda one: 0, lambda view: 0)
WEIGHERS: tuple[Weigher, ...] = ("tokens", "chars4")

SESSION = (u("a b"), a("c"), compacted("first", kept="e2"), u("d"), a(call("t", "c1")), r("e f", to="c1"), a("g"))


def prepared(entries: tuple[BranchEntry, ...], keep: int, weigher: Weigher = "tokens") -> CompactionPlan | None:
    found = prepare.decide(entries, CutBudget(keep, weigher=weigher), weigh)
    return found if isinstance(found, CompactionPlan) else None


def split() -> tuple[tuple[BranchEntry, ...], CompactionPlan]:
    entries = path(*SESSION)
    found = prepared(entries, 1)
    assert found is not None
    assert found.split
    return entries, found


def test_a_message_that_got_lost_is_found() -> None:
    for part, place in (("history", 1), ("prefix", 3), ("recent", 6)):
        entries, found = split()
        broken = msgspec.structs.replace(found, **{part: getattr(found, part)[1:]})
        assert uncovered(entries, broken) == (place,), part
    assert uncovered(entries, msgspec.structs.replace(found, previous=None)) == (2,)


text = st.sampled_from(["", "w", "w w w", "w w w w w w w"])
ids = st.sampled_from(["c1", "c2", "c3"])
said = st.one_of(
    st.builds(u, text),
    st.builds(a, text),
    st.builds(lambda id, path: a(call("read", id, path=path)), ids, text),
    st.builds(lambda told, id: r(told, to=id), text, ids),
    st.builds(lambda told: sh("ls", told), text),
    st.builds(summary, text),
)
other = st.one_of(st.builds(custom, text), st.builds(left_behind, text), st.just(meta()))
# what a host adds, (kind, what); or that it compacts: ("compact", (tokens to keep, weigher, by an extension))
asked = st.tuples(st.just("compact"), st.tuples(st.integers(0, 8), st.sampled_from(WEIGHERS), st.booleans()))
step = st.one_of(
    st.tuples(st.just("said"), said),
    st.tuples(st.just("said"), said),
    st.tuples(st.just("other"), other),
    st.tuples(st.just("fork"), st.integers(0, 2)),
)
edit = st.tuples(st.just("edit"), st.tuples(st.integers(0, 5), st.booleans()))
rounds = st.lists(st.tuples(st.lists(step, min_size=1, max_size=8), asked), min_size=2, max_size=5)
edited = st.lists(st.tuples(st.lists(step | edit, min_size=1, max_size=8), asked), max_size=5)
Rounds = list[tuple[list[tuple[str, Any]], tuple[str, Any]]]


class Host:
    """A host that adds entries and compacts as it is told, and remembers what each summary stands for."""

    def __init__(self) -> None:
        self.raws: list[bytes] = []
        self.path: tuple[BranchEntry, ...] = ()
        self.stands_for: dict[str, frozenset[bytes]] = {}

    def add(self, fields: dict[str, Any], parent: str | None = None) -> str:
        id = f"e{len(self.raws)}"
        above = parent or (self.path[-1].id if self.path else None)
        self.raws.append(msgspec.json.encode({"id": id, "parentId": above, **fields}))
        self.path = branch.branch(self.raws, id)
        return id

    def take(self, kind: str, what: Any) -> None:
        if kind == "said":
            message = {**written(what)[0], "n": len(self.raws)}  # told apart by a number
            if message["role"] == "toolResult":
                message["toolCallId"] = what.answers
            self.add({"type": "message", "message": message})
        elif kind == "other":
            self.add({**what.fields, "details": {"n": len(self.raws)}})
        elif kind == "edit" and self.path:
            target = self.path[max(0, len(self.path) - 1 - what[0])].id
            self.add(
                {"type": "context_edit", "targetId": target, "replacement": {"content": "z"} if what[1] else None}
            )
        elif kind == "fork" and len(self.path) > what:
            self.add({"type": "label"}, parent=self.path[-1 - what].id)
        elif kind == "compact":
            self.compact(*what)

    def compact(self, keep: int, weigher: Weigher, hook: bool) -> None:
        found = prepared(self.path, keep, weigher)
        if found is None:
            return
        assert uncovered(self.path, found) == ()
        before = self.newest()
        carried = self.stands_for[before] if before and found.previous is not None else frozenset()
        fields = {"summary": f"s{len(self.raws)}", "firstKeptEntryId": found.first_kept, "fromHook": hook}
        id = self.add({"type": "compaction", **fields})
        self.stands_for[id] = carried | {message.raw for message in (*found.history, *found.prefix)}

    def newest(self) -> str | None:
        return next((one.id for one in reversed(self.path) if one.kind == "compaction"), None)

    def lost(self) -> list[str]:
        """Entries of the path whose messages are neither in the list nor in what its summary stands for."""
        head = self.newest()
        told = self.stands_for[head] if head else frozenset()
        shown = {message.raw for entry in in_list(self.path) for message in entry.messages}
        return [
            entry.id
            for entry in self.path
            if entry.kind != "compaction" and any(one.raw not in told | shown for one in entry.messages)
        ]


@given(rounds)
def test_chains_of_compactions_lose_nothing(told: Rounds) -> None:
    host = Host()
    for steps, compact in told:
        for kind, what in (*steps, compact):
            host.take(kind, what)
            assert host.lost() == []


@given(edited)
def test_each_compaction_among_edits_covers_what_is_left(told: Rounds) -> None:
    host = Host()
    for steps, compact in told:
        for kind, what in (*steps, compact):
            host.take(kind, what)  # which checks each compaction it makes
