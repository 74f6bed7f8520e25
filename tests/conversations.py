"""Random conversations for properties: legal ones, and ones that only real hosts would dare to send.

Each is a list drawn from a table of ready messages, so that drawing is cheap and shrinks to few of them.
"""

from functools import cache

from hypothesis import strategies as st

from ctxmgr.model.messages import Message
from tests.notation import Said, a, branch, call, note, packet, r, raws, read, sh, summary, think, u

SIZES = (1, 3, 12, 60, 150, 900)  # lines of six to eight characters: from a word to what is always distilled
TOOLS = ("read", "bash", "skill")
IDS = ("x1", "x2")  # ids that come again and again


def text_of(lines: int) -> str:
    return "\n".join(f"line {number}" for number in range(lines))


TEXTS = [text_of(lines) for lines in SIZES]
USERS = [[u(f"text {number}")] for number in range(6)]
OTHERS = [[note("n")], [sh("ls", "x")], [note(TEXTS[2])]]
SPECIALS = [[summary(TEXTS[0])], [summary(TEXTS[3])], [branch(TEXTS[3])], [packet()], [packet(TEXTS[3])]]
STEPS = [
    [a("ok")],
    [a(think("hm"), "ok")],
    *([a(call(tool, path="p")), r(text)] for tool in TOOLS for text in TEXTS),
    *([a(think("hm"), call("bash", command="c")), r(text, is_error=True)] for text in TEXTS),
    *([a(call("read", path="p"), call("bash", command="c")), r(text), r(text)] for text in TEXTS),
]
CALLS = [[a(call("read", path="p"))], *([a(call("bash", id, command="c"))] for id in IDS)]
RESULTS = [[r(text, id, is_error)] for text in TEXTS[1::2] for id in ("", *IDS) for is_error in (False, True)]
ODD = [
    [Said({"role": "system", "content": "be kind"})],
    [Said({"role": "assistant", "content": None, "stopReason": "error"})],
    [Said({"role": "user", "content": [{"type": "hologram", "of": 1}]})],
]


@cache
def _read(raw: bytes) -> Message:
    return read([raw])[0]


def talk_of(*parts: list[list[Said]]) -> tuple[Message, ...]:
    return tuple(_read(raw) for raw in raws(*(one for part in parts for said in part for one in said)))


def some(*kinds: list[list[Said]], most: int = 24) -> st.SearchStrategy[list[list[Said]]]:
    """Lists of these kinds, each kind as likely as the others; long ones as likely as short ones."""
    one = st.one_of(*map(st.sampled_from, kinds))
    return st.integers(0, most).flatmap(lambda least: st.lists(one, min_size=least, max_size=most))


# every call answered at once, in order; may start with a summary or a packet, or without a user message
legal = st.builds(
    talk_of,
    st.lists(st.sampled_from(SPECIALS), max_size=2),
    some(USERS, STEPS, STEPS, OTHERS),
)
# calls without results and results without calls, ids used again, results that come late, several summaries,
# packets that came back, unknown roles; with or without a user message
wild = st.builds(talk_of, some(USERS, CALLS, RESULTS, CALLS, RESULTS, STEPS, OTHERS, SPECIALS, ODD))
any_list = st.one_of(legal, wild)


def pairs(messages: tuple[Message, ...]) -> dict[tuple[int, int], int]:
    """Result to call, told afresh and slowly: (index, block) to the index of the latest earlier call."""
    found = {}
    for at, message in enumerate(messages):
        for number, block in enumerate(message.view.blocks):
            if block.kind == "result":
                for before in range(at - 1, -1, -1):
                    ids = [other.call_id for other in messages[before].view.blocks if other.kind == "call"]
                    if block.call_id in ids:
                        found[at, number] = before
                        break
    return found
