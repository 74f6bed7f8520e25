import pytest

from ctxmgr.engine.memory.markdown import checklist_items


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- [ ] open one", [("open one", "open")]),
        ("* [x] done one\n  + [X] nested", [("done one", "done"), ("nested", "done")]),
        ("1. [~] started", [("started", "active")]),
        ("- [] no space in it", [("no space in it", "open")]),
        ("- [-] cancelled", []),
        ("- [link](x)", []),
        ("> - [ ] quoted", []),
        ("```\n- [ ] an example\n```", []),
        ("- [ ] " + "x" * 600, []),
        ("nothing to do", []),
    ],
)
def test_items(text: str, found: list[tuple[str, str]]) -> None:
    assert [(item.text, item.status) for item in checklist_items(text)] == found
