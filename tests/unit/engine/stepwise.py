"""Asks and answers of preset `balanced` for tests: conversations that name things, and how a list is projected."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import msgspec
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions import Quoted
from ctxmgr.engine.invariants import STEPS, Invariants
from ctxmgr.engine.presets.balanced import USER_SHARE
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.retention.epoch import drafted
from ctxmgr.engine.retention.epoch_writing import ListRoom, WorthInputs, WorthTerms
from ctxmgr.engine.retention.layout import Layout
from ctxmgr.engine.retention.receipts import BalancedResult
from ctxmgr.engine.retention.worth import Worth
from ctxmgr.engine.rewriting.rewrite import rewriter, shorten
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.prices import Rates
from ctxmgr.model.projection import Packet, Plan
from tests.notation import Said, a, call, err, indexed, note, packet, quarters, r, raws, read, sh, summary, think, u

KEEP = 15.0  # what lacking a stretch costs, in tokens: a read of 115 tokens is worth 800 tokens of conversation
NOTHING = 0.001  # nothing is worth its place
ALL = 1e9  # and so is everything
NEWEST = WorkingSet(results=2, tokens=100)
NO_PACKET = Packet("", 0)


def code(number: int, lines: int = 20) -> str:
    """Text of a file in which each line has a name of its own."""
    return "\n".join(f"def func_{number}_{line}(): pass" for line in range(lines))


def looked(number: int, lines: int = 20, *said: Any) -> list[Said]:
    """A step: file `number` is read."""
    return [a(*said, call("read", path=f"src/mod_{number}.py")), r(code(number, lines))]


def looked_by(id: str, number: int, lines: int = 20) -> list[Said]:
    """The same with an id of its own, where other calls have no results yet."""
    return [a(call("read", id, path=f"src/mod_{number}.py")), r(code(number, lines), id)]


def wrote(number: int, lines: int = 20) -> list[Said]:
    """A step: file `number` is written whole."""
    return [a(call("write", path=f"src/mod_{number}.py", content=code(number, lines))), r("ok")]


def facts(stands_for: int) -> tuple[str, int]:
    text = "[ctxmgr packet]\nfacts"
    return (text, quarters(text)) if quarters(text) <= stands_for else ("", 0)


class Writer(msgspec.Struct):
    of: Callable[[int], str]
    handle: Callable[[str], str]
    weigh: Callable[[str], int]
    allowance: int = 0
    archives: bool = False

    @property
    def most_allowed(self) -> int:
        return self.allowance

    def quoted(self, tokens: float, left: object) -> Quoted:
        return Quoted()

    def written(self, tokens: int, *_: object) -> str:
        return self.of(tokens)

    def has_news(self, shown: Packet) -> bool:
        return False


def project(conversation: ConversationIndex, inputs: WorthInputs) -> BalancedResult:
    return drafted(conversation, inputs).decided()


def without(rules: Invariants, name: str) -> Invariants:
    """All but the rule of this name."""
    return Invariants(*(rule for rule in rules.rules if rule.name != name))


def terms(messages: tuple[Message, ...], **keys: Any) -> WorthTerms:
    """Green, warm, no archive; keys say what differs. `limit`: that from which on a list is pressed."""
    by: dict[str, Any] = {
        "zone": "green",
        "keep": KEEP,
        "working_set": NEWEST,
        "limit": 1e9,
        "rates": Rates(),
        "decisions": {},
        "packet": NO_PACKET,
        "packet_index": 0,
        "cached_count": len(messages),
        "usable": 20_000.0,
        "window_limit": 25_000.0,
        "tools": (),
        "protected": frozenset,
        "rewrite": rewriter(indexed(messages), quarters),
        "shorten": partial(_shorten, messages),
        "facts": lambda stands_for: facts(stands_for)[0],
        "handle": lambda key: "",
        "weigh": quarters,
        "rules": STEPS,
    }
    assert keys.keys() <= by.keys()
    by |= keys
    laid_out = ("decisions", "packet", "packet_index", "rewrite", "shorten", "rules")
    window = by["window_limit"]
    policy = Policy(protected_tools=by["tools"], protected_instructions=False)
    return WorthTerms(
        zone=by["zone"],
        layout=Layout(**{name: by[name] for name in laid_out}, newest=by["working_set"]),
        room=ListRoom(min(by["limit"], window), window, USER_SHARE * by["usable"]),
        worth=Worth(by["keep"], by["rates"]),
        cached_count=by["cached_count"],
        protection=Protection(indexed(messages), policy, by["protected"]),
        writer=Writer(by["facts"], by["handle"], by["weigh"]),
    )


def _shorten(messages: tuple[Message, ...], ref: BlockRef) -> tuple[dict[str, Any], int] | None:
    block = messages[ref.message_index].view.blocks[ref.block_index]
    arguments = shorten(block.made)
    return None if arguments is None else (arguments, weight_of_call(block.tool, arguments))


def weight_of_call(tool: str, arguments: dict[str, Any]) -> int:
    (message,) = read(raws(a(call(tool, "x", **arguments))))
    return message.weights[0]


def ask(
    messages: tuple[Message, ...], done: BalancedResult | None = None, size: int = 0, **keys: Any
) -> WorthInputs:
    """What goes on from the projection `done`, of the first `size` messages. Keys are those of `WorthInputs` or
    `terms`."""
    known: dict[str, Any] = {"epoch": Epoch()}
    if done is not None:
        known = {"epoch": done.epoch, "last_plan": done.plan, "last_count": size}
        shown = next((piece for piece in done.plan.pieces if isinstance(piece, Packet)), NO_PACKET)
        keys = {
            "decisions": done.plan.decisions,
            "packet": shown,
            "packet_index": done.plan.floor,
            "cached_count": size,
            **keys,
        }
    for name in ("epoch", "reopen", "last_plan", "last_count", "time_ms", "replaced"):
        if name in keys:
            known[name] = keys.pop(name)
    return WorthInputs(terms(messages, **keys), **known)


def projected(
    messages: tuple[Message, ...], done: BalancedResult | None = None, size: int = 0, **keys: Any
) -> BalancedResult:
    return project(indexed(messages), ask(messages, done, size, **keys))


def restarted(messages: tuple[Message, ...], done: BalancedResult, size: int, **keys: Any) -> BalancedResult:
    """The same from what a snapshot holds: the plan before is gone."""
    return projected(messages, done, size, **{**keys, "last_plan": None})


def opened(said: list[Said], reopen: str = "forced", **keys: Any) -> tuple[tuple[Message, ...], Plan]:
    """A list, and its plan once an epoch was opened over it."""
    messages = read(raws(*said))
    return messages, projected(messages, reopen=reopen, **keys).plan


def packet_of(plan: Plan) -> str:
    return "".join(piece.text for piece in plan.pieces if isinstance(piece, Packet))


USERS = [[u(f"go on with src/mod_{number}.py")] for number in range(4)]
LONG_USERS = [[u(f"see {code(number, 60)}")] for number in range(3)]
MADE = [
    *(looked(number, lines) for number in range(4) for lines in (1, 20, 60)),
    *(looked(number, 20, f"func_{number}_3 is what src/mod_{number}.py needs") for number in range(4)),
    *(looked(number, 20, think(f"src/mod_{number}.py")) for number in range(2)),
    *(wrote(number, lines) for number in range(3) for lines in (3, 40)),
    *(
        [a(call("edit", path=f"src/mod_{n}.py", oldText=f"def func_{n}_1", newText=f"def func_{n}_x")), r("ok")]
        for n in range(3)
    ),
    *([a(call("bash", command=f"pytest -k {name}")), r(code(9, lines))] for name in "ab" for lines in (1, 40)),
    *([a(call("bash", command="make it")), err(f"Error: {code(8, lines)}")] for lines in (1, 90)),
    [a(call("read", path="src/mod_1.py"), call("bash", command="ls")), r(code(1)), r(code(7))],
    [a(call("read", path="src/mod_2.py"), call("bash", command="ls")), r(code(2)), err("Error: no")],
    [a("looked at src/mod_1.py and func_1_2")],
]
OTHERS = [[note("n")], [sh("ls src/", code(6))]]
SPECIALS = [[summary("## Goal\nsrc/mod_1.py")], [packet()], [packet("[ctxmgr packet]\n" + code(5))]]
ODD = [
    [Said({"role": "system", "content": "be kind"})],
    [Said({"role": "assistant", "content": [], "stopReason": "error"})],
    [Said({"role": "user", "content": []})],
    [a(call("read", path="src/mod_1.py"))],
    [r(code(1), "x1")],
    [a(call("bash", "x1", command="c"))],
]


@cache
def _read(raw: bytes) -> Message:
    return read([raw])[0]


def _talk(*parts: list[list[Said]]) -> tuple[Message, ...]:
    return tuple(_read(raw) for raw in raws(*(one for part in parts for said in part for one in said)))


def _some(*kinds: list[list[Said]], most: int = 24) -> st.SearchStrategy[list[list[Said]]]:
    one = st.one_of(*map(st.sampled_from, kinds))
    return st.integers(0, most).flatmap(lambda least: st.lists(one, min_size=least, max_size=most))


legal = st.builds(
    _talk,
    st.lists(st.sampled_from(SPECIALS), max_size=1),
    st.lists(st.sampled_from([*USERS, *LONG_USERS]), max_size=2),
    _some(USERS, MADE, MADE, MADE, MADE, OTHERS, LONG_USERS),
)
wild = st.builds(_talk, _some(MADE, MADE, MADE, USERS, LONG_USERS, OTHERS, SPECIALS, ODD, ODD))
any_list = st.one_of(legal, wild)


@st.composite
def results_late(draw: st.DrawFn) -> tuple[Message, ...]:
    """Tools run on while others answer and users write; some results come twice, some never."""
    said, running = [u("go")], list[int]()
    for number in range(draw(st.integers(2, 24))):
        kind = draw(st.sampled_from(("user", "shell", "reply", "step", "call", "call", "result", "result")))
        if kind == "user":
            said.append(u(f"go on with src/mod_{number}.py"))
        elif kind == "shell":
            said.append(sh("ls", code(6)))
        elif kind == "reply":
            said.append(a("looked at src/mod_1.py and func_1_2"))
        elif kind == "step":
            said += looked_by(f"step{number}", number, 40)
        elif kind == "call":
            said.append(a(call("read", f"late{number}", path=f"src/mod_{number}.py")))
            running.append(number)
        elif running:
            answered = draw(st.sampled_from(running))
            said.append(r(code(answered), f"late{answered}"))
            if draw(st.integers(0, 9)):
                running.remove(answered)
    return read(raws(*said))


def ok(messages: tuple[Message, ...], plan: Plan, newest: WorkingSet = NEWEST) -> None:
    """No rule is broken, the promise of the working set among them."""
    promised = msgspec.structs.replace(plan, working_set=newest)
    assert STEPS.check(indexed(messages), promised)[0] == ()
