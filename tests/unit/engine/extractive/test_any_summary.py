"""Of whatever a host sends, a summary within its budget, stable, and the same bytes."""

import os
import re
import subprocess
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.extractive import summary
from ctxmgr.engine.text.sections import sections_of
from ctxmgr.model.compaction.branch import BranchMessage
from ctxmgr.model.compaction.plans import Format
from ctxmgr.model.messages import Message
from tests.conversations import any_list
from tests.notation import a, call, err, r, u, words
from tests.unit.engine.extractive.conversations import FORMATS, branched, conversation

USER = st.sampled_from(
    [
        "please port the editor to the new theme",
        "never touch `vendor/` again, please.",
        "no, that is wrong, use the shared loader for it",
        "continue",
        "/clear",
        "## Goal\nforged: a heading in a message",
        "1. Current Work: this is my list\n2. Next Step: and so on",
        'say "hello" → to them | all ``` of it',
        "- [ ] a task of mine\n- [x] one that is done",
        "new goal: make the exporter fast",
        "never mind the `vendor/` thing",
        "x" * 900,
    ]
)
TEXT = st.sampled_from(
    [
        "Fixed `parse_date` because **leap years** were off.",
        "Now let me look:",
        "We'll go with sqlite for the archive.",
        "- [ ] write the schema\n- [x] choose the store",
        "**Done:** nothing\n\n```py\n# Goal\nx = 1",
        "The `Loader.run` call in `src/a.ts` must come first: it sets `Loader.theme`.",
        "Latest request: forged. Files worked on most: `x` (changed 3)",
        "| a | b |\n|---|---|\n| `c_d` | e |",
        "Go on with the work below",
    ]
)
TURN = st.one_of(
    st.builds(lambda text: [u(text)], USER),
    st.builds(lambda text: [a(text)], TEXT),
    st.builds(
        lambda text, path: [a(text, call("edit", path=path)), r("ok")], TEXT, st.sampled_from(["a.py", "b/c.ts"])
    ),
    st.builds(lambda text: [a(text, call("bash", command="npm test")), err("TypeError: no `x`")], TEXT),
    st.builds(lambda: [a(call("bash", command="npm test")), r("ok")]),
)
TALK = st.lists(TURN, max_size=12).map(lambda turns: conversation(*(one for turn in turns for one in turn)))
PIECE = st.sampled_from(
    [
        "## Goal\nship it\nand more",
        "# Goal: with a colon",
        "## Constraints & Preferences\n- none of that\n- **bold** rule",
        "### Done\n- [x] one\n  - [ ] two\n- three:\n  - four",
        "### In Progress\n- [ ] the writer\n- [x] odd",
        "### Blocked\n- `npm test`: \"TypeError\"\n- the disk",
        "## Key Decisions\n1. **A** - b\n2. c",
        "## Next Steps (WP1-WP2)\n\n### WP1: go\n- x\n- y\n",
        "## Critical Context\n- a `b_c`\n\npara one\npara two\n\n- d\n```py\nx = 1\n\n    y\n```",
        "## Odd title\n```\nunclosed\n# Goal",
        "## Notes\n" + "\n".join(f"- point {number} of a long list of them all" for number in range(20)),
        "free words\n\n* star\n+ plus",
        "- [x] >>> - [ ] odd - marks",
        "**Turn Context (split turn):**\n\n## Original Request\nrename it\n\n## Progress So Far\n- did\n",
        "## Critical Context\n- Asked: \"what\"\n- Files worked on most: `a.py` (changed 1)\n- Named often: `q_r`",
        "6. All user messages:\n- \"hi there you\"\n- more",
        "9. Optional Next Step: do it\n\nand then that",
        "| a | b |\n|---|---|\n| c | d |",
        "<read-files>\na.py\n</read-files>",
    ]
)  # fmt: skip
PREVIOUS = st.lists(PIECE, max_size=5).map("\n\n".join)
FORMAT = st.sampled_from(FORMATS)


@given(any_list, st.integers(0, 400), FORMAT)
def test_never_over_the_budget_whatever_the_host_sends(
    messages: tuple[Message, ...], budget: int, format: Format
) -> None:
    given = branched(messages)
    text = summary.summary(given, None, budget=budget, weigh=words, format=format, prefix=given[-5:])
    assert words(text) <= budget
    assert words(summary.branch(given, budget=budget, weigh=words)) <= budget
    assert words(summary.turn_context(given, budget, words)) <= budget
    assert words(summary.digest(given, budget, words)) <= budget
    assert summary.short(given).count("\n") == 0


def joining(text: str) -> int:
    """A weight that is more than that of the parts: what joins lines weighs, too."""
    return len(text.split()) + 4 * text.count("\n")


def test_the_whole_is_weighed_not_its_parts() -> None:
    messages = conversation(*(one for at in range(40) for one in (u(f"please do part {at} of it"), a("I see."))))
    for budget in range(0, 400, 3):
        text = summary.summary(messages, None, budget=budget, weigh=joining)
        assert joining(text) <= budget


@settings(deadline=None)
@given(TALK, PREVIOUS, st.integers(0, 300), FORMAT)
def test_never_over_the_budget_and_stable(
    messages: tuple[BranchMessage, ...], previous: str, budget: int, format: Format
) -> None:
    text = summary.summary(messages, previous, budget=budget, weigh=words, format=format)
    assert words(text) <= budget
    again = summary.summary((), text, budget=budget, weigh=words, format=format)
    assert again == text


@settings(deadline=None)
@given(st.lists(TALK, max_size=4), PREVIOUS, FORMAT)
def test_sections_never_double_in_a_chain(
    chain: list[tuple[BranchMessage, ...]], previous: str, format: Format
) -> None:
    text = previous
    for messages in chain:
        text = summary.summary(messages, text, budget=2_000, weigh=words, format=format)
        titles = [section.title for section in sections_of(text) if section.title]
        assert len(titles) == len(set(titles))
        lines = [line for line in text.splitlines() if line.startswith(("- ", "1. "))]
        assert len([line for line in lines if len(line) > 40]) == len({line for line in lines if len(line) > 40})


@settings(deadline=None)
@given(PREVIOUS)
def test_no_word_of_a_previous_summary_is_lost(previous: str) -> None:
    text = summary.summary((), previous, budget=10_000, weigh=words)
    kept = set(re.findall(r"\w+", text))
    for section in sections_of(previous):
        if section.kind not in ("read-files", "modified-files", "goal"):
            for item in section.items:
                assert set(re.findall(r"\w\w+", item.text)) - {"py", "Asked"} <= kept


def test_same_bytes_whatever_the_hash_seed() -> None:
    code = (
        "import hashlib; from tests.unit.engine.extractive.conversations import told; "
        "from tests.unit.engine.extractive.test_summary import FOREIGN, WORK; "
        "print(hashlib.sha256(told(*WORK, previous=FOREIGN, budget=300).encode()).hexdigest())"
    )
    root = Path(__file__).parents[4]
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(seen) == 1
