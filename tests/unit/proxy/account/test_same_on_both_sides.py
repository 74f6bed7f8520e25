"""A call whose list passed as it came is the same on both sides, in tokens and in dollars, whatever the provider
counts."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr import settings
from ctxmgr.client import ContextOutcome
from ctxmgr.model.api import reports
from ctxmgr.proxy import ProxySettings
from ctxmgr.proxy.account import Account, BilledCall
from ctxmgr.proxy.apis import APIS
from ctxmgr.proxy.body import list_body
from ctxmgr.proxy.conversations import Conversations, ListEnds
from ctxmgr.proxy.rewriting import Rewriter
from tests.unit.proxy.lists import SESSION, compact, conversation, marked, request
from tests.unit.proxy.provider import answers, turn

OTHER = compact({"role": "user", "content": "What ctxmgr made of it."})
NOTHING_SAVED = "saved nothing"


class Reported(msgspec.Struct, frozen=True):
    """What ctxmgr says of a list, however wrong."""

    raw_tokens: int
    tokens: int
    prefix_tokens: int | None
    source: str
    is_told: bool


class Called(msgspec.Struct, frozen=True):
    """One call. `conversation`: which; `begins`: its list does not go on from the call before. `changed`: ctxmgr
    makes another list of it. `usage`: the provider's, None where it tells none. `restarted`: by another proxy."""

    conversation: int
    begins: bool
    changed: bool
    reported: Reported
    usage: dict[str, Any] | None
    restarted: bool


COUNTS = st.integers(0, 10**7)
REPORTED = st.builds(
    Reported, COUNTS, COUNTS, st.none() | COUNTS, st.sampled_from(("answered", "kept", "own")), st.booleans()
)
USAGES = st.fixed_dictionaries(
    {"input_tokens": COUNTS, "output_tokens": COUNTS},
    optional={
        "cache_read_input_tokens": COUNTS,
        "cache_creation_input_tokens": COUNTS,
        "cache_creation": st.fixed_dictionaries({"ephemeral_1h_input_tokens": COUNTS}),
    },
)


def sessions_of(changed: st.SearchStrategy[bool]) -> st.SearchStrategy[list[Called]]:
    called = st.builds(
        Called,
        st.integers(0, 2),
        st.booleans(),
        changed,
        REPORTED,
        st.none() | st.just({}) | USAGES,
        st.integers(0, 5).map(lambda one: one == 0),
    )
    return st.lists(called, max_size=8)


class FakeSession:
    """A session of ctxmgr that answers as a call says."""

    def __init__(self) -> None:
        self.outcome: ContextOutcome | None = None
        self.next: Called | None = None

    async def context(self, given: Sequence[bytes], **beside: Any) -> list[bytes]:
        assert self.next is not None
        said = self.next.reported
        report = reports.Report(
            raw_tokens=said.raw_tokens,
            tokens=said.tokens,
            zone="green",
            epoch=0,
            first_changed_index=-1,
            turns_kept=1,
            turns_dropped=0,
            results_distilled=0,
            results_pruned=0,
            packet_tokens=0,
            checks=(),
            prefix_tokens=said.prefix_tokens,
        )
        self.outcome = ContextOutcome("answered", True, report if said.is_told else None)
        if said.source != "answered":
            self.outcome = msgspec.structs.replace(self.outcome, source=said.source)
        return [OTHER, *given[1:]] if self.next.changed else list(given)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def told(*given: Any, **more: Any) -> None:
            """Of an event nothing comes back."""

        return told


class FakeClient:
    def __init__(self) -> None:
        self.sessions: dict[str, FakeSession] = {}

    def opened(self, key: str, *given: Any, **more: Any) -> FakeSession:
        return self.sessions.setdefault(key, FakeSession())


