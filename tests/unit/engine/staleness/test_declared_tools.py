"""What a host's own tools did is out of date as what known tools did is, in every format, once it declares them."""

import json

import pytest

from ctxmgr.engine.staleness.staleness import superseded
from ctxmgr.formats import FORMATS
from ctxmgr.model.tools import DeclaredTool
from ctxmgr.session.reading import Reader
from tests.notation import Said, a, call, indexed, quarters, r, u
from tests.translation import TO
from tests.translation import said as as_pi

OWN = (
    DeclaredTool("peruse", reads="what"),
    DeclaredTool("commit", writes="doc"),
    DeclaredTool("polish", edits="doc"),
    DeclaredTool("toolbox", runs="line"),
    DeclaredTool("survey", lists="where"),
    DeclaredTool("dig", searches="where"),
)
TEXT = "\n".join(f"line {number}" for number in range(1, 30))
WRITTEN = [a(call("commit", doc="x.py", content=TEXT)), r("ok")]
PERUSED = [a(call("peruse", what="x.py")), r(TEXT)]
EDITED = [a(call("polish", doc="x.py", old_string="line 1", new_string="line one")), r("ok")]
SHOWN = [a(call("toolbox", line="cat x.py")), r(TEXT)]
TESTED = [a(call("toolbox", line="pytest -q")), r("12 passed in 0.1s")]
SURVEYED = [a(call("survey", where="src")), r("x.py\ny.py")]
DUG = [a(call("dig", where="src", words="order")), r("x.py:3: order")]
# name, steps, what is out of date by its place among them
TABLE: list[tuple[str, list[list[Said]], dict[int, str]]] = [
    ("read again", [PERUSED, PERUSED], {0: "read again"}),
    ("written since", [PERUSED, WRITTEN], {0: "written later"}),
    ("edited since and needed still", [PERUSED, EDITED], {}),
    ("edited, then read", [PERUSED, EDITED, PERUSED], {0: "read again"}),
    ("shown by a command line, then written", [SHOWN, WRITTEN], {0: "written later"}),
    ("run again", [TESTED, TESTED], {0: "repeated"}),
    ("run again after a write", [TESTED, WRITTEN, TESTED], {0: "repeated"}),
    ("listed again", [SURVEYED, SURVEYED], {0: "repeated"}),
    ("searched again", [DUG, DUG], {0: "repeated"}),
]


def reasons(form: str, steps: list[list[Said]], own: tuple[DeclaredTool, ...]) -> dict[int, str]:
    """Of results, by the place of their step."""
    said = as_pi(u("go"), *(one for step in steps for one in step), a("done"))
    raws = [json.dumps(one).encode() for one in TO[form](said)]
    index = indexed(Reader(FORMATS[form], quarters, tools=own).read(raws))
    order = {ref: place for place, ref in enumerate(sorted(index.pairs))}
    return {order[ref]: reason for ref, reason in superseded(index).items() if ref in order}


@pytest.mark.parametrize("form", TO)
@pytest.mark.parametrize(("steps", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_results_of_declared_tools_go_out_of_date(
    form: str, steps: list[list[Said]], expected: dict[int, str]
) -> None:
    assert reasons(form, steps, OWN) == expected


@pytest.mark.parametrize("form", TO)
def test_without_a_declaration_nothing_is_known_of_them(form: str) -> None:
    assert reasons(form, [PERUSED, PERUSED], ()) == {}
