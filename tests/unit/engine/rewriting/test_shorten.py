"""Arguments of old calls made shorter: what stays, what goes, and when nothing is done."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting.rewrite import LEAST_SAVED, is_shortened, shorten
from ctxmgr.engine.tools import patches
from ctxmgr.model import Call

CODE = "\n".join(f"    value_{number} = compute({number})" for number in range(60))  # 60 lines
SIZE = f"{len(CODE):,}"
FILE = f"[argument shortened — the call had {SIZE} characters, 60 lines; read the file to see them]"
HEAD, TAIL = "\n".join(CODE.split("\n")[:11]), "\n".join(CODE.split("\n")[-5:])
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n" + "\n".join(
    f"-{line}\n+{line}" for line in CODE.split("\n")
)
PATCH += "\n@@ def g():\n-x\n+y\n*** Add File: b.py\n+" + CODE.replace("\n", "\n+") + "\n*** End Patch"


def test_a_written_file() -> None:
    given_ = {"path": "src/a.py", "content": CODE, "mode": 7}
    found = shorten(Call("write", given_))
    assert found == {"path": "src/a.py", "content": f"{HEAD}\n{FILE}\n{TAIL}", "mode": 7}
    assert given_["content"] == CODE


def test_an_edit_keeps_its_shape() -> None:
    edits = [{"oldText": CODE, "newText": "short"}, {"oldText": "x", "newText": CODE}]
    found = shorten(Call("edit", {"path": "a.py", "edits": edits}))
    assert found is not None
    short = f"{HEAD}\n{FILE}\n{TAIL}"
    assert found["edits"] == [{"oldText": short, "newText": "short"}, {"oldText": "x", "newText": short}]


def test_a_patch_keeps_its_files_and_hunks() -> None:
    found = shorten(Call("apply_patch", {"input": PATCH}))
    assert found is not None
    short = found["input"]
    assert patches.is_patch(short)
    assert [one.path for one in patches.sections(short)] == ["a.py", "b.py"]
    assert short.count("@@") == PATCH.count("@@") == 2
    assert short.endswith("*** End Patch")
    assert "compute" not in short


def test_nothing_is_done() -> None:
    for tool, arguments in (
        ("write", {"path": "a.py", "content": "x" * 800}),
        ("todo", {"items": ["a task of some words"] * 50}),
        ("write", {"path": "a.py", "content": f"{HEAD}\n{FILE}\n{TAIL}"}),
        ("write", {"path": "p" * 200, "content": "x" * 900, "more": ["y" * 200] * 10, "n": None}),
    ):
        assert shorten(Call(tool, arguments)) is None, tool


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from([CODE, PATCH, "x" * 900]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value]
    return "a text" if isinstance(value, str) else value


@given(
    st.sampled_from(["write", "bash", "apply_patch", "other"]),
    st.dictionaries(st.sampled_from(["path", "content", "command", "input", "edits"]), JSON, max_size=4),
)
def test_any_arguments(tool: str, arguments: dict[str, Any]) -> None:
    found = shorten(Call(tool, arguments))
    assert found == shorten(Call(tool, arguments))
    if found is None:
        return
    assert shape(found) == shape(arguments)
    assert len(json.dumps(found, ensure_ascii=False)) <= (1 - LEAST_SAVED) * len(
        json.dumps(arguments, ensure_ascii=False)
    )
    assert is_shortened(found)
    assert shorten(Call(tool, found)) is None