class Recording(Account):
    """Remembers both sides of each call."""

    def __init__(self) -> None:
        super().__init__()
        self.sides: list[tuple[BilledCall, BilledCall]] = []

    def count(self, sent: BilledCall, other: BilledCall, rewritten: bool, price_note: str = "") -> None:
        self.sides.append((sent, other))
        super().count(sent, other, rewritten, price_note)


async def played(calls: Sequence[Called], observe: bool) -> list[tuple[Recording, list[bool]]]:
    """Each proxy's account, and of the calls that it counted: did the list change, or would it have?"""
    layers = settings.read({"window": 200_000}, {}, Path("nowhere"))
    steps = [0, 0, 0]
    found: list[tuple[Recording, list[bool]]] = []
    rewriter: Rewriter | None = None
    for one in calls:
        if rewriter is None or one.restarted:
            client = FakeClient()
            made = ProxySettings("http://127.0.0.1", layers.settings_for, observe=observe)
            known: Any = client
            rewriter = Rewriter(Conversations(known, layers.settings_for, lambda: 0.0, ListEnds("nowhere")), made)
            account = rewriter.account = Recording()
            counted: list[bool] = []
            found.append((account, counted))
        steps[one.conversation] = 1 if one.begins else steps[one.conversation] + 1
        body = list_body(request(marked(conversation(steps[one.conversation], lines=2))), "messages")
        assert body is not None
        name = f"s-{one.conversation}"
        call = APIS["anthropic"].call_of("/v1/messages", {"x-claude-code-session-id": name}, body)
        client.sessions.setdefault(f"claude:{name}", FakeSession()).next = one
        prepared = await rewriter.prepared(call)
        assert prepared is not None
        before = len(account.sides)
        rewriter.answered(prepared, one.usage)
        counted += [list(prepared.listed.messages) != body.messages] * (len(account.sides) - before)
        await rewriter.looked()
    return found


@given(calls=sessions_of(st.just(False)), observe=st.booleans())
def test_without_a_change_nothing_is_saved_whatever_the_usage_says(calls: list[Called], observe: bool) -> None:
    for account, _ in asyncio.run(played(calls, observe)):
        assert account.sent == account.other
        assert account.refetch_count == account.refetched.input_tokens == 0
        assert account.rewritten_calls == 0
        saved, _, again = account.lines(observe)[-1].partition("; ")
        assert saved == ("would have saved nothing" if observe else "saved nothing")
        assert again == ("the model would have fetched nothing again" if observe else "")


@given(calls=sessions_of(st.booleans()), observe=st.booleans())
def test_a_call_that_passed_as_it_came_adds_the_same_to_both_sides(calls: list[Called], observe: bool) -> None:
    for account, changed in asyncio.run(played(calls, observe)):
        sides = list(zip(changed, account.sides, strict=True))
        assert all(sent == other for is_changed, (sent, other) in sides if not is_changed)
        saved = sum(other.input_tokens - sent.input_tokens for is_changed, (sent, other) in sides if is_changed)
        assert account.other.input_tokens - account.sent.input_tokens == pytest.approx(saved, abs=1e-3)
        for billed in (side for both in account.sides for side in both):  # nobody is billed less than nothing
            assert min(billed.fresh_tokens, billed.read_tokens, billed.written_tokens, billed.dollars or 0.0) >= 0


async def test_the_page_says_of_a_session_what_its_last_line_says(rig: Any) -> None:
    made = await rig(window=200_000)
    made.upstream.answer = answers(turn(20_000, read=1_000))
    for number in range(3):
        await made.post(request(marked(conversation(number))), headers=SESSION)
    response = await made.session.get(made.proxy.url + "/ctxmgr/sessions", headers=made.ours)
    told = msgspec.json.decode(await response.read())
    (one,) = told["sessions"]
    assert told["account"]["told"] == one["account"]["told"] == f"3 calls: {NOTHING_SAVED}"
    assert [call["ownTokens"] for call in one["calls"]] == [call["listTokens"] for call in one["calls"]]
