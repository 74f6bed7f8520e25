"""When a probe is used: what a later call or message shows that it needed."""

import pytest

from tests.notation import Said, a, call, err, r, u
from tests.unit.study.probes.built import probes_of, used
from tests.unit.study.probes.conversations import COMMITTED, EDIT, FAILING, PASSING, TASKS, TEST_RUN

AFTER: list[tuple[str, tuple[Said, ...], Said, bool]] = [
    ("files.modified", (u("go"), a(EDIT), r("ok")), u("see parse.ts"), True),
    ("files.modified", (u("go"), a(EDIT), r("ok")), u("see lex.ts"), False),
    ("file.state", (u("go"), a(EDIT), r("ok")), u("see parse.ts"), False),
    ("errors", (u("go"), a(call("bash", command="./run")), err("TypeError: no")), a("the TypeError again"), True),
    ("errors", (u("go"), a(call("bash", command="./run")), err("TypeError: no")), a("on to the next"), False),
    ("tests", (u("go"), a(TEST_RUN), r(PASSING)), a("all good"), False),
    ("question", (u("go"), a("Shall I mend parseBlock?"), u("yes"), a("ok")), a("parseBlock is mended"), True),
    ("question", (u("go"), a("Shall I mend parseBlock?"), u("yes"), a("ok")), a("mended"), False),
]


@pytest.mark.parametrize(("kind", "said", "after", "again"), AFTER)
def test_used_is_what_comes_again(kind: str, said: tuple[Said, ...], after: Said, again: bool) -> None:
    assert used(probes_of(*said, after, end=len(said)), kind)[:1] == [again]


def test_a_touch_uses_a_file_and_a_change_uses_its_content() -> None:
    said = (u("go"), a(EDIT), r("ok"))
    looked = (a(call("read", path="src/core/parse.ts")), r("text"))
    changed = (a(EDIT), r("ok"))
    for after, content in ((looked, False), (changed, True), ((*looked, *changed), False)):
        asked = probes_of(*said, *after, end=len(said))
        assert used(asked, "files.modified") == [True]
        assert used(asked, "file.state") == [content]


def test_a_command_run_again_uses_its_end() -> None:
    failed = (u("go"), a(TEST_RUN), r(FAILING))
    asked = probes_of(*failed, a(TEST_RUN), r(PASSING), end=3)
    assert used(asked, "tests") == [True]
    assert used(asked, "errors") == [True]


def test_a_task_is_used_while_it_is_not_done() -> None:
    assert used(probes_of(u("go"), a(TASKS), r("ok")), "tasks") == [True, False]


@pytest.mark.parametrize("hash", ["1a2b3c4", "9a2b3c4"])
def test_a_hash_said_again_uses_a_commit(hash: str) -> None:
    said = (u("go"), a(call("bash", command="git commit -m x")), r(COMMITTED))
    assert used(probes_of(*said, a(f"Fixed in {hash}"), end=3), "commits") == [hash == "1a2b3c4"]
