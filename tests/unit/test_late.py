"""What is loaded when it is first used."""

import ast
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from ctxmgr.late import late, late_members, late_modules

ROOT = Path(__file__).parents[2]


def test_every_late_function_and_module_is_there() -> None:
    """What types are checked by may hide a name that is none."""
    found = 0
    for path in (ROOT / "ctxmgr").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "late":
                where = str(ast.literal_eval(node.args[0]))
                value = pkgutil.resolve_name(where)
                assert callable(value), where
                assert not isinstance(value, type), where
                found += 1
    assert found > 10


def test_no_late_function_of_a_face_is_called_as_a_module_of_it() -> None:
    """Loading that module would set the name."""
    for face in (ROOT / "ctxmgr").rglob("__init__.py"):
        for node in ast.walk(ast.parse(face.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("late("):
                name = ast.unparse(node.targets[0])
                assert not (face.parent / name).exists(), face
                assert not (face.parent / f"{name}.py").exists(), face


def test_a_late_function_is_loaded_at_its_first_call_and_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    convert = late("colorsys:rgb_to_hsv")
    assert "colorsys" not in sys.modules
    assert convert(1.0, 1.0, b=1.0) == (0.0, 0.0, 1.0)
    monkeypatch.setattr("colorsys.rgb_to_hsv", None)
    assert convert(0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)


def test_a_module_of_a_package_may_be_named_by_the_package() -> None:
    assert late("os:path.join")("a", "b") == str(Path("a") / "b")


def test_a_name_of_a_face_is_of_its_module_the_module_or_none() -> None:
    named = late_members("json", decoder="decoder JSONDecoder", scanner="")
    assert (named("JSONDecoder"), named("scanner")) == (json.JSONDecoder, sys.modules["json.scanner"])
    member = late_modules("json", "decoder")
    assert member("decoder") is sys.modules["json.decoder"]
    with pytest.raises(AttributeError, match="module 'json' has no attribute 'encoder'"):
        member("encoder")


def test_late_modules_are_known_before_they_are_loaded() -> None:
    code = (
        "import sys; from ctxmgr import late; late.late('colorsys:rgb_to_hsv');"
        "print(*late.MODULES, 'colorsys' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["colorsys", "False"]


@pytest.mark.parametrize("front", ["ctxmgr.library", "ctxmgr.programs.proxying"])
def test_what_goes_on_for_days_has_all_of_it_loaded(front: str) -> None:
    """A session in a program, and a program that is run: neither meets a release that is installed meanwhile."""
    code = (
        f"import sys; import {front}; from ctxmgr import late;"
        "print(len(late.MODULES) > 0, [one for one in late.MODULES if one not in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "True []"
