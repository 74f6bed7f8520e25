"""The task of a session: the plan that the user approved, the host's summary, the user's long requests.

Who goes on with a pruned list needs to know what was wanted, what was agreed, and how far it came:

1. The plan, every step of it, in the words that were approved: the user may have edited it, and later edits count.
2. That it was approved, and is no proposal.
3. What the host says of the part that it took away itself: nothing else tells it.
4. What was asked at the start, with all conditions, and the newest request that is more than a sentence.

It needs no plan that was rejected or replaced, no request that was overtaken, and none of it twice.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from ctxmgr.engine.conversation import extend
from ctxmgr.engine.instructions import Copies, InPlace, quoted, remembered, task
from ctxmgr.engine.instructions.copies import TASK_HEADING
from ctxmgr.engine.instructions.task import FIRST_REQUEST, PLAN, REQUEST, SUMMARY
from ctxmgr.engine.tools import approval_in
from ctxmgr.model.estimate import estimate
from tests.notation import Said, a, call, indexed, quarters, r, summary, talk, u

TEXT = "# Do it\n1. Now.\n2. Then the rest."
YES = "User has approved your plan. You can now start coding."
STORED = "Plan approved. Switching to Default mode.\n\nThe approved implementation plan is stored at: {}\nRead it."
FILE = "/home/u/.gemini/tmp/x/plans/do-it.md"
LONG = "Port the parser to the new grammar. " + "Keep each public name as it is. " * 30
OTHER = "Now the printer. " + "It must print what the parser reads. " * 30
FRESH = (
    "A previous agent produced the plan below to accomplish the user's task. Implement the plan in a fresh context."
    " Treat the plan as the source of user intent, re-read files as needed, and carry the work through"
    " implementation and verification.\n\n"
)


def planned(tool: str = "exit_plan_mode", reply: str = YES, **arguments: Any) -> list[Said]:
    return [a("", call(tool, **arguments)), r(reply)]


def wrote(path: str = FILE, text: str = TEXT, tool: str = "write_file", is_error: bool = False) -> list[Said]:
    return [a("", call(tool, file_path=path, content=text)), r("ok", is_error=is_error)]


def edited(old: str, new: str, path: str = FILE) -> list[Said]:
    return [a("", call("replace", file_path=path, old_string=old, new_string=new)), r("ok")]


def proposed(text: str = TEXT) -> Said:
    return a(f"Here it is.\n<proposed_plan>\n{text}\n</proposed_plan>")


CLINES = a(f"I have one.\n<plan_mode_respond>\n<response>{TEXT}</response>\n</plan_mode_respond>")
ACT_MODE = "[plan_mode_respond] Result:\n[The user has switched to ACT MODE, so you may now proceed with the task.]"
BUTTON = "Implement the plan as specified, it is attached for your reference. Do NOT edit the plan file itself."
GO = u("go")
REMINDED = (
    f"A plan file exists from plan mode at: /p/x.md\n\nPlan contents:\n\n{TEXT}\n\nIf this plan is relevant, go on."
)
SAVED = f"{YES}\n\nYour plan has been saved to: /p/a.md\nYou can refer back to it."
APPROVED = "Plan approved."
EXITED = "Plan approved! Exited plan mode."
OF_CODEX = u("Implement the plan.")
CWD = u("<environment_context>\n<cwd>/p</cwd>\n</environment_context>")
EXECUTE = "The plan at {} has been approved, you can now edit files. Execute the plan"
SWITCHED = (
    "<system-reminder>\nYour operational mode has changed from plan to build.\nYou may change files.\n"
    "</system-reminder>\n\n"
    "A plan file exists at /p/1.md. You should execute on the plan defined within it"
)
ADDED = "\n".join(f"+{line}" for line in TEXT.split("\n"))
PATCH = f"*** Begin Patch\n*** Add File: .opencode/plans/1.md\n{ADDED}\n*** End Patch"
PATCHED = (
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: plans/do-it.md\n 1. Now.\n+2. Then the rest.\n"
    "*** End Patch\nEOF"
)
SCRIPT = "await tools.apply_patch(`" + PATCH.replace(".opencode/plans/1.md", "plans/do-it.md") + "`)"
SESSIONS = "/h/.copilot/session-state/7/plan.md"


def ran(command: str, tool: str = "run_shell_command") -> list[Said]:
    return [a("", call(tool, command=command)), r("ok")]


def patched(*lines: str, verb: str = "Update", tool: str = "apply_patch") -> list[Said]:
    patch = "\n".join(("*** Begin Patch", f"*** {verb} File: plans/do-it.md", *lines, "*** End Patch"))
    return [a("", call(tool, input=patch)), r("Done!")]


HEAD = "# Do it\n1. Now."
HEREDOC = ran(f"mkdir -p plans && cat > plans/do-it.md <<'EOF'\n{TEXT}\nEOF")
THEN = ("@@", " 1. Now.", "+2. Then the rest.")
# how the file came about, its calls, the messages that hold the plan, its text
IN_FILES: list[tuple[str, list[Said], set[int], str]] = [
    ("by a heredoc", HEREDOC, {1, 2, 3, 4}, f"{TEXT}\n"),
    ("by a heredoc of tee", ran(f"tee plans/do-it.md <<EOF\n{TEXT}\nEOF"), {1, 2, 3, 4}, f"{TEXT}\n"),
    ("by two heredocs", [*ran("cat > plans/do-it.md <<A\n1. No.\nA"), *HEREDOC], {3, 4, 5, 6}, f"{TEXT}\n"),
    (
        "by a heredoc behind another",
        [*wrote(text=f"{HEAD}\n"), *ran(f"cat >> {FILE} <<'EOF'\n2. Then the rest.\nEOF")],
        {1, 2, 3, 4, 5, 6},
        f"{TEXT}\n",
    ),
    ("and a hunk", [*wrote(text=HEAD), *patched(*THEN)], {1, 2, 3, 4, 5, 6}, TEXT),
    ("a heredoc and a hunk", [*ran(f"cat > {FILE} <<E\n{HEAD}\nE"), *patched(*THEN)], {*range(1, 7)}, f"{TEXT}\n"),
    (
        "and two hunks",
        [*wrote(text="# Do\n1. Now.\n2. Then."), *patched("@@", "-# Do", "+# Do it", "@@", "-2. Then.", *THEN[2:])],
        {1, 2, 3, 4, 5, 6},
        TEXT,
    ),
    ("and a hunk that a shell applies", [*wrote(text=HEAD), *ran(PATCHED)], {1, 2, 3, 4, 5, 6}, TEXT),
    ("and a hunk of another text", [*wrote(), *patched("@@", "-3. What?", "+3. No.")], {1, 2, 5, 6}, TEXT),
    ("and an edit by sed", [*wrote(), *ran(f"sed -i s/Now/No/ {FILE}")], {1, 2, 5, 6}, TEXT),
    ("a heredoc of another file", [*wrote(), *ran("cat > notes.md <<E\nNo.\nE")], {1, 2, 5, 6}, TEXT),
    ("by a script", [a("", call("exec", input=SCRIPT)), r("ok")], {1, 2, 3, 4}, TEXT),
]

# host and what is told, list, the messages that hold the plan, its text
PLANS: list[tuple[str, list[Said], set[int], str]] = [
    ("Claude Code", [GO, *planned(plan=TEXT)], {1, 2}, TEXT),
    (
        "Claude Code, edited by the user",
        [GO, *planned(plan="# Not it", reply=f"{YES}\n\n## Approved Plan:\n{TEXT}")],
        {1, 2},
        TEXT,
    ),
    ("Claude Code, in a cleared context", [u(f"Implement the following plan:\n\n{TEXT}")], {0}, TEXT),
    (
        "Claude Code, behind its compaction",
        [u(f"<system-reminder>\n{REMINDED}\n</system-reminder>"), a("ok")],
        {0},
        TEXT,
    ),
    (
        "Claude Code, in a file",
        [GO, *wrote("/p/a.md", tool="Write"), *planned("ExitPlanMode", SAVED)],
        {1, 2, 3, 4},
        TEXT,
    ),
    ("Codex", [GO, proposed(), OF_CODEX], {1}, TEXT),
    ("Codex, behind a change of its mode", [GO, proposed(), CWD, OF_CODEX], {1}, TEXT),
    ("Codex, in a fresh context", [u(FRESH + TEXT)], {0}, TEXT),
    ("Codex, a newer one", [GO, proposed("1. No."), OF_CODEX, proposed(), OF_CODEX], {3}, TEXT),
    (
        "Gemini CLI",
        [GO, *wrote(), *planned(plan_path="plans/do-it.md", reply=STORED.format(FILE))],
        {1, 2, 3, 4},
        TEXT,
    ),
    (
        "Gemini CLI, by its name",
        [GO, *wrote(), *planned(plan_filename="do-it.md", reply=APPROVED)],
        {1, 2, 3, 4},
        TEXT,
    ),
    (
        "Gemini CLI, edited before",
        [GO, *wrote(text=f"{TEXT} No."), *edited(" No.", ""), *planned(plan_path=FILE, reply=APPROVED)],
        {1, 2, 3, 4, 5, 6},
        TEXT,
    ),
    (
        "Gemini CLI, edited since",
        [
            GO,
            *wrote(text="# Do it\n1. Now."),
            *planned(plan_path=FILE, reply=APPROVED),
            *edited("Now.", "Now.\n2. Then the rest."),
        ],
        {1, 2, 3, 4, 5, 6},
        TEXT,
    ),
    (
        "Gemini CLI, written anew",
        [GO, *wrote(text="1. No."), *wrote(), *planned(plan_path=FILE, reply=APPROVED)],
        {3, 4, 5, 6},
        TEXT,
    ),
    (
        "Gemini CLI, a write that failed",
        [GO, *wrote(), *wrote(text="1. No.", is_error=True), *planned(plan_path=FILE, reply=APPROVED)],
        {1, 2, 5, 6},
        TEXT,
    ),
    (
        "OpenCode",
        [
            GO,
            *wrote(".opencode/plans/1.md", tool="write"),
            *planned("plan_exit", "User approved switching to build agent. Wait."),
            u(EXECUTE.format(".opencode/plans/1.md")),
        ],
        {1, 2, 5},
        TEXT,
    ),
    (
        "OpenCode, by a patch",
        [GO, a("", call("apply_patch", patchText=PATCH)), r("ok"), u(EXECUTE.format("/p/.opencode/plans/1.md"))],
        {1, 2, 3},
        TEXT,
    ),
    *[
        (f"Gemini CLI, {how}", [GO, *said, *planned(plan_path="plans/do-it.md", reply=APPROVED)], places, text)
        for how, said, places, text in IN_FILES
    ],
    ("OpenCode, by a change of the agent", [GO, *wrote("/p/1.md", tool="write"), u(SWITCHED)], {1, 2, 3}, TEXT),
    (
        "Kilo Code",
        [GO, *wrote(".kilo/plans/1.md", tool="write"), *planned("plan_exit", APPROVED, path=".kilo/plans/1.md")],
        {1, 2, 3, 4},
        TEXT,
    ),
    ("Kilo Code, in a new session", [u(f"Implement the following plan:\n\n{TEXT}"), a("ok"), u("on")], {0}, TEXT),
    ("Cursor", [GO, *planned("create_plan", "Created.", name="x", plan=TEXT), u(BUTTON)], {1}, TEXT),
    (
        "Cursor, after a talk",
        [GO, *planned("create_plan", "Created.", plan=TEXT), u("Good?"), a("Yes."), u(BUTTON)],
        {1},
        TEXT,
    ),
    (
        "Copilot CLI",
        [GO, *wrote(SESSIONS, tool="create"), *planned(summary="- Do it.", reply=EXITED)],
        {1, 2, 3, 4},
        TEXT,
    ),
    ("Copilot CLI, its summary", [GO, *planned(summary=TEXT, reply=EXITED)], {1, 2}, TEXT),
    ("Cline", [GO, *planned("plan_mode_respond", ACT_MODE.partition("\n")[2], response=TEXT)], {1, 2}, TEXT),
    ("Cline, without tools", [GO, CLINES, u(f"{ACT_MODE}\n<environment_details>")], {1}, TEXT),
    ("a newer plan", [GO, *planned(plan="1. No."), *planned(plan=TEXT)], {3, 4}, TEXT),
    ("rejected since", [GO, *planned(plan=TEXT), *planned(plan="1. No.", reply="Plan rejected.")], {1, 2}, TEXT),
    ("rejected", [GO, *planned(plan=TEXT, reply="Plan rejected. User feedback: no")], set(), ""),
    ("waiting for its approval", [GO, *planned("create_plan", "Created.", plan=TEXT), u("Is it good?")], set(), ""),
    ("talked of", [GO, proposed(), u("Implement the plan. But not step 2.")], set(), ""),
    ("talked about since", [GO, proposed(), u("hm"), a("Well?"), OF_CODEX], set(), ""),
    ("answered", [GO, CLINES, u("[plan_mode_respond] Result:\nNot yet.")], set(), ""),
    ("no plan", [GO, a("Shall I?"), OF_CODEX], set(), ""),
    ("a file that nobody wrote", [GO, *planned(plan_path=FILE, reply=STORED.format(FILE))], set(), ""),
    ("an error", [GO, a("", call("ExitPlanMode", plan=TEXT)), r(YES, is_error=True)], set(), ""),
    (
        "a file that tells of one",
        [GO, a("", call("read", path="x")), r(f"{YES}\n## Approved Plan:\n{TEXT}")],
        set(),
        "",
    ),
]


@pytest.mark.parametrize(("said", "places", "text"), [row[1:] for row in PLANS], ids=[row[0] for row in PLANS])
def test_the_plan_that_the_user_approved_is_known(said: list[Said], places: set[int], text: str) -> None:
    conversation = indexed(talk(*said, a("on")))
    found = task(conversation)
    plans = [part for part in found.parts if part.source == PLAN]
    assert [part.text for part in plans] == [text] * bool(text)
    assert found.messages(conversation) == places


@pytest.mark.parametrize("said", [row[1] for row in PLANS], ids=[row[0] for row in PLANS])
def test_it_is_the_same_however_the_list_came(said: list[Said]) -> None:
    """Message by message, or all at once."""
    messages = talk(*said, a("on"))
    conversation = indexed(())
    for end in range(len(messages) + 1):
        conversation = extend(conversation, messages[:end])
        task(conversation)
    assert task(conversation) == task(indexed(messages))


# name, list, (source, its message) of each part
PARTS: list[tuple[str, list[Said], list[tuple[str, int]]]] = [
    ("a long request", [u(LONG), a("ok")], [(FIRST_REQUEST, 0)]),
    ("two before an answer", [u(LONG), u(OTHER), a("ok")], [(FIRST_REQUEST, 0), (FIRST_REQUEST, 1)]),
    ("a short one", [u(LONG[:600]), a("ok")], []),
    ("later ones", [u("go"), a("ok"), u(LONG), a("ok"), u(OTHER), a("ok"), u("on")], [(REQUEST, 4)]),
    ("both", [u(LONG), a("ok"), u(OTHER), a("ok")], [(FIRST_REQUEST, 0), (REQUEST, 2)]),
    ("a host's text", [u(f"<system-reminder>\n{LONG}\n</system-reminder>"), a("ok")], []),
    ("a short one in a host's text", [u(f"<system-reminder>\n{LONG}\n</system-reminder>\n\ngo"), a("ok")], []),
    ("what a tool gave", [u("go"), a("x"), u(f"[read_file for 'a'] Result:\n{LONG}")], []),
    ("a summary", [summary(LONG), u("on"), a("ok")], [(SUMMARY, 0)]),
    ("a newer summary", [summary(LONG), u("on"), a("ok"), summary(OTHER), u("on")], [(SUMMARY, 3)]),
    ("asked behind a summary", [summary("Done."), u(LONG), a("ok")], [(SUMMARY, 0), (REQUEST, 1)]),
    ("OpenCode's summary", [u("What did we do so far?"), a(LONG), u("on"), a("ok")], [(SUMMARY, 1)]),
    ("a user who asks so", [u("What did we do so far, and why?"), a(LONG), u("on"), a("ok")], []),
    ("a plan that is long", [u(f"Implement the following plan:\n\n{LONG}"), a("ok")], [(PLAN, 0)]),
]


@pytest.mark.parametrize(("said", "parts"), [row[1:] for row in PARTS], ids=[row[0] for row in PARTS])
def test_what_the_task_is(said: list[Said], parts: list[tuple[str, int]]) -> None:
    found = task(indexed(talk(*said)))
    assert [(part.source, part.at.message_index) for part in found.parts] == parts


@pytest.mark.parametrize(
    ("told", "text", "source"),
    [
        ("Done.", f"{LONG}\nDone. On it goes.", REQUEST),
        ("The parser is ported.", f"{LONG}\n\nThe parser is ported.\n\n{OTHER}", REQUEST),
        ("Done.", "The conversation until now, in short:\n\nDone.", SUMMARY),
        (OTHER.strip(), f"{LONG[:500]}\n\n{OTHER}", SUMMARY),
    ],
)
def test_a_long_request_that_contains_a_short_summary_is_a_request(told: str, text: str, source: str) -> None:
    found = task(indexed(talk(u("go"), a("ok"), u(text), a("ok"))), summary=told)
    assert [part.source for part in found.parts] == [source]


def test_a_policy_that_wants_no_instructions_wants_no_task() -> None:
    assert not task(indexed(talk(u(LONG), *planned(plan=TEXT))), False).parts


def test_within_a_budget_the_plan_stays_first() -> None:
    conversation = indexed(talk(u(LONG), *planned(plan=TEXT), u(OTHER), a("ok")))
    weights = {part.source: sum(map(conversation.block_weight, part.blocks)) for part in task(conversation).parts}
    for order in ([PLAN], [PLAN, REQUEST], [PLAN, REQUEST, FIRST_REQUEST]):
        kept = task(conversation).within(conversation, sum(weights[source] for source in order))
        assert {part.source for part in kept.parts} == set(order)


def leaving(*said: Said) -> Copies:
    conversation = indexed(talk(*said))
    return Copies(task=task(conversation).leaving(conversation, range(conversation.size)))


def test_a_packet_tells_it_word_for_word_the_plan_last() -> None:
    told = quoted(leaving(u(LONG), *planned(plan=TEXT)), InPlace(1_000), 2_000, quarters)
    plan = "\n".join(f"> {line}" for line in TEXT.split("\n"))
    assert told.text == f"{TASK_HEADING}\n\n{FIRST_REQUEST}\n> {LONG.strip()}\n\n{PLAN}\n{plan}"
    assert set(told.texts.values()) == {LONG.strip(), TEXT}


def test_what_is_longer_than_the_room_is_told_by_its_head() -> None:
    plan = "\n".join(f"{number}. Read m{number}.py from the cache." for number in range(400))
    for room in (100, 500, 1_000, 2_000, 4_400):
        told = quoted(leaving(u("go"), *planned(plan=plan)), InPlace(10_000), room, quarters)
        assert "> 0. Read m0.py" in told.text, room
        assert quarters(told.text) <= room
        assert bool(told.texts) is (quarters(plan) < room - 900)


def test_whatever_the_room_is_it_is_told_by_its_head() -> None:
    """Also where the note on the missing lines takes more tokens than as many spaces."""
    plan = "\n".join(f"{number}. Read m{number}.py from the cache." for number in range(40))
    for room in range(60, 700):
        told = quoted(leaving(u("go"), *planned(plan=plan)), InPlace(10_000), room, estimate)
        assert "> 0. Read m0.py" in told.text, room
        assert estimate(told.text) <= room


def test_what_stands_in_the_list_and_instructions_take_of_its_room() -> None:
    copies = leaving(u(LONG))
    needed = quarters(LONG) + 16
    assert quoted(copies, InPlace(1_000, 0, 2_000 - needed), 2_000, quarters).texts
    assert not quoted(copies, InPlace(1_000, 0, 2_000 - needed), needed // 2, quarters).texts
    assert not quoted(copies, InPlace(1_000, needed, 2_000 - needed), 2_000, quarters).texts


def kept(*lists: list[Said]) -> dict[str, str]:
    """What is remembered of these lists, each in place of the one before, by source."""
    copies: tuple[Any, ...] = ()
    for said in lists:
        copies = remembered(copies, indexed(talk(*said)), 0, True, 10_000)
    return {copy.source: copy.text.strip() for copy in copies}


def test_it_is_remembered_until_something_newer_takes_its_place() -> None:
    first = [u(LONG), *planned(plan="1. No."), *planned(plan=TEXT), u(OTHER), a("ok")]
    assert kept(first) == {FIRST_REQUEST: LONG.strip(), PLAN: TEXT, REQUEST: OTHER.strip()}
    assert kept(first, [summary("Done."), u("on")]) == {**kept(first), SUMMARY: "Done."}
    assert kept(first, [summary("Done."), u("on")], [summary("All.")])[SUMMARY] == "All."
    assert kept(first, [summary("Done."), u(LONG + OTHER)])[REQUEST] == (LONG + OTHER).strip()


def test_the_first_request_is_that_of_the_first_list_that_has_one() -> None:
    """A host that takes old messages away without a word sends a list that begins later."""
    later = [u(OTHER), a("ok"), u("on")]
    assert kept([u(LONG), a("ok"), *later], later) == {FIRST_REQUEST: LONG.strip(), REQUEST: OTHER.strip()}
    assert kept([u(LONG), a("ok")], [u(OTHER)]) == {FIRST_REQUEST: OTHER.strip()}, "the user begins anew"


def test_of_one_that_is_too_long_to_be_remembered_the_start_is() -> None:
    text = "0123456789" * 2_000
    assert kept([u(text), a("ok")])[FIRST_REQUEST] == f"{text[:15_000]}…"


def test_the_time_for_what_looks_like_an_approval_is_linear_in_the_text() -> None:
    """Each of these would take minutes where each space begins another search."""
    file = "<system-reminder>A plan file exists from plan mode at: /p/x.md\n"
    for head in (FRESH.rstrip(), file.rstrip(), f"{file}Plan contents: x", "Implement the following plan:"):
        for piece in ("\n", " ", " \n"):
            assert approval_in([head + piece * 400_000]) is None
    assert approval_in([f"{file}Plan contents: x" + "\nIf this plan is relevant" * 20_000]) is None


def steps(work: Callable[[], object]) -> int:
    """How many functions are called."""
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def requests(count: int) -> list[Said]:
    return [u(f"{number} {LONG}") for number in range(count)]


def approvals(count: int) -> list[Said]:
    plans = [[*wrote(text=f"{TEXT}\n{number}"), *planned(reply=STORED.format(FILE))] for number in range(count)]
    return [GO, *(said for plan in plans for said in plan)]


@pytest.mark.parametrize("said", [requests, approvals])
def test_the_time_for_a_list_is_linear_in_its_parts(said: Callable[[int], list[Said]]) -> None:
    def of(count: int) -> int:
        conversation = indexed(talk(*said(count)))
        return steps(lambda: remembered((), conversation, 0, True, 1_000_000))

    of(1)  # expressions are compiled when they are first used
    assert of(200) <= 2.2 * of(100)


def test_a_file_that_edits_multiply_is_followed_no_further() -> None:
    def grown(number: int) -> list[Said]:
        edit = call("replace", file_path=FILE, old_string="x", new_string=f"{number}x" + "x" * 99, replace_all=True)
        return [a("", edit), r("ok")]

    said = [GO, *wrote(text="x"), *planned(reply=STORED.format(FILE)), *grown(1), *grown(2), *grown(3), *grown(4)]
    found = {part.source: part.text for part in task(indexed(talk(*said))).parts}
    assert 0 < len(found[PLAN]) <= 1_100_000
