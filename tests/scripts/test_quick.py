"""What `scripts/test --quick` runs for a change."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import quick
from scripts.quick import Deadline, imports, selected, verdict

SOURCES = {
    "ctxmgr/wire/__init__.py": "from ctxmgr.wire.framing import Framer\nfrom ctxmgr.wire import errors\n",
    "ctxmgr/wire/framing.py": "import re\nfrom ctxmgr.wire.errors import PARSE_ERROR\n",
    "ctxmgr/wire/errors.py": "from typing import Any\n",
    "ctxmgr/server/__init__.py": "",
    "ctxmgr/server/front.py": "from ctxmgr.wire import (\n    Framer,  # of the face\n    errors as codes,\n)\n",
    "ctxmgr/client/far.py": "from ctxmgr.server import front\n",
    "tests/helping.py": "if True:\n    from ctxmgr.wire.framing import Framer\n",
    "tests/unit/wire/test_framing.py": "from ctxmgr.wire.framing import Framer\n",
    "tests/unit/server/test_front.py": "import ctxmgr.server.front\n",
    "tests/unit/client/test_by_helper.py": "from tests.helping import Framer\nfrom ctxmgr.client import far\n",
    "tests/unit/client/test_far.py": "from ctxmgr.client import far\n",
    "tests/test_floors.py": "",
    "tests/test_map.py": "",
}


def test_a_name_of_a_face_counts_as_its_module() -> None:
    of = imports(SOURCES)
    assert of["ctxmgr.server.front"] == {"ctxmgr.wire.framing", "ctxmgr.wire.errors"}
    assert of["ctxmgr.client.far"] == {"ctxmgr.server.front"}
    assert of["tests.helping"] == {"ctxmgr.wire.framing"}


def test_tests_of_the_change_come_first_then_those_of_the_structure_of_packages() -> None:
    chosen = selected(["ctxmgr/wire/framing.py"], SOURCES)
    assert chosen.files == [
        "tests/unit/wire/test_framing.py",
        "tests/unit/client/test_by_helper.py",
        "tests/test_floors.py",
    ]
    assert chosen.left_out == 0


def test_a_changed_test_and_the_test_of_a_page_are_run() -> None:
    changed = ["CONTRIBUTING.md", "tests/unit/client/test_far.py"]
    assert selected(changed, SOURCES).files == ["tests/unit/client/test_far.py", "tests/test_map.py"]


def test_of_a_removed_module_the_shape_of_packages_is_tested() -> None:
    left = {path: text for path, text in SOURCES.items() if path != "ctxmgr/server/front.py"}
    assert selected(["ctxmgr/server/front.py"], left).files == ["tests/test_floors.py"]


def test_what_is_beyond_the_limit_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "MOST_FILES", 2)
    chosen = selected(["ctxmgr/wire/framing.py"], SOURCES)
    assert chosen.files == ["tests/unit/wire/test_framing.py", "tests/test_floors.py"]
    assert chosen.left_out == 1


def test_what_is_not_committed_comes_first_and_always_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "MOST_FILES", 2)
    far, framing = "tests/unit/client/test_far.py", "tests/unit/wire/test_framing.py"
    changed = [*SOURCES]
    assert selected(changed, SOURCES, [far]).files[0] == far
    assert selected(changed, SOURCES, ["ctxmgr/wire/framing.py"]).files[0] == framing
    assert selected(changed, SOURCES, ["ctxmgr/wire/framing.py", far]).files[0] == far
    own = [path for path in SOURCES if path.startswith("tests/unit/")]
    assert {*own} <= {*selected(changed, SOURCES, own).files}


class Item:
    def __init__(self, path: str) -> None:
        self.nodeid = f"{path}::test_one"


def test_after_the_deadline_only_uncommitted_tests_start() -> None:
    time = iter([0.0, 1.0, 19.0, 20.0, 21.0])
    deadline = Deadline(20.0, lambda: next(time), always=["edited.py"])
    items = [Item(path) for path in ("a.py", "b.py", "b.py", "edited.py", "c.py")]
    assert [deadline.pytest_runtest_protocol(item) for item in items] == [None, None, True, None, True]
    assert deadline.left_out == 2
    assert deadline.not_run(["a.py", "b.py", "c.py", "edited.py", "real.py"]) == ["b.py", "c.py", "real.py"]


def test_a_changed_test_that_did_not_run_is_named_and_nothing_is_said_to_have_passed() -> None:
    assert verdict([], []) == "nothing failed; before you push: scripts/test"
    said = verdict([], ["tests/test_map.py"])
    assert "\n  tests/test_map.py\n" in said
    assert "nothing failed" not in said
    said = verdict(["tests"], [f"tests/test_{number}.py" for number in range(25)])
    assert said.endswith("\n  and 15 more\nfailed: tests")


def test_each_test_that_the_tables_name_is_there() -> None:
    named = [*quick.SHAPE, *(test for tests in quick.PAGES.values() for test in tests)]
    for one in named:
        path, _, name = one.partition("::")
        text = (Path(quick.ROOT) / path).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in text, one


def test_every_path_that_the_table_of_pages_names_is_there() -> None:
    assert [start for start in quick.PAGES if not (Path(quick.ROOT) / start).exists()] == []


@pytest.mark.long
def test_a_failure_is_shown_when_it_happens(tmp_path: Path) -> None:
    """Before the next test has run, in a process that tests by workers, too."""
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_configure\n", encoding="utf-8")
    (tmp_path / "test_two.py").write_text(
        "def test_one():\n    assert 1 == 2\n\ndef test_two(capfd):\n    pass\n", encoding="utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        "-n",
        "1",
    ]
    done = subprocess.run([*command, str(tmp_path)], cwd=quick.ROOT, capture_output=True, encoding="utf-8")
    shown, _, summary = done.stdout.partition("= FAILURES =")
    assert "\nFAILED test_two.py::test_one: assert 1 == 2\n" in shown, done.stdout + done.stderr
    assert "1 failed, 1 passed" in summary
